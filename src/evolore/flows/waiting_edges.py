"""Which edges of questions at an episode are in the graph, and which wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.ports import QUERY_EDGES

if TYPE_CHECKING:
    from collections.abc import Collection

    from evolore.domain.episodes import Edge
    from evolore.ports import QueryEdge, StoreReader

_MOST_EDGES = 10_000


def query_edges_at(reader: StoreReader, target_ids: Collection[str]) -> tuple[Edge, ...]:
    """Give the edges of questions that are in the graph and lead to some episodes."""
    return reader.edges_around(tuple(target_ids), kinds=QUERY_EDGES, hidden=True, limit=_MOST_EDGES)


def touching_edges(reader: StoreReader, target_ids: Collection[str]) -> tuple[QueryEdge, ...]:
    """Give the edges to some episodes since each was last evaluated, those in the graph among them."""
    found = reader.touching(target_ids)
    return tuple(edge for id_ in sorted(found) for edge in found[id_])


def waiting_edges(reader: StoreReader, target_ids: Collection[str]) -> tuple[QueryEdge, ...]:
    """Give the edges that wait for some episodes to be evaluated."""
    return only_waiting(reader, touching_edges(reader, target_ids))


def only_waiting(reader: StoreReader, touching: Collection[QueryEdge]) -> tuple[QueryEdge, ...]:
    """Give those of some edges that are not in the graph."""
    if not touching:
        return ()
    entered = query_edges_at(reader, {edge.target_id for edge in touching})
    there = {(edge.source_id, edge.target_id) for edge in entered}
    return tuple(edge for edge in touching if (edge.query_id, edge.target_id) not in there)
