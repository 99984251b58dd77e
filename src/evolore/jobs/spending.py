"""What days cost, for as long as a process runs."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatUsage

if TYPE_CHECKING:
    from datetime import date

    from evolore.domain.chats import ChatBudget

_NOTHING = ChatUsage()


class InMemorySpendLog:
    """Keeps what was spent on each day while the process runs; threads may share it."""

    def __init__(self) -> None:
        self._spent: dict[date, ChatUsage] = {}
        self._lock = Lock()

    def take(self, day: date, wanted: ChatUsage, budget: ChatBudget) -> bool:
        """Add to a day's spend in one step, if the budget allows the sum; tell whether it did."""
        with self._lock:
            after = self._spent.get(day, _NOTHING) + wanted
            if not budget.allows(after):
                return False
            self._spent[day] = after
            return True

    def settle(self, day: date, taken: ChatUsage, used: ChatUsage) -> None:
        """Put what was used in the place of what was taken for it."""
        with self._lock:
            self._spent[day] = self._spent.get(day, _NOTHING) - taken + used

    def spent(self, day: date) -> ChatUsage:
        """Give what was spent on a day, with what is taken and not settled yet."""
        with self._lock:
            return self._spent.get(day, _NOTHING)

    def days(self) -> tuple[date, ...]:
        """Give the days on which something was spent, the first one first."""
        with self._lock:
            return tuple(sorted(self._spent))
