"""Edges as rows, and those of questions that wait at an episode until they enter the graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection, and_, bindparam, delete, exists, func, insert, literal, or_, select, update

from evolore.domain.episode import Edge, EdgeKind
from evolore.errors import InvalidValue
from evolore.ports import Entering, QueryEdge
from evolore.ports.changes import check_reason
from evolore.store.event_bodies import ChangeSet, EdgeRow, EventKind
from evolore.store.events import Batch, OpenedToWrite, Row
from evolore.store.forms import reader
from evolore.store.question_rows import EDGES_OF_QUESTIONS, IN_GRAPH, THIS_HANDED, touch
from evolore.store.sql import HERE, Opened, Prepared, among, as_json, as_json_rows, listed, part
from evolore.store.tables import edges, episodes, queries, query_edges

_NEVER_STORED = frozenset((EdgeKind.SEQUENCE, EdgeKind.HIERARCHY))
_LINKS = frozenset((EdgeKind.SEMANTIC, EdgeKind.ECHO))
_WANTED = listed("keys")
_THIS_EDGE = (
    edges.c.ns == bindparam("here"),
    edges.c.source_id == bindparam("source"),
    edges.c.kind == bindparam("of"),
    edges.c.target_id == bindparam("target"),
)
_AS_ROWS = (edges.c.source_id, edges.c.kind, edges.c.target_id, edges.c.weight, edges.c.created_at)
_ASKED_OF_ONE = Prepared(EDGES_OF_QUESTIONS.where(edges.c.target_id == bindparam("target")))
_KEY = tuple(column == part(_WANTED.c.value, place) for place, column in enumerate(_AS_ROWS[:3]))
_READ_EDGES = Prepared(select(*_AS_ROWS).select_from(_WANTED.outerjoin(edges, and_(edges.c.ns == HERE, *_KEY))))
_INSERT = Prepared(insert(edges))
_DELETE = Prepared(delete(edges).where(*_THIS_EDGE))
_WEIGH = Prepared(update(edges).where(*_THIS_EDGE).values(weight=bindparam("new")))
_PRESENT = Prepared(select(episodes.c.id).where(episodes.c.ns == bindparam("here"), episodes.c.id.in_(among("ids"))))


def edge_rows(batch: Batch, keys: Collection[tuple[str, str, str]]) -> dict[tuple[str, str, str], EdgeRow]:
    """Return those of these edges that are there."""
    if not keys:
        return {}
    rows = _READ_EDGES.mappings(batch.connection, {"here": batch.ns, "keys": as_json_rows(sorted(keys))})
    there = (EdgeRow(**row) for row in rows if row["source_id"] is not None)
    return {edge.key: edge for edge in there}


def _edges_of_questions(batch: Batch, query_ids: Iterable[str], target_id: str) -> tuple[EdgeRow, ...]:
    """Return the edges to an episode that start at some questions, in the order of their keys."""
    these = {"here": batch.ns, "ids": as_json(query_ids), "target": target_id}
    return tuple(EdgeRow(**row) for row in _ASKED_OF_ONE.mappings(batch.connection, these))


def insert_edges(batch: Batch, new: Iterable[EdgeRow]) -> None:
    """Write edges that are not there."""
    rows = [{"ns": batch.ns, **asdict(one)} for one in new]
    if rows:
        _INSERT.run(batch.connection, *rows)


def delete_edges(batch: Batch, gone: Iterable[EdgeRow]) -> None:
    """Delete edges by their keys."""
    rows = [_named_edge(batch, one.key) for one in gone]
    if rows:
        _DELETE.run(batch.connection, *rows)


def refuse_derived(new: Iterable[Edge]) -> None:
    """Refuse edges of kinds that follow from places."""
    for edge in new:
        if edge.kind in _NEVER_STORED:
            raise InvalidValue(f"An edge of kind {edge.kind.value!r} follows from places and is never stored.")


def _named_edge(batch: Batch, key: tuple[str, str, str]) -> Row:
    return {"here": batch.ns, "source": key[0], "of": key[1], "target": key[2]}


HIGH, LOW = "high", "low"
_ASKED_EDGES = and_(
    queries.c.ns == query_edges.c.ns, queries.c.id == query_edges.c.query_id, queries.c.withdrawn_by.is_(None)
)
_COUNTS = exists(select(literal(1)).where(_ASKED_EDGES).correlate(query_edges))
"""Whether the question of a row was not withdrawn."""

_IS_HIDDEN = exists(
    select(literal(1))
    .where(episodes.c.ns == query_edges.c.ns, episodes.c.id == query_edges.c.target_id)
    .where(episodes.c.stands_until.is_not(None))
    .correlate(query_edges)
)
_SINCE = (query_edges.c.ns == HERE, query_edges.c.kind.is_not(None), query_edges.c.evaluated_by.is_(None), _COUNTS)
_TOUCHING = Prepared(
    select(
        *query_edges.c["target_id", "query_id", "kind", "led_to_insight"],
        query_edges.c.entered_by.is_(None).label("waits"),
    ).where(*_SINCE, query_edges.c.target_id.in_(among("ids")), or_(query_edges.c.entered_by.is_(None), IN_GRAPH)),
    # The index of all that was ever handed over says the same, and grows with every question.
    by_index=(query_edges, "query_edges_since"),
)
_GATHERED = Prepared(
    select(query_edges.c.target_id)
    .where(*_SINCE, query_edges.c.entered_by.is_(None))
    .group_by(query_edges.c.ns, query_edges.c.target_id)
    .having(or_(func.count() >= bindparam("least"), _IS_HIDDEN))
    .order_by(query_edges.c.target_id)
)
_WAITING = Prepared(select(func.count()).select_from(query_edges).where(*_SINCE, query_edges.c.entered_by.is_(None)))
_HANDED = Prepared(
    select(query_edges.c.query_id)
    .where(query_edges.c.ns == HERE, query_edges.c.target_id == bindparam("to"))
    .where(query_edges.c.query_id.in_(among("ids")), _COUNTS)
)
_ENTERED = Prepared(THIS_HANDED, "kind", "led_to_insight", "entered_by")
_EVALUATED = Prepared(THIS_HANDED, "evaluated_by")


_IS_THERE = Prepared(select(literal(1)).where(episodes.c.ns == HERE, episodes.c.id == bindparam("to")))


_to_touch = reader(QueryEdge, query_edges, waits=lambda row: bool(row["waits"]))


def touches(connection: Connection, ns: int, target_ids: Collection[str]) -> list[QueryEdge]:
    """Return what touched some episodes since each was last evaluated, in the order of the questions."""
    found = _TOUCHING.mappings(connection, {"here": ns, "ids": as_json(sorted(target_ids))})
    # SQLite would walk the namespace to return them in this order.
    return sorted(map(_to_touch, found), key=lambda one: one.query_id)


class EdgeReader(Opened):
    """One namespace's edges of questions that wait, at one moment."""

    def touching(self, target_ids: Collection[str]) -> Mapping[str, tuple[QueryEdge, ...]]:
        """Return the edges to each of these episodes since it was last evaluated, those in the graph among them.

        In the order of the questions; episodes without any are left out.
        """
        found: dict[str, list[QueryEdge]] = {}
        for edge in touches(self._connection, self._ns, target_ids):
            found.setdefault(edge.target_id, []).append(edge)
        return {id_: tuple(found[id_]) for id_ in sorted(found)}

    def gathered(self, *, least: int) -> tuple[str, ...]:
        """Return episodes for which at least so many edges wait, and represented ones for which any wait.

        Sorted.
        """
        return tuple(_GATHERED.scalars(self._connection, {"here": self._ns, "least": least}))


