"""Limits of a server's reach for its clients: folders its operator named, pages and hooks of the open internet."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from socket import SOCK_STREAM, getaddrinfo
from time import monotonic
from typing import Final

import httpx2

from evolore.errors import InvalidValue, UnreadableSource
from evolore.ports import Sources, SourceText
from evolore.sources.addresses import read_page, shown
from evolore.text.display import one_line

PORTS: Final = {"https": 443, "http": 80}
MOST_PAGE_BYTES: Final = 32 * 1024 * 1024
"""As long as a body of a request."""

_MOST_STEPS: Final = 6
_ANSWER_SECONDS: Final = 10.0
_PAGE_SECONDS: Final = 120.0
_CLOSED: Final = tuple(ip_network(one) for one in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "2002::/16"))
"""What Python's older releases take for the open internet, or what answers a cloud's own machines there."""

_UNICAST, _NAT64 = ip_network("2000::/3"), ip_network("64:ff9b::/96")


def is_open(address: str) -> bool:
    """Return whether an address is one of the open internet, also where it holds an older one.

    >>> [is_open(one) for one in ("8.8.8.8", "10.0.0.5", "64:ff9b::8.8.8.8", "64:ff9b::169.254.169.254")]
    [True, False, True, False]
    """
    one = ip_address(address.partition("%")[0])
    if isinstance(one, IPv6Address):
        one = one.ipv4_mapped or (IPv4Address(int(one) & 0xFFFFFFFF) if one in _NAT64 else one)
    if isinstance(one, IPv6Address) and one not in _UNICAST:
        return False
    return one.is_global and not one.is_multicast and not any(one in network for network in _CLOSED)


def public_address(host: str, port: int) -> str | None:
    """Look a name up; return an address of it, None where one is not of the open internet."""
    try:
        found = [str(one[4][0]) for one in getaddrinfo(host, port, type=SOCK_STREAM)]
    except UnicodeError as error:
        raise OSError(f"{host} is no name.") from error
    return found[0] if found and all(is_open(one) for one in found) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """A request to an address that was looked up once: its name cannot come to mean another in between."""

    url: httpx2.URL  #: With the address instead of the name.
    headers: dict[str, str]  #: With the name.
    extensions: dict[str, str]  #: By which the certificate is checked against the name.


def pinned(url: httpx2.URL) -> Pinned | None:
    """Look the name of an http(s) URL up; None where it does not lie on the open internet."""
    host = url.raw_host.decode("ascii")
    found = public_address(host, url.port or PORTS[url.scheme])
    if found is None:
        return None
    name = url.netloc.decode("ascii")
    return Pinned(url=url.copy_with(host=found), headers={"Host": name}, extensions={"sni_hostname": host})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a server's operator lets its clients have it reach."""

    add_from: tuple[Path, ...] = ()  #: Folders whose files jobs may add.
    fetch_addresses: bool = False  #: Whether jobs may add pages of the open internet.
    private_webhooks: bool = False  #: Whether webhooks within the server's own network are sent to.

    def check(self, path: str) -> None:
        """Refuse a path or an address that is out of reach; whether anything is there is not revealed."""
        if Sources.of([path]).addresses:
            self._check_address(path)
        elif not any(Path(path).resolve().is_relative_to(one.resolve()) for one in self.add_from):
            raise InvalidValue(
                f"{path!r} is in no folder that this server adds files of: start it with --add-from FOLDER to allow that, "
                "or add the file with `evolore add`."
            )

    def _check_address(self, address: str) -> None:
        name = one_line(shown(address))
        if not self.fetch_addresses:
            raise InvalidValue(
                f"'{name}' is an address, and this server fetches none: start it with --fetch-addresses to allow that, or "
                "add it with `evolore add`."
            )
        if address.partition("://")[0].lower() not in PORTS:
            raise InvalidValue(
                f"'{name}' would be read with the credentials of the server: it fetches http:// and https:// alone. Add it "
                "with `evolore add`."
            )

    def given(self, path: str) -> str | SourceText:
        """Return what is to be added: a path as it is, of an address what is there."""
        self.check(path)
        return _page(path) if Sources.of([path]).addresses else path


def _page(address: str) -> SourceText:
    """Fetch a page; each step of a redirect is looked up and checked as the first one."""
    name = one_line(shown(address))
    until = monotonic() + _PAGE_SECONDS
    try:
        url: httpx2.URL | None = httpx2.URL(address)
        for _ in range(_MOST_STEPS):
            url, data = _step(url, name, until)
            if url is None:
                return read_page(address, data)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise UnreadableSource(f"'{name}' cannot be read ({type(error).__name__}): check the address.") from error
    raise UnreadableSource(f"'{name}' leads on more than {_MOST_STEPS - 1} times: use the address that it ends at.")


def _step(url: httpx2.URL, name: str, until: float) -> tuple[httpx2.URL | None, bytes]:
    """Ask one address; return where it leads on to, or None with what is there."""
    to = pinned(url) if url.scheme in PORTS else None
    if to is None:
        raise UnreadableSource(
            f"'{name}' lies within a network, or leads there: the server fetches public addresses alone."
        )
    headers = {**to.headers, "User-Agent": "Evolore", "Accept-Encoding": "identity"}
    with (
        httpx2.Client(timeout=_ANSWER_SECONDS, follow_redirects=False) as http,
        http.stream("GET", to.url, headers=headers, extensions=to.extensions) as response,
    ):
        if response.has_redirect_location:
            return url.join(response.headers["location"]), b""
        if not response.is_success:
            raise UnreadableSource(f"'{name}' answers with status {response.status_code}: check the address.")
        data = bytearray()
        for part in response.iter_raw():
            data += part
            if len(data) > MOST_PAGE_BYTES:
                raise UnreadableSource(f"'{name}' is larger than {MOST_PAGE_BYTES:,} bytes: split it.")
            if monotonic() > until:
                raise UnreadableSource(f"'{name}' took longer than {_PAGE_SECONDS:g} s: try again later.")
    return None, bytes(data)
