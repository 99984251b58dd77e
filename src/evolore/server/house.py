"""What every request of a server shares: its memories, keys, limits and clock."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

from limits import parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from evolore.server.background import Background
from evolore.server.notifications import Notifications
from evolore.server.problems import Refused
from evolore.server.schedules import Schedules
from evolore.server.sessions import Sessions
from evolore.store.service import ApiKey, AuditEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastapi import Request

    from evolore.server.memories import Memories
    from evolore.store.service import Service

RATE = "600/minute"
_NO_KEYS_SECONDS = 5.0
_STOP_SECONDS = 10.0


class House:
    """What requests share.

    Args:
        memories: The memories.
        default_namespace: Where a request is that names none.
        rate: How often a key may ask, such as ``600/minute``.
        address: Of the server, as people reach it, for links in messages; empty for none.
        private_webhooks: Whether webhooks within the server's own network are sent to.
        now: Tells the time.
    """

    def __init__(
        self,
        memories: Memories,
        *,
        default_namespace: str = "default",
        rate: str = RATE,
        address: str = "",
        private_webhooks: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.memories = memories
        self.default_namespace = default_namespace
        self.now = now
        self.notifications = Notifications(memories, now=now, address=address, private_webhooks=private_webhooks)
        self.background = Background(memories, now=now, on_end=self.notifications.job_ended)
        self.schedules = Schedules(memories, self.background, now=now)
        self.sessions = Sessions()
        self._rate = parse(rate)
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._lock = Lock()
        self._known: tuple[datetime, bool] | None = None

    @property
    def service(self) -> Service:
        """What the server keeps in the store."""
        return self.memories.service

    def start(self) -> None:
        """Begin the work in the background: jobs, schedules, messages."""
        self.background.start()
        self.notifications.start()
        self.schedules.start()

    def stop(self) -> None:
        """End it: nothing is begun any more, jobs stop after their present step, messages that are being sent are sent."""
        self.schedules.stop(seconds=1)
        self.background.stop(seconds=_STOP_SECONDS)
        self.notifications.stop(seconds=_STOP_SECONDS)

    def has_keys(self) -> bool:
        """Tell whether any key was ever made: then each request needs one. It is looked up anew every few seconds."""
        with self._lock:
            at = self.now()
            known = self._known
            if known is not None and (known[1] or (at - known[0]).total_seconds() < _NO_KEYS_SECONDS):
                return known[1]
            found = self.service.count(ApiKey) > 0
            self._known = (at, found)
            return found

    def keys_changed(self) -> None:
        """Look for keys at the next request."""
        with self._lock:
            self._known = None

    def limit(self, key: ApiKey) -> None:
        """Count a request of a key.

        Raises:
            Refused: It asks more often than it may.
        """
        if not self._limiter.hit(self._rate, key.id):
            reset, _ = self._limiter.get_window_stats(self._rate, key.id)
            wait = max(1, round(reset - self.now().timestamp()))
            raise Refused(
                HTTPStatus.TOO_MANY_REQUESTS,
                f"The key {key.prefix}… asks more often than {self._rate}: wait {wait} seconds.",
                headers={"Retry-After": str(wait)},
            )

    def new_id(self) -> str:
        """Give an id, ordered by time."""
        return self.memories.new_id(self.now())

    def note(self, request: Request, status: HTTPStatus, *, key_id: str | None, detail: str = "") -> None:
        """Write down what was refused, or an administrative act; the route, never what it named."""
        path = route_of(request.scope) or request.url.path
        self.service.put(
            AuditEntry(
                id=self.new_id(),
                at=self.now(),
                key_id=key_id,
                act=f"{request.method} {path}",
                status=status,
                detail=detail,
            )
        )


def house_of(request: Request) -> House:
    """Give the house that a request is made to."""
    return cast("House", request.app.state.house)


def route_of(scope: Mapping[str, Any]) -> str:
    """Give the route of a request, as ``/api/jobs/{job_id}``: never what stands in the place of names; empty for none."""
    route = scope.get("route")
    form = getattr(route, "path_format", None)
    if not isinstance(form, str):
        return ""
    # A router that is included in another knows only the end of its routes' paths.
    named: dict[str, object] = scope.get("path_params") or {}
    end, path = form.format(**named), str(scope["path"])
    return path.removesuffix(end) + form if path.endswith(end) else form
