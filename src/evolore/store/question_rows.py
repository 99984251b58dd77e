"""Questions and what was handed over for them as rows, and how those that no longer count are restored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from sqlalchemy import Connection, and_, bindparam, case, exists, func, literal, select, update

from evolore.domain.episode import EdgeKind
from evolore.ports import QUERY_EDGES, Reconsidered
from evolore.store.event_bodies import EdgeRow, HandedDelta, HandedState, OutcomeDelta, QuestionDeltas
from evolore.store.events import Batch
from evolore.store.sql import HERE, Prepared, Space, among, as_json, written_out
from evolore.store.tables import edges, namespaces, queries, query_edges

QUERY_KINDS = frozenset(kind.value for kind in QUERY_EDGES)
KINDS = tuple(written_out(kind) for kind in sorted(QUERY_KINDS))
"""The kinds of edges that start at a question, as constants of a statement."""

IN_GRAPH = exists(
    select(literal(1))
    .where(edges.c.ns == query_edges.c.ns, edges.c.source_id == query_edges.c.query_id)
    .where(edges.c.kind.in_(KINDS), edges.c.target_id == query_edges.c.target_id)
    .correlate(query_edges)
)
"""Whether the edge of a row is in the graph."""

_ERASED = Prepared(
    update(namespaces).where(namespaces.c.ns == HERE).values(query_erasures=namespaces.c.query_erasures + 1)
)
_TOUCH = Prepared(
    update(queries).where(queries.c.ns == HERE, queries.c.id.in_(among("ids"))).returning(queries.c.id), "touched_seq"
)
_THERE = Prepared(select(queries.c.id).where(queries.c.ns == HERE, queries.c.id.in_(among("ids"))))


def touch(batch: Batch, ids: Collection[str]) -> frozenset[str]:
    """Record that what some questions teach changed: open indexes read them again; return those that are there."""
    if not ids:
        return frozenset()
    named = {"here": batch.ns, "ids": as_json(sorted(ids)), "touched_seq": batch.counters.touch()}
    return frozenset(_TOUCH.scalars(batch.connection, named))


def count_erasure(connection: Connection, ns: int) -> None:
    """Record that questions left: open indexes start over."""
    _ERASED.run(connection, {"here": ns})


def there_of(connection: Connection, ns: int, ids: Collection[str]) -> frozenset[str]:
    """Return those of these questions that are there."""
    return frozenset() if not ids else frozenset(_THERE.scalars(connection, {"here": ns, "ids": as_json(sorted(ids))}))


_CITED_AT = case((query_edges.c.is_cited, func.coalesce(query_edges.c.cited_at, queries.c.recorded_at)))
"""Since when an answer rests on something: where no moment is known, since the question was recorded."""

_HANDED = Prepared(
    select(
        *query_edges.c["query_id", "target_id"],
        _CITED_AT,
        *query_edges.c["kind", "led_to_insight", "entered_by", "evaluated_by"],
    )
    .join(queries, and_(queries.c.ns == query_edges.c.ns, queries.c.id == query_edges.c.query_id))
    .where(query_edges.c.ns == HERE, query_edges.c.query_id.in_(among("ids")))
    .order_by(query_edges.c.query_id, query_edges.c.target_id)
)
_OUTCOMES = Prepared(
    select(queries.c.id, queries.c.outcome).where(queries.c.ns == HERE, queries.c.id.in_(among("ids")))
)
THIS_HANDED = update(query_edges).where(
    query_edges.c.ns == HERE, query_edges.c.query_id == bindparam("of"), query_edges.c.target_id == bindparam("to")
)
"""Changes the state of one episode that was handed over for a question."""

_STATE = Prepared(THIS_HANDED, "is_cited", "cited_at", "kind", "led_to_insight", "entered_by")
_HANDED_OUTCOME = Prepared(update(queries).where(queries.c.ns == HERE, queries.c.id == bindparam("of")), "outcome")


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedRow:
    """The state of one episode that was handed over for a question, and whether it was evaluated."""

    state: HandedState
    is_evaluated: bool


def handed_rows(place: Space, query_ids: Collection[str]) -> dict[tuple[str, str], HandedRow]:
    """Return the state of all that was handed over for some questions, by question and episode, sorted."""
    found = _HANDED.all(place.connection, {"here": place.ns, "ids": as_json(sorted(query_ids))})
    return {
        (row[0], row[1]): HandedRow(
            state=HandedState(cited_at=row[2], kind=row[3], led_to_insight=bool(row[4]), entered_by=row[5]),
            is_evaluated=row[6] is not None,
        )
        for row in found
    }


def outcomes_of(place: Space, query_ids: Collection[str]) -> dict[str, str]:
    """Return what some questions led to."""
    return dict(_OUTCOMES.all(place.connection, {"here": place.ns, "ids": as_json(sorted(query_ids))}))


def write_deltas(batch: Batch, deltas: QuestionDeltas) -> QuestionDeltas:
    """Write what becomes of questions where they are still as they were, and return what was written."""
    said, there = outcomes_of(batch, deltas.questions), handed_rows(batch, deltas.questions)
    states = {place: row.state for place, row in there.items()}
    left = QuestionDeltas(
        outcomes=tuple(one for one in deltas.outcomes if said.get(one.query_id) == one.old),
        handed=tuple(one for one in deltas.handed if states.get((one.query_id, one.target_id)) == one.old),
    )
    if left.outcomes:
        _HANDED_OUTCOME.run(
            batch.connection, *({"here": batch.ns, "of": one.query_id, "outcome": one.new} for one in left.outcomes)
        )
    _write(batch, left.handed)
    return left


def note_entered(batch: Batch, added: Iterable[EdgeRow], event_id: str) -> tuple[HandedDelta, ...]:
    """Record that edges which an event put into the graph are there, and return what changed by it.

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
        {"here": batch.ns, "of": one.query_id, "to": one.target_id, "is_cited": one.new.cited_at is not None}
        | asdict(one.new)
        for one in deltas
    ]
    if rows:
        _STATE.run(batch.connection, *rows)


