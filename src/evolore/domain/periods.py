"""Stretches of the calendar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Some days of the calendar, one after the other.

    Args:
        first: The first day.
        last: The last day, no earlier than the first; it belongs to the period.
    """

    first: date
    last: date

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise InvalidValue(
                f"{self.first} to {self.last} is no period: give a last day that is not before the first."
            )
