"""What one principal taught is taken back: edges, ratings, confidence and arousal, and with it the questions if asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Table, bindparam, delete, exists, literal, or_, select

from evolore.ports import Withdrawn
from evolore.store import lingering
from evolore.store.change_sets import ChangeSet, Withdrawal
from evolore.store.changes import write_fields
from evolore.store.edges import delete_edges, edges_of_questions
from evolore.store.event_kinds import EventKind
from evolore.store.evolution_erasing import counting, erase_said, has_said
from evolore.store.prepared import HERE, Prepared
from evolore.store.query_rows import count_erasure, touch
from evolore.store.query_writing import NOBODY
from evolore.store.replaying import as_if_never
from evolore.store.tables import queries, query_edges, query_texts, query_vectors, ratings
from evolore.store.undoing_queries import mark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.store.batch import Batch

_WHOSE = or_(
    queries.c.principal == bindparam("whose"), queries.c.principal.is_(None) & (bindparam("whose") == literal(NOBODY))
)
_HAS_EDGE = exists(
    select(literal(1))
    .where(query_edges.c.ns == queries.c.ns, query_edges.c.query_id == queries.c.id, query_edges.c.kind.is_not(None))
    .correlate(queries)
)
_HAS_RATING = exists(
    select(literal(1))
    .where(ratings.c.ns == queries.c.ns, ratings.c.query_id == queries.c.id, ratings.c.withdrawn_by.is_(None))
    .correlate(queries)
)
_ASKED = Prepared(
    select(queries.c.id, _HAS_EDGE.label("has_edge"), _HAS_RATING.label("has_rating"), queries.c.withdrawn_by)
    .where(queries.c.ns == HERE, _WHOSE)
    .order_by(queries.c.id)
)
_RATED = Prepared(
    select(ratings.c.query_id)
    .where(ratings.c.ns == HERE, ratings.c.principal == bindparam("whose"), ratings.c.withdrawn_by.is_(None))
    .order_by(ratings.c.query_id)
)
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    ids: tuple[str, ...]
    teaching: tuple[str, ...]
    rated: frozenset[str]


def withdraw(batch: Batch, principal: str | None, *, erase: bool) -> Withdrawn:
    """Take back all that a principal taught, as one event; with ``erase`` delete the questions and comments too."""
    whose = principal or NOBODY
    asked = _asked(batch, whose)
    rated = tuple(id_ for (id_,) in _RATED.all(batch.connection, {"here": batch.ns, "whose": whose}))
    said = counting(batch, whose)
    removed = edges_of_questions(batch, asked.ids)
    fields = as_if_never(batch, principal)
    if not (removed or rated or said or fields or asked.teaching or (erase and _holds_any(batch, whose, asked))):
        return Withdrawn(event_id=None)
    event_id = batch.new_id()
    kept = Withdrawal(principal=whose, asked=asked.teaching, rated=rated, feedback=said)
    withdrawal = Withdrawal(principal=whose, is_erased=True) if erase else kept
    delete_edges(batch, removed)
    write_fields(batch, fields)
    if erase:
        _erase(batch, whose, asked.ids, event_id)
    else:
        mark(batch, kept, event_id, until=batch.recorded_at)
        touch(batch.connection, batch.ns, {*asked.teaching, *rated})
    done = ChangeSet(fields=fields, removed=removed, withdrawal=withdrawal)
    batch.append_event(event_id, EventKind.TEACHING_WITHDRAWN, "", done.body())
    return Withdrawn(
        event_id=event_id,
        queries=len(asked.rated.union(edge.source_id for edge in removed)),
        edges=len(removed),
        ratings=len(rated),
        episodes=len({one.episode_id for one in fields}),
    )


def _asked(batch: Batch, whose: str) -> _Asked:
    rows: list[tuple[Any, ...]] = _ASKED.all(batch.connection, {"here": batch.ns, "whose": whose})
    return _Asked(
        ids=tuple(row[0] for row in rows),
        teaching=tuple(row[0] for row in rows if row[1] and row[3] is None),
        rated=frozenset(row[0] for row in rows if row[2]),
    )


def _holds_any(batch: Batch, whose: str, asked: _Asked) -> bool:
    here = (ratings.c.ns == batch.ns, ratings.c.principal == whose)
    if asked.ids or has_said(batch, whose):
        return True
    return batch.connection.execute(select(ratings.c.ns).where(*here).limit(1)).first() is not None


def _erase(batch: Batch, whose: str, ids: Sequence[str], event_id: str) -> None:
    """Delete questions with all that hangs on them, and what the principal said of other questions."""
    for start in range(0, len(ids), _BATCH):
        some = ids[start : start + _BATCH]
        for table in (query_texts, query_vectors, query_edges, ratings):
            _delete(batch, table, table.c.query_id.in_(some))
        _delete(batch, queries, queries.c.id.in_(some))
    _delete(batch, ratings, ratings.c.principal == whose)
    erase_said(batch, whose, ids, event_id)
    count_erasure(batch.connection, batch.ns)
    lingering.note(batch.connection, batch.ns, event_id)


def _delete(batch: Batch, table: Table, condition: ColumnElement[bool]) -> None:
    batch.connection.execute(delete(table).where(table.c.ns == batch.ns, condition))
