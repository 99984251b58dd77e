"""A circuit breaker: a model that failed time and again is left alone for a while."""

from __future__ import annotations

from datetime import timedelta
from threading import Lock
from typing import TYPE_CHECKING

from evolore.domain.checks import check_count
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from datetime import datetime


class CircuitBreaker:
    """Opens after so many failures in a row; then lets one call through each time the pause is over.

    If that one succeeds, all may go again. Threads may share it.

    Args:
        failures: How many in a row, at least 1.
        pause_seconds: How long nobody is asked, at least 0.

    Raises:
        InvalidValue: A value outside its range.
    """

    def __init__(self, *, failures: int = 5, pause_seconds: float = 30.0) -> None:
        check_count(failures, "failures")
        if not 0 <= pause_seconds <= timedelta.max.total_seconds():
            raise InvalidValue(f"pause_seconds is {pause_seconds}: give a number of at least 0.")
        self._most = failures
        self._pause = timedelta(seconds=pause_seconds)
        self._failures = 0
        self._closed_until: datetime | None = None
        self._lock = Lock()

    @property
    def failures(self) -> int:
        """How many calls failed since the last that succeeded."""
        return self._failures

    def lets_through(self, now: datetime) -> bool:
        """Tell whether a call may be made now; a yes during a trial is given once a pause."""
        with self._lock:
            if self._closed_until is None:
                return True
            if now < self._closed_until:
                return False
            self._closed_until = now + self._pause
            return True

    def note(self, *, has_failed: bool, now: datetime) -> None:
        """Take note of what came of a call."""
        with self._lock:
            if not has_failed:
                self._failures, self._closed_until = 0, None
                return
            self._failures += 1
            if self._failures >= self._most:
                self._closed_until = now + self._pause
