"""Where the time comes from."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from evolore.domain.checks import check_time


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Give the present as an aware UTC datetime."""
        return datetime.now(UTC)


class SteppingClock:
    """A clock for tests and replays: it starts where it is told and moves one step each time it is read.

    Args:
        start: Its first reading, with a zone.
        step: How far it moves after each reading.
    """

    def __init__(self, start: datetime, *, step: timedelta = timedelta(0)) -> None:
        check_time(start, "start")
        self._next = start.astimezone(UTC)
        self._step = step

    def now(self) -> datetime:
        """Give the present reading and move on."""
        present = self._next
        self._next += self._step
        return present
