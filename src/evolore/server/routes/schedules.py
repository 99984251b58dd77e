"""Schedules: when background jobs begin by themselves."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse
from pydantic import Field

from evolore.domain.result import fields_but
from evolore.server.access import Admin, Caller, Reader
from evolore.server.described import Body, shows
from evolore.server.house import house_of
from evolore.server.routes.jobs import BACKGROUND_JOB, TO_JOB, JobBody, accepted, refuse_beyond_namespace
from evolore.server.schedules import NEXT_RUNS, next_runs
from evolore.store.service import Schedule

_ID = "01m8364hhjbh7q9dh3a8z351rh"
_SCHEDULE: dict[str, object] = {
    "id": _ID,
    "namespace": "support",
    "kind": "evolve",
    "body": {},
    "cron": "0 3 * * *",
    "zone": "Europe/Berlin",
    "next_at": "2026-03-02T09:30:00+00:00",
    "created_at": "2026-03-02T09:30:00+00:00",
    "is_paused": False,
    "last_at": None,
    "next_runs": ["2026-03-02T09:30:00+00:00"],
}
_DONE_TO_IT = ("show", "change", "pause", "resume", "run", "delete")
_TO_SCHEDULE = {"/id": tuple(f"schedules_{one} schedule_id" for one in _DONE_TO_IT)}
router = APIRouter(prefix="/schedules", tags=["schedules"])
CronLine = Annotated[str, Field(min_length=1, max_length=200, description="Five fields, such as `0 3 * * 1-5`.")]
Zone = Annotated[str, Field(min_length=1, max_length=100, description="Such as `Europe/Berlin`.")]


class NewSchedule(
    JobBody, json_schema_extra={"examples": [{"kind": "evolve", "cron": "0 3 * * *", "zone": "Asia/Tokyo"}]}
):
    """What is to be done, and when."""

    cron: CronLine
    zone: Zone = "UTC"

    def body(self) -> dict[str, object]:
        """Return what the job is given."""
        return self.model_dump(exclude={"kind", "cron", "zone"}, exclude_none=True)


class ChangedSchedule(Body, json_schema_extra={"examples": [{"cron": "30 2 * * 6"}]}):
    """When a schedule is to be due instead."""

    cron: CronLine | None = None
    zone: Zone | None = None


def shown_schedule(schedule: Schedule, *, now: datetime) -> dict[str, object]:
    """Return a schedule as JSON, with its next runs; of one that is paused, none."""
    runs = () if schedule.is_paused else next_runs(schedule.cron, schedule.zone, after=now, count=NEXT_RUNS)
    return {**fields_but(schedule), "next_runs": [one.isoformat() for one in runs]}


@router.get("", summary="List schedules", responses=shows({"schedules": [_SCHEDULE]}))
def listed(request: Request, caller: Reader) -> JSONResponse:
    """List schedules of the namespace, each with its next five runs."""
    house = house_of(request)
    found = house.service.find(Schedule, namespace=caller.namespace)
    return JSONResponse({"schedules": [shown_schedule(one, now=house.now()) for one in found]})


@router.get(
    "/next", summary="Show when a cron line is due", responses=shows({"next_runs": ["2026-11-24T02:00:00+00:00"]})
)
def preview(
    request: Request,
    caller: Reader,  # noqa: ARG001 - who may read
    cron: Annotated[str, Query(min_length=1, max_length=200)],
    zone: Annotated[str, Query(min_length=1, max_length=100)] = "UTC",
) -> JSONResponse:
    """Return when a cron line is due next, before a schedule is made of it."""
    runs = next_runs(cron, zone, after=house_of(request).now())
    return JSONResponse({"next_runs": [one.isoformat() for one in runs]})


@router.post(
    "",
    status_code=HTTPStatus.CREATED,
    summary="Make a schedule",
    responses=shows(_SCHEDULE, status=HTTPStatus.CREATED, links=_TO_SCHEDULE),
)
def make(request: Request, new: NewSchedule, caller: Admin) -> JSONResponse:
    """Add a schedule that begins a job whenever a cron line is due; one that is still open is not begun again."""
    refuse_beyond_namespace(new.kind, caller)
    made = house_of(request).schedules.make(new.kind, caller.namespace, cron=new.cron, zone=new.zone, body=new.body())
    return _answered(request, made, caller, HTTPStatus.CREATED)


@router.get("/{schedule_id}", summary="Show a schedule", responses=shows(_SCHEDULE))
def show(request: Request, schedule_id: str, caller: Reader) -> JSONResponse:
    """Show a schedule with its next five runs."""
    house = house_of(request)
    return JSONResponse(shown_schedule(house.schedules.of(schedule_id, namespace=caller.namespace), now=house.now()))


@router.patch("/{schedule_id}", summary="Change when a schedule is due", responses=shows(_SCHEDULE))
def change(request: Request, schedule_id: str, new: ChangedSchedule, caller: Admin) -> JSONResponse:
    """Change cron line or time zone; what is not named stays."""
    schedules = house_of(request).schedules
    refuse_beyond_namespace(schedules.of(schedule_id, namespace=caller.namespace).kind, caller)
    return _answered(
        request, schedules.change(schedule_id, namespace=caller.namespace, cron=new.cron, zone=new.zone), caller
    )


@router.post("/{schedule_id}/pause", summary="Pause a schedule", responses=shows({**_SCHEDULE, "is_paused": True}))
def pause(request: Request, schedule_id: str, caller: Admin) -> JSONResponse:
    """Begin nothing by a schedule until it is resumed."""
    return _answered(request, house_of(request).schedules.pause(schedule_id, namespace=caller.namespace), caller)


@router.post("/{schedule_id}/resume", summary="Resume a schedule", responses=shows(_SCHEDULE))
def resume(request: Request, schedule_id: str, caller: Admin) -> JSONResponse:
    """Go on with a schedule; runs that it missed while it was paused are not made up for."""
    schedules = house_of(request).schedules
    refuse_beyond_namespace(schedules.of(schedule_id, namespace=caller.namespace).kind, caller)
    return _answered(request, schedules.resume(schedule_id, namespace=caller.namespace), caller)


@router.post(
    "/{schedule_id}/run",
    status_code=HTTPStatus.ACCEPTED,
    summary="Run a schedule's job now",
    responses=shows(BACKGROUND_JOB, status=HTTPStatus.ACCEPTED, links=TO_JOB),
)
def run(request: Request, schedule_id: str, caller: Admin) -> JSONResponse:
    """Begin a schedule's job now; when it is due next stays."""
    schedules = house_of(request).schedules
    refuse_beyond_namespace(schedules.of(schedule_id, namespace=caller.namespace).kind, caller)
    job = schedules.run_now(schedule_id, namespace=caller.namespace, created_by=caller.key_id)
    return accepted(request, job, caller)


@router.delete("/{schedule_id}", status_code=HTTPStatus.NO_CONTENT, summary="Delete a schedule")
def delete(request: Request, schedule_id: str, caller: Admin) -> None:
    """Delete a schedule; a job that it began goes on."""
    house = house_of(request)
    found = house.schedules.of(schedule_id, namespace=caller.namespace)
    house.service.remove(Schedule, id=found.id)
    house.note(request, HTTPStatus.NO_CONTENT, key_id=caller.key_id, detail=found.id)


def _answered(request: Request, schedule: Schedule, caller: Caller, status: HTTPStatus = HTTPStatus.OK) -> JSONResponse:
    house = house_of(request)
    house.note(request, status, key_id=caller.key_id, detail=schedule.id)
    return JSONResponse(shown_schedule(schedule, now=house.now()), status_code=status)
