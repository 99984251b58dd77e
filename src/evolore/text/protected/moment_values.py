"""Values of dates and times, and which of two are one."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.text.protected.spans import ProtectedSpan

_HALF_DAY = 12
_MARKED = re.compile(
    r"[ap]\.?m|noon|midnight|midday|morning|afternoon|evening|night|午|朝|夜|夕|早|晨|晚|傍", re.IGNORECASE
)


def read_date(span: ProtectedSpan) -> tuple[int, int, int] | None:
    """Read the parts of a date; None for a weekday or a quarter."""
    parts = span.value.split("-")
    return tuple(0 if part == "?" else int(part) for part in parts) if len(parts) == 3 else None  # type: ignore[return-value]  # noqa: PLR2004


def minutes_of(span: ProtectedSpan) -> int:
    """Give the minutes of a time since midnight."""
    hour, _, minute = span.value.partition(":")
    return 60 * int(hour) + int(minute)


def is_one_time(one: ProtectedSpan, other: ProtectedSpan) -> bool:
    """Tell whether two times are one; where one alone tells the half of the day, noon may lie between them."""
    hour, _, minute = one.value.partition(":")
    theirs, _, rest = other.value.partition(":")
    is_half_told = _tells_half(one) != _tells_half(other)
    apart, first = abs(int(hour) - int(theirs)), min(int(hour), int(theirs))
    is_same = apart in {0, 2 * _HALF_DAY} or (apart == _HALF_DAY and is_half_told and first <= _HALF_DAY)
    return rest == minute and is_same


def _tells_half(span: ProtectedSpan) -> bool:
    """Tell whether a time says which half of the day it is in: by a word, or by an hour after noon in digits."""
    is_late = int(span.value.partition(":")[0]) > _HALF_DAY and ":" in span.quote
    return is_late or _MARKED.search(span.quote) is not None


def is_compatible(one: Sequence[int], other: Sequence[int]) -> bool:
    """Tell whether two dates may be one, as far as both are told."""
    both = [(first, second) for first, second in zip(one, other, strict=True) if first and second]
    return bool(both) and all(first == second for first, second in both)


def weekdays_of(date: tuple[int, int, int]) -> tuple[int, ...]:
    """Give the weekday of a date and that of the day after; none where the year is not told."""
    try:
        number = dt.date(*date).isoweekday()
    except ValueError:
        return ()
    return number, number % 7 + 1
