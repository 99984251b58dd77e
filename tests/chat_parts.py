"""Parts for tests of chat models: a pacer that does not wait, and a log of what was spent that is kept in memory."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from evolore.domain.chat import ChatUsage

if TYPE_CHECKING:
    from datetime import date

    from evolore.domain.chat import ChatBudget


class RecordingPacer:
    """For tests and replays: waits for nothing, and remembers how long it would have.

    Args:
        jitter: The number it returns each time.
    """

    def __init__(self, jitter: float = 0.5) -> None:
        self.waits: list[float] = []
        self._jitter = jitter

    def wait(self, seconds: float) -> None:
        """Record the wait and return at once."""
        self.waits.append(seconds)

    def jitter(self) -> float:
        """Return the same number each time."""
        return self._jitter


_NOTHING = ChatUsage()


class InMemorySpendLog:
    """Keeps what was spent on each day while the process runs; threads may share it."""

    def __init__(self) -> None:
        self._spent: dict[date, ChatUsage] = {}
        self._lock = Lock()

    def take(self, day: date, wanted: ChatUsage, budget: ChatBudget) -> bool:
        """Add to a day's spend in one step, if the budget allows the sum; return whether it did."""
        with self._lock:
            after = self._spent.get(day, _NOTHING) + wanted
            if not budget.allows(after):
                return False
            self._spent[day] = after
            return True

    def settle(self, day: date, taken: ChatUsage, used: ChatUsage) -> None:
        """Replace what was taken by what was used."""
        with self._lock:
            self._spent[day] = self._spent.get(day, _NOTHING) - taken + used

    def spent(self, day: date) -> ChatUsage:
        """Return what was spent on a day, with what is taken and not settled yet."""
        with self._lock:
            return self._spent.get(day, _NOTHING)

    def days(self) -> tuple[date, ...]:
        """Return the days on which something was spent, the first one first."""
        with self._lock:
            return tuple(sorted(self._spent))
