"""What questions led to, and what is said of what was handed over for them, as rows that an event changes and undoes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import and_, bindparam, case, func, select, update

from evolore.domain.episodes import EdgeKind
from evolore.store.prepared import HERE, Prepared, among, as_json
from evolore.store.question_deltas import HandedDelta, HandedState, QuestionDeltas
from evolore.store.tables import queries, query_edges

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from evolore.store.batch import Batch
    from evolore.store.change_sets import EdgeRow
    from evolore.store.place import Place

_CITED_AT = case((query_edges.c.is_cited, func.coalesce(query_edges.c.cited_at, queries.c.recorded_at)))
"""Since when an answer rests on something: where no moment is known, since the question was recorded."""

_HANDED = Prepared(
    select(
        query_edges.c.query_id,
        query_edges.c.target_id,
        _CITED_AT,
        query_edges.c.kind,
        query_edges.c.led_to_insight,
        query_edges.c.entered_by,
        query_edges.c.evaluated_by,
    )
    .join(queries, and_(queries.c.ns == query_edges.c.ns, queries.c.id == query_edges.c.query_id))
    .where(query_edges.c.ns == HERE, query_edges.c.query_id.in_(among("ids")))
    .order_by(query_edges.c.query_id, query_edges.c.target_id)
)
_OUTCOMES = Prepared(
    select(queries.c.id, queries.c.outcome).where(queries.c.ns == HERE, queries.c.id.in_(among("ids")))
)
_STATE = Prepared(
    update(query_edges).where(
        query_edges.c.ns == HERE, query_edges.c.query_id == bindparam("of"), query_edges.c.target_id == bindparam("to")
    ),
    "is_cited",
    "cited_at",
    "kind",
    "led_to_insight",
    "entered_by",
)
_OUTCOME = Prepared(update(queries).where(queries.c.ns == HERE, queries.c.id == bindparam("of")), "outcome")


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedRow:
    """What is said of one episode that was handed over for a question, and whether it was evaluated."""

    state: HandedState
    is_evaluated: bool


def handed_rows(place: Place, query_ids: Collection[str]) -> dict[tuple[str, str], HandedRow]:
    """Give what is said of all that was handed over for some questions, by question and episode, sorted."""
    found = _HANDED.all(place.connection, {"here": place.ns, "ids": as_json(sorted(query_ids))})
    return {
        (row[0], row[1]): HandedRow(
            state=HandedState(cited_at=row[2], kind=row[3], led_to_insight=bool(row[4]), entered_by=row[5]),
            is_evaluated=row[6] is not None,
        )
        for row in found
    }


def outcomes_of(place: Place, query_ids: Collection[str]) -> dict[str, str]:
    """Give what some questions led to."""
    return dict(_OUTCOMES.all(place.connection, {"here": place.ns, "ids": as_json(sorted(query_ids))}))


def write_deltas(batch: Batch, deltas: QuestionDeltas) -> QuestionDeltas:
    """Write what becomes of questions where they are still as they were, and give what was written."""
    said, there = outcomes_of(batch, deltas.questions), handed_rows(batch, deltas.questions)
    states = {place: row.state for place, row in there.items()}
    left = QuestionDeltas(
        outcomes=tuple(one for one in deltas.outcomes if said.get(one.query_id) == one.old),
        handed=tuple(one for one in deltas.handed if states.get((one.query_id, one.target_id)) == one.old),
    )
    if left.outcomes:
        _OUTCOME.run(
            batch.connection, *({"here": batch.ns, "of": one.query_id, "outcome": one.new} for one in left.outcomes)
        )
    _write(batch, left.handed)
    return left


def note_entered(batch: Batch, added: Iterable[EdgeRow], event_id: str) -> tuple[HandedDelta, ...]:
    """Note of edges that an event put into the graph that they are there, and give what changed by it.

    Those that waited meanwhile, for the question led to something else since, do so no longer.
    """
    new = {(one.source_id, one.target_id): one for one in added if one.starts_at_question}
    there = handed_rows(batch, {id_ for id_, _ in new})
    deltas = tuple(_entered(there, one, event_id) for place, one in sorted(new.items()) if place in there)
    changed = tuple(one for one in deltas if one.old != one.new)
    _write(batch, changed)
    return changed


def _entered(there: Mapping[tuple[str, str], HandedRow], edge: EdgeRow, event_id: str) -> HandedDelta:
    old = there[edge.source_id, edge.target_id].state
    led = old.led_to_insight if old.kind == edge.kind else edge.kind == EdgeKind.QUERY_INSIGHT.value
    new = replace(old, kind=edge.kind, led_to_insight=led, entered_by=old.entered_by or event_id)
    return HandedDelta(query_id=edge.source_id, target_id=edge.target_id, old=old, new=new)


def _write(batch: Batch, deltas: Collection[HandedDelta]) -> None:
    rows = [
        {
            "here": batch.ns,
            "of": one.query_id,
            "to": one.target_id,
            "is_cited": one.new.cited_at is not None,
            "cited_at": one.new.cited_at,
            "kind": one.new.kind,
            "led_to_insight": one.new.led_to_insight,
            "entered_by": one.new.entered_by,
        }
        for one in deltas
    ]
    if rows:
        _STATE.run(batch.connection, *rows)
