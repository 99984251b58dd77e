"""Rows of answers, feedback, jobs and promotions become values, and the other way round."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import RowMapping, Table, null, select

from evolore.domain.answer import Answer, AnswerKind, Citation
from evolore.domain.chat import ChatUsage
from evolore.domain.document import Span
from evolore.domain.evolution import Base, JobRecord, JobState, Operator, PromotedDocument, Promotion, Step, StepValue
from evolore.domain.feedback import Feedback
from evolore.domain.language import Language
from evolore.domain.outcome import Rating
from evolore.errors import InvalidValue
from evolore.store.event_bodies import EventKind
from evolore.store.rows import explained, moment, optional_moment, timestamp
from evolore.store.tables import answers, evolution_job_documents, evolution_jobs, evolution_steps, feedback, promotions

if TYPE_CHECKING:
    from evolore.store.events import Batch, Row
    from evolore.store.selects import AnySelect

OPEN_STATES = tuple(state.value for state in JobState if state.is_open)
"""The states of jobs to which something is still to happen."""


@explained
def to_answer(row: RowMapping | Mapping[str, Any]) -> Answer:
    """Read an answer with the rows of what it rests on."""
    return Answer(
        id=row["id"],
        question=row["question"],
        text=row["text"],
        kind=AnswerKind(row["kind"]),
        language=Language(row["language"]),
        citations=tuple(_citation(one) for one in row["citations"]),
        query_id=row["query_id"],
        principal=row["principal"],
        model=row["model"],
        prompt_version=row["prompt_version"],
        usage=ChatUsage(
            calls=row["calls"],
            prompt_tokens=row["prompt_tokens"],
            reply_tokens=row["reply_tokens"],
            cost_micros=row["cost_micros"],
        ),
        reason=row["reason"],
        canaries=read_canaries(row["canaries"]),
    )


def _citation(row: Mapping[str, Any]) -> Citation:
    return Citation(
        number=row["number"],
        episode_id=row["episode_id"],
        span=Span(row["start"], row["end"]),
        quote=row["quote"],
        document_id=row["document_id"],
        version=row["version"],
        source=row["source"],
    )


@explained
def to_feedback(row: RowMapping | Mapping[str, Any]) -> Feedback:
    """Read a rating of a document, joined with the question if any."""
    return Feedback(
        id=row["id"],
        document_id=row["document_id"],
        version=row["version"],
        rating=Rating(row["rating"]),
        rated_at=moment(row["rated_at"]),
        principal=row["principal"] or None,
        comment=row["comment"],
        query_id=row["query_id"] or None,
        question=row["question"],
        job_id=row["job_id"],
    )


@explained
def to_job(row: RowMapping | Mapping[str, Any]) -> JobRecord:
    """Read a job with the rows of the documents it is about."""
    return JobRecord(
        id=row["id"],
        state=JobState(row["state"]),
        bases=tuple(Base(document_id=one["document_id"], version=one["version"]) for one in row["documents"]),
        seed=row["seed"],
        steps=row["steps"],
        created_at=moment(row["created_at"]),
        updated_at=moment(row["updated_at"]),
        principal=row["principal"],
    )


@explained
def to_step(row: RowMapping | Mapping[str, Any]) -> Step:
    """Read a step, with the id of its job."""
    return Step(number=row["number"], kind=row["kind"], body=read_step_body(row["body"]), at=moment(row["at"]))


def _promoted_document(row: Mapping[str, Any]) -> PromotedDocument:
    return PromotedDocument(
        document_id=row["document_id"], before=row["before"], after=row["after"], restored=row["restored"]
    )


@explained
def to_promotion(row: RowMapping | Mapping[str, Any]) -> Promotion:
    """Read a promotion with the rows of its documents."""
    return Promotion(
        id=row["id"],
        job_id=row["job_id"],
        candidate_id=row["candidate_id"],
        operator=Operator.stored(row["operator"]),
        documents=tuple(_promoted_document(one) for one in row["documents"]),
        win_rate=row["win_rate"],
        promoted_at=moment(row["promoted_at"]),
        approved_by=row["approved_by"],
        is_by_policy=row["is_by_policy"],
        is_edited=row["is_edited"],
        reason=row["reason"],
        rolled_back_at=optional_moment(row["rolled_back_at"]),
        rolled_back_by=row["rolled_back_by"],
        rollback_reason=row["rollback_reason"],
        percent=row["percent"],
    )


def promotion_row(promotion: Promotion) -> Row:
    """Write a promotion's own row, without its namespace."""
    back = promotion.rolled_back_at
    return {
        "id": promotion.id,
        "job_id": promotion.job_id,
        "candidate_id": promotion.candidate_id,
        "operator": promotion.operator.value,
        "win_rate": promotion.win_rate,
        "percent": promotion.percent,
        "approved_by": promotion.approved_by,
        "is_by_policy": promotion.is_by_policy,
        "is_edited": promotion.is_edited,
        "reason": promotion.reason,
        "promoted_at": timestamp(promotion.promoted_at),
        "rolled_back_at": None if back is None else timestamp(back),
        "rolled_back_by": promotion.rolled_back_by,
        "rollback_reason": promotion.rollback_reason,
    }


