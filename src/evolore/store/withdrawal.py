"""What one principal taught is taken back: edges, ratings, confidence and arousal, with the questions if asked to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Table, bindparam, delete, exists, literal, or_, select

from evolore.ports import Withdrawn
from evolore.store import leftovers
from evolore.store.edges import delete_edges, insert_edges
from evolore.store.event_bodies import ChangeSet, EventKind, Withdrawal
from evolore.store.evolution_erasure import answers_of, counting, erase_said, has_said
from evolore.store.question_rows import count_erasure, edges_from, restand, touch, write_deltas
from evolore.store.questions import NOBODY
from evolore.store.sql import HERE, Prepared
from evolore.store.structure import write_fields
from evolore.store.tables import queries, query_edges, query_texts, query_vectors, ratings
from evolore.store.undo import as_if_never, mark

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from evolore.ports import Reconsidered
    from evolore.store.event_bodies import EdgeRow, FieldDelta
    from evolore.store.events import Batch
    from evolore.store.question_rows import Restanding
    from evolore.store.sql import Place

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is taken back.

    Args:
        asked: The principal's own questions.
        rated: The questions that the principal rated.
        own: The edges of own questions, which leave the graph.
        others: What becomes of the others' questions.
        fields: What becomes of confidence and arousal.
        said: The feedback that counts no longer.
        has_taught: Whether there is anything to take back.
        answers: How many answers are erased.
    """

    asked: _Asked
    rated: tuple[str, ...]
    own: tuple[EdgeRow, ...]
    others: Restanding
    fields: tuple[FieldDelta, ...]
    said: tuple[str, ...]
    has_taught: bool
    answers: int = 0

    def told(self, event_id: str | None) -> Withdrawn:
        """Tell what it takes back."""
        return Withdrawn(
            event_id=event_id,
            queries=len(self.asked.rated.union(edge.source_id for edge in self.own)),
            edges=len(self.own) + len(self.others.removed),
            ratings=len(self.rated),
            episodes=len({one.episode_id for one in self.fields}),
            has_taught=self.has_taught,
            feedback=len(self.said),
            answers=self.answers,
        )


def foresee(place: Place, principal: str | None, anew: Collection[Reconsidered], *, erase: bool) -> Withdrawn:
    """Tell what would be taken back; nothing is written."""
    return _plan(place, principal, anew, erase=erase, event_id="", recorded_at="").told(None)


def withdraw(batch: Batch, principal: str | None, anew: Collection[Reconsidered], *, erase: bool) -> Withdrawn:
    """Take back all that a principal taught, as one event; with ``erase`` delete the questions and comments too."""
    whose = principal or NOBODY
    event_id = batch.new_id()
    plan = _plan(batch, principal, anew, erase=erase, event_id=event_id, recorded_at=batch.recorded_at)
    if not plan.has_taught:
        return plan.told(None)
    kept = Withdrawal(principal=whose, asked=plan.asked.teaching, rated=plan.rated, feedback=plan.said)
    done = ChangeSet(
        fields=plan.fields,
        added=plan.others.added,
        removed=(*plan.own, *plan.others.removed),
        withdrawal=Withdrawal(principal=whose, is_erased=True) if erase else kept,
        deltas=plan.others.deltas,
    )
    delete_edges(batch, done.removed)
    insert_edges(batch, done.added)
    write_fields(batch, done.fields)
    write_deltas(batch, done.deltas)
    touched = done.deltas.questions
    if erase:
        _erase(batch, whose, plan.asked.ids, event_id)
    else:
        mark(batch, kept, event_id, until=batch.recorded_at)
        touched = touched.union(plan.asked.teaching, plan.rated)
    touch(batch, touched)
    batch.append_event(event_id, EventKind.TEACHING_WITHDRAWN, "", done.body())
    return plan.told(event_id)


def _plan(
    place: Place, principal: str | None, anew: Collection[Reconsidered], *, erase: bool, event_id: str, recorded_at: str
) -> _Plan:
    whose = principal or NOBODY
    asked = _asked(place, whose)
    rated = tuple(id_ for (id_,) in _RATED.all(place.connection, {"here": place.ns, "whose": whose}))
    own, fields = edges_from(place, asked.ids), as_if_never(place, principal)
    said = counting(place, whose)
    return _Plan(
        asked=asked,
        rated=rated,
        own=own,
        others=restand(place, anew, event_id=event_id, recorded_at=recorded_at),
        fields=fields,
        said=said,
        has_taught=bool(
            own or rated or said or fields or asked.teaching or (erase and _holds_any(place, whose, asked))
        ),
        answers=len(answers_of(place, whose, asked.ids)) if erase else 0,
    )


def _asked(place: Place, whose: str) -> _Asked:
    rows: list[tuple[Any, ...]] = _ASKED.all(place.connection, {"here": place.ns, "whose": whose})
    return _Asked(
        ids=tuple(row[0] for row in rows),
        teaching=tuple(row[0] for row in rows if row[1] and row[3] is None),
        rated=frozenset(row[0] for row in rows if row[2]),
    )


def _holds_any(place: Place, whose: str, asked: _Asked) -> bool:
    here = (ratings.c.ns == place.ns, ratings.c.principal == whose)
    if asked.ids or has_said(place, whose):
        return True
    return place.connection.execute(select(ratings.c.ns).where(*here).limit(1)).first() is not None


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
    leftovers.note(batch.connection, batch.ns, event_id)


def _delete(batch: Batch, table: Table, condition: ColumnElement[bool]) -> None:
    batch.connection.execute(delete(table).where(table.c.ns == batch.ns, condition))
