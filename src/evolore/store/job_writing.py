"""Jobs are begun, and their steps written one behind the other, by one process at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from evolore.domain.evolving import JobState
from evolore.errors import InvalidValue
from evolore.store.event_kinds import EventKind
from evolore.store.evolution_erasing import end_if_forgotten
from evolore.store.evolution_reading import select_busy_documents
from evolore.store.evolution_rows import write_step_body
from evolore.store.evolution_tables import evolution_job_documents, evolution_jobs, evolution_steps
from evolore.store.faults import FaultPoint, reached
from evolore.store.job_events import tell_decided
from evolore.store.prepared import among, as_json
from evolore.store.rows import timestamp
from evolore.store.tables import documents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.evolving import NewJob, Step
    from evolore.store.batch import Batch


def begin_job(batch: Batch, new: NewJob, *, principal: str | None) -> str | None:
    """Begin a job, and give its id; None where a document is not as named, or an open job is about it.

    Raises:
        InvalidValue: It names no document, or one twice.
    """
    ids = [base.document_id for base in new.bases]
    if not ids or len(set(ids)) != len(ids):
        raise InvalidValue(f"The job is about the documents {ids}: name at least one, and each once.")
    here = (documents.c.ns == batch.ns, documents.c.id.in_(among("ids")))
    free = select(documents.c.id, documents.c.version).where(*here)
    if not new.is_alongside:
        free = free.where(documents.c.id.not_in(select_busy_documents(batch.ns)))
    present = {row.id: row.version for row in batch.connection.execute(free, {"ids": as_json(ids)})}
    if present != {base.document_id: base.version for base in new.bases}:
        return None
    job_id = batch.new_id()
    job = {
        "ns": batch.ns,
        "id": job_id,
        "state": JobState.RUNNING.value,
        "seed": new.seed,
        "steps": 0,
        "principal": principal,
        "created_at": batch.recorded_at,
        "updated_at": batch.recorded_at,
    }
    batch.connection.execute(insert(evolution_jobs), [job])
    about = [
        {
            "ns": batch.ns,
            "job_id": job_id,
            "document_id": base.document_id,
            "version": base.version,
            "place": place,
        }
        for place, base in enumerate(new.bases)
    ]
    batch.connection.execute(insert(evolution_job_documents), about)
    bases = [[base.document_id, base.version] for base in new.bases]
    batch.append_events(EventKind.JOB_BEGUN, [(job_id, {"documents": bases, "feedback": sorted(new.feedback_ids)})])
    return job_id


def append_steps(batch: Batch, job_id: str, steps: Sequence[Step], *, state: JobState | None) -> bool:
    """Write steps behind those that are there, and the job's state; False where the first does not follow the last.

    A job whose steps were erased never goes on; one whose next steps name an episode that was forgotten meanwhile ends.

    Raises:
        InvalidValue: There is none, their numbers do not follow each other, or a body is not of JSON.
    """
    numbers = [step.number for step in steps]
    if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        raise InvalidValue(f"The steps have the numbers {numbers}: give at least one, each behind the one before.")
    rows = [
        {
            "ns": batch.ns,
            "job_id": job_id,
            "number": step.number,
            "kind": step.kind,
            "body": write_step_body(step.body),
            "at": timestamp(step.at),
        }
        for step in steps
    ]
    here = (evolution_jobs.c.ns == batch.ns, evolution_jobs.c.id == job_id)
    goes_on = (evolution_jobs.c.steps == numbers[0] - 1, evolution_jobs.c.erased_by.is_(None))
    old: str | None = batch.connection.scalar(select(evolution_jobs.c.state).where(*here, *goes_on))
    if old is None or end_if_forgotten(batch, job_id, (str(row["body"]) for row in rows)):
        return False
    after = old if state is None else state.value
    moved = {"steps": numbers[-1], "state": after, "updated_at": batch.recorded_at}
    batch.connection.execute(update(evolution_jobs).where(*here).values(moved))
    batch.connection.execute(insert(evolution_steps), rows)
    reached(FaultPoint.STEPS_WRITTEN)
    if after != old and not JobState(after).is_open:
        tell_decided(batch, job_id, after, steps=numbers[-1])
    return True


def end_erased(batch: Batch, job_id: str, state: JobState) -> None:
    """Say how a job whose steps were erased ended."""
    this = (evolution_jobs.c.ns == batch.ns, evolution_jobs.c.id == job_id, evolution_jobs.c.erased_by.is_not(None))
    ended = update(evolution_jobs).where(*this).values(state=state.value, updated_at=batch.recorded_at)
    if batch.connection.execute(ended).rowcount:
        tell_decided(batch, job_id, state.value, steps=0)
