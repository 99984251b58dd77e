"""Waiting between tries."""

from __future__ import annotations

import random
import time


class SystemPacer:
    """Waits for real, with the machine's randomness."""

    def wait(self, seconds: float) -> None:
        """Return after so many seconds."""
        time.sleep(seconds)

    def jitter(self) -> float:
        """Give a number from 0 up to 1, another each time."""
        return random.random()  # noqa: S311 - it spreads waits, and guards nothing


class RecordingPacer:
    """For tests and replays: waits for nothing, and remembers how long it would have.

    Args:
        jitter: The number it gives each time.
    """

    def __init__(self, jitter: float = 0.5) -> None:
        self.waits: list[float] = []
        self._jitter = jitter

    def wait(self, seconds: float) -> None:
        """Note the wait and return at once."""
        self.waits.append(seconds)

    def jitter(self) -> float:
        """Give the same number each time."""
        return self._jitter
