"""Questions that somebody rated without having asked stand anew where that counts no longer: what becomes of them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlalchemy import select

from evolore.domain.episodes import EdgeKind
from evolore.store.change_sets import EdgeRow
from evolore.store.handed_rows import handed_rows, outcomes_of
from evolore.store.prepared import HERE, Prepared, among, as_json
from evolore.store.query_rows import KINDS
from evolore.store.question_deltas import HandedDelta, OutcomeDelta, QuestionDeltas
from evolore.store.tables import edges, queries

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from evolore.ports import Reconsidered
    from evolore.store.handed_rows import HandedRow
    from evolore.store.place import Place
    from evolore.store.question_deltas import HandedState

_EDGES = Prepared(
    select(edges.c.source_id, edges.c.kind, edges.c.target_id, edges.c.weight, edges.c.created_at)
    .where(edges.c.ns == HERE, edges.c.source_id.in_(among("ids")), edges.c.kind.in_(KINDS))
    .order_by(edges.c.source_id, edges.c.kind, edges.c.target_id)
)
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


def edges_from(place: Place, query_ids: Iterable[str]) -> tuple[EdgeRow, ...]:
    """Give the edges of some questions that are in the graph."""
    found = _EDGES.all(place.connection, {"here": place.ns, "ids": as_json(sorted(query_ids))})
    names = ("source_id", "kind", "target_id", "weight", "created_at")
    return tuple(EdgeRow(**dict(zip(names, row, strict=True))) for row in found)


def restand(place: Place, anew: Collection[Reconsidered], *, event_id: str, recorded_at: str) -> Restanding:
    """Give what becomes of questions, once they led to something else and leave other edges.

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
    """Give the edge that enters the graph; None where none does."""
    if want.kind is None or want.weight is None:
        return None
    return EdgeRow(
        source_id=query_id, kind=want.kind, target_id=target_id, weight=float(want.weight), created_at=recorded_at
    )


def _gone(there: Sequence[EdgeRow], new: EdgeRow | None) -> list[EdgeRow]:
    """Give the edges that leave the graph: those of an insight that is none, and what another takes the place of."""
    if new is None:
        return [edge for edge in there if edge.kind == EdgeKind.QUERY_INSIGHT.value]
    return [edge for edge in there if (edge.kind, edge.weight) != (new.kind, new.weight)]


def _state(row: HandedRow, want: _Wanted, *, stays: bool, entered_by: str | None) -> HandedState:
    if entered_by is not None or not (stays or row.is_evaluated):
        return replace(row.state, kind=want.kind, led_to_insight=want.led_to_insight, entered_by=entered_by)
    return row.state
