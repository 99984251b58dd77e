"""Background jobs: the list, and one with its live log, its progress and what it made; retried and cancelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Header, Query, Request, Response

from evolore.domain.checks import checked_word
from evolore.server.background import Kind, evolution_jobs_of, progress_of
from evolore.server.house import house_of
from evolore.server.pages.page import Page, PageRoute, Read, SentAdmin
from evolore.server.pages.reasons import plainly
from evolore.server.routes.jobs import followed, refuse_beyond_namespace
from evolore.store.service import CANCELLED, DONE, FAILED, RUNNING, STOPPING, WAITING, BackgroundJob

router = APIRouter(prefix="/running", route_class=PageRoute)
_STATES = (WAITING, RUNNING, DONE, FAILED, CANCELLED)
_FITTING = {RUNNING: (RUNNING, STOPPING)}
_MOST_LINES = 500
State = Literal["waiting", "running", "done", "failed", "cancelled"]
_JOBS: Mapping[str, Callable[[BackgroundJob], object]] = {
    name: attrgetter(name) for name in ("id", "kind", "subject", "state", "attempts", "runs_at", "ended_at", "error")
}
PLAIN_KINDS = (Kind.EVOLVE, Kind.MAINTAIN)
"""What needs no more than to be begun."""


@router.get("")
@router.get("/jobs")
def jobs(
    request: Request, page: Read, state: State | None = None, after: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """List the jobs of the namespace, the newest first."""
    fits: dict[str, object] = {"namespace": page.memory.namespace}
    if state is not None:
        fits["state"] = _FITTING.get(state, state)
    found = house_of(request).service.find(
        BackgroundJob, limit=page.most, newest_first=True, after=after or None, **fits
    )
    return page.listed(
        "jobs.html", found, _JOBS, progress_of=progress_of, states=_STATES, state=state, kinds=PLAIN_KINDS, after=after
    )


@router.post("/jobs")
def begin(request: Request, page: SentAdmin, kind: Annotated[str, Form(max_length=20)] = "") -> Response:
    """Begin a job that needs no more than its kind."""
    checked = checked_word(Kind, kind, "kind")
    house, body = house_of(request), {"principal": page.principal} if page.principal else {}
    job = house.background.begin(checked, page.memory.namespace, body=body, created_by=page.key_id)
    return page.go(f"/running/jobs/{job.id}", said="begun", noted=job.id)


@router.get("/jobs/{job_id}")
def job(request: Request, page: Read, job_id: str) -> Response:
    """Show a job with the last lines of its log."""
    found = _of(request, page, job_id)
    lines = house_of(request).service.said(found.id)
    return page.html(
        "background_job.html",
        job=found,
        lines=lines[-_MOST_LINES:],
        left_out=max(0, len(lines) - _MOST_LINES),
        last=lines[-1][0] if lines else 0,
        progress=progress_of(found),
        made=evolution_jobs_of(found),
        can_retry=found.state in {FAILED, CANCELLED} or (found.state == WAITING and bool(found.error)),
    )


@router.get("/jobs/{job_id}/log")
def log(
    request: Request,
    page: Read,
    job_id: str,
    after: Annotated[int, Query(ge=0)] = 0,
    last: Annotated[str | None, Header(alias="Last-Event-ID", max_length=20)] = None,
) -> Response:
    """Send the lines of a job as they are said."""
    return followed(request, _of(request, page, job_id), last=last, after=after, word=plainly(page.language))


@router.post("/jobs/{job_id}/cancel")
def cancel(request: Request, page: SentAdmin, job_id: str) -> Response:
    """Cancel a job that waits; have one that runs stop after its present step."""
    done = house_of(request).background.cancel(job_id, namespace=page.memory.namespace)
    said = {CANCELLED: "cancelled", STOPPING: "stopping"}.get(done.state, "ended_before")
    return page.go(f"/running/jobs/{done.id}", said=said, noted=done.id)


@router.post("/jobs/{job_id}/retry")
def retry(request: Request, page: SentAdmin, job_id: str) -> Response:
    """Begin a job once more that failed or was cancelled."""
    assert page.caller is not None
    refuse_beyond_namespace(_of(request, page, job_id).kind, page.caller)
    begun = house_of(request).background.retry(
        job_id, namespace=page.memory.namespace, principal=page.principal, created_by=page.key_id
    )
    return page.go(f"/running/jobs/{begun.id}", said="begun", noted=begun.id)


def _of(request: Request, page: Page, job_id: str) -> BackgroundJob:
    return house_of(request).background.of(job_id, namespace=page.memory.namespace)
