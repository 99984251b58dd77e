"""Today: what waits for a person, and how people judged answers of late."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request, Response

from evolore.domain.evolution import JobState
from evolore.domain.outcome import Rating
from evolore.server.house import house_of
from evolore.server.pages.page import PageRoute, Read

if TYPE_CHECKING:
    from evolore.memory import Memory

router = APIRouter(route_class=PageRoute)
_WEEKS = 12
_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """How answers of a week were judged.

    Args:
        begins: Its Monday.
        good: How often somebody said that a document served.
        bad: How often that it did not.
    """

    begins: date
    good: int
    bad: int


@router.get("")
def today(request: Request, page: Read) -> Response:
    """Show what waits, and the last weeks."""
    memory = page.memory
    now = house_of(request).now()
    weeks = weeks_of(memory, now.date())
    return page.html(
        "today.html",
        waiting=memory.evolution.jobs(states=[JobState.WAITING], limit=_SHOWN),
        canaries=memory.evolution.canaries(),
        items=memory.review.list(limit=_SHOWN),
        stats=memory.stats(),
        weeks=weeks,
        most=max(1, *(one.good + one.bad for one in weeks)),
    )


def weeks_of(memory: Memory, day: date) -> tuple[Week, ...]:
    """Count what people said of documents in the last weeks, oldest first."""
    this = day - timedelta(days=day.weekday())
    begins = [this - timedelta(weeks=back) for back in reversed(range(_WEEKS))]
    said: Counter[tuple[date, Rating]] = Counter()
    for one in memory.evolution.feedback():
        rated = one.rated_at.date()
        said[rated - timedelta(days=rated.weekday()), one.rating] += 1
    return tuple(Week(begins=one, good=said[one, Rating.GOOD], bad=said[one, Rating.BAD]) for one in begins)
