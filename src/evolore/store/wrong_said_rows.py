"""Rows of answers, feedback, jobs and promotions that should not be there, or have lost a part."""

from __future__ import annotations

from typing import TypeAlias

from sqlalchemy import Column, ColumnElement, func, select

from evolore.domain.health import FindingKind
from evolore.store.evolution_tables import (
    answer_citations,
    answers,
    evolution_job_documents,
    evolution_jobs,
    evolution_steps,
    feedback,
    promotion_documents,
    promotions,
)
from evolore.store.tables import documents, episodes, queries
from evolore.store.wrong import Wrong, without

_Said: TypeAlias = "tuple[Column[str], ColumnElement[bool], str]"

_STEPS_THERE = (
    select(func.count())
    .where(evolution_steps.c.ns == evolution_jobs.c.ns, evolution_steps.c.job_id == evolution_jobs.c.id)
    .correlate(evolution_jobs)
    .scalar_subquery()
)
_UNOWNED: tuple[_Said, ...] = (
    (
        answer_citations.c.answer_id,
        without(answer_citations, answers, answers.c.id == answer_citations.c.answer_id),
        "Citations belong to no answer.",
    ),
    (
        answer_citations.c.answer_id,
        without(answer_citations, episodes, episodes.c.id == answer_citations.c.episode_id),
        "Citations name an episode that is not there.",
    ),
    (
        feedback.c.id,
        without(feedback, documents, documents.c.id == feedback.c.document_id),
        "Feedback is about a document that is not there.",
    ),
    (
        feedback.c.id,
        (feedback.c.query_id != "") & without(feedback, queries, queries.c.id == feedback.c.query_id),
        "Feedback is about the answer to a question that is not there.",
    ),
    (
        evolution_job_documents.c.job_id,
        without(evolution_job_documents, evolution_jobs, evolution_jobs.c.id == evolution_job_documents.c.job_id),
        "Documents are named of a job that is not there.",
    ),
    (
        evolution_steps.c.job_id,
        without(evolution_steps, evolution_jobs, evolution_jobs.c.id == evolution_steps.c.job_id),
        "Steps belong to no job.",
    ),
    (
        promotion_documents.c.promotion_id,
        without(promotion_documents, promotions, promotions.c.id == promotion_documents.c.promotion_id),
        "Documents are named of a promotion that is not there.",
    ),
)
_LOST: tuple[_Said, ...] = (
    (evolution_jobs.c.id, evolution_jobs.c.steps != _STEPS_THERE, "Jobs have lost steps."),
    (
        evolution_jobs.c.id,
        without(evolution_jobs, evolution_job_documents, evolution_job_documents.c.job_id == evolution_jobs.c.id),
        "Jobs have lost the documents they are about.",
    ),
    (
        promotions.c.id,
        without(promotions, promotion_documents, promotion_documents.c.promotion_id == promotions.c.id),
        "Promotions have lost the documents they changed.",
    ),
)

UNOWNED_SAID = tuple(
    Wrong(kind=FindingKind.ORPHAN, table=column.table, label=column, condition=condition, reason=reason)
    for column, condition, reason in _UNOWNED
)
LOST_SAID = tuple(
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=column.table,
        label=column,
        condition=condition,
        reason=reason,
        can_be_deleted=False,
    )
    for column, condition, reason in _LOST
)
