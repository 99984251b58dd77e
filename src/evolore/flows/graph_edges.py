"""Edges of a neighbourhood: which come first, and which say nothing that others do not say better."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.episodes import EdgeKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evolore.domain.episodes import Edge, Episode

_ALWAYS_FIRST = frozenset({EdgeKind.CONTRADICTS, EdgeKind.SUPERSEDES, EdgeKind.MEMBER, EdgeKind.BRANCH})
_DIGITS = 4


def strongest(edges: Iterable[Edge]) -> list[Edge]:
    """Order edges: contradictions, supersessions, members and branches first, then by weight, ties by ends and kind."""
    return sorted(
        edges,
        key=lambda edge: (
            edge.kind not in _ALWAYS_FIRST,
            -round(edge.weight, _DIGITS),
            edge.source_id,
            edge.target_id,
            edge.kind.value,
        ),
    )


def edges_between(episodes: Mapping[str, Episode], edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Give the edges with both ends among some episodes, the strongest first.

    Of several that lead on from one, or on to one, in a session, only that to the next turn is given. What was merged
    does not also follow, by its place, on what holds it.
    """
    inside = [edge for edge in strongest(edges) if {edge.source_id, edge.target_id} <= episodes.keys()]
    held = {frozenset({edge.source_id, edge.target_id}) for edge in inside if edge.kind is EdgeKind.MEMBER}
    turns = [
        edge
        for edge in inside
        if edge.kind is EdgeKind.SEQUENCE and frozenset({edge.source_id, edge.target_id}) not in held
    ]

    def place(id_: str) -> tuple[int, str]:
        return episodes[id_].position, id_

    next_to: dict[str, str] = {}
    last_before: dict[str, str] = {}
    for edge in turns:
        source, target = edge.source_id, edge.target_id
        next_to[source] = min(next_to.get(source, target), target, key=place)
        last_before[target] = max(last_before.get(target, source), source, key=place)
    kept = {
        (edge.source_id, edge.target_id)
        for edge in turns
        if next_to[edge.source_id] == edge.target_id and last_before[edge.target_id] == edge.source_id
    }
    return tuple(
        edge for edge in inside if edge.kind is not EdgeKind.SEQUENCE or (edge.source_id, edge.target_id) in kept
    )
