"""Ids that sort by the time they were made."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime, timedelta

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


def earlier(id_: str, by: timedelta) -> str:
    """Give what ids of moments so much earlier than an id's are not below; the id itself where it was not made here."""
    digits = [_DIGITS.find(one) for one in id_]
    if len(digits) != _LENGTH or min(digits) < 0:
        return id_
    number = sum(digit << 5 * (_LENGTH - 1 - place) for place, digit in enumerate(digits))
    return _encode(max(0, number - (int(by.total_seconds() * 1000) << _RANDOM_BITS)))


def _encode(number: int) -> str:
    return "".join(_DIGITS[(number >> shift) & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))
