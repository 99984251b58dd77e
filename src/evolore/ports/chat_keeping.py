"""What is kept of chats besides their replies: what a day cost, replies that may be asked for again, and time to wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import date

    from evolore.domain.chats import ChatBudget, ChatUsage


class SpendLog(Protocol):
    """Keeps what was spent on each day. Threads share one, and where it outlives a process, processes too."""

    def take(self, day: date, wanted: ChatUsage, budget: ChatBudget) -> bool:
        """Add to a day's spend in one step, if the budget allows the sum; tell whether it did."""
        ...

    def settle(self, day: date, taken: ChatUsage, used: ChatUsage) -> None:
        """Put what was used in the place of what was taken for it."""
        ...

    def spent(self, day: date) -> ChatUsage:
        """Give what was spent on a day, with what is taken and not settled yet."""
        ...


class ChatCache(Protocol):
    """Keeps replies by what was asked. Losing one costs a call and nothing else."""

    def get(self, key: str) -> str | None:
        """Give the reply that was kept, or None."""
        ...

    def put(self, key: str, reply: str) -> None:
        """Keep a reply."""
        ...

    def clear(self) -> None:
        """Keep none of them any more: something was erased, and a reply may quote it."""
        ...


class Pacer(Protocol):
    """Waits, and says by how much waits differ, so that many who wait do not come back at once."""

    def wait(self, seconds: float) -> None:
        """Return after so many seconds."""
        ...

    def jitter(self) -> float:
        """Give a number from 0 up to 1, another each time."""
        ...
