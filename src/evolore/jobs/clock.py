"""Clocks, and pacers that wait between tries, each for real and for tests."""

from __future__ import annotations

import random
import time
from datetime import UTC, datetime, timedelta

from evolore.domain.checks import check_time


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the present as an aware UTC datetime."""
        return datetime.now(UTC)


class SteppingClock:
    """A clock for tests and replays: it starts at the time passed in and moves one step each time it is read.

    Args:
        start: Its first reading, with a zone.
        step: How far it moves after each reading.
    """

    def __init__(self, start: datetime, *, step: timedelta = timedelta(0)) -> None:
        check_time(start=start)
        self._next = start.astimezone(UTC)
        self._step = step

    def now(self) -> datetime:
        """Return the present reading and move on."""
        present = self._next
        self._next += self._step
        return present


class SystemPacer:
    """Waits for real, with the machine's randomness."""

    def wait(self, seconds: float) -> None:
        """Return after so many seconds."""
        time.sleep(seconds)

    def jitter(self) -> float:
        """Return a number from 0 up to 1, another each time."""
        return random.random()  # noqa: S311 - it spreads waits, and guards nothing
