"""Evolution: figures, the button that begins it, jobs, and what was changed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Response

from evolore.domain.evolution import JobState
from evolore.server.pages.page import MOST_SHOWN, PageRoute, Read, SentReview, SentWrite

router = APIRouter(prefix="/evolution", route_class=PageRoute)
_MOST = 500


@router.get("")
def evolution(
    page: Read, state: JobState | None = None, limit: Annotated[int, Query(ge=1, le=_MOST)] = MOST_SHOWN
) -> Response:
    """Show how documents improve."""
    own = page.memory.evolution
    return page.html(
        "evolution.html",
        stats=own.stats(),
        eligible=own.candidates(limit=1).eligible,
        jobs=own.jobs(states=[] if state is None else [state], limit=limit),
        history=own.history(limit=limit),
        canaries=own.canaries(),
        states=tuple(JobState),
        state=state,
        limit=limit,
        most=_MOST,
    )


@router.post("/run")
def run(page: SentWrite, document: Annotated[str, Form(max_length=2000)] = "") -> Response:
    """Begin jobs about what people complained of, or about one document, and go on with those that were begun."""
    jobs = page.memory.evolve(*([document] if document else []), principal=page.principal)
    if len(jobs) == 1:
        return page.go(f"/evolution/jobs/{jobs[0].id}", said="ran")
    return page.go("/evolution", said="ran" if jobs else "nothing_to_do")


@router.post("/canaries/{promotion_id}/grow")
def grow(page: SentReview, promotion_id: str) -> Response:
    """Bring a change before more people."""
    page.memory.evolution.canary(promotion_id, grow=True, principal=page.principal)
    return page.go("/evolution", said="grown")
