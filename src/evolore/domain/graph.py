"""Neighbourhoods of episodes, as values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from evolore.domain.episode import Edge, EdgeKind, Episode
from evolore.domain.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An episode of a neighbourhood."""

    episode: Episode  #: What it says, in the state it was in at the neighbourhood's moment.
    distance: int  #: How many edges it is away from the centre; 0 for the centre.
    #: The number of the context it is of, from 0; None for the centre and for what is in no context.
    context: int | None = None
    #: The source statements merged into it, oldest first; none for a plain statement or passage.
    members: tuple[Episode, ...] = ()
    further: int = 0  #: How many edges lead from it to what is not among the nodes, as far as they were read.


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeContext:
    """Episodes around the centre that hang together without it."""

    number: int  #: Counted from 0, the largest first.
    ids: tuple[str, ...]  #: Its episodes, at least two: the one that is best joined to the others first.
    share: float  #: How much of what the centre's content edges weigh leads into it, 0–1.


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedAbout:
    """A question whose edge to the centre is in the graph."""

    query_id: str  #: The question.
    text: str  #: What was asked.
    kind: EdgeKind  #: What it led to: ``QUERY_INSIGHT``, ``QUERY_RETRIEVAL`` or ``QUERY_BYPASS``.
    weight: float  #: How much its edge counts, 0–1.


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood(Result):
    """An episode and what is around it."""

    centre: str  #: The id of the episode that was asked for.
    #: The centre, and then the others: the nearest first, of those the most strongly joined.
    nodes: tuple[Neighbour, ...]
    edges: tuple[Edge, ...]  #: What joins them, both ends among the nodes, the strongest first.
    contexts: tuple[EpisodeContext, ...]  #: Groups of nodes, the largest first.
    #: The ids of two that contradict each other while neither side was settled, the older first.
    conflicts: tuple[tuple[str, str], ...]
    depth: int  #: How many edges away was looked, 1–3.
    as_of: datetime | None  #: The moment it shows; None for now.
    truncated: bool  #: Whether there was more than the limit lets through.
    #: Questions whose edges to the centre entered the graph, the heaviest first, at most ten.
    questions: tuple[AskedAbout, ...] = ()

    def edges_of(self, id_: str) -> tuple[Edge, ...]:
        """Return the edges that begin or end at a node, the strongest first."""
        return tuple(edge for edge in self.edges if id_ in {edge.source_id, edge.target_id})
