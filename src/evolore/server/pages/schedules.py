"""Schedules: when jobs begin by themselves; made, paused, run at once and deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import APIRouter, Form, Request, Response
from pydantic import BaseModel, Field

from evolore.domain.checks import checked_word
from evolore.errors import InvalidValue
from evolore.server.background import Kind
from evolore.server.house import house_of
from evolore.server.pages.jobs import PLAIN_KINDS
from evolore.server.pages.page import Page, PageRoute, Read, SentAdmin, note
from evolore.server.routes.jobs import refuse_beyond_namespace
from evolore.server.schedules import next_runs, subject_of
from evolore.store.service import Schedule

router = APIRouter(prefix="/running/schedules", route_class=PageRoute)


@dataclass(frozen=True, slots=True, kw_only=True)
class DueSchedule:
    """A schedule, and when it is due next."""

    schedule: Schedule  #: The schedule.
    subject: str  #: What its jobs are about; empty for all.
    runs: tuple[datetime, ...]  #: When, in its time zone; of one that is paused, none.


class ScheduleForm(BaseModel, str_strip_whitespace=True):
    """What was filled in: for evolution a document, none for all due ones; for adding a server's folder or file."""

    kind: Annotated[str, Field(max_length=20)] = ""
    cron: Annotated[str, Field(max_length=200)] = ""
    zone: Annotated[str, Field(max_length=100)] = "UTC"
    document: Annotated[str, Field(max_length=4096)] = ""
    path: Annotated[str, Field(max_length=4000)] = ""
    preview: Annotated[str, Field(max_length=5)] = ""


@router.get("")
def schedules(request: Request, page: Read) -> Response:
    """List the schedules of the namespace and the maintenance by the setting, each with its next five runs."""
    return _drawn(request, page, ScheduleForm(kind=Kind.EVOLVE.value))


def _drawn(
    request: Request, page: Page, wanted: ScheduleForm, *, preview: tuple[datetime, ...] = (), problem: str = ""
) -> Response:
    house = house_of(request)
    namespace = page.memory.namespace
    found = (*house.service.find(Schedule, namespace=namespace), *house.schedules.by_setting(namespace))
    is_free = page.caller is not None and (page.caller.key is None or not page.caller.key.namespaces)
    return page.html(
        "schedules.html",
        http_status=HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK,
        schedules=[_planned(one, house.now()) for one in found],
        kinds=(*PLAIN_KINDS, *((Kind.ADD,) if is_free else ())),
        wanted=wanted,
        preview=preview,
        problem=problem,
    )


def _planned(schedule: Schedule, now: datetime) -> DueSchedule:
    runs = () if schedule.is_paused else _runs(schedule.cron, schedule.zone, now)
    return DueSchedule(schedule=schedule, subject=subject_of(schedule), runs=runs)


def _runs(cron: str, zone: str, now: datetime) -> tuple[datetime, ...]:
    found = next_runs(cron, zone, after=now)  # it refuses a zone that is none
    return tuple(one.astimezone(ZoneInfo(zone)) for one in found)


@router.post("")
def make(request: Request, page: SentAdmin, wanted: Annotated[ScheduleForm, Form()]) -> Response:
    """Make a schedule, or say when it would be due."""
    house = house_of(request)
    try:
        runs = _runs(wanted.cron, wanted.zone, house.now())
        checked = checked_word(Kind, wanted.kind, "kind")
        if wanted.preview:
            return _drawn(request, page, wanted, preview=runs)
        assert page.caller is not None
        refuse_beyond_namespace(checked, page.caller)
        made = house.schedules.make(
            checked, page.memory.namespace, cron=wanted.cron, zone=wanted.zone, body=_body(page, checked, wanted)
        )
    except InvalidValue as error:
        return _drawn(request, page, wanted, problem=str(error))
    note(request, page, made.id, HTTPStatus.CREATED)
    return page.go("/running/schedules", said="scheduled")


def _body(page: Page, kind: Kind, wanted: ScheduleForm) -> dict[str, object]:
    if kind is Kind.ADD:
        return {"path": wanted.path}
    if kind is Kind.EVOLVE and wanted.document:
        return {"documents": [page.memory.outline.tree(wanted.document).document.id]}
    return {}


@router.post("/{schedule_id}/pause")
def pause(request: Request, page: SentAdmin, schedule_id: str) -> Response:
    """Begin nothing by a schedule until it is resumed."""
    house_of(request).schedules.pause(schedule_id, namespace=page.memory.namespace)
    return page.go("/running/schedules", said="paused", noted=schedule_id)


@router.post("/{schedule_id}/resume")
def resume(request: Request, page: SentAdmin, schedule_id: str) -> Response:
    """Go on with a schedule."""
    _refuse_beyond(request, page, schedule_id)
    house_of(request).schedules.resume(schedule_id, namespace=page.memory.namespace)
    return page.go("/running/schedules", said="resumed", noted=schedule_id)


@router.post("/{schedule_id}/run")
def run(request: Request, page: SentAdmin, schedule_id: str) -> Response:
    """Begin a schedule's job now."""
    _refuse_beyond(request, page, schedule_id)
    house = house_of(request)
    job = house.schedules.run_now(schedule_id, namespace=page.memory.namespace, created_by=page.key_id)
    return page.go(f"/running/jobs/{job.id}", said="begun", noted=job.id)


@router.post("/{schedule_id}/delete")
def delete(request: Request, page: SentAdmin, schedule_id: str) -> Response:
    """Delete a schedule; a job that it began goes on."""
    house = house_of(request)
    found = house.schedules.of(schedule_id, namespace=page.memory.namespace)
    house.service.remove(Schedule, id=found.id)
    return page.go("/running/schedules", said="unscheduled", noted=found.id)


def _refuse_beyond(request: Request, page: Page, schedule_id: str) -> None:
    found = house_of(request).schedules.of(schedule_id, namespace=page.memory.namespace)
    assert page.caller is not None
    refuse_beyond_namespace(found.kind, page.caller)
