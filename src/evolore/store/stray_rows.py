"""Rows that should not be there, refer to what is lost, or have lost a part: which they are, as SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy import Column, ColumnElement, and_, exists, func, or_, select, true

from evolore.domain.episode import EdgeKind
from evolore.domain.health import FindingKind
from evolore.store.selects import joined
from evolore.store.tables import (
    answer_citations,
    answers,
    attributes,
    chunks,
    documents,
    edges,
    episodes,
    evolution_job_documents,
    evolution_jobs,
    evolution_steps,
    feedback,
    index_log,
    payloads,
    promotion_documents,
    promotions,
    queries,
    query_edges,
    query_texts,
    query_vectors,
    ratings,
    review_items,
    stagings,
    vectors,
    versions,
)

if TYPE_CHECKING:
    from sqlalchemy import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """Rows that should not be there, or refer to what is lost.

    Args:
        kind: What kind of thing is wrong.
        table: Where the rows lie.
        label: What they are named by.
        condition: Which rows they are.
        reason: What is wrong with them.
        can_be_deleted: Whether repairing deletes them.
    """

    kind: FindingKind
    table: Table
    label: ColumnElement[str]
    condition: ColumnElement[bool]
    reason: str
    can_be_deleted: bool = True


def without(table: Table, other: Table, on: ColumnElement[bool]) -> ColumnElement[bool]:
    """Say of a table's rows that another has none for them."""
    return ~exists().where(joined(table, other, on)).correlate(table)


def having(table: Table, other: Table, on: ColumnElement[bool]) -> ColumnElement[bool]:
    """Say of a table's rows that another has some for them."""
    return exists().where(joined(table, other, on)).correlate(table)


_Said: TypeAlias = "tuple[Column[str], ColumnElement[bool], str]"

