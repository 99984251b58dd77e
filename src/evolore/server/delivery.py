"""Delivery of messages to targets: webhooks, and services that apprise reaches."""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import TypeVar
from urllib.parse import parse_qsl, urlsplit

import httpx2

from evolore.domain.checks import checked_word
from evolore.domain.result import fields_but
from evolore.errors import InvalidValue
from evolore.server import reach
from evolore.store.service import Receiver

Found = TypeVar("Found")
_SEND_SECONDS = 10.0
_SECRET_CHARACTERS = 16
_OWN_HOSTS = frozenset(
    {"gotify", "gotifys", "mailto", "mailtos", "matrix", "matrixs", "mmost", "mmosts", "ntfy", "ntfys"}
    | {"rocket", "rockets", "workflow", "workflows", "zulip"}
)
"""Services whose address names a host; the others have one that is fixed, and a token in its place."""

_SERVICES = _OWN_HOSTS | {"discord", "gchat", "pagerduty", "pover", "slack", "tgram", "wxteams"}
"""What apprise may be asked to reach: services of other people, nothing that runs or writes something on this machine.

Each is asked at least once for every message; Opsgenie is none of them, since apprise takes a plain message for one that closes an alert.
"""

_ELSEWHERE = frozenset(("cloud", "t2bot"))
"""Forms of ntfy and Matrix that have a token there too."""

_OPTIONS = frozenset(
    {"to", "from", "name", "cc", "bcc", "reply", "user", "pass"}
    | {"smtp", "mode", "channel", "priority", "token", "region"}
)
"""What such an address may say behind a question mark: others have apprise read files of this machine."""


class TargetKind(StrEnum):
    """How a target is reached."""

    WEBHOOK = "webhook"
    APPRISE = "apprise"


