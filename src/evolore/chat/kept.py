"""Costs of chats and their replies, kept for as long as a process runs."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

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