def write_canaries(canaries: Sequence[tuple[str, bool]]) -> str:
    """Write the changes that an answer was given under."""
    return json.dumps([list(one) for one in canaries])


def read_canaries(written: str) -> tuple[tuple[str, bool], ...]:
    """Read them back."""
    pairs: list[list[str | bool]] = json.loads(written)
    return tuple((str(promotion_id), bool(is_new)) for promotion_id, is_new in pairs)


def write_step_body(body: Mapping[str, StepValue]) -> str:
    """Write a step's body as canonical JSON: equal bodies are written alike, in ASCII.

    Raises:
        InvalidValue: It holds what JSON cannot.
    """
    try:
        return json.dumps(dict(body), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidValue(
            f"A step's body cannot be written as JSON: {error}. Give texts, finite numbers and lists."
        ) from error


def read_step_body(written: str) -> dict[str, StepValue]:
    """Read it back.

    Raises:
        ValueError: It is no object.
    """
    body: object = json.loads(written)
    if not isinstance(body, dict):
        raise ValueError(written[:40])  # noqa: TRY004 - what reads rows explains ValueErrors
    return body  # pyright: ignore[reportUnknownVariableType] - JSON holds nothing else


_ANY = ({"document_id": "", "version": 1, "before": 0, "after": None, "restored": None},)


def evolution_readers(ns: int) -> tuple[tuple[AnySelect, Callable[[RowMapping], object]], ...]:
    """Return what selects each row of theirs, and what reads it by itself, without the rows that belong to it."""
    return (
        (_all(answers, ns), lambda row: to_answer({**row, "citations": ()})),
        (_all(feedback, ns).add_columns(null().label("question")), to_feedback),
        (_all(evolution_jobs, ns), lambda row: to_job({**row, "documents": _ANY})),
        (_all(evolution_steps, ns).add_columns(evolution_steps.c.job_id.label("id")), to_step),
        (_all(promotions, ns), lambda row: to_promotion({**row, "documents": _ANY})),
    )


def _all(table: Table, ns: int) -> AnySelect:
    return select(table).where(table.c.ns == ns)


def tell_decided(batch: Batch, job_id: str, state: str, *, steps: int) -> None:
    """Record that nothing is left to be done in a job."""
    here = (evolution_job_documents.c.ns == batch.ns, evolution_job_documents.c.job_id == job_id)
    about = select(evolution_job_documents.c.document_id).where(*here).order_by(evolution_job_documents.c.place)
    body = {"documents": list(batch.connection.scalars(about)), "state": state, "steps": steps}
    batch.append_events(EventKind.JOB_DECIDED, [(job_id, body)])
