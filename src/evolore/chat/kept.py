"""Costs of chats and their replies, kept for as long as a process runs."""

from __future__ import annotations

from collections import OrderedDict
from datetime import date
from threading import Lock

from evolore.domain.chat import ChatBudget, ChatUsage
from evolore.domain.checks import check_count


class InMemoryChatCache:
    """Keeps so many replies; the one not asked for longest goes first. Threads may share it.

    Args:
        most: How many, at least 1.

    Raises:
        InvalidValue: Below 1.
    """

    def __init__(self, most: int = 1000) -> None:
        check_count(most, "most")
        self._most = most
        self._replies: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> str | None:
        """Return the reply that was kept, or None."""
        with self._lock:
            if key not in self._replies:
                return None
            self._replies.move_to_end(key)
            return self._replies[key]

    def put(self, key: str, reply: str) -> None:
        """Keep a reply."""
        with self._lock:
            self._replies[key] = reply
            self._replies.move_to_end(key)
            while len(self._replies) > self._most:
                self._replies.popitem(last=False)

    def clear(self) -> None:
        """Drop all of them."""
        with self._lock:
            self._replies.clear()


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
