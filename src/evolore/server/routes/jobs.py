"""Background jobs: begun, listed, followed and cancelled."""

from __future__ import annotations

import json
from asyncio import sleep
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import Field

from evolore.domain.result import fields_but
from evolore.errors import InvalidValue
from evolore.server.access import Admin, Caller, Reader
from evolore.server.background import Kind, progress_of
from evolore.server.described import Body, shows
from evolore.server.house import House, house_of
from evolore.server.problems import Refused
from evolore.server.schedules import job_subject
from evolore.store.service import BackgroundJob, Service

BACKGROUND_JOB = {
    "id": "01m8364hhjbh7q9dh3a8z351rh",
    "namespace": "support",
    "kind": "evolve",
    "subject": "",
    "state": "waiting",
    "runs_at": "2026-03-02T09:30:00+00:00",
    "created_at": "2026-03-02T09:30:00+00:00",
    "result": None,
    "error": None,
    "attempts": 0,
    "seen_at": None,
    "ended_at": None,
    "progress": None,
}
TO_JOB = {"/id": ("jobs_show job_id", "jobs_cancel job_id", "jobs_retry job_id")}
router = APIRouter(prefix="/jobs", tags=["jobs"])
State = Literal["waiting", "running", "stopping", "done", "failed", "cancelled"]
Word = Callable[[str], str]
_POLL_SECONDS = 0.5
_MOST_LINES = 1000
_QUIET_POLLS = 30
"""After so many looks with nothing new, a comment keeps the line open: 15 seconds."""


class JobBody(
    Body, json_schema_extra={"examples": [{"kind": "evolve", "documents": ["refunds.md"]}, {"kind": "maintain"}]}
):
    """What is to be done."""

    kind: Kind
    documents: Annotated[list[str] | None, Field(max_length=100, description="Of evolve: which; by default all.")] = (
        None
    )
    operators: Annotated[list[str] | None, Field(max_length=20)] = None
    calls: Annotated[int | None, Field(ge=1, le=1_000_000, description="Of evolve: calls of the chat model.")] = None
    seed: Annotated[str | None, Field(max_length=200)] = None
    items: Annotated[int | None, Field(ge=1, le=10_000_000, description="Of maintain: how many.")] = None
    seconds: Annotated[float | None, Field(gt=0, le=86_400, description="Of maintain: how long.")] = None
    embedder: Annotated[str | None, Field(max_length=200, description="Of reembed: which.")] = None
    path: Annotated[
        str | None, Field(max_length=4000, description="Of add: a folder or file of the server, or a page.")
    ] = None
    include: Annotated[list[str] | None, Field(max_length=100)] = None
    exclude: Annotated[list[str] | None, Field(max_length=100)] = None
    sync: Literal["report", "forget"] | None = None

    def body(self) -> dict[str, object]:
        """Return what the job is given."""
        return self.model_dump(exclude={"kind"}, exclude_none=True)


def refuse_beyond_namespace(kind: Kind | str, caller: Caller) -> None:
    """Refuse jobs that reach beyond a namespace to keys that are bound to some: files of the server, the whole store."""
    if kind in {Kind.ADD, Kind.REEMBED} and caller.key is not None and caller.key.namespaces:
        raise Refused(
            HTTPStatus.FORBIDDEN,
            f"A job {Kind(kind).value} reaches beyond a namespace: ask with an admin key that is bound to none.",
        )


def begun(house: House, new: JobBody, caller: Caller) -> BackgroundJob:
    """Begin a job for a caller."""
    refuse_beyond_namespace(new.kind, caller)
    body = new.body()
    if caller.principal:
        body["principal"] = caller.principal
    return house.background.begin(new.kind, caller.namespace, job_subject(body), body, caller.key_id)


def shown_job(job: BackgroundJob) -> dict[str, object]:
    """Return a job as JSON."""
    return {**fields_but(job, "owner", "body", "created_by"), "progress": shown_progress(job)}


def shown_progress(job: BackgroundJob) -> dict[str, int] | None:
    """Return how far a job is as JSON; None where it never said."""
    progress = progress_of(job)
    return None if progress is None else {"done": progress[0], "total": progress[1]}


@router.post(
    "",
    status_code=HTTPStatus.ACCEPTED,
    summary="Begin a background job",
    responses=shows(BACKGROUND_JOB, status=HTTPStatus.ACCEPTED, links=TO_JOB),
)
def begin(request: Request, new: JobBody, caller: Admin) -> JSONResponse:
    """Begin a job; where one of its kind about the same is open already, that one is given."""
    return accepted(request, begun(house_of(request), new, caller), caller)


def accepted(request: Request, job: BackgroundJob, caller: Caller) -> JSONResponse:
    """Answer with a job that a caller had begun, and write that down."""
    house_of(request).note(request, HTTPStatus.ACCEPTED, key_id=caller.key_id, detail=job.id)
    return JSONResponse(shown_job(job), status_code=HTTPStatus.ACCEPTED, headers={"Location": f"/api/jobs/{job.id}"})


