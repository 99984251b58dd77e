"""Rows of answers, feedback, jobs and promotions become values, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING

from sqlalchemy import RowMapping, Table, null, select

from evolore.domain.answer import Answer, Citation
from evolore.domain.chat import ChatUsage
from evolore.domain.document import Span
from evolore.domain.evolution import Base, JobRecord, JobState, PromotedDocument, Promotion, Step
from evolore.domain.feedback import Feedback
from evolore.store.event_bodies import EventKind
from evolore.store.forms import explained, reader
from evolore.store.tables import (
    answer_citations,
    answers,
    evolution_job_documents,
    evolution_jobs,
    evolution_steps,
    feedback,
    promotion_documents,
    promotions,
)

if TYPE_CHECKING:
    from evolore.store.events import Batch
    from evolore.store.selects import AnySelect

OPEN_STATES = tuple(state.value for state in JobState if state.is_open)
"""The states of jobs to which something is still to happen."""


_to_citation = reader(Citation, answer_citations, span=lambda row: Span(row["start"], row["end"]))
_to_base = reader(Base, evolution_job_documents)
_to_promoted_document = reader(PromotedDocument, promotion_documents)
_to_usage = reader(ChatUsage, answers)

to_answer = explained(
    reader(Answer, answers, citations=lambda row: tuple(map(_to_citation, row["citations"])), usage=_to_usage)
)
"""Read an answer with the rows of what it rests on."""

to_feedback = explained(reader(Feedback, feedback, question=itemgetter("question")))
"""Read a rating of a document, joined with the question if any."""

to_job = explained(reader(JobRecord, evolution_jobs, bases=lambda row: tuple(map(_to_base, row["documents"]))))
"""Read a job with the rows of the documents it is about."""

to_step = explained(reader(Step, evolution_steps))
"""Read a step, with the id of its job."""

to_promotion = explained(
    reader(Promotion, promotions, documents=lambda row: tuple(map(_to_promoted_document, row["documents"])))
)
"""Read a promotion with the rows of its documents."""


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
