"""When a call of a chat model that failed is made again."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.checks import check_count
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from evolore.domain.chats import ChatFailure


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySettings:
    """When a call that failed is made again.

    Args:
        tries: How often a request is sent at the most, the first time included; at least 1. Each costs a call.
        first_wait_seconds: How long to wait before the second try, at least 0; twice as long before each further one.
            A part of it, up to a half, is left off by chance, so that many who wait do not come back at once.
        longest_wait_seconds: The longest wait, at least 0. A server that wants a longer one is not asked again.

    Raises:
        InvalidValue: A value outside its range.
    """

    tries: int = 3
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 30.0

    def __post_init__(self) -> None:
        check_count(self.tries, "tries")
        for name in ("first_wait_seconds", "longest_wait_seconds"):
            seconds: float = getattr(self, name)
            if not (math.isfinite(seconds) and seconds >= 0):
                raise InvalidValue(f"{name} is {seconds}: give a number of at least 0.")

    def is_worth_it(self, failure: ChatFailure, tried: int) -> bool:
        """Tell whether to try again after so many tries."""
        after = failure.retry_after_seconds
        return after is not None and after <= self.longest_wait_seconds and tried < self.tries

    def wait_seconds(self, tried: int, asked_for: float, jitter: float) -> float:
        """Give how long to wait after so many tries: never less than the server asked for.

        Args:
            tried: How often it was tried, at least 1.
            asked_for: What the server asked for, in seconds.
            jitter: From 0 up to 1, by chance.

        >>> [RetrySettings().wait_seconds(tried, 0, 0.5) for tried in (1, 2, 3)]
        [0.75, 1.5, 3.0]
        >>> RetrySettings().wait_seconds(1, 7, 0.5)
        7
        """
        backed_off = self.first_wait_seconds * 2.0 ** min(tried - 1, 60)
        return max(asked_for, min(self.longest_wait_seconds, backed_off) * (0.5 + jitter / 2))
