"""Edges from questions wait at an episode, enter the graph by an event, or are kept as of low value by another."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, bindparam, exists, func, insert, literal, or_, select, update

from evolore.errors import InvalidValue
from evolore.ports.changes import check_reason
from evolore.store.change_sets import ChangeSet, EdgeRow
from evolore.store.edges import delete_edges, edges_of_questions
from evolore.store.event_kinds import EventKind
from evolore.store.prepared import HERE, Prepared, among, as_json
from evolore.store.query_rows import IN_GRAPH, touch
from evolore.store.tables import edges, episodes, queries, query_edges

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import Connection

    from evolore.ports import Entering
    from evolore.store.batch import Batch

HIGH, LOW = "high", "low"
_ASKED = and_(
    queries.c.ns == query_edges.c.ns, queries.c.id == query_edges.c.query_id, queries.c.withdrawn_by.is_(None)
)
_COUNTS = exists(select(literal(1)).where(_ASKED).correlate(query_edges))
"""Whether the question of a row was not withdrawn."""

_IS_HIDDEN = exists(
    select(literal(1))
    .where(
        episodes.c.ns == query_edges.c.ns,
        episodes.c.id == query_edges.c.target_id,
        episodes.c.stands_until.is_not(None),
    )
    .correlate(query_edges)
)
_SINCE = (query_edges.c.ns == HERE, query_edges.c.kind.is_not(None), query_edges.c.evaluated_by.is_(None), _COUNTS)
_TOUCHING = Prepared(
    select(
        query_edges.c.target_id,
        query_edges.c.query_id,
        query_edges.c.kind,
        query_edges.c.led_to_insight,
        query_edges.c.entered_by.is_(None).label("waits"),
    )
    .where(
        *_SINCE, query_edges.c.target_id.in_(among("ids")), or_(query_edges.c.entered_by.is_(None), IN_GRAPH)
    )  # The index of all that was ever handed over says the same, and grows with every question.
    .with_hint(query_edges, "INDEXED BY query_edges_since", "sqlite")
)
_GATHERED = Prepared(
    select(query_edges.c.target_id)
    .where(*_SINCE, query_edges.c.entered_by.is_(None))
    .group_by(query_edges.c.target_id)
    .having(or_(func.count() >= bindparam("least"), _IS_HIDDEN))
    .order_by(query_edges.c.target_id)
)
_WAITING = Prepared(select(func.count()).select_from(query_edges).where(*_SINCE, query_edges.c.entered_by.is_(None)))
_HANDED = Prepared(
    select(query_edges.c.query_id).where(
        query_edges.c.ns == HERE,
        query_edges.c.target_id == bindparam("to"),
        query_edges.c.query_id.in_(among("ids")),
        _COUNTS,
    )
)
_ENTERED = Prepared(
    update(query_edges).where(
        query_edges.c.ns == HERE, query_edges.c.query_id == bindparam("of"), query_edges.c.target_id == bindparam("to")
    ),
    "kind",
    "led_to_insight",
    "entered_by",
)
_EVALUATED = Prepared(
    update(query_edges).where(
        query_edges.c.ns == HERE, query_edges.c.query_id == bindparam("of"), query_edges.c.target_id == bindparam("to")
    ),
    "evaluated_by",
)
_INSERT = Prepared(insert(edges))
_IS_THERE = Prepared(select(literal(1)).where(episodes.c.ns == HERE, episodes.c.id == bindparam("to")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """A question that touched an episode since the episode was last evaluated.

    Args:
        query_id: The question.
        target_id: The episode.
        kind: The kind of its edge.
        led_to_insight: Whether it led to insight.
        waits: Whether the edge is not in the graph yet.
    """

    query_id: str
    target_id: str
    kind: str
    led_to_insight: bool
    waits: bool


def touches(connection: Connection, ns: int, target_ids: Collection[str]) -> list[Touch]:
    """Give what touched some episodes since each was last evaluated, in the order of the questions."""
    found: list[tuple[Any, ...]] = _TOUCHING.all(connection, {"here": ns, "ids": as_json(sorted(target_ids))})
    made = [
        Touch(target_id=row[0], query_id=row[1], kind=row[2], led_to_insight=bool(row[3]), waits=bool(row[4]))
        for row in found
    ]
    return sorted(made, key=lambda one: one.query_id)  # SQLite would walk the namespace to give them in this order


def gathered(connection: Connection, ns: int, *, least: int) -> tuple[str, ...]:
    """Give episodes for which at least so many edges wait, and the hidden ones for which any does, sorted."""
    rows = _GATHERED.all(connection, {"here": ns, "least": least})
    return tuple(id_ for (id_,) in rows)


def count_waiting(connection: Connection, ns: int) -> int:
    """Count the edges that wait."""
    counted = _WAITING.first(connection, {"here": ns})
    assert counted is not None
    return counted[0]


def enter(batch: Batch, target_id: str, entering: Collection[Entering], *, evaluated: bool, reason: str) -> str | None:
    """Let edges to an episode enter the graph, as one event, and give its id; None where there is nothing to tell.

    Questions that are gone, were withdrawn or were not handed the episode are passed over.

    Raises:
        InvalidValue: An edge leads elsewhere, or the reason is not one word.
    """
    check_reason(reason)
    wanted = {one.edge.query_id: one for one in entering}
    for one in wanted.values():
        if one.edge.target_id != target_id:
            raise InvalidValue(
                f"An edge to {one.edge.target_id!r} cannot enter at {target_id!r}: name it with its own."
            )
    this = {"here": batch.ns, "to": target_id}
    if _IS_THERE.first(batch.connection, this) is None:
        return None
    touching = touches(batch.connection, batch.ns, [target_id]) if evaluated else []
    handed = _HANDED.all(batch.connection, {**this, "ids": as_json(sorted(wanted))})
    done = _change(batch, {id_: wanted[id_] for (id_,) in handed})
    if not done.added and not touching:
        return None
    event_id = batch.new_id()
    _write(batch, done, wanted, event_id)
    verdict = _evaluate(batch, target_id, touching, event_id, value=HIGH) if evaluated else {}
    batch.append_event(event_id, EventKind.QUERY_EDGES_ENTERED, target_id, {"reason": reason, **verdict, **done.body()})
    return event_id


def dismiss(batch: Batch, target_id: str) -> str | None:
    """Keep what waits for an episode in the store only, as one event; None where nothing touched it."""
    touching = touches(batch.connection, batch.ns, [target_id])
    if not touching:
        return None
    event_id = batch.new_id()
    verdict = _evaluate(batch, target_id, touching, event_id, value=LOW)
    batch.append_event(event_id, EventKind.QUERY_EDGES_DISMISSED, target_id, {"reason": "low_value", **verdict})
    return event_id


def _change(batch: Batch, wanted: Mapping[str, Entering]) -> ChangeSet:
    """Give the edges that come, and those of the same questions that they replace."""
    new = {
        id_: EdgeRow(
            source_id=id_,
            kind=one.edge.kind.value,
            target_id=one.edge.target_id,
            weight=float(one.weight),
            created_at=batch.recorded_at,
        )
        for id_, one in sorted(wanted.items())
    }
    there = edges_of_questions(batch, new, target_id=next(iter(new.values())).target_id) if new else ()
    same = {
        one.source_id for one in there if (one.kind, one.weight) == (new[one.source_id].kind, new[one.source_id].weight)
    }
    return ChangeSet(
        added=tuple(row for id_, row in new.items() if id_ not in same),
        removed=tuple(one for one in there if one.source_id not in same),
    )


def _write(batch: Batch, done: ChangeSet, wanted: Mapping[str, Entering], event_id: str) -> None:
    if not done.added:
        return
    delete_edges(batch, done.removed)
    _INSERT.run(batch.connection, *({"ns": batch.ns, **asdict(row)} for row in done.added))
    noted = [
        {
            "here": batch.ns,
            "of": row.source_id,
            "to": row.target_id,
            "kind": row.kind,
            "led_to_insight": wanted[row.source_id].edge.led_to_insight,
            "entered_by": event_id,
        }
        for row in done.added
    ]
    _ENTERED.run(batch.connection, *noted)
    touch(batch.connection, batch.ns, [row.source_id for row in done.added])


def _evaluate(
    batch: Batch, target_id: str, touching: Collection[Touch], event_id: str, *, value: str
) -> dict[str, float | int | str]:
    """Mark what touched an episode as evaluated, and say what the evaluation found."""
    mark = {"here": batch.ns, "to": target_id, "evaluated_by": event_id}
    _EVALUATED.run(batch.connection, *({**mark, "of": one.query_id} for one in touching))
    led = sum(one.led_to_insight for one in touching)
    return {"value": value, "share": led / len(touching) if touching else 0.0, "questions": len(touching)}
