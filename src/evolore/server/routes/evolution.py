"""Routes of evolution: jobs, approval, rollback, canaries; and routes with camelCase fields."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import JSONResponse
from pydantic import Field

from evolore.domain.checks import checked_word
from evolore.domain.evolution import JobState
from evolore.flows.evolve.approve import Approved
from evolore.flows.evolve.canary import CanaryView
from evolore.flows.evolve.overview import seed_job
from evolore.flows.evolve.show import EvolutionJob
from evolore.flows.evolve.show import jobs as whole_jobs
from evolore.server.access import Caller, Looker, Reviewer
from evolore.server.background import Kind
from evolore.server.cursors import Cursor, Limit, part_by_id
from evolore.server.dashboard import Dashboard, dashboard_of
from evolore.server.described import Body, refuses, shows
from evolore.server.house import house_of
from evolore.server.idempotency import DoneOnce
from evolore.server.listings import context_of
from evolore.server.problems import Refused
from evolore.server.routes.jobs import BACKGROUND_JOB, shown_job
from evolore.store.service import BackgroundJob

router = APIRouter(prefix="/evolution", tags=["evolution"], route_class=DoneOnce)
everything = APIRouter(tags=["evolution"], route_class=DoneOnce)
_ID = "01kmzt0c7yd9v1g6m3q5x8e2ar"
_JOB = {"id": _ID, "state": "waiting", "documents": [{"id": _ID, "base_version": 1}], "candidate_id": "1"}
_SHARE = {"count": 3, "total": 12, "rate": 0.25, "low": 0.089, "high": 0.532}
_SEED_JOB: dict[str, object] = {
    "id": _ID,
    "documentId": _ID,
    "status": "completed",
    "state": "waiting",
    "candidates": [],
    "evaluationResults": [],
    "winnerCandidateId": f"{_ID}-1",
}
_HEARD = {"total": 100, "good": 80, "bad": 20, "pendingBad": 5}
_TOTALS = {"totalEvolutions": 10, "successfulEvolutions": 7, "threshold": 3}
_EVOLVED: dict[str, object] = {"eligibleDocuments": 1, "eligibleDocumentIds": [_ID], **_TOTALS}
_TEXT = {"id": f"{_ID}-1", "content": "10 days", "mutationType": "MUTATION_DETAIL", "sourceDocumentId": _ID}
_RESULT = {"candidateId": f"{_ID}-1", "score": 4.2, "winRate": 0.8, "metrics": {"helpfulness": 4.1}}
_CHANGE: dict[str, object] = {
    "id": _ID,
    "documentId": _ID,
    "generation": 1,
    "mutationType": "MUTATION_CLARITY",
    "winRate": 0.8,
    "triggerFeedbackIds": [_ID],
    "previousContentSnapshot": "7 days",
    "newContentSnapshot": "10 days",
    "rollbackAvailable": True,
    "createdAt": "2026-03-02T09:30:00+00:00",
}
Document = Annotated[str | None, Query(alias="documentId", max_length=4096, description="By id, source or path.")]
SeedLimit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]


class EvolveBody(Body, json_schema_extra={"examples": [{}, {"documentId": _ID}]}):
    """What is to evolve."""

    documentId: Annotated[  # noqa: N815 - as the seed has it
        str | None, Field(max_length=4096, description="One document in any case; by default all that are due.")
    ] = None


class Approving(Body, json_schema_extra={"examples": [{"reason": "Right, and clearer."}]}):
    """What is taken over."""

    candidate: Annotated[str, Field(max_length=40, description="Its number; by default the one put before you.")] = ""
    text: Annotated[str | None, Field(description="The text to take over instead, as you edited it.")] = None
    rebase: Annotated[bool, Field(description="Whether its edits are made in the document as it is now.")] = False
    canary: Annotated[bool | None, Field(description="Whether some people see it first.")] = None
    reason: Annotated[str, Field(max_length=10_000)] = ""


class Reason(Body, json_schema_extra={"examples": [{"reason": "Nine days, not ten."}]}):
    """Why."""

    reason: Annotated[str, Field(min_length=1, max_length=10_000)]


@router.post(
    "/run",
    summary="Evolve what is due, or one document",
    responses={
        **shows({"success": True, "message": "Evolution completed. Processed 1 documents", "jobs": [_SEED_JOB]}),
        **shows(BACKGROUND_JOB, status=HTTPStatus.ACCEPTED, headers=("Location",)),
    },
)
def run(
    request: Request,
    caller: Reviewer,
    wanted: EvolveBody | None = None,
    prefer: Annotated[str, Header(max_length=200, description="`respond-async` to be answered at once.")] = "",
) -> JSONResponse:
    """Rewrite documents that enough people rated BAD and wait for the result, or answer at once with the job."""
    document = wanted.documentId if wanted else None
    if "respond-async" in prefer.casefold():
        job = begin_evolution(request, caller, document)
        return JSONResponse(shown_job(job), HTTPStatus.ACCEPTED, {"Location": f"/api/jobs/{job.id}"})
    jobs = caller.memory.evolve(*(() if document is None else (document,)), principal=caller.principal)
    return JSONResponse(
        {
            "success": True,
            "message": f"Evolution completed. Processed {len(jobs)} documents",
            "jobs": [seed_job(one) for one in jobs],
        }
    )


class Evolving(Body, json_schema_extra={"examples": [{"documents": ["refunds.md"], "calls": 40}]}):
    """What is to evolve, in full."""

    documents: Annotated[list[str], Field(max_length=100, description="By id or source; by default what is due.")] = []
    operators: Annotated[list[str], Field(max_length=20)] = []
    calls: Annotated[int | None, Field(ge=0, le=1_000_000, description="Of the chat model, at most.")] = None
    seed: Annotated[str | None, Field(max_length=200)] = None


@everything.post(
    "/evolve", summary="Evolve documents, and wait", responses=shows({"jobs": [_JOB]}, of={"jobs": EvolutionJob})
)
def evolve(wanted: Evolving, caller: Reviewer) -> JSONResponse:
    """Rewrite documents and wait for the result, as ``/evolution/run`` does, with jobs in full."""
    how = wanted.model_dump(exclude={"documents"})
    found = caller.memory.evolve(*wanted.documents, **how, principal=caller.principal)
    return JSONResponse({"jobs": [one.to_dict() for one in found]})


def begin_evolution(request: Request, caller: Caller, document: str | None) -> BackgroundJob:
    """Begin a background job that evolves what is due, or one document; return the one that is open already where there is one."""
    found = None if document is None else caller.memory.outline.tree(document).document.id
    body: dict[str, object] = {} if found is None else {"documents": [found]}
    if caller.principal is not None:
        body["principal"] = caller.principal
    return house_of(request).background.begin(Kind.EVOLVE, caller.namespace, found or "", body, caller.key_id)


@router.get(
    "/stats",
    summary="Count feedback, jobs and documents",
    responses=shows(
        {"success": True, "stats": {"feedback": _HEARD, "evolution": _EVOLVED, "documents": {"total": 50}}}
    ),
)
def stats(caller: Looker) -> JSONResponse:
    """Count the ratings of documents and their results."""
    return JSONResponse({"success": True, "stats": caller.memory.evolution.stats().to_seed()})


@router.get("/history", summary="List what evolution changed", responses=shows({"success": True, "history": [_CHANGE]}))
def history(caller: Looker, document: Document = None, limit: SeedLimit = 50) -> JSONResponse:
    """List changes of documents by evolution, the newest first."""
    found = caller.memory.evolution.history(document, limit=limit)
    return JSONResponse({"success": True, "history": [one.to_seed() for one in found]})


@router.get(
    "/candidates",
    summary="List what may become of documents",
    responses=shows(
        {"success": True, "eligibleDocumentIds": [_ID], "candidates": [_TEXT], "evaluationResults": [_RESULT]}
    ),
)
def candidates(caller: Looker, document: Document = None, limit: SeedLimit = 50) -> JSONResponse:
    """List the documents that would be taken up now, and what open jobs propose, with how that did."""
    return JSONResponse({"success": True, **caller.memory.evolution.candidates(document, limit=limit).to_seed()})


@router.get(
    "/effects",
    summary="Show what changes did",
    responses=shows(
        {"accepted": 1, "rolled_back": _SHARE, "effects": [{"document_id": _ID, "before": _SHARE}]}, of=Dashboard
    ),
)
def effects(request: Request, caller: Looker) -> JSONResponse:
    """Return the dashboard: BAD rates before and after each change, judge and person, cost, by operator, model and document.

    A share comes with its count, its total and its 95 % interval; costs are in millionths.
    """
    return JSONResponse(dashboard_of(caller.memory, day=house_of(request).now().date()).to_dict())


@router.get(
    "/jobs",
    summary="List jobs of evolution",
    responses=shows({"jobs": [_JOB], "next": None}, of={"jobs": EvolutionJob}),
)
def jobs(
    caller: Looker,
    state: Annotated[list[str], Query(max_length=20, description="Only those in one of these states.")] = [],  # noqa: B006 - as FastAPI reads it
    limit: Limit = 100,
    cursor: Cursor = None,
) -> JSONResponse:
    """List jobs, the newest first."""
    states = [checked_word(JobState, one, "states") for one in state] or None

    def older(before: str, most: int) -> Sequence[EvolutionJob]:
        return whole_jobs(context_of(caller.memory), states=states, before=before, limit=most)

    shown, following = part_by_id(older, lambda one: one.id, limit=limit, cursor=cursor)
    return JSONResponse({"jobs": [one.to_dict() for one in shown], "next": following})


@router.get(
    "/jobs/{job_id}", summary="Show a job of evolution", responses=shows(_JOB, of=EvolutionJob, headers=("ETag",))
)
def job(job_id: str, caller: Looker) -> JSONResponse:
    """Show a job: its candidates, how each did, what was decided and why; its ``ETag`` is what approving needs."""
    return _shown(caller.memory.evolution.show(job_id))


@router.post(
    "/jobs/{job_id}/approve",
    summary="Approve a candidate",
    responses={
        **shows({"job": {**_JOB, "state": "promoted"}, "promotion": {"id": _ID}, "warnings": []}, of=Approved),
        **refuses(HTTPStatus.PRECONDITION_FAILED, HTTPStatus.PRECONDITION_REQUIRED),
    },
)
def approve(
    job_id: str,
    caller: Reviewer,
    what: Approving | None = None,
    if_match: Annotated[str, Header(max_length=400, description="The `ETag` of the job as you saw it.")] = "",
) -> JSONResponse:
    """Accept a candidate as the next version of its documents, if the job is what you saw."""
    evolution = caller.memory.evolution
    _refuse_unseen(evolution.show(job_id), if_match)
    chosen = what or Approving()
    done = evolution.approve(
        job_id,
        candidate=chosen.candidate,
        text=chosen.text,
        rebase=chosen.rebase,
        canary=chosen.canary,
        reason=chosen.reason,
        principal=caller.principal,
    )
    return JSONResponse(done.to_dict(), headers={"ETag": etag_of(done.job)})


@router.post(
    "/jobs/{job_id}/reject",
    summary="Reject what a job proposes",
    responses=shows({**_JOB, "state": "rejected"}, of=EvolutionJob),
)
def reject(job_id: str, why: Reason, caller: Reviewer) -> JSONResponse:
    """Reject what a job proposes, or end one that runs."""
    return _shown(caller.memory.evolution.reject(job_id, reason=why.reason, principal=caller.principal))


@router.get(
    "/canaries",
    summary="List changes that are before some people only",
    responses=shows({"canaries": [{"id": _ID, "stages": [10, 50], "stage": 1}]}, of={"canaries": CanaryView}),
)
def canaries(caller: Looker) -> JSONResponse:
    """List the changes that are before some people only, oldest first, each with how both texts do."""
    return JSONResponse({"canaries": [one.to_dict() for one in caller.memory.evolution.canaries()]})


@router.get(
    "/canaries/{promotion_id}",
    summary="Show how a change does before some people",
    responses=shows({"id": _ID, "stages": [10, 50], "stage": 1}, of=CanaryView),
)
def canary(promotion_id: str, caller: Looker) -> JSONResponse:
    """Show how a change did before some people: stage, BAD rates, evidence, and who saw it."""
    return JSONResponse(caller.memory.evolution.canary(promotion_id).to_dict())


@router.post(
    "/canaries/{promotion_id}/grow",
    summary="Bring a change before more people",
    responses=shows({"id": _ID, "stages": [10, 50], "stage": 2}, of=CanaryView),
)
def grow(promotion_id: str, caller: Reviewer) -> JSONResponse:
    """Bring a change before the next stage's share of people, or before everybody."""
    return JSONResponse(caller.memory.evolution.canary(promotion_id, grow=True, principal=caller.principal).to_dict())


def etag_of(job: EvolutionJob) -> str:
    """Return what distinguishes a state of a job from any other."""
    told = f"{job.id} {job.state} {job.updated_at.isoformat()} {job.candidate_id}"
    return f'"{sha256(told.encode()).hexdigest()[:32]}"'


def _shown(found: EvolutionJob) -> JSONResponse:
    return JSONResponse(found.to_dict(), headers={"ETag": etag_of(found)})


def _refuse_unseen(found: EvolutionJob, if_match: str) -> None:
    """Refuse to take over what the caller has not seen."""
    seen = {one.strip() for one in if_match.split(",")}
    if seen == {""}:
        raise Refused(
            HTTPStatus.PRECONDITION_REQUIRED,
            "Approving needs `If-Match`: show the job first, and send the ETag that it comes with.",
        )
    if "*" not in seen and etag_of(found) not in seen:
        raise Refused(
            HTTPStatus.PRECONDITION_FAILED,
            f"The job {found.id} changed since you saw it: it is {found.state.value} now. Show it again.",
        )
