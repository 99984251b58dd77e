"""Background jobs: threads take them from the store, run them step by step, and say how it goes.

A job is a row. The process that runs it says so every few seconds; once it has said nothing for a while, as after
``kill -9``, another takes the job again. What jobs call goes on where it was, or finds its work done: nothing is done twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from threading import Condition, Event, Lock, Thread
from typing import Any, cast
from uuid import uuid4

from evolore.domain.checks import check_name, checked_word
from evolore.domain.evolution import JobState
from evolore.errors import EvoloreError, InputError, InvalidValue, NotFound, SetupError
from evolore.flows.evolve.show import EvolutionJob
from evolore.flows.maintain import Maintained, Pruned
from evolore.memory import Memory
from evolore.server.memories import Memories
from evolore.server.reach import Reach
from evolore.store.service import CANCELLED, DONE, FAILED, RUNNING, STOPPING, WAITING, BackgroundJob, Service

_LOG = logging.getLogger(__name__)
MOST_ATTEMPTS = 5
"""At most so often a job is begun, also where its process was killed each time."""

_RETRY_SECONDS = 30.0
"""Before the second try; before each further one twice as long."""

_BEAT_SECONDS = 5.0
STALE_SECONDS = 30.0
"""A job whose process said nothing for so long is taken again: six beats, which a busy disk does not hold up."""

_POLL_SECONDS = 2.0
_LINE_SECONDS = 1.0
_WORKERS = 2
_CALLS = 40
"""So many calls of the chat model are one step of a job: between steps it can be stopped."""

_MOST_FAILURES = 100
_TRANSIENT = ("busy", "timed_out", "failed")
"""How the reason begins for which a job of evolution pauses, where trying later may help."""

_OVER = "out_of_budget"
_PROGRESS, _MADE = "progress", "evolution_jobs"
"""What a job notes of itself beside what it was given: how far it is, and what it made."""


class Kind(StrEnum):
    """What a background job does."""

    EVOLVE = "evolve"
    MAINTAIN = "maintain"
    REEMBED = "reembed"
    ADD = "add"


_FIELDS: Mapping[Kind, Mapping[str, tuple[type, ...]]] = {
    Kind.EVOLVE: {"documents": (list, tuple), "operators": (list, tuple), "calls": (int,), "seed": (str,)},
    Kind.MAINTAIN: {"items": (int,), "seconds": (int, float)},
    Kind.REEMBED: {"embedder": (str,)},
    Kind.ADD: {"path": (str,), "include": (list, tuple), "exclude": (list, tuple), "sync": (str,)},
}
_NEEDED: Mapping[Kind, str] = {Kind.REEMBED: "embedder", Kind.ADD: "path"}


def check_body(kind: Kind | str, body: Mapping[str, object]) -> Kind:
    """Return a kind of job, where a body is of its form."""
    checked = checked_word(Kind, kind, "kind")
    known = {**_FIELDS[checked], "principal": (str,)}
    for name, value in body.items():
        if name not in known:
            raise InvalidValue(f"A job {checked.value} knows no {name!r}: use {', '.join(known)}.")
        if not isinstance(value, known[name]) or isinstance(value, bool):
            raise InvalidValue(f"{name} is {value!r}: use a {known[name][0].__name__}.")
    needed = _NEEDED.get(checked)
    if needed is not None and not body.get(needed):
        raise InvalidValue(f"A job {checked.value} needs {needed!r}: set it.")
    return checked


def progress_of(job: BackgroundJob) -> tuple[int, int] | None:
    """Return how much of a job is done, of how much; None where it never said."""
    told = job.body.get(_PROGRESS)
    return None if not isinstance(told, (list, tuple)) else cast("tuple[int, int]", tuple(cast("list[int]", told)))


def evolution_jobs_of(job: BackgroundJob) -> tuple[str, ...]:
    """Return the jobs of evolution that a background job began or went on with, by id."""
    made = cast("Sequence[Mapping[str, str]]", (job.result or {}).get("jobs") or ())
    return tuple(one["id"] for one in made) or tuple(cast("Sequence[str]", job.body.get(_MADE) or ()))


class Stop(Exception):
    """Raised between the steps of a job that is to stop."""


class Paused(EvoloreError):
    """Say that a job came no further for a reason that passes."""


class Running:
    """A job that runs here."""

    def __init__(self, job: BackgroundJob, service: Service, now: Callable[[], datetime], reach: Reach) -> None:
        self.job, self.reach = job, reach
        self.must_stop = Event()
        self._service, self._now = service, now
        self._said_at: datetime | None = None

    def check(self) -> None:
        """Go on, or end the job here."""
        if self.must_stop.is_set() or not self.beat():
            raise Stop

    def beat(self) -> bool:
        """Record that the job runs, every few seconds; return whether it is to go on."""
        at = self._now()
        seen = self.job.seen_at
        if seen is not None and (at - seen).total_seconds() < _BEAT_SECONDS:
            return not self.must_stop.is_set()
        mine = {"id": self.job.id, "owner": self.job.owner}
        if not self._service.change(BackgroundJob, {**mine, "state": RUNNING}, {"seen_at": at}):
            self._service.change(BackgroundJob, {**mine, "state": STOPPING}, {"seen_at": at})
            self.must_stop.set()
        self.job = replace(self.job, seen_at=at)
        return not self.must_stop.is_set()

    def say(self, *lines: str) -> None:
        """Add lines to its log."""
        self._said_at = self._now()
        self._service.say(self.job.id, lines, at=self._said_at)

    def step(self, line: str, *, amount: tuple[int, int]) -> None:
        """Go on, or end the job here; say how far it came, at most once a second."""
        self.check()
        at = self._now()
        if self._said_at is None or (at - self._said_at).total_seconds() >= _LINE_SECONDS:
            self.remember(**{_PROGRESS: list(amount)})
            self.say(line)

    def remember(self, **more: object) -> None:
        """Add to the job's input, for the next run of it."""
        body = {**self.job.body, **more}
        if not self._service.change(BackgroundJob, {"id": self.job.id, "owner": self.job.owner}, {"body": body}):
            raise Stop
        self.job = replace(self.job, body=body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How many threads run jobs, and how often they look for some."""

    workers: int = _WORKERS  #: How many threads.
    poll_seconds: float = _POLL_SECONDS  #: How often they look for what other processes left.


class Background:
    """Begins, runs and stops background jobs."""

    def __init__(
        self,
        memories: Memories,
        *,
        now: Callable[[], datetime],
        on_end: Callable[[BackgroundJob], None] = lambda _job: None,
        pace: Pace | None = None,
        reach: Reach | None = None,
    ) -> None:
        self._memories, self._now, self._on_end = memories, now, on_end
        self._pace = pace or Pace()
        self._reach = reach or Reach()
        self._running: dict[str, Running] = {}
        self._lock = Lock()
        self._work = Condition()
        self._news = 0
        self._stopped = Event()
        self._threads: list[Thread] = []

    @property
    def _service(self) -> Service:
        return self._memories.service

    @property
    def is_stopping(self) -> bool:
        """Whether the server was asked to stop: nothing is begun any more, and what streams ends."""
        return self._stopped.is_set()

    def job(
        self,
        kind: Kind | str,
        namespace: str,
        subject: str = "",
        body: Mapping[str, object] | None = None,
        created_by: str | None = None,
    ) -> BackgroundJob:
        """Return a job that waits, without beginning it."""
        check_name(namespace, "namespace")
        checked = check_body(kind, body or {})
        if checked is Kind.ADD:
            self._reach.check(str((body or {})["path"]))
        at = self._now()
        return BackgroundJob(
            id=self._memories.new_id(at),
            namespace=namespace,
            kind=checked.value,
            subject=subject,
            state=WAITING,
            body=body or {},
            runs_at=at,
            created_at=at,
            created_by=created_by,
        )

    def begin(
        self,
        kind: Kind | str,
        namespace: str,
        subject: str = "",
        body: Mapping[str, object] | None = None,
        created_by: str | None = None,
    ) -> BackgroundJob:
        """Begin a job; return the one that is open already where there is one of its namespace, kind and subject."""
        begun = self._service.begin_job(self.job(kind, namespace, subject, body, created_by))
        self.wake()
        return begun

    def of(self, job_id: str, *, namespace: str) -> BackgroundJob:
        """Return a job of a namespace."""
        found = self._service.get(BackgroundJob, id=job_id, namespace=namespace)
        if found is None:
            raise NotFound(f"No job has the id {job_id!r}: `GET /api/jobs` lists them.")
        return found

    def cancel(self, job_id: str, *, namespace: str) -> BackgroundJob:
        """End a job that waits at once, and ask one that runs to stop after its present step."""
        here = {"id": job_id, "namespace": namespace}
        at = self._now()
        if not self._service.change(BackgroundJob, {**here, "state": WAITING}, {"state": CANCELLED, "ended_at": at}):
            self._service.change(BackgroundJob, {**here, "state": RUNNING}, {"state": STOPPING})
        found = self.of(job_id, namespace=namespace)
        if found.state == STOPPING:
            with self._lock:
                here_now = [one for one in self._running.values() if one.job.id == job_id]
            for one in here_now:
                one.must_stop.set()
        return found

    def retry(
        self, job_id: str, *, namespace: str, principal: str | None = None, created_by: str | None = None
    ) -> BackgroundJob:
        """Begin what failed or was cancelled once more, with what it was given; have what waits for its next try run now."""
        here = {"id": job_id, "namespace": namespace}
        if self._service.change(BackgroundJob, {**here, "state": WAITING}, {"runs_at": self._now()}):
            self.wake()
        found = self.of(job_id, namespace=namespace)
        if found.state == WAITING:
            return found
        if found.state not in {FAILED, CANCELLED}:
            raise InvalidValue(f"The job {job_id} is {found.state}: only one that failed or was cancelled is retried.")
        given = {name: value for name, value in found.body.items() if name in _FIELDS[Kind(found.kind)]}
        body = {**given, **({"principal": principal} if principal else {})}
        return self.begin(found.kind, namespace, found.subject, body, created_by)

    def wake(self) -> None:
        """Wake the threads to look for work now."""
        with self._work:
            self._news += 1
            self._work.notify_all()

    def start(self) -> None:
        """Begin to run jobs, in threads of this process."""
        for number in range(self._pace.workers):
            self._threads.append(Thread(target=self._keep_working, name=f"evolore-job-{number}", daemon=True))
        self._threads.append(Thread(target=self._keep_beating, name="evolore-beat", daemon=True))
        for thread in self._threads:
            thread.start()

    def stop_soon(self) -> None:
        """Begin no more jobs, and ask those that run to stop after their present step; they go on at the next start."""
        self._stopped.set()
        with self._lock:
            for one in self._running.values():
                one.must_stop.set()
        self.wake()

    def stop(self, *, seconds: float) -> bool:
        """Stop, and wait for that; return whether all jobs stopped in time. Others are taken again as after a kill."""
        self.stop_soon()
        for thread in self._threads:
            thread.join(seconds / max(1, len(self._threads)))
        return not any(thread.is_alive() for thread in self._threads)

    def run_next(self) -> BackgroundJob | None:
        """Run a job that waits or was left, in this thread, and return it; None where there is none."""
        at = self._now()
        self._end_left(at)
        job = self._service.take_job(uuid4().hex, at=at, stale_before=at - timedelta(seconds=STALE_SECONDS))
        if job is None:
            return None
        running = Running(job, self._service, self._now, self._reach)
        with self._lock:
            self._running[str(job.owner)] = running
            if self.is_stopping:
                running.must_stop.set()
        try:
            return self._ended(running, self._outcome(running))
        finally:
            with self._lock:
                del self._running[str(job.owner)]

    def _end_left(self, at: datetime) -> None:
        """End jobs that were asked to stop by processes that are gone."""
        for one in self._service.find(BackgroundJob, state=STOPPING):
            if one.seen_at is None or (at - one.seen_at).total_seconds() > STALE_SECONDS:
                here = {"id": one.id, "owner": one.owner, "state": STOPPING}
                self._service.change(BackgroundJob, here, {"state": CANCELLED, "ended_at": at, "owner": None})

    def _outcome(self, running: Running) -> Mapping[str, object]:
        """Run a job, and return what is to be written of it."""
        job = running.job
        if job.attempts > MOST_ATTEMPTS:
            return self._failed(f"It was begun {MOST_ATTEMPTS} times, and its process ended each time before it did.")
        try:
            running.say(f"Begun, try {job.attempts}.")
            result = _VERBS[Kind(job.kind)](running, self._memories)
        except Stop:
            # As after a kill, but that it costs no try.
            return {"state": WAITING, "runs_at": self._now(), "attempts": job.attempts - 1}
        except (InputError, SetupError) as error:
            return self._failed(str(error))
        except Exception as error:  # noqa: BLE001 - the edge of a job: whatever happens is written to it
            what = str(error) if isinstance(error, EvoloreError) else f"{type(error).__name__}: {error}"
            if not isinstance(error, EvoloreError):
                _LOG.warning("A background job %s failed with %s.", job.kind, type(error).__name__)
            if job.attempts >= MOST_ATTEMPTS:
                return self._failed(what)
            wait = timedelta(seconds=_RETRY_SECONDS * 2 ** (job.attempts - 1))
            return {"state": WAITING, "runs_at": self._now() + wait, "error": what}
        return {"state": DONE, "result": result, "error": None, "ended_at": self._now()}

    def _failed(self, error: str) -> Mapping[str, object]:
        return {"state": FAILED, "error": error, "ended_at": self._now()}

    def _ended(self, running: Running, outcome: Mapping[str, object]) -> BackgroundJob | None:
        """Write how a job went, unless another process has it by now."""
        mine = {"id": running.job.id, "owner": running.job.owner}
        changes = {**outcome, "owner": None}
        is_over = outcome["state"] != WAITING
        # One that was asked to stop is not tried again.
        if not self._service.change(
            BackgroundJob, {**mine, "state": (RUNNING, STOPPING) if is_over else RUNNING}, changes
        ):
            changes = {"state": CANCELLED, "ended_at": self._now(), "owner": None}
            if not self._service.change(BackgroundJob, {**mine, "state": STOPPING}, changes):
                return self._service.get(BackgroundJob, id=running.job.id)
        running.say(_last_line(changes))
        ended = self._service.get(BackgroundJob, id=running.job.id)
        if ended is not None and ended.state in {DONE, FAILED}:
            self._on_end(ended)
        return ended

    def _keep_working(self) -> None:
        while not self._stopped.is_set():
            with self._work:
                seen = self._news
            if self._tried():
                continue
            with self._work:
                self._work.wait_for(lambda seen=seen: self._news != seen, timeout=self._pace.poll_seconds)

    def _tried(self) -> bool:
        """Run a job, if there is one; return whether there was."""
        try:
            return self.run_next() is not None
        except Exception as error:  # noqa: BLE001 - the edge of a thread that lives as long as the server
            _LOG.warning("Background jobs wait, the store could not be read or written: %s", type(error).__name__)
            return False

    def _keep_beating(self) -> None:
        while not self._stopped.wait(_BEAT_SECONDS / 2):
            with self._lock:
                every = list(self._running.values())
            for one in every:
                try:
                    one.beat()
                except EvoloreError:
                    continue  # the store is busy: there are five more beats before the job counts as left


def _last_line(changes: Mapping[str, object]) -> str:
    state = str(changes["state"])
    if state == WAITING:
        return f"Goes on later: {changes['error']}" if changes.get("error") else "Goes on at the next start."
    return {DONE: "Done.", CANCELLED: "Cancelled."}.get(state, f"Failed: {changes.get('error')}")


def _principal(running: Running) -> str | None:
    return cast("str | None", running.job.body.get("principal"))


def _words(running: Running, name: str) -> tuple[str, ...]:
    return tuple(cast("Sequence[str]", running.job.body.get(name) or ()))


def _maintain(running: Running, memories: Memories) -> Mapping[str, object]:
    def progress(*, done: int, remaining: int) -> None:
        running.step(f"{done} checked, {remaining} left.", amount=(done, done + remaining))

    body = cast("Mapping[str, Any]", running.job.body)
    told = {name: body[name] for name in ("items", "seconds") if name in body}
    done = Maintained(pruned=Pruned())
    if running.job.namespace in memories.namespaces():  # else nothing was written yet
        done = memories.of(running.job.namespace).maintain(**told, principal=_principal(running), progress=progress)
    return {
        "examined": done.examined,
        "remaining": done.remaining,
        "links": done.links,
        "actions": len(done.actions),
        "review_ids": list(done.review_ids),
        "canaries": len(done.canaries),
        "overdue": done.overdue,
    }


def _add(running: Running, memories: Memories) -> Mapping[str, object]:
    def progress(source: str, *, documents_done: int, documents: int, **_: int) -> None:
        running.step(f"{documents_done} of {documents} documents; now {source}", amount=(documents_done, documents))

    added = memories.of(running.job.namespace).add(
        running.reach.given(str(running.job.body["path"])),
        include=_words(running, "include"),
        exclude=_words(running, "exclude"),
        sync=cast("str | None", running.job.body.get("sync")),
        principal=_principal(running),
        progress=progress,
    )
    return {
        "documents": len(added.documents),
        "failures": [str(one) for one in added.failures[:_MOST_FAILURES]],
        "failed": len(added.failures),
        "vanished": len(added.vanished),
    }


def _reembed(running: Running, memories: Memories) -> Mapping[str, object]:
    def progress(*, done: int, texts: int) -> None:
        running.step(f"{done} of {texts} texts embedded.", amount=(done, texts))

    embedder = str(running.job.body["embedder"])
    memory = memories.of(running.job.namespace)
    done = memory.store.reembed(embedder, principal=_principal(running), progress=progress)
    memories.use_embedder(embedder)
    return {
        "old_model": done.old_model.id,
        "new_model": done.new_model.id,
        "texts": done.texts,
        "embedded": done.embedded,
    }


def _evolve(running: Running, memories: Memories) -> Mapping[str, object]:
    memory = memories.of(running.job.namespace)
    run = _EvolutionRun(running, memory)
    while run.goes_on():
        running.check()
        run.step()
    paused = [one.stopped for one in run.jobs.values() if one.stopped.startswith(_TRANSIENT)]
    if paused:
        raise Paused(paused[0])
    return {"jobs": [_shown(one) for one in run.jobs.values()]}


class _EvolutionRun:
    """Takes documents as far as they come, some calls of the chat model at a time."""

    def __init__(self, running: Running, memory: Memory) -> None:
        body = cast("Mapping[str, Any]", running.job.body)
        self._running, self._memory = running, memory
        self._documents = _words(running, "documents")
        self._operators = _words(running, "operators")
        self._seed = cast("str | None", body.get("seed"))
        self._left = cast("int | None", body.get("calls"))
        self._is_over = False
        self._calls: dict[str, int] = {}
        self.jobs: dict[str, EvolutionJob] = {}
        if self._documents:
            self._go_on(body.get("newest_job"))

    def _go_on(self, newest: str | None) -> None:
        """Find what an earlier try began: a document that is named is rewritten once, however often the try is."""
        if newest is None:
            last = self._memory.evolution.jobs(limit=1)
            self._running.remember(newest_job=last[0].id if last else "")
            return
        named = {self._memory.show(one).id for one in self._documents}
        ours = [
            one
            for one in self._memory.evolution.jobs()
            if one.id > newest and named & {document.id for document in one.documents}
        ]
        if ours:
            self._operators = ()  # with operators named, another job would be begun beside
            self._take_in(ours)
            self._is_over = all(one.state is not JobState.RUNNING for one in ours)

    def goes_on(self) -> bool:
        return not self._is_over and (self._left is None or self._left > 0)

    def step(self) -> None:
        """Spend some calls, and see whether there is more to do."""
        found = self._memory.evolve(
            *self._documents,
            operators=self._operators,
            calls=_CALLS if self._left is None else min(_CALLS, self._left),
            seed=self._seed,
            principal=_principal(self._running),
        )
        if self._documents:
            self._operators = ()  # from now on it goes on with what it began
        used = self._take_in(found)
        if self._left is not None:
            self._left -= used
        self._is_over = not used or not any(one.stopped.startswith(_OVER) for one in found)
        self._running.say(*(_line(one) for one in found) if found else ["There is nothing to do."])

    def _take_in(self, found: Sequence[EvolutionJob]) -> int:
        used = 0
        for one in found:
            used += one.usage.calls - self._calls.get(one.id, 0)
            self._calls[one.id] = one.usage.calls
            self.jobs[one.id] = one
        if found:
            self._running.remember(**{_MADE: list(self.jobs)})
        return used


def _line(job: EvolutionJob) -> str:
    documents = ", ".join(one.source or one.id for one in job.documents)
    pauses = f", pauses ({job.stopped.split(':')[0]})" if job.stopped else ""
    return f"{documents}: {job.state.value}, {len(job.candidates)} candidates, {job.usage.calls} calls{pauses}"


def _shown(job: EvolutionJob) -> Mapping[str, object]:
    return {
        "id": job.id,
        "state": job.state.value,
        "decision": job.decision,
        "documents": [one.id for one in job.documents],
        "stopped": job.stopped,
        "calls": job.usage.calls,
        "cost_micros": job.usage.cost_micros,
    }


_VERBS: Mapping[Kind, Callable[[Running, Memories], Mapping[str, object]]] = {
    Kind.EVOLVE: _evolve,
    Kind.MAINTAIN: _maintain,
    Kind.REEMBED: _reembed,
    Kind.ADD: _add,
}
