"""The graph's say in a score: titles the question names, and what the best items lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.recall.asked_names import asked_names, titled_as_asked
from evolore.recall.best import at_the_top
from evolore.recall.name_links import Seeds, link_by_names, new_words
from evolore.recall.propagation import push

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.recall.evidence import TermScores
    from evolore.recall.graph_settings import GraphSettings
    from evolore.recall.name_graph import NameGraph
    from evolore.recall.propagation import ItemEdges

_SURE = 0.35
_FEW = 300
_FLOOR = 100
"""A seed is judged by how far it stands above the item of this place."""


def graph_term(
    question: str,
    scores: npt.NDArray[np.float32],
    graph: NameGraph,
    *,
    terms: TermScores,
    groups: npt.NDArray[np.int32],
    settings: GraphSettings,
    edges: ItemEdges | None = None,
) -> npt.NDArray[np.float32]:
    """Weigh items by what names say about them, in the unit of the scores.

    ``asked_title · named(i) + title_link · t(i) + walk · √π(i) + new_words · n(i)``. named(i): the question holds the
    title of the item's document. The best items by score and named(i) are seeds; t(i): a seed names that title; π(i):
    the share of walks from the seeds that end at the item, without those that never left it; n(i): the question's words
    the item adds to those of the seed it is linked from. Names in the question link nothing: what holds them, the
    words found already.

    Only items of titled documents gain anything, except over ``edges``.

    Args:
        question: As it was asked.
        scores: How good each item is by itself, shape (items,).
        graph: Items and names.
        terms: The question's words on the items.
        groups: A number per session or document, shape (items,).
        settings: What counts how much.
        edges: Edges besides those through names.

    Returns:
        At least 0; 0 for what was not reached. float32, shape (items,).
    """
    if not scores.size:
        return np.zeros(0, dtype=np.float32)
    asked = asked_names(question, graph)
    found = titled_as_asked(asked, graph, plain_share=settings.plain_share)
    found *= np.float32(settings.asked_title)
    seeds = best_seeds(scores + found, count=settings.seeds)
    if seeds.items.size:
        led = _led_to(graph, seeds, asked.numbers, terms=terms, groups=groups, settings=settings, edges=edges)
        found += np.float32(certainty(scores)) * led
    return found


def certainty(scores: npt.NDArray[np.float32]) -> float:
    """Tell how far the best item stands above the others, 0–1: squared, and 1 from 0.35 above the hundredth on.

    Where nothing stands out, what the best lead to is as unsure as they are; and among a few passages, where everything
    shares names with everything, it says little: half of it among 300.
    """
    top = scores[at_the_top(scores, _FLOOR + 1)]
    known = scores.size / (scores.size + _FEW)
    return known * min(1.0, max(0.0, float(top.max() - top.min()) / _SURE)) ** 2 if top.size else 0.0


def best_seeds(scores: npt.NDArray[np.float32], *, count: int) -> Seeds:
    """Give the best items and how far each stands above the hundredth, as a share of how far the best does.

    Returns:
        Best first, ties by number; none that stands no higher than the hundredth.
    """
    top = at_the_top(scores, _FLOOR + 1)
    top = top[np.argsort(-scores[top], kind="stable")][: _FLOOR + 1]
    height = scores[top] - scores[top[-1]]
    above = int(np.count_nonzero(height[:count] > 0.0))
    return Seeds(items=top[:above].astype(np.int32), trust=(height[:above] / max(height[0], 1e-9)).astype(np.float32))


def _led_to(
    graph: NameGraph,
    seeds: Seeds,
    barred: npt.NDArray[np.int32],
    *,
    terms: TermScores,
    groups: npt.NDArray[np.int32],
    settings: GraphSettings,
    edges: ItemEdges | None,
) -> npt.NDArray[np.float32]:
    """Add up what the seeds lead to."""
    links = link_by_names(graph, seeds, groups=groups, barred=barred, most_edges=settings.most_edges)
    start = np.zeros(graph.count, dtype=np.float64)
    start[seeds.items] = seeds.trust.astype(np.float64) ** 2
    start /= start.sum()
    reached = push(graph, start, barred=barred, settings=settings, edges=edges)
    items = np.flatnonzero(reached.mass)
    mass, began = reached.mass[items], start[items]
    came = np.maximum(mass - settings.stop_share * began, 0.0)
    came[mass == began] = 0.0  # walks that had nowhere to go
    found = new_words(links, seeds, terms)
    found *= np.float32(settings.new_words)
    found[items] += np.float32(settings.walk) * np.sqrt(came).astype(np.float32)
    found += np.float32(settings.title_link) * links.by_title
    return found
