"""Schedules: background jobs that begin by a cron line, read in a time zone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from threading import Event, Thread
from typing import cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from evolore.errors import InvalidValue, NotFound
from evolore.server.background import Background, Kind
from evolore.server.memories import Memories
from evolore.sources.addresses import shown
from evolore.store.service import BackgroundJob, Schedule, Service

_LOG = logging.getLogger(__name__)
_FIELDS = 5
_TICK_SECONDS = 5.0
NEXT_RUNS = 5


def next_runs(cron: str, zone: str, *, after: datetime, count: int = NEXT_RUNS) -> tuple[datetime, ...]:
    """Return when a cron line is due next, in UTC, earliest first.

    As Debian's cron has it: a time of day that a clock skips is made up for right after; one that a clock shows twice counts
    once, but lines that run every hour or minute run through.
    """
    if len(cron.split()) != _FIELDS:
        raise InvalidValue(
            f"{cron!r} is no cron line: write five fields, such as '0 3 * * 1-5' for 3 o'clock on weekdays."
        )
    try:
        place = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidValue(f"There is no time zone {zone!r}: write one such as 'Europe/Berlin' or 'UTC'.") from error
    try:
        found = [one.astimezone(UTC) for one in islice(CronSim(cron, after.astimezone(place)), count)]
    except CronSimError as error:
        raise InvalidValue(f"{cron!r} is no cron line ({error}): write five fields, such as '0 3 * * 1-5'.") from error
    if not found:
        raise InvalidValue(f"{cron!r} is never due: name a day that comes, such as '0 3 1 * *'.")
    return tuple(found)


class Schedules:
    """Keeps schedules, and begins what is due."""

    def __init__(self, memories: Memories, background: Background, *, now: Callable[[], datetime]) -> None:
        self._memories, self._background, self._now = memories, background, now
        self._stopped = Event()
        self._thread: Thread | None = None
        self._maintained_next: datetime | None = None

    @property
    def _service(self) -> Service:
        return self._memories.service

    def make(
        self,
        kind: Kind | str,
        namespace: str,
        *,
        cron: str,
        zone: str = "UTC",
        body: Mapping[str, object] | None = None,
    ) -> Schedule:
        """Make a schedule."""
        job = self._background.job(kind, namespace, body=body)
        schedule = Schedule(
            id=job.id,
            namespace=namespace,
            kind=job.kind,
            body=job.body,
            cron=cron,
            zone=zone,
            next_at=next_runs(cron, zone, after=job.created_at, count=1)[0],
            created_at=job.created_at,
        )
        self._service.put(schedule)
        return schedule

    def of(self, schedule_id: str, *, namespace: str) -> Schedule:
        """Return a schedule of a namespace."""
        found = self._service.get(Schedule, id=schedule_id, namespace=namespace)
        if found is None:
            raise NotFound(f"No schedule has the id {schedule_id!r}: `GET /api/schedules` lists them.")
        return found

    def change(self, schedule_id: str, *, namespace: str, cron: str | None = None, zone: str | None = None) -> Schedule:
        """Change when a schedule is due."""
        old = self.of(schedule_id, namespace=namespace)
        new = replace(old, cron=cron or old.cron, zone=zone or old.zone)
        self._background.job(new.kind, namespace, body=new.body)
        next_at = old.next_at
        if (new.cron, new.zone) != (old.cron, old.zone):
            next_at = next_runs(new.cron, new.zone, after=self._now(), count=1)[0]
        self._service.change(Schedule, {"id": old.id}, {"cron": new.cron, "zone": new.zone, "next_at": next_at})
        return replace(new, next_at=next_at)

    def pause(self, schedule_id: str, *, namespace: str) -> Schedule:
        """Begin nothing by a schedule until it is resumed."""
        found = self.of(schedule_id, namespace=namespace)
        self._service.change(Schedule, {"id": found.id}, {"is_paused": True})
        return replace(found, is_paused=True)

    def resume(self, schedule_id: str, *, namespace: str) -> Schedule:
        """Go on with a schedule; what it missed meanwhile is not made up for."""
        found = self.of(schedule_id, namespace=namespace)
        if not found.is_paused:
            return found
        next_at = next_runs(found.cron, found.zone, after=self._now(), count=1)[0]
        self._service.change(Schedule, {"id": found.id, "is_paused": True}, {"is_paused": False, "next_at": next_at})
        return replace(found, is_paused=False, next_at=next_at)

    def run_now(self, schedule_id: str, *, namespace: str, created_by: str | None = None) -> BackgroundJob:
        """Begin a schedule's job now; when it is due next stays."""
        found = self.of(schedule_id, namespace=namespace)
        return self._background.begin(found.kind, namespace, subject_of(found), found.body, created_by)

    def maintain(self, cron: str) -> tuple[BackgroundJob, ...]:
        """Begin maintenance where something changed, once the cron line is due; not where a schedule of its own does it."""
        due, at = self._maintained_next, self._now()
        self._maintained_next = next_runs(cron, "UTC", after=at, count=1)[0] if cron else None
        if due is None or due > at:
            return ()
        scheduled = {one.namespace for one in self._service.find(Schedule, kind="maintain")}
        waiting = [one for one in self._memories.namespaces() if one not in scheduled]
        return tuple(
            self._background.begin("maintain", one)
            for one in waiting
            if (memory := self._memories.of(one)).stats().changed or memory.list(limit=1, overdue=True).documents
        )

    def by_setting(self, namespace: str) -> tuple[Schedule, ...]:
        """Return the maintenance of a namespace by ``maintenance.schedule``, without an id; none if a schedule replaces it."""
        cron, at = self._memories.maintenance_schedule, self._now()
        if not cron or self._service.count(Schedule, namespace=namespace, kind="maintain"):
            return ()
        jobs = self._service.find(BackgroundJob, namespace=namespace, kind="maintain", newest_first=True, limit=1)
        due = next_runs(cron, "UTC", after=at, count=1)[0]
        made = Schedule(
            id="", namespace=namespace, kind="maintain", body={}, cron=cron, zone="UTC", next_at=due, created_at=at
        )
        return (replace(made, last_at=jobs[0].created_at if jobs else None),)

    def tick(self) -> tuple[BackgroundJob, ...]:
        """Begin the jobs that are due, each once among all processes; however often one was missed, it runs once."""
        at = self._now()
        begun: list[BackgroundJob] = []
        for one in self._service.find(Schedule, is_paused=False):
            if one.next_at > at:
                soon = next_runs(one.cron, one.zone, after=at, count=1)[0]
                if soon < one.next_at and (one.last_at or one.created_at) > at:  # a clock was set back
                    self._service.change(Schedule, {"id": one.id, "next_at": one.next_at}, {"next_at": soon})
                continue
            job = self._background.job(one.kind, one.namespace, subject_of(one), one.body)
            next_at = next_runs(one.cron, one.zone, after=at, count=1)[0]
            due = self._service.begin_due(one, job, next_at=next_at)
            if due is not None:
                begun.append(due)
        if begun:
            self._background.wake()
        return tuple(begun)

    def start(self) -> None:
        """Begin to look for what is due, in a thread."""
        self._thread = Thread(target=self._keep_ticking, name="evolore-schedules", daemon=True)
        self._thread.start()

    def stop(self, *, seconds: float) -> None:
        """Begin nothing more."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def _keep_ticking(self) -> None:
        while not self._stopped.is_set():
            try:
                self.tick()
                self.maintain(self._memories.maintenance_schedule)
            except Exception as error:  # noqa: BLE001 - the edge of a thread that lives as long as the server
                _LOG.warning("Schedules wait, the store could not be read or written: %s", type(error).__name__)
            self._stopped.wait(_TICK_SECONDS)


def subject_of(schedule: Schedule) -> str:
    """Return what a schedule's jobs are about: its one document or folder; empty for all."""
    return job_subject(schedule.body)


def job_subject(body: Mapping[str, object]) -> str:
    """Return what a job with a body is about: its documents or folder, or an address without what lets one in; empty for all.

    >>> job_subject({"documents": ["b.md", "a.md"]})
    'a.md, b.md'
    """
    documents = body.get("documents")
    if isinstance(documents, (list, tuple)) and documents:
        return ", ".join(sorted(map(str, cast("Sequence[object]", documents))))
    path = str(body.get("path", ""))
    return shown(path) if "://" in path else path
