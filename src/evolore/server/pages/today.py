"""Today: what waits for a person, and how people judged answers of late."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from evolore.domain.evolution import JobState
from evolore.server.dashboard import weeks_of
from evolore.server.house import house_of
from evolore.server.listings import jobs_before, reading
from evolore.server.pages.page import PageRoute, Read

router = APIRouter(route_class=PageRoute)
_SHOWN = 8


@router.get("")
def today(request: Request, page: Read) -> Response:
    """Show what waits, and the last weeks."""
    memory = page.memory
    now = house_of(request).now()
    weeks = weeks_of(memory, now.date())
    with reading(memory) as reader:
        counts = reader.counts()
    return page.html(
        "today.html",
        waiting=jobs_before(memory, states=[JobState.WAITING], limit=_SHOWN),
        canaries=memory.evolution.canaries(),
        items=memory.review.list(limit=_SHOWN),
        stats=counts,
        weeks=weeks,
    )