@router.get("", summary="List background jobs", responses=shows({"jobs": [BACKGROUND_JOB], "next": None}))
def listed(
    request: Request,
    caller: Reader,
    state: Annotated[list[State] | None, Query(description="Only in one of these states.")] = None,
    kind: Annotated[Kind | None, Query(description="Only of this kind.")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    after: Annotated[str | None, Query(max_length=200, description="`next` of the page before.")] = None,
) -> JSONResponse:
    """List jobs of the namespace, the newest first."""
    fits: dict[str, object] = {"namespace": caller.namespace}
    if state:
        fits["state"] = tuple(state)
    if kind is not None:
        fits["kind"] = kind.value
    found = house_of(request).service.find(BackgroundJob, limit=limit, newest_first=True, after=after, **fits)
    following = found[-1].id if len(found) == limit else None
    return JSONResponse({"jobs": [shown_job(one) for one in found], "next": following})


@router.get(
    "/{job_id}",
    summary="Show a background job with its log",
    responses=shows({**BACKGROUND_JOB, "lines": [{"number": 1, "at": "2026-03-02T09:30:00+00:00", "text": "1 of 1"}]}),
)
def show(
    request: Request,
    job_id: str,
    caller: Reader,
    after: Annotated[int, Query(ge=0, description="Lines behind it.")] = 0,
) -> JSONResponse:
    """Show a job, with the lines of its log behind a number, at most 1,000."""
    house = house_of(request)
    job = house.background.of(job_id, namespace=caller.namespace)
    lines = house.service.said(job.id, after=after)[:_MOST_LINES]
    told = [{"number": number, "at": at.isoformat(), "text": text} for number, at, text in lines]
    return JSONResponse({**shown_job(job), "lines": told})


@router.get(
    "/{job_id}/log",
    summary="Follow a background job",
    response_class=StreamingResponse,
    responses={200: {"description": "Server-sent events.", "content": {"text/event-stream": {}}}},
)
def follow(
    request: Request,
    job_id: str,
    caller: Reader,
    last: Annotated[
        str | None, Header(alias="Last-Event-ID", max_length=20, description="The last line that was got.")
    ] = None,
) -> StreamingResponse:
    """Send each line of a job's log as it is written: events `line` and `progress`, and at last `end` with the job."""
    return followed(request, house_of(request).background.of(job_id, namespace=caller.namespace), last=last)


def followed(
    request: Request, job: BackgroundJob, *, last: str | None, after: int = 0, word: Word = str
) -> StreamingResponse:
    """Answer with a job's lines as they are said, each worded for its reader."""
    if last and not (last.isascii() and last.isdigit()):
        raise InvalidValue(f"Last-Event-ID is {last!r}: use the number of a line.")
    lines = _told(house_of(request), request, job, after=int(last or after), word=word)
    return StreamingResponse(lines, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


@router.post(
    "/{job_id}/retry",
    status_code=HTTPStatus.ACCEPTED,
    summary="Retry a background job",
    responses=shows(BACKGROUND_JOB, status=HTTPStatus.ACCEPTED, links=TO_JOB),
)
def retry(request: Request, job_id: str, caller: Admin) -> JSONResponse:
    """Begin what failed or was cancelled once more, as another job; have what waits for its next try run now."""
    house = house_of(request)
    refuse_beyond_namespace(house.background.of(job_id, namespace=caller.namespace).kind, caller)
    by = caller.key_id
    job = house.background.retry(job_id, namespace=caller.namespace, principal=caller.principal, created_by=by)
    return accepted(request, job, caller)


@router.post(
    "/{job_id}/cancel", summary="Cancel a background job", responses=shows({**BACKGROUND_JOB, "state": "cancelled"})
)
def cancel(request: Request, job_id: str, caller: Admin) -> JSONResponse:
    """Cancel a job that waits; one that runs stops after its present step. One that ended stays as it is."""
    house = house_of(request)
    job = house.background.cancel(job_id, namespace=caller.namespace)
    house.note(request, HTTPStatus.OK, key_id=caller.key_id, detail=job.id)
    return JSONResponse(shown_job(job))


async def _told(house: House, request: Request, job: BackgroundJob, *, after: int, word: Word) -> AsyncIterator[str]:
    """Yield a job's lines as events until it ends, the server stops or the client leaves."""
    quiet, shown = 0, shown_progress(job)
    while not house.background.is_stopping and not await request.is_disconnected():
        present, lines = await run_in_threadpool(_present, house.service, job.id, after)
        for number, at, text in lines:
            after = number
            yield _event("line", {"number": number, "at": at.isoformat(), "text": word(text)}, id_=str(number))
        progress = None if present is None else shown_progress(present)
        if progress is not None and progress != shown:
            shown = progress
            yield _event("progress", progress)
        if present is None or not present.is_open:
            yield _event("end", shown_job(present or job))
            return
        quiet = 0 if lines else quiet + 1
        if quiet >= _QUIET_POLLS:
            quiet = 0
            yield ": still here\n\n"
        await sleep(_POLL_SECONDS)


def _present(
    service: Service, job_id: str, after: int
) -> tuple[BackgroundJob | None, Sequence[tuple[int, datetime, str]]]:
    # First the job, then its lines: lines written before it ends are not missed.
    return service.get(BackgroundJob, id=job_id), service.said(job_id, after=after)


def _event(name: str, data: object, *, id_: str = "") -> str:
    number = f"id: {id_}\n" if id_ else ""
    return f"{number}event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
