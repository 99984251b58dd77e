"""The dates a text speaks of: a first, thin version of what finds them."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from evolore.domain.periods import Period

if TYPE_CHECKING:
    from datetime import datetime

    from evolore.domain.language import Language

DATES_VERSION = "1"
"""Of what is found: a store made with another cannot be compared with."""

_DATE = re.compile(r"\b(?P<year>1\d{3}|20\d{2})(?:-(?P<month>\d{2})-(?P<day>\d{2}))?\b", re.ASCII)


def mentioned_periods(
    text: str,
    *,
    language: Language,  # noqa: ARG001 - one interface for all rules
    said_at: datetime | None,  # noqa: ARG001 - likewise
) -> tuple[Period, ...]:
    """Give the periods a text speaks of, each once, in the order they come in.

    Args:
        text: What is said.
        language: The language it is in.
        said_at: When it was said, in the zone it was given in.
    """
    return tuple(dict.fromkeys(period for match in _DATE.finditer(text) if (period := _period(match)) is not None))


def _period(match: re.Match[str]) -> Period | None:
    year = int(match["year"])
    if match["month"] is None:
        return Period(first=date(year, 1, 1), last=date(year, 12, 31))
    try:
        day = date(year, int(match["month"]), int(match["day"]))
    except ValueError:
        return None
    return Period(first=day, last=day)
