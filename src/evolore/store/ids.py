"""Ids that sort by the time they were made."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 26
_RANDOM_BITS = 80
_STEP_BITS = 70


class IdSource:
    """Makes ids of 26 characters: 48 bits of milliseconds, then 80 of randomness (ULID's layout, in lower case).

    Ids of one source rise strictly, also within a millisecond and when the clock steps back. Not thread-safe: each
    transaction has its own, or holds a lock.
    """

    def __init__(self) -> None:
        self._last = 0

    def next(self, at: datetime) -> str:
        """Make an id for the moment ``at``."""
        fresh = (int(at.timestamp() * 1000) << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS - 1)
        # A step of random size keeps two processes that write in one millisecond apart, and ids short to tell apart.
        self._last = max(fresh, self._last + 1 + secrets.randbits(_STEP_BITS))
        return _encode(self._last)


def _encode(number: int) -> str:
    return "".join(_DIGITS[(number >> shift) & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))
