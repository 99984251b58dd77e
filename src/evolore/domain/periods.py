"""Periods: stretches of calendar days."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A stretch of calendar days, both ends included.

    An end that is not known is ``date.min`` or ``date.max``: "since 2015" runs from the first day of 2015 to
    ``date.max``.

    Args:
        first: The first day.
        last: The last day, not before the first.
    """

    first: date
    last: date

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise InvalidValue(
                f"A period from {self.first.isoformat()} to {self.last.isoformat()} ends before it begins: "
                "give the earlier day as first."
            )