class Undelivered(Exception):
    """Raised where a target did not take a message; says why, without what it answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A message as it is sent."""

    id: str  #: Of the message: a receiver recognises by it one that comes twice.
    event: str  #: What happened.
    namespace: str  #: Where.
    at: datetime  #: When that was noted.
    language: str  #: Of title and text.
    title: str  #: In a few words.
    text: str  #: In a sentence.
    link: str  #: The page about it; empty where the server's address is not known.
    facts: Mapping[str, object]  #: Ids and numbers.

    def to_json(self) -> str:
        """Return it as a webhook gets it."""
        return json.dumps({**fields_but(self, "facts"), **self.facts}, ensure_ascii=False)


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return what signs a body: HMAC-SHA256 of the time, a dot and the body, as ``v1=`` and hexadecimal digits.

    >>> signature("secret", "1767225600", b"{}")[:11]
    'v1=fa7eaa06'
    """
    return "v1=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, sha256).hexdigest()


def send_webhook(target: Receiver, letter: Letter, *, at: datetime, is_private_allowed: bool = False) -> None:
    """Post a letter to a webhook; redirects are not followed, and the answer is not read.

    Args:
        target: Where.
        letter: What.
        at: When, for the signature.
        is_private_allowed: Whether an address within a network, such as 10.0.0.5, may be sent to. Where not, the name is
            looked up once, and what was found is sent to: it cannot come to mean another address in between.

    Raises:
        Undelivered: It cannot be reached, may not be sent to, or answers with anything but a success.
    """
    body, timestamp = letter.to_json().encode(), str(int(at.timestamp()))
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Evolore",
        "Evolore-Message": letter.id,
        "Evolore-Timestamp": timestamp,
        "Evolore-Signature": signature(target.secret, timestamp, body),
    }
    try:
        url, more = httpx2.URL(target.address), dict[str, str]()
        if not is_private_allowed:
            to = _outside(lambda: reach.pinned(url))
            url, headers, more = to.url, headers | to.headers, to.extensions
        with (
            _unlogged(),
            httpx2.Client(timeout=_SEND_SECONDS, follow_redirects=False) as http,
            http.stream("POST", url, content=body, headers=headers, extensions=more) as response,
        ):
            status = response.status_code
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise Undelivered(f"It could not be reached ({type(error).__name__}).") from error
    if not httpx2.codes.is_success(status):
        raise Undelivered(f"It answered with status {status}.")


_IS_SENDING = ContextVar("is_sending", default=False)


def _may_log(record: logging.LogRecord) -> bool:
    del record
    return not _IS_SENDING.get()


@contextmanager
def _unlogged() -> Generator[None]:
    """Keep an address out of logs while it is sent to: httpx logs it whole, apprise names who gets a message."""
    for name in ("httpx2", "apprise"):
        logging.getLogger(name).addFilter(_may_log)  # once: the same filter is not added again
    token = _IS_SENDING.set(True)
    try:
        yield
    finally:
        _IS_SENDING.reset(token)


def _outside(look_up: Callable[[], Found | None]) -> Found:
    """Return what a name is looked up as; refuse what is within a network."""
    try:
        found = look_up()
    except OSError as error:
        raise Undelivered("Its name is not known.") from error
    if found is None:
        raise Undelivered(
            "It lies within this network, which is not sent to: start the server with --private-webhooks to allow that."
        )
    return found


@_unlogged()
def send_by_apprise(target: Receiver, letter: Letter, *, at: datetime, is_private_allowed: bool = False) -> None:
    """Send a letter by apprise, to Slack, by e-mail and so on.

    Where nothing private is allowed, the service's name is looked up before; apprise then looks it up again.
    """
    del at
    import apprise  # noqa: PLC0415 - it reads a hundred modules, and most messages are webhooks

    sender = apprise.Apprise()
    lines = [letter.text, *([letter.link] if letter.link else [])]
    # Angle brackets call people in some chats, such as `<!channel>` in Slack; a title must not.
    body, title = (one.replace("<", "‹").replace(">", "›") for one in ("\n".join(lines), letter.title))
    if urlsplit(target.address).scheme not in _SERVICES:  # kept from a version that took it
        raise Undelivered("Its service is no longer reached: make a target of another.")
    # `add` takes a text for a list of addresses, of which only the first would have been checked.
    asset = apprise.AppriseAsset(http_redirects=is_private_allowed)
    service = apprise.Apprise.instantiate(target.address, asset=asset)  # pyright: ignore[reportUnknownMemberType] - half typed
    if service is None or not sender.add(service):  # pyright: ignore[reportUnknownMemberType] - likewise
        raise Undelivered("Its address is not one that apprise knows.")
    if not is_private_allowed:
        _keep_outside(target, service)
    if not sender.notify(body=body, title=title, body_format="text"):  # pyright: ignore[reportUnknownMemberType] - likewise
        raise Undelivered("It did not take the message.")


def _keep_outside(target: Receiver, service: object) -> None:
    """Refuse a service of apprise within the network, and have it ask no other host than the one it names."""
    if hasattr(service, "discovery"):  # Matrix: its host may name any other
        setattr(service, "discovery", False)  # noqa: B010 - apprise has no type of it
    scheme = urlsplit(target.address).scheme
    if scheme not in _OWN_HOSTS or getattr(service, "mode", None) in _ELSEWHERE:
        return
    host = str(getattr(service, "smtp_host", None) or getattr(service, "host", None))
    if scheme == "zulip":
        host = ".".join(str(getattr(service, name, "")) for name in ("organization", "hostname"))
    _outside(lambda: reach.public_address(host, getattr(service, "port", None) or reach.PORTS["https"]))


def check_address(kind: TargetKind | str, address: str, secret: str) -> None:
    """Refuse an address that leads nowhere we send to."""
    if checked_word(TargetKind, kind, "kind") is TargetKind.WEBHOOK:
        _check_webhook(address)
        if len(secret) < _SECRET_CHARACTERS:
            raise InvalidValue(f"The secret has {len(secret)} characters: use at least {_SECRET_CHARACTERS}, or none.")
    else:
        _check_service(address)


def _check_webhook(address: str) -> None:
    try:
        parts = urlsplit(address)
        is_web = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_web, parts = False, urlsplit("")
    if not is_web or "@" in parts.netloc or not address.isprintable() or " " in address:
        raise InvalidValue("The address is no webhook: begin it with https:// or http://, and write no password in it.")


def _check_service(address: str) -> None:
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in _SERVICES:
        known = ", ".join(sorted(_SERVICES))
        raise InvalidValue(f"{parts.scheme!r} is no service that is reached: begin the address with one of {known}.")
    if not {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)} <= _OPTIONS:
        raise InvalidValue(f"The address has options that are not taken: use only {', '.join(sorted(_OPTIONS))}.")