EDGES_OF_QUESTIONS = (
    select(edges.c.source_id, edges.c.kind, edges.c.target_id, edges.c.weight, edges.c.created_at)
    .where(edges.c.ns == HERE, edges.c.source_id.in_(among("ids")), edges.c.kind.in_(KINDS))
    .order_by(edges.c.source_id, edges.c.kind, edges.c.target_id)
)
_EDGES = Prepared(EDGES_OF_QUESTIONS)
_WITHDRAWN = Prepared(
    select(queries.c.id).where(
        queries.c.ns == HERE, queries.c.id.in_(among("ids")), queries.c.withdrawn_by.is_not(None)
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restanding:
    """What becomes of questions: edges that come and go in the graph, outcomes, and what waits."""

    added: tuple[EdgeRow, ...] = ()
    removed: tuple[EdgeRow, ...] = ()
    deltas: QuestionDeltas


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What a question leaves to one episode: a kind and whether it led to insight, or nothing; and how it enters."""

    kind: str | None = None
    led_to_insight: bool = False
    weight: float | None = None


def edges_from(place: Space, query_ids: Iterable[str]) -> tuple[EdgeRow, ...]:
    """Return the edges of some questions that are in the graph."""
    found = _EDGES.mappings(place.connection, {"here": place.ns, "ids": as_json(sorted(query_ids))})
    return tuple(EdgeRow(**row) for row in found)


def restand(place: Space, anew: Collection[Reconsidered], *, event_id: str, recorded_at: str) -> Restanding:
    """Return what becomes of questions, once they led to something else and leave other edges.

    What was evaluated stays evaluated. Edges of questions that were withdrawn themselves do not enter.
    """
    by_id = {one.query_id: one for one in anew}
    there: dict[tuple[str, str], list[EdgeRow]] = defaultdict(list)
    for edge in edges_from(place, by_id):
        there[edge.source_id, edge.target_id].append(edge)
    rows, said = handed_rows(place, by_id), outcomes_of(place, by_id)
    withdrawn = {id_ for (id_,) in _WITHDRAWN.all(place.connection, {"here": place.ns, "ids": as_json(sorted(by_id))})}
    wanted = {place_: _wanted(by_id[place_[0]], place_[1], may_enter=place_[0] not in withdrawn) for place_ in rows}
    added, removed, handed = _changes(rows, wanted, there, event_id=event_id, recorded_at=recorded_at, anew=by_id)
    outcomes = tuple(
        OutcomeDelta(query_id=id_, old=said[id_], new=one.outcome.value)
        for id_, one in sorted(by_id.items())
        if said[id_] != one.outcome.value
    )
    return Restanding(
        added=tuple(added), removed=tuple(removed), deltas=QuestionDeltas(outcomes=outcomes, handed=tuple(handed))
    )


def _wanted(one: Reconsidered, target_id: str, *, may_enter: bool) -> _Wanted:
    entering = {entry.edge.target_id: entry.weight for entry in one.entering} if may_enter else {}
    for edge in one.edges:
        if edge.target_id == target_id:
            weight = entering.get(target_id)
            return _Wanted(kind=edge.kind.value, led_to_insight=edge.led_to_insight, weight=weight)
    return _Wanted()


def _changes(
    rows: Mapping[tuple[str, str], HandedRow],
    wanted: Mapping[tuple[str, str], _Wanted],
    there: Mapping[tuple[str, str], Sequence[EdgeRow]],
    *,
    event_id: str,
    recorded_at: str,
    anew: Mapping[str, Reconsidered],
) -> tuple[list[EdgeRow], list[EdgeRow], list[HandedDelta]]:
    added: list[EdgeRow] = []
    removed: list[EdgeRow] = []
    handed: list[HandedDelta] = []
    for (query_id, target_id), row in rows.items():
        want, edges_there = wanted[query_id, target_id], there.get((query_id, target_id), ())
        new = _edge(query_id, target_id, want, recorded_at)
        gone = _gone(edges_there, new)
        enters = new is not None and len(gone) == len(edges_there)
        added += [new] if new is not None and enters else []
        removed += gone
        stays = len(gone) < len(edges_there)
        state = _state(row, want, stays=stays, entered_by=event_id if enters else None)
        if anew[query_id].is_uncited:
            state = replace(state, cited_at=None)
        if state != row.state:
            handed.append(HandedDelta(query_id=query_id, target_id=target_id, old=row.state, new=state))
    return added, removed, handed


def _edge(query_id: str, target_id: str, want: _Wanted, recorded_at: str) -> EdgeRow | None:
    """Return the edge that enters the graph; None where none does."""
    if want.kind is None or want.weight is None:
        return None
    return EdgeRow(
        source_id=query_id, kind=want.kind, target_id=target_id, weight=float(want.weight), created_at=recorded_at
    )


def _gone(there: Sequence[EdgeRow], new: EdgeRow | None) -> list[EdgeRow]:
    """Return the edges that leave the graph: those of an insight that is none, and what another takes the place of."""
    if new is None:
        return [edge for edge in there if edge.kind == EdgeKind.QUERY_INSIGHT.value]
    return [edge for edge in there if (edge.kind, edge.weight) != (new.kind, new.weight)]


def _state(row: HandedRow, want: _Wanted, *, stays: bool, entered_by: str | None) -> HandedState:
    if entered_by is not None or not (stays or row.is_evaluated):
        return replace(row.state, kind=want.kind, led_to_insight=want.led_to_insight, entered_by=entered_by)
    return row.state