def count_waiting(connection: Connection, ns: int) -> int:
    """Count the edges that wait."""
    (count,) = _WAITING.scalars(connection, {"here": ns})
    return count


class EdgeWriter(OpenedToWrite):
    """One namespace's edges, inside a write transaction."""

    def enter_query_edges(
        self, target_id: str, entering: Collection[Entering], *, evaluated: bool, reason: str, at: datetime
    ) -> str | None:
        """Put edges to one episode into the graph, as one event, and return its id; None where none entered.

        One that waits does so no longer; one from the same question in the graph takes the new kind and weight.
        Questions that are gone, were withdrawn or were not handed the episode are passed over.

        Args:
            target_id: The episode.
            entering: The edges, whether or not they waited.
            evaluated: Whether this was the evaluation of the episode: then all that touched it counts as evaluated.
            reason: Why, as one word of small letters and underscores.
            at: When.

        Raises:
            InvalidValue: An edge leads elsewhere, or the reason is not one word.
        """
        batch = self._batch(at)
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
        body = {"reason": reason, **verdict, **done.body()}
        batch.append_event(event_id, EventKind.QUERY_EDGES_ENTERED, target_id, body)
        return event_id

    def dismiss_query_edges(self, target_id: str, *, at: datetime) -> str | None:
        """Keep the edges that wait for an episode in the store only, as one event: it was evaluated as of low value.

        None where nothing touched it since it was last evaluated.
        """
        batch = self._batch(at)
        touching = touches(batch.connection, batch.ns, [target_id])
        if not touching:
            return None
        event_id = batch.new_id()
        verdict = _evaluate(batch, target_id, touching, event_id, value=LOW)
        batch.append_event(event_id, EventKind.QUERY_EDGES_DISMISSED, target_id, {"reason": "low_value", **verdict})
        return event_id

    def link(self, edges: Collection[Edge], *, at: datetime) -> None:
        """Write edges that follow from the texts: ``SEMANTIC`` and ``ECHO``. They have no event, and cannot be undone.

        One that is there takes the weight given, and keeps when it was made. Edges of episodes that are not there any
        more are left out. How many an episode has is the caller's to bound.
        """
        batch = self._batch(at)
        for edge in edges:
            if edge.kind not in _LINKS:
                raise InvalidValue(f"An edge of kind {edge.kind.value!r} cannot be linked: write it with a change.")
        wanted = {(edge.source_id, edge.kind.value, edge.target_id): float(edge.weight) for edge in edges}
        ends = {end for source, _, target in wanted for end in (source, target)}
        present = frozenset(_PRESENT.scalars(batch.connection, {"here": batch.ns, "ids": as_json(sorted(ends))}))
        there = edge_rows(batch, wanted)
        insert_edges(
            batch,
            [
                EdgeRow(source_id=key[0], kind=key[1], target_id=key[2], weight=weight, created_at=batch.recorded_at)
                for key, weight in wanted.items()
                if key not in there and key[0] in present and key[2] in present
            ],
        )
        changed = [
            {**_named_edge(batch, key), "new": weight}
            for key, weight in wanted.items()
            if key in there and there[key].weight != weight
        ]
        if changed:
            _WEIGH.run(batch.connection, *changed)


def _change(batch: Batch, wanted: Mapping[str, Entering]) -> ChangeSet:
    """Return the edges that come, and those of the same questions that they replace."""
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
    there = _edges_of_questions(batch, new, next(iter(new.values())).target_id) if new else ()
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
    insert_edges(batch, done.added)
    _ENTERED.run(
        batch.connection,
        *(
            {"here": batch.ns, "of": row.source_id, "to": row.target_id, "kind": row.kind, "entered_by": event_id}
            | {"led_to_insight": wanted[row.source_id].edge.led_to_insight}
            for row in done.added
        ),
    )
    touch(batch, [row.source_id for row in done.added])


def _evaluate(
    batch: Batch, target_id: str, touching: Collection[QueryEdge], event_id: str, *, value: str
) -> dict[str, float | int | str]:
    """Mark what touched an episode as evaluated, and say what the evaluation found."""
    mark = {"here": batch.ns, "to": target_id, "evaluated_by": event_id}
    _EVALUATED.run(batch.connection, *({**mark, "of": one.query_id} for one in touching))
    led = sum(one.led_to_insight for one in touching)
    return {"value": value, "share": led / len(touching) if touching else 0.0, "questions": len(touching)}
