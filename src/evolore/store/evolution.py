"""Jobs, their steps, promotions and canaries are written, by one process at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from evolore.domain.evolution import JobState
from evolore.errors import InvalidValue, NotFound
from evolore.store.database import FaultPoint, reached
from evolore.store.event_bodies import EventKind
from evolore.store.evolution_erasure import end_if_forgotten
from evolore.store.evolution_reading import select_busy_documents
from evolore.store.evolution_rows import promotion_row, tell_decided, write_step_body
from evolore.store.rows import timestamp
from evolore.store.sql import among, as_json, upsert
from evolore.store.tables import (
    documents,
    evolution_job_documents,
    evolution_jobs,
    evolution_steps,
    promotion_documents,
    promotions,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import RowMapping

    from evolore.domain.evolution import NewJob, PromotedDocument, Promotion, Step
    from evolore.store.events import Batch


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


_WHOLE = 100


def put_promotion(batch: Batch, promotion: Promotion) -> str:
    """Write a promotion, and give its event."""
    batch.connection.execute(insert(promotions), [{"ns": batch.ns, **promotion_row(promotion)}])
    _put_documents(batch, promotion.id, promotion.documents)
    reached(FaultPoint.PROMOTION_WRITTEN)
    body = {
        "job": promotion.job_id,
        "candidate": promotion.candidate_id,
        "operator": promotion.operator.value,
        "win_rate": promotion.win_rate,
        "percent": promotion.percent,
        "is_by_policy": promotion.is_by_policy,
        "is_edited": promotion.is_edited,
        "documents": [[one.document_id, one.before, one.after] for one in promotion.documents],
    }
    return _tell(batch, EventKind.PROMOTED, promotion.id, body)


def set_percent(batch: Batch, promotion_id: str, percent: int, *, documents: Sequence[PromotedDocument]) -> str:
    """Note before which share of people a promotion is, and give the event.

    Raises:
        NotFound: There is no such promotion.
        InvalidValue: It was taken back, or the share is no percentage.
    """
    if not 0 <= percent <= _WHOLE:
        raise InvalidValue(f"The share of people is {percent} %: give 0 to {_WHOLE}.")
    _refuse_unless_holding(batch, promotion_id)
    _set(batch, promotion_id, {"percent": percent})
    _put_documents(batch, promotion_id, documents)
    reached(FaultPoint.PROMOTION_WRITTEN)
    body = {"percent": percent, "documents": [[one.document_id, one.before, one.after] for one in documents]}
    return _tell(batch, EventKind.PERCENT_CHANGED, promotion_id, body)


def close_promotion(
    batch: Batch, promotion_id: str, *, documents: Sequence[PromotedDocument], reason: str, principal: str | None
) -> str:
    """Note that a promotion was taken back, and give the event.

    Raises:
        NotFound: There is no such promotion.
        InvalidValue: It was taken back already.
    """
    _refuse_unless_holding(batch, promotion_id)
    back = {"rolled_back_at": batch.recorded_at, "rolled_back_by": principal, "rollback_reason": reason}
    _set(batch, promotion_id, back)
    _put_documents(batch, promotion_id, documents)
    reached(FaultPoint.PROMOTION_WRITTEN)
    body = {"documents": [[one.document_id, one.before, one.after, one.restored] for one in documents]}
    return _tell(batch, EventKind.ROLLED_BACK, promotion_id, body)


def _refuse_unless_holding(batch: Batch, promotion_id: str) -> None:
    here = (promotions.c.ns == batch.ns, promotions.c.id == promotion_id)
    row: RowMapping | None = batch.connection.execute(select(promotions).where(*here)).mappings().first()
    if row is None:
        raise NotFound(f"No promotion has the id {promotion_id!r} here: the history of a document shows them.")
    if row["rolled_back_at"] is not None:
        raise InvalidValue(
            f"The promotion {promotion_id!r} was taken back on {row['rolled_back_at']}: nothing is left."
        )


def _set(batch: Batch, promotion_id: str, values: dict[str, Any]) -> None:
    here = (promotions.c.ns == batch.ns, promotions.c.id == promotion_id)
    batch.connection.execute(update(promotions).where(*here).values(values))


def _put_documents(batch: Batch, promotion_id: str, documents: Sequence[PromotedDocument]) -> None:
    """Write what a promotion did to documents, in the place of what was noted of these before."""
    for place, one in enumerate(documents):
        did = {"before": one.before, "after": one.after, "restored": one.restored}
        key = {"ns": batch.ns, "promotion_id": promotion_id, "document_id": one.document_id}
        written = upsert(promotion_documents, did).values(**key, place=place, **did)
        batch.connection.execute(written)


def _tell(batch: Batch, kind: EventKind, promotion_id: str, body: dict[str, Any]) -> str:
    (event_id,) = batch.append_events(kind, [(promotion_id, body)])
    return event_id
