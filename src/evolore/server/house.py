"""Shared state of a server's requests: its memories, keys, limits, notes and clock."""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address, ip_network
from itertools import islice
from math import ceil
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, cast

from fastapi import Request

from evolore.errors import InvalidValue
from evolore.server.background import Background
from evolore.server.keys import hash_of, key_of
from evolore.server.memories import Memories
from evolore.server.notifications import Notifications
from evolore.server.problems import Refused
from evolore.server.reach import Reach
from evolore.server.schedules import Schedules
from evolore.server.sessions import Sessions
from evolore.store.service import ApiKey, AuditEntry, Service

_LOG = logging.getLogger(__name__)
RATE = "600/minute"
REFUSED_RATE = "60/minute"
"""How often an address may be refused for want of a key; then it waits, unless its key was good before."""

MOST_NOTES = 10_000
"""At most so many audit lines wait while the store cannot be written."""

_TOGETHER = 64
"""So many are written in one go: few enough to hold the store for some tens of milliseconds."""

_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "month": 2_592_000, "year": 31_104_000}
_RATE = re.compile(rf"\s*([1-9]\d*)\s*(?:/|per)\s*([1-9]\d*)?\s*({'|'.join(_UNITS)})s?\s*")
_NOTE_SECONDS = 1.0
_USED_EVERY = timedelta(minutes=1)
_NO_KEYS_SECONDS = 5.0
_STOP_SECONDS = 10.0
_MOST_NAMES = 10_000
_ACT_CHARACTERS = 200


class Rate:
    """How often each of many names may do something, by a clock that nobody sets."""

    def __init__(self, often: str) -> None:
        read = _RATE.fullmatch(often.lower())
        if read is None:
            raise InvalidValue(f"The rate is {often!r}: write one such as 600/minute.")
        self._most, self._seconds = int(read[1]), int(read[2] or 1) * _UNITS[read[3]]
        self._times: dict[str, deque[float]] = {}
        self._lock = Lock()

    def wait(self, name: str, *, count: bool = True) -> int:
        """Count one more where it is not too many; return after how many seconds there may be one more, 0 for now."""
        with self._lock:
            since = monotonic() - self._seconds
            if len(self._times) > _MOST_NAMES:
                self._times = {one: times for one, times in self._times.items() if times and times[-1] > since}
            times = self._times.setdefault(name, deque())
            while times and times[0] <= since:
                times.popleft()
            if len(times) >= self._most:
                return max(1, ceil(times[0] - since))
            if count:
                times.append(since + self._seconds)
            return 0


