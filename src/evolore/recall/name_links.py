"""Name links: what the best items say about others by naming the same, one step away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from evolore.recall.evidence import TermScores
    from evolore.recall.name_graph import NameGraph


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seeds:
    """The items that others are linked from, best first.

    Args:
        items: Their numbers, int32.
        trust: How good each is beside the best, 0–1, float32, same shape.
    """

    items: npt.NDArray[np.int32]
    trust: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NameLinks:
    """The strongest link to each item from a seed in a document of another title.

    A link is as strong as the seed is good times as the name in both is rare.

    Args:
        strength: 0–1, 0 where there is no link, float32, shape (items,).
        seed: Place among the seeds of the one it comes from, the better one where links tie; -1 for none. int32,
            shape (items,).
        by_title: The strongest link by a name that is the title of the item's document, float32, shape (items,).
    """

    strength: npt.NDArray[np.float32]
    seed: npt.NDArray[np.int32]
    by_title: npt.NDArray[np.float32]


def link_by_names(
    graph: NameGraph,
    seeds: Seeds,
    *,
    groups: npt.NDArray[np.int32],
    barred: npt.NDArray[np.int32],
    most_edges: int,
) -> NameLinks:
    """Find the items of other documents, and not of the same title, that share a name with a seed.

    Args:
        graph: Items and names.
        seeds: Where links come from.
        groups: A number per session or document, shape (items,).
        barred: Numbers of names that link nothing: those of the question, which are in the item by themselves.
        most_edges: The strongest names are followed until so many items were looked at.
    """
    inside = graph.names_in(seeds.items)
    rarity = graph.rarity(inside.ends)
    rarity[np.isin(inside.ends, barred)] = 0.0
    strength = seeds.trust[inside.rows] * rarity
    order = np.argsort(-strength, kind="stable")
    within = np.cumsum(graph.item_counts(inside.ends[order])) <= most_edges
    chosen = np.sort(order[within & (strength[order] > 0.0)])
    names, rows, strength = inside.ends[chosen], inside.rows[chosen], strength[chosen]
    links = graph.titled_items(names)
    origins = seeds.items[rows[links.rows]]
    leaves = (groups[links.ends] != groups[origins]) & (graph.titles(links.ends) != graph.titles(origins))
    ends, edges = links.ends[leaves].astype(np.intp), links.rows[leaves]  # numpy adds up fastest by its own numbers
    is_title = graph.titles(links.ends)[leaves] == names[edges]
    best = _largest(ends, strength[edges], graph.count)
    return NameLinks(
        strength=best,
        seed=_first(ends, rows[edges], is_best=strength[edges] == best[ends], count=graph.count),
        by_title=_largest(ends[is_title], strength[edges][is_title], graph.count),
    )


def new_words(links: NameLinks, seeds: Seeds, terms: TermScores) -> npt.NDArray[np.float32]:
    """Give how much of the question each linked item holds that the seed it is linked from does not.

    ``Σ_t max(s(t, item) − s(t, seed), 0) / Σ_t max_i s(t, i)``, times the strength of the link: the second half of a
    question counts for what the first half leads to.

    Args:
        links: From ``link_by_names``.
        seeds: The same.
        terms: The question's words on the items.

    Returns:
        0–1, float32, shape (items,).
    """
    matters = links.seed >= 0
    place = np.full(matters.size, -1, dtype=np.intp)
    place[seeds.items] = np.arange(seeds.items.size)
    kept = np.flatnonzero((matters | (place >= 0))[terms.items])
    items, scores = terms.items[kept], terms.scores[kept]
    rows = np.searchsorted(terms.starts, kept, side="right") - 1
    of_seeds = np.zeros((terms.starts.size, seeds.items.size), dtype=np.float32)
    of_seed = place[items] >= 0
    of_seeds[rows[of_seed], place[items[of_seed]]] = scores[of_seed]
    attainable = sum(float(row.max()) for _, row in terms.rows())
    linked = matters[items]
    items, rows = items[linked], rows[linked]
    gained = np.maximum(scores[linked] - of_seeds[rows, links.seed[items]], 0.0)
    found = np.bincount(items, weights=gained, minlength=matters.size) / max(attainable, 1e-9)
    return (found * links.strength).astype(np.float32)


def _largest(places: npt.NDArray[np.intp], values: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.float32]:
    largest = np.zeros(count, dtype=np.float32)
    np.maximum.at(largest, places, values)
    return largest


def _first(
    places: npt.NDArray[np.intp], rows: npt.NDArray[np.intp], *, is_best: npt.NDArray[np.bool_], count: int
) -> npt.NDArray[np.int32]:
    none = np.iinfo(np.int32).max
    first = np.full(count, none, dtype=np.int32)
    np.minimum.at(first, places[is_best], rows[is_best].astype(np.int32))
    first[first == none] = -1
    return first
