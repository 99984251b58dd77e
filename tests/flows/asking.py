"""Memories of which questions are asked and rated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.config import Settings
from evolore.domain.episode import EdgeKind, Episode, Statement
from evolore.domain.query import Hit, Intent, Query, Recall
from evolore.episodes.settings import IntegrationSettings
from evolore.flows.rate import RatedQuery
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import QUERY_EDGES
from evolore.queries.settings import QuerySettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.domain.episode import Edge
    from evolore.ports import Clock

TEXTS = (
    "Deploys run every Tuesday from the main branch.",
    "The office cat is called Miso.",
    "Anna's birthday is on the third of May.",
    "The bakery on Elm Street opens at seven.",
    "Our invoices are paid within thirty days.",
    "The lake freezes over in January.",
    "Violins are tuned in fifths.",
    "Bicycles are parked behind the shed.",
    "The museum closes on Mondays.",
    "Tomatoes need six hours of sun.",
    "Passwords expire after ninety days.",
    "The ferry takes forty minutes.",
)
"""Of twelve matters: none has an edge to another."""


def opened(store: Path, *, clock: Clock | None = None, integrates: bool = False, **queries: object) -> Memory:
    """Open a memory with some settings of questions; what is remembered is left alone unless it integrates.

    The offline embedder takes all to be of one matter, so that all would be linked.
    """
    integration = IntegrationSettings(enabled=integrates)
    settings = Settings(integration=integration, queries=QuerySettings(**queries))  # pyright: ignore[reportArgumentType] - each test names its own
    return Memory.open(store, embedder=HashingEmbedder(), clock=clock, settings=settings)


def rate(memory: Memory, query_id: str, rating: str, **said: object) -> RatedQuery:
    """Rate the answer to a question."""
    rated = memory.rate(query_id, rating, **said)  # pyright: ignore[reportArgumentType] - each test says its own
    assert isinstance(rated, RatedQuery)
    return rated


def filled(memory: Memory, *texts: str) -> list[str]:
    """Remember statements, and give their ids."""
    said = [Statement(text=text) for text in texts or TEXTS]
    return [one.id for one in memory.remember_many(said).episodes]


def recalled(memory: Memory, text: str, ids: Sequence[str], *, principal: str | None = None) -> Recall:
    """What a recall would be that handed over just these episodes."""
    hits: list[Hit] = []
    for rank, id_ in enumerate(ids, start=1):
        episode = memory.show(id_)
        assert isinstance(episode, Episode)
        hits.append(Hit(episode=episode, rank=rank, score=1.0 / rank))
    query = Query(text=text, principal=principal)
    return Recall(query=query, hits=tuple(hits), searched=len(ids), intent=Intent.FACTUAL, intent_confidence=0.5)


def graph_edges(memory: Memory, *ids: str) -> set[tuple[str, str, EdgeKind, float]]:
    """Give the edges of questions that are in the graph and lead to some episodes."""
    with memory._context.store.read(memory.namespace) as reader:
        found: Sequence[Edge] = reader.edges_around(ids, kinds=QUERY_EDGES, hidden=True)
    return {(edge.source_id, edge.target_id, edge.kind, edge.weight) for edge in found}


def waiting(memory: Memory, id_: str) -> int:
    """Count the edges that wait for an episode."""
    with memory._context.store.read(memory.namespace) as reader:
        touching = reader.touching([id_]).get(id_, ())
    return sum(edge.waits for edge in touching)


def touched_by(memory: Memory, id_: str) -> list[tuple[str, EdgeKind, bool]]:
    """Give what touched an episode since it was evaluated: question, kind, and whether it led to insight."""
    with memory._context.store.read(memory.namespace) as reader:
        found = reader.touching([id_]).get(id_, ())
    return [(one.query_id, one.kind, one.led_to_insight) for one in found]


def confidence(memory: Memory, id_: str) -> float:
    """Give the confidence of an episode."""
    episode = memory.show(id_)
    assert isinstance(episode, Episode)
    return episode.confidence


def arousal(memory: Memory, id_: str) -> float | None:
    """Give how strongly an episode was felt, as far as that was stated or moved."""
    episode = memory.show(id_)
    assert isinstance(episode, Episode)
    return episode.arousal
