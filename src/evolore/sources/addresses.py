"""Documents at addresses, such as ``s3://bucket/guides``: found and read through fsspec.

Who names an address has this process ask there, with the credentials that it has: they are for the memory's operator. A
server reads what its clients name by ``server.reach`` instead, without any.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from evolore.errors import MissingExtra, UnreadableSource
from evolore.ports import FoundAtAddress, LeftOutReason, PathFilter, SourceText
from evolore.sources.files import ReaderSettings, WhyNot, counted, text_of, why_not_read, why_not_walked
from evolore.text.display import one_line

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

T = TypeVar("T")

_PAGES: Final = frozenset({"http", "https"})
_PROTOCOLS: Final = _PAGES | {
    *("abfs", "abfss", "adl", "az", "box", "dbfs", "dropbox", "ftp", "gcs", "gdrive", "git", "github", "gitlab", "gs"),
    *("hdfs", "hf", "lakefs", "memory", "oci", "oss", "s3", "s3a", "sftp", "smb", "ssh", "webdav", "webhdfs", "wandb"),
}
"""What leads to one's own disk is a path; what unpacks archives or keeps copies is not an address of a document."""

_NAMED_BY_USER: Final = frozenset({"git", "github"})
"""Theirs is ``owner:repository@branch``."""

_SECRET: Final = re.compile(r"token|sig|key|secret|pass|auth|credential|x-amz|x-goog|policy", re.IGNORECASE)
_MOST_FILES = 10_000
_WAIT_S = 120.0
_BEGINNINGS = ((b"%pdf", ".pdf"), (b"<!doctype html", ".html"), (b"<html", ".html"))
_BEGINNING = 200
_MOST_SAID = 200


def shown(address: str) -> str:
    """Return an address without what lets one in: user and password, and parts of a query named like a signature or key."""
    parts = urlsplit(address)
    place = parts.netloc if parts.scheme in _NAMED_BY_USER else parts.netloc.rpartition("@")[2]
    query = parts.query
    if _SECRET.search(query):
        query = urlencode([pair for pair in parse_qsl(query, keep_blank_values=True) if not _SECRET.search(pair[0])])
    return urlunsplit((parts.scheme, place, parts.path, query, ""))


def read_page(address: str, data: bytes, *, path: str | None = None) -> SourceText:
    """Read what an address returned, as its first bytes say, else as the ending of its path does."""
    name = one_line(shown(address))
    beginning = data[:_BEGINNING].lstrip().lower()
    suffix = next(
        (ending for begins, ending in _BEGINNINGS if beginning.startswith(begins)),
        PurePosixPath(urlsplit(address).path if path is None else path).suffix,
    )
    return text_of(data, source=name, name=f"'{name}'", suffix=suffix)


