"""Questions and answers that are forgotten, and what people wrote about answers from what is forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Table, delete, func, select, update

from evolore.store.edges import delete_edges
from evolore.store.evolution_erasing import forget_asked
from evolore.store.evolution_tables import answer_citations, answers, feedback
from evolore.store.prepared import among, as_json
from evolore.store.query_rows import count_erasure, touch
from evolore.store.restanding import edges_from
from evolore.store.tables import queries, query_edges, query_texts, query_vectors, ratings

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Column, Connection

    from evolore.store.batch import Batch


@dataclass(frozen=True, slots=True, kw_only=True)
class DoomedAsked:
    """What one erasure takes of what was asked.

    Args:
        query_ids: The questions that are named.
        answer_ids: The answers that are named, or were given to these questions.
        commented_ids: Questions that stay, for which something was handed over or quoted that goes: what people wrote
            about the answer may tell it.
        comments: How many comments go.
    """

    query_ids: tuple[str, ...] = ()
    answer_ids: tuple[str, ...] = ()
    commented_ids: tuple[str, ...] = ()
    comments: int = 0

    @property
    def ids(self) -> tuple[str, ...]:
        """Questions and answers."""
        return self.query_ids + self.answer_ids


def doomed_asked(
    connection: Connection, ns: int, named: Collection[str], about: tuple[Collection[str], Collection[str]]
) -> DoomedAsked:
    """Find the questions and answers that are named, and the questions that speak of documents and episodes."""
    documents, episodes = about
    query_ids = _those(connection, ns, queries.c.id, queries.c.id, named)
    own = _those(connection, ns, answers.c.id, answers.c.id, named)
    answer_ids = own | _those(connection, ns, answers.c.id, answers.c.query_id, query_ids)
    citing = _those(connection, ns, answer_citations.c.answer_id, answer_citations.c.document_id, documents)
    citing |= _those(connection, ns, answer_citations.c.answer_id, answer_citations.c.episode_id, episodes)
    commented = _those(connection, ns, answers.c.query_id, answers.c.id, citing | own)
    commented |= _those(connection, ns, query_edges.c.query_id, query_edges.c.target_id, episodes)
    counted = (*query_ids, *commented)
    return DoomedAsked(
        query_ids=tuple(sorted(query_ids)),
        answer_ids=tuple(sorted(answer_ids)),
        commented_ids=tuple(sorted(commented - query_ids)),
        comments=sum(_comments(connection, ns, table, counted) for table in (ratings, feedback)),
    )


def all_comments(connection: Connection, ns: int) -> int:
    """Count the comments of a namespace."""
    return sum(
        connection.scalar(select(func.count()).where(table.c.ns == ns, table.c.comment.is_not(None))) or 0
        for table in (ratings, feedback)
    )


def erase_asked(batch: Batch, doomed: DoomedAsked, event_id: str) -> None:
    """Delete questions with all that hangs on them, answers, and comments on answers from what was forgotten."""
    delete_edges(batch, edges_from(batch, doomed.query_ids))
    for table in (query_texts, query_vectors, query_edges, ratings):
        _delete(batch, table, table.c.query_id, doomed.query_ids)
    _delete(batch, queries, queries.c.id, doomed.query_ids)
    blank = update(ratings).where(ratings.c.ns == batch.ns, ratings.c.query_id.in_(among("ids"))).values(comment=None)
    batch.connection.execute(blank, {"ids": as_json(doomed.commented_ids)})
    forget_asked(batch, doomed.query_ids, doomed.answer_ids, doomed.commented_ids, event_id)
    touch(batch.connection, batch.ns, doomed.commented_ids)
    if doomed.query_ids:
        count_erasure(batch.connection, batch.ns)


def _comments(connection: Connection, ns: int, table: Table, query_ids: Collection[str]) -> int:
    counted = select(func.count()).where(table.c.ns == ns, table.c.comment.is_not(None), _among(table.c.query_id))
    return connection.scalar(counted, {"ids": as_json(sorted(query_ids))}) or 0


def _among(column: Column[str]) -> ColumnElement[bool]:
    return column.in_(among("ids"))


def _those(
    connection: Connection, ns: int, wanted: Column[str], of: Column[str] | Column[str | None], ids: Collection[str]
) -> set[str]:
    query = select(wanted).where(wanted.table.c.ns == ns, of.in_(among("ids")))
    return set(connection.scalars(query, {"ids": as_json(sorted(ids))})) if ids else set()


def _delete(batch: Batch, table: Table, of: Column[str], ids: Collection[str]) -> None:
    if ids:
        batch.connection.execute(delete(table).where(table.c.ns == batch.ns, _among(of)), {"ids": as_json(sorted(ids))})