_STEPS_THERE = (
    select(func.count())
    .where(evolution_steps.c.ns == evolution_jobs.c.ns, evolution_steps.c.job_id == evolution_jobs.c.id)
    .correlate(evolution_jobs)
    .scalar_subquery()
)
_UNOWNED_SAID: tuple[_Said, ...] = (
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
    for column, condition, reason in _UNOWNED_SAID
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


_QUERIES = (EdgeKind.QUERY_BYPASS.value, EdgeKind.QUERY_INSIGHT.value, EdgeKind.QUERY_RETRIEVAL.value)


_STAGED_CHUNK = (documents.c.id == chunks.c.document_id) & (documents.c.version < chunks.c.version)
_VISIBLE_CHUNK = (documents.c.id == chunks.c.document_id) & (documents.c.version >= chunks.c.version)
_ITS_CHUNK = (chunks.c.document_id == episodes.c.document_id) & (chunks.c.episode_id == episodes.c.id)
_PRESENT = (versions.c.document_id == documents.c.id) & (versions.c.number == documents.c.version)
_CHUNKS_VERSION = (versions.c.document_id == chunks.c.document_id) & (versions.c.number == chunks.c.version)
_REVIEWED = (versions.c.document_id == review_items.c.document_id) & (versions.c.number == review_items.c.version)
_WAS_LOGGED = having(episodes, index_log, index_log.c.episode_id == episodes.c.id)
_PAYLOAD_WAS_LOGGED = having(payloads, index_log, index_log.c.episode_id == payloads.c.episode_id)
_NO_CHUNK = episodes.c.document_id.is_not(None) & without(episodes, chunks, _ITS_CHUNK)
_NO_EPISODE = without(payloads, episodes, episodes.c.id == payloads.c.episode_id)
_UNOWNED = and_(
    without(attributes, documents, documents.c.id == attributes.c.owner_id),
    without(attributes, versions, versions.c.document_id == attributes.c.owner_id),
    without(attributes, episodes, episodes.c.id == attributes.c.owner_id),
    without(attributes, payloads, payloads.c.episode_id == attributes.c.owner_id),
)
"""Not those of a document or statement that is lost in part: nothing else says what it was filed under."""

WRONG_ROWS = (
    Wrong(
        kind=FindingKind.LEFTOVER,
        table=stagings,
        label=stagings.c.document_id,
        condition=true(),
        reason="Versions of documents are being written in parts, or were left half-written.",
    ),
    Wrong(
        kind=FindingKind.LEFTOVER,
        table=versions,
        label=versions.c.document_id,
        condition=having(
            versions, documents, (documents.c.id == versions.c.document_id) & (documents.c.version < versions.c.number)
        ),
        reason="Versions of documents were begun and never became visible.",
    ),
    Wrong(
        kind=FindingKind.LEFTOVER,
        table=chunks,
        label=chunks.c.id,
        condition=having(chunks, documents, _STAGED_CHUNK),
        reason="Chunks of versions were begun and never became visible.",
    ),
    Wrong(
        kind=FindingKind.LEFTOVER,
        table=documents,
        label=documents.c.id,
        condition=documents.c.version < 1,
        reason="Documents were begun and never became visible.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=chunks,
        label=chunks.c.id,
        condition=without(chunks, versions, _CHUNKS_VERSION) & without(chunks, documents, _VISIBLE_CHUNK),
        reason="Chunks belong to no version of a document.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=review_items,
        label=review_items.c.id,
        condition=review_items.c.document_id.is_not(None) & without(review_items, versions, _REVIEWED),
        reason="Review items are about no version of a document.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=review_items,
        label=review_items.c.id,
        condition=review_items.c.episode_id.is_not(None)
        & without(review_items, episodes, episodes.c.id == review_items.c.episode_id),
        reason="Review items are about no passage or statement.",
    ),
    Wrong(
        kind=FindingKind.LEFTOVER,
        table=episodes,
        label=episodes.c.id,
        condition=_NO_CHUNK & ~_WAS_LOGGED,
        reason="Passages were begun and never became visible.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=payloads,
        label=payloads.c.id,
        condition=_NO_EPISODE & ~_PAYLOAD_WAS_LOGGED,
        reason="Texts belong to no episode, and never did visibly.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=vectors,
        label=vectors.c.payload_id,
        condition=without(vectors, payloads, payloads.c.id == vectors.c.payload_id),
        reason="Vectors belong to no text.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=edges,
        label=edges.c.source_id,
        condition=or_(
            without(edges, episodes, episodes.c.id == edges.c.target_id),
            edges.c.kind.not_in(_QUERIES) & without(edges, episodes, episodes.c.id == edges.c.source_id),
        ),
        reason="Edges join an episode that is not there.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=edges,
        label=edges.c.source_id,
        condition=edges.c.kind.in_(_QUERIES) & without(edges, queries, queries.c.id == edges.c.source_id),
        reason="Edges start at a question that is not there.",
    ),
    *UNOWNED_SAID,
    *(
        Wrong(
            kind=FindingKind.ORPHAN,
            table=table,
            label=table.c.query_id,
            condition=without(table, queries, queries.c.id == table.c.query_id),
            reason=f"{what} belong to no question.",
        )
        for table, what in (
            (query_texts, "Texts of questions"),
            (query_vectors, "Vectors of questions"),
            (query_edges, "Episodes that were handed over"),
            (ratings, "Ratings"),
        )
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=query_edges,
        label=query_edges.c.target_id,
        condition=without(query_edges, episodes, episodes.c.id == query_edges.c.target_id),
        reason="Episodes that were handed over for questions are not there.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=edges,
        label=edges.c.source_id,
        condition=(edges.c.kind == EdgeKind.MEMBER.value)
        & having(edges, episodes, (episodes.c.id == edges.c.target_id) & episodes.c.made_by.is_not(None)),
        reason="Edges name as a member what was never remembered.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=attributes,
        label=attributes.c.owner_id,
        condition=_UNOWNED,
        reason="Metadata and tags belong to no document and no statement.",
    ),
    *LOST_SAID,
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=queries,
        label=queries.c.id,
        condition=without(queries, query_texts, query_texts.c.query_id == queries.c.id),
        reason="Questions have lost their text.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=versions,
        label=versions.c.document_id,
        condition=without(versions, documents, documents.c.id == versions.c.document_id),
        reason="Versions belong to a document whose source and present version are lost.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=documents,
        label=documents.c.id,
        condition=(documents.c.version > 0) & without(documents, versions, _PRESENT),
        reason="The present version of documents is lost.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=chunks,
        label=chunks.c.id,
        condition=chunks.c.episode_id.is_not(None)
        & having(chunks, documents, _VISIBLE_CHUNK)
        & without(chunks, episodes, episodes.c.id == chunks.c.episode_id),
        reason="Chunks have lost their passage.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=episodes,
        label=episodes.c.id,
        condition=without(episodes, payloads, payloads.c.id == episodes.c.payload_id),
        reason="Episodes have lost their text.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=episodes,
        label=episodes.c.id,
        condition=_NO_CHUNK & _WAS_LOGGED,
        reason="Passages have lost their place in a document; their texts are still there.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=payloads,
        label=payloads.c.id,
        condition=_NO_EPISODE & _PAYLOAD_WAS_LOGGED,
        reason="Texts have lost their episode; they are still there.",
        can_be_deleted=False,
    ),
)
"""In the order they are deleted in: what hangs on another row comes behind it. No text that was ever visible goes."""