class AddressReader:
    """Finds and reads documents at addresses, each within bounds of size and time.

    Args:
        settings: What is taken.
        wait_s: How long one answer may take, in seconds.
    """

    def __init__(self, settings: ReaderSettings | None = None, *, wait_s: float = _WAIT_S) -> None:
        self._settings = settings or ReaderSettings()
        self._wait_s = wait_s

    def find(self, address: str, *, where: PathFilter) -> FoundAtAddress:
        """List the files at an address, sorted: those that a folder of files would list, or the one that it names.

        A page of the web is one file; its links are not followed.
        """
        place = _opened(address)
        if place.protocol in _PAGES:
            return FoundAtAddress(addresses=(address,))
        return self._asked(place, lambda: self._listed(place, where))

    def _listed(self, place: _Place, where: PathFilter) -> FoundAtAddress:
        if place.system.isfile(place.path):
            return FoundAtAddress(addresses=(place.address,))
        every = place.system.find(place.path)
        if not every:
            raise UnreadableSource(f"'{place.shown}' does not exist or holds nothing: check the address.")
        if len(every) > _MOST_FILES:
            raise UnreadableSource(
                f"'{place.shown}' holds {len(every):,} files, and {_MOST_FILES:,} are read at once: name its folders one by one."
            )
        found: list[str] = []
        passed: set[tuple[PurePosixPath, tuple[LeftOutReason, str]]] = set()
        for name in sorted(every):
            below = PurePosixPath(name).relative_to(place.path) if place.path else PurePosixPath(name)
            at, why = _why_not(below, where)
            if why is None:
                found.append(f"{place.address.rstrip('/')}/{below.as_posix()}")
            else:
                passed.add((at, why))
        return FoundAtAddress(addresses=tuple(found), left_out=counted(why for _, why in passed))

    def name(self, address: str) -> str:
        """Return an address as it is shown and stored: without what lets one in."""
        return shown(address)

    def read(self, address: str) -> SourceText:
        """Read one file whole; it is called by its address, without what lets one in."""
        place = _opened(address)
        most = self._settings.max_bytes
        data = self._asked(place, lambda: _first_bytes(place, most + 1))
        if len(data) > most:
            raise UnreadableSource(f"'{place.shown}' is larger than {most:,} bytes: split it.")
        return read_page(address, data, path=None if place.protocol in _PAGES else place.path)

    def _asked(self, place: _Place, ask: Callable[[], T]) -> T:
        """Ask in a thread of its own, which is left alone where no answer comes."""
        answer: Future[T] = Future()

        def run() -> None:
            try:
                answer.set_result(ask())
            except Exception as error:  # noqa: BLE001 - each protocol has errors of its own
                answer.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        if not wait([answer], self._wait_s).done:
            raise UnreadableSource(f"'{place.shown}' did not answer within {self._wait_s:g} s: try again later.")
        if error := answer.exception():
            raise _explained(place.shown, place.address, error) from error
        return answer.result()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    address: str
    shown: str
    protocol: str
    system: AbstractFileSystem
    path: str


def _opened(address: str) -> _Place:
    protocol = address.partition("://")[0].lower()
    name = one_line(shown(address))
    if protocol not in _PROTOCOLS or "::" in address:
        raise UnreadableSource(
            f"'{name}' is not an address that documents are read from: use one of {_named()}, or a path."
        )
    try:
        import fsspec  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra(
            'Addresses need a package that is not installed. Type: pip install "evolore[addresses]"'
        ) from error
    try:
        system, path = fsspec.core.url_to_fs(address)
    except Exception as error:
        raise _explained(name, address, error) from error
    return _Place(address=address, shown=name, protocol=protocol, system=system, path=path)


def _named() -> str:
    return ", ".join(f"{one}://" for one in ("https", "s3", "gs", "az", "github", "sftp", "gdrive"))


def _first_bytes(place: _Place, most: int) -> bytes:
    with place.system.open(place.path, "rb") as file:
        parts: list[bytes] = []
        left = most
        while left and (part := file.read(min(left, 1 << 20))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts)


def _why_not(below: PurePosixPath, where: PathFilter) -> tuple[PurePosixPath, WhyNot]:
    """Return why a file is not read, as of a folder of files, and what that is about: the file, or a folder around it."""
    for folder in reversed(below.parents):
        if folder.name and (why := why_not_walked(folder.name)):
            return folder, why
    return below, why_not_read(below, where)


def _explained(place: str, address: str, error: BaseException) -> Exception:
    """Return the error that says what went wrong; where the address lets one in, without the words of the one it had."""
    if isinstance(error, UnreadableSource):
        return error
    said = one_line(str(error))[:_MOST_SAID] if shown(address) == address else ""
    if isinstance(error, ImportError):  # fsspec says which package
        return MissingExtra(f"'{place}' cannot be read: {one_line(str(error))}.")
    if isinstance(error, FileNotFoundError):
        return UnreadableSource(f"'{place}' does not exist: check the address.")
    if isinstance(error, PermissionError):
        return UnreadableSource(f"'{place}' may not be read: check the credentials of this process.")
    return UnreadableSource(f"'{place}' cannot be read ({said or type(error).__name__}): check the address.")
