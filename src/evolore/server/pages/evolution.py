"""Evolution: figures, the button that begins it, jobs, and what was changed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from evolore.domain.evolution import JobState
from evolore.server.pages.page import MOST_SHOWN, PageRoute, Read, SentReview, SentWrite
from evolore.server.routes.evolution import begin_evolution

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
def run(request: Request, page: SentWrite, document: Annotated[str, Form(max_length=2000)] = "") -> Response:
    """Begin a background job about what people complained of, or about one document."""
    assert page.caller is not None
    job = begin_evolution(request, page.caller, document or None)
    return page.go(f"/running/jobs/{job.id}", said="begun")


@router.post("/canaries/{promotion_id}/grow")
def grow(page: SentReview, promotion_id: str) -> Response:
    """Bring a change before more people."""
    page.memory.evolution.canary(promotion_id, grow=True, principal=page.principal)
    return page.go("/evolution", said="grown")