class Notes:
    """Last uses of keys and audit lines that requests leave behind, written by a thread: no request waits for the store.

    What cannot be written waits, up to ``MOST_NOTES`` lines, and is tried again each second.
    """

    def __init__(self, memories: Memories) -> None:
        self._memories = memories
        self._used: dict[str, datetime] = {}
        self._lines: deque[AuditEntry] = deque()
        self._refused: dict[tuple[str, int, datetime], tuple[AuditEntry, int]] = {}
        self._recounted: set[tuple[str, int, datetime]] = set()
        self._lock = Lock()
        self._turn = Lock()
        self._stopped = Event()
        self._thread: Thread | None = None
        self._is_failing = False
        self.dropped = 0
        self.failures = 0

    def use(self, key: ApiKey, *, at: datetime) -> None:
        """Record that a key was used, once a minute."""
        if key.used_at is None or at - key.used_at >= _USED_EVERY:
            with self._lock:
                self._used[key.id] = at

    def add(self, line: AuditEntry) -> None:
        """Queue a line to be written; it is dropped where too many wait."""
        with self._lock:
            if len(self._lines) < MOST_NOTES:
                self._lines.append(line)
            else:
                self.dropped += 1

    def refuse(self, who: str, line: AuditEntry) -> None:
        """Count a refusal: those of somebody within a minute are one line, which is the first of them and how many they were."""
        key = (who, line.status, line.at.replace(second=0, microsecond=0))
        with self._lock:
            first, before = self._refused.get(key, (line, 0))
            if before or len(self._refused) < MOST_NOTES:
                self._refused[key] = (first, before + 1)
                self._recounted.add(key)
            else:
                self.dropped += 1

    def _queue_refusals(self) -> None:
        """Queue the lines of refusals that were counted since, unless what waits could not be written."""
        with self._lock:
            if not self._lines:
                for key in self._recounted:
                    line, times = self._refused[key]
                    self._lines.append(replace(line, detail=f"{line.detail}{times} in this minute"))
                self._recounted.clear()
                last = max((minute for _, _, minute in self._refused), default=None)
                self._refused = {key: one for key, one in self._refused.items() if key[2] == last}

    def write(self) -> None:
        """Write what waits; where that fails it is counted, and what waits waits on."""
        with self._turn:
            self._queue_refusals()
            while self._used or self._lines:
                with self._lock:
                    used, lines = dict(self._used), tuple(islice(self._lines, _TOGETHER))
                try:
                    self._memories.service.note(used, lines)
                except Exception as error:  # noqa: BLE001 - the edge of a thread that lives as long as the server
                    self.failures += 1
                    if not self._is_failing:
                        _LOG.warning("Audit lines wait, the store could not be written: %s", type(error).__name__)
                    self._is_failing = True
                    return
                self._is_failing = False
                with self._lock:
                    for _ in lines:
                        self._lines.popleft()
                    self._used = {key_id: at for key_id, at in self._used.items() if used.get(key_id) != at}

    def start(self) -> None:
        """Begin to write, in a thread."""
        self._thread = Thread(target=self._keep_writing, name="evolore-notes", daemon=True)
        self._thread.start()

    def stop(self, *, seconds: float) -> None:
        """Write what waits, and stop; what is not written by then is lost, and logged."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(seconds)
        if self._lines:
            _LOG.warning("%d audit lines were lost: the store could not be written.", len(self._lines))

    def _keep_writing(self) -> None:
        while not self._stopped.wait(_NOTE_SECONDS):
            self.write()
        self.write()


class House:
    """What requests share."""

    def __init__(
        self,
        memories: Memories,
        *,
        default_namespace: str = "default",
        rate: str = RATE,
        address: str = "",
        reach: Reach | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.memories, self.default_namespace, self.now = memories, default_namespace, now
        reach = reach or Reach()
        self.notifications = Notifications(memories, now=now, address=address, private_webhooks=reach.private_webhooks)
        self.background = Background(memories, now=now, on_end=self.notifications.job_ended, reach=reach)
        self.schedules = Schedules(memories, self.background, now=now)
        self.sessions = Sessions()
        self.notes = Notes(memories)
        self._rate = rate
        self._asks = Rate(rate)
        self._refusals = Rate(REFUSED_RATE)
        self._good: set[str] = set()
        self._lock = Lock()
        self._known: tuple[datetime, bool] | None = None

    @property
    def service(self) -> Service:
        """What the server keeps in the store."""
        return self.memories.service

    def start(self) -> None:
        """Begin the work in the background: jobs, schedules, messages, notes."""
        self.notes.start()
        self.background.start()
        self.notifications.start()
        self.schedules.start()

    def stop(self) -> None:
        """End it: nothing is begun any more, jobs stop after their present step, what is being sent or waits is written."""
        self.schedules.stop(seconds=1)
        self.background.stop(seconds=_STOP_SECONDS)
        self.notifications.stop(seconds=_STOP_SECONDS)
        self.notes.stop(seconds=_STOP_SECONDS)

    def has_keys(self) -> bool:
        """Return whether any key was ever made: then each request needs one. It is read again every few seconds."""
        with self._lock:
            at = self.now()
            known = self._known
            if known is not None and (known[1] or abs((at - known[0]).total_seconds()) < _NO_KEYS_SECONDS):
                return known[1]
            found = self.service.count(ApiKey) > 0
            self._known = (at, found)
            return found

    def keys_changed(self) -> None:
        """Look for keys at the next request."""
        with self._lock:
            self._known = None

    def limit(self, key: ApiKey) -> None:
        """Count a request of a key."""
        if wait := self._asks.wait(key.id):
            raise _too_often(f"The key {key.prefix}… asks more often than {self._rate}", wait)

    def key_of(self, request: Request, secret: str) -> ApiKey | None:
        """Return the key that holds now; None for one that is not known, ended or was taken back."""
        if hash_of(secret) not in self._good:
            self.limit_stranger(request)
        key = key_of(self.service, secret, at=self.now())
        if key is not None:
            self._good.add(key.hash)
        return key

    def limit_stranger(self, request: Request) -> None:
        """Refuse an address that was refused too often, before anything is looked up."""
        if wait := self._refusals.wait(_address_of(request), count=False):
            self.note_refusal(request, HTTPStatus.TOO_MANY_REQUESTS)
            raise _too_often("Your address sent too many requests with no key that holds", wait)

    def note_refusal(self, request: Request, status: HTTPStatus) -> None:
        """Count a refusal of somebody whose key is not known."""
        address = _address_of(request)
        self._refusals.wait(address)
        self.notes.refuse(address, self._line(request, status, None, f"{address}: "))

    def new_id(self) -> str:
        """Return an id, ordered by time."""
        return self.memories.new_id(self.now())

    def note(self, request: Request, status: HTTPStatus, *, key_id: str | None, detail: str = "") -> None:
        """Write down an administrative act, now; the route, never what it named."""
        self.service.put(self._line(request, status, key_id, detail))

    def note_later(self, request: Request, status: HTTPStatus, *, key_id: str) -> None:
        """Queue a line that a request of a key was refused, or somebody logged in; the store is not waited for."""
        line = self._line(request, status, key_id or None, "")
        self.notes.add(line) if status < HTTPStatus.BAD_REQUEST else self.notes.refuse(f"{key_id} {line.act}", line)

    def _line(self, request: Request, status: HTTPStatus, key_id: str | None, detail: str) -> AuditEntry:
        path = route_of(request.scope) or request.url.path
        act = f"{request.method} {path}"[:_ACT_CHARACTERS]
        return AuditEntry(id=self.new_id(), at=self.now(), key_id=key_id, act=act, status=status, detail=detail)


def _too_often(what: str, wait: int) -> Refused:
    return Refused(HTTPStatus.TOO_MANY_REQUESTS, f"{what}: wait {wait} seconds.", headers={"Retry-After": str(wait)})


def _address_of(request: Request) -> str:
    """Return the address of a client; of IPv6 the network, since each client has 2^64 of them."""
    host = request.client.host if request.client else "unknown"
    try:
        return str(ip_network((host, 64), strict=False)) if isinstance(ip_address(host), IPv6Address) else host
    except ValueError:
        return host


def house_of(request: Request) -> House:
    """Return the house that a request is made to."""
    return cast("House", request.app.state.house)


def route_of(scope: Mapping[str, Any]) -> str:
    """Return the route of a request, as ``/api/jobs/{job_id}``: never the values of its parameters; empty for none."""
    route = scope.get("route")
    form = getattr(route, "path_format", None)
    if not isinstance(form, str):
        return ""
    # A router that is included in another knows only the end of its routes' paths.
    named: dict[str, object] = scope.get("path_params") or {}
    end, path = form.format(**named), str(scope["path"])
    return path.removesuffix(end) + form if path.endswith(end) else form
