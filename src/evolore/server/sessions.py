"""Sessions of the pages: who logged in with which key, until when."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hmac import compare_digest
from hmac import digest as hmac_of
from secrets import token_bytes, token_urlsafe
from threading import Lock

IDLE = timedelta(minutes=30)
"""A session that is not used for so long ends."""

LONGEST = timedelta(hours=12)
"""A session ends after so long, however much it is used."""

_MOST = 10_000
_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginSession:
    """Somebody who is logged in."""

    key_id: str  #: With which key; the key itself is not kept.
    begun_at: datetime  #: Since when.
    seen_at: datetime  #: When they were there last.


class Sessions:
    """The sessions of one process: a restart ends them all. The oldest ends when there are too many."""

    def __init__(self) -> None:
        self._secret = token_bytes(_BYTES)
        self._lock = Lock()
        self._open: OrderedDict[str, LoginSession] = OrderedDict()
        self._once: OrderedDict[str, str] = OrderedDict()

    def begin(self, key_id: str, *, at: datetime) -> str:
        """Log somebody in; return what their cookie holds."""
        name = new_name()
        with self._lock:
            self._open[name] = LoginSession(key_id=key_id, begun_at=at, seen_at=at)
            while len(self._open) > _MOST:
                self._open.popitem(last=False)
        return name

    def key_id(self, name: str | None, *, at: datetime) -> str | None:
        """Return the key of a session, which is used by that; None for one that ended or never was."""
        with self._lock:
            found = self._open.get(name or "")
            if name is None or found is None:
                return None
            if at - found.seen_at >= IDLE or at - found.begun_at >= LONGEST:
                del self._open[name]
                return None
            self._open[name] = replace(found, seen_at=at)
            return found.key_id

    def end(self, name: str | None) -> None:
        """Log somebody out."""
        with self._lock:
            self._open.pop(name or "", None)

    def keep_once(self, name: str, secret: str) -> None:
        """Keep a secret for the next page that a cookie's bearer reads."""
        with self._lock:
            self._once[name] = secret
            while len(self._once) > _MOST:
                self._once.popitem(last=False)

    def take_once(self, name: str | None) -> str:
        """Return what is kept for a cookie's bearer, and forget it; empty for nothing."""
        with self._lock:
            return self._once.pop(name or "", "")

    def form_mark(self, name: str) -> str:
        """Return what every form of a page bears, so that no other site can send one: it follows from the cookie alone."""
        return hmac_of(self._secret, name.encode(), "sha256").hex()

    def is_form_mark(self, name: str, given: str) -> bool:
        """Return whether a form bears what it must."""
        return bool(name) and compare_digest(self.form_mark(name).encode(), given.encode())


def new_name() -> str:
    """Return a name that cannot be guessed, for a cookie."""
    return token_urlsafe(_BYTES)
