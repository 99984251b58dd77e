"""Evolution: figures, the button that begins it, jobs, and what was changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from evolore.domain.evolution import JobState
from evolore.evolution.gaps import Gap, GapState
from evolore.flows.evolve import overview
from evolore.server.listings import JobRow, context_of, jobs_before
from evolore.server.pages.page import MOST_SHOWN, PageRoute, Read, SentReview, SentWrite
from evolore.server.routes.evolution import begin_evolution

router = APIRouter(prefix="/evolution", route_class=PageRoute)


_GAPS: Mapping[str, Callable[[Gap], object]] = {
    "id": attrgetter("id"),
    "state": attrgetter("state.value"),
    "missing": lambda one: one.missing and one.missing.value,
    "questions": lambda one: "\n".join(one.questions),
    **{name: attrgetter(name) for name in ("people", "weeks", "bad", "taken_by", "note")},
}
_ROWS: Mapping[str, Callable[[JobRow], object]] = {
    "id": attrgetter("id"),
    "documents": lambda one: ", ".join(it.source for it in one.documents),
    "state": attrgetter("state.value"),
    "ratings": lambda one: len(one.feedback_ids),
    "candidates": lambda one: len(one.candidates),
    "updated_at": attrgetter("updated_at"),
}


@router.get("")
def evolution(
    page: Read,
    state: JobState | None = None,
    jobs: Annotated[str, Query(max_length=100)] = "",
    history: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """Show how documents improve; lists go on behind the job and the change whose ids the query has."""
    own = page.memory.evolution
    states = None if state is None else [state]
    found = jobs_before(page.memory, states=states, before=jobs, limit=page.most)
    stats, eligible = overview.stats(context_of(page.memory))
    changes = overview.history(context_of(page.memory), before=history, limit=MOST_SHOWN + 1)
    return page.listed(
        "evolution.html",
        found,
        _ROWS,
        stats=stats,
        eligible=eligible,
        history=changes[:MOST_SHOWN],
        next_history=changes[MOST_SHOWN - 1].id if len(changes) > MOST_SHOWN else "",
        canaries=own.canaries(),
        states=tuple(JobState),
        state=state,
    )


@router.get("/gaps")
def gaps(page: Read, state: GapState | None = None) -> Response:
    """List what people asked and were not served."""
    found = page.memory.evolution.gaps(states=() if state is None else [state], limit=page.most - 1)
    return page.listed("gaps.html", found, _GAPS, states=tuple(GapState), state=state)


@router.post("/gaps/{gap_id}/take")
def take(page: SentReview, gap_id: str) -> Response:
    """Record that whoever is logged in takes a gap up."""
    page.memory.evolution.take_gap(gap_id, principal=page.principal)
    return page.go("/evolution/gaps", said="taken")


@router.post("/gaps/{gap_id}/close")
def close(page: SentReview, gap_id: str, reason: Annotated[str, Form(max_length=10_000)] = "") -> Response:
    """Close a gap by hand."""
    page.memory.evolution.close_gap(gap_id, reason=reason.strip(), principal=page.principal)
    return page.go("/evolution/gaps", said="closed")


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
