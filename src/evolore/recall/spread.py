"""Spreading: what an item's neighbours and its session or document say for it.

A turn that answers a question often does not repeat the question's words; the turns around it do. So words and
similarity are lent to neighbours when a question is asked, and nothing of a neighbour is ever stored with an item.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from evolore.recall.evidence import TermScores

_BEFORE_AND_AFTER = (1, 2)
"""Columns of the neighbour links that are next to the item."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpreadTerms:
    """The question's words seen four ways, each float64 of shape (items,), at least 0.

    Args:
        own: Sum of the item's own scores.
        summed: ``own`` plus the lent share of each neighbour's ``own``.
        windowed: Sum over the terms of the larger of the item's own score and the best lent one.
        grouped: Sum over the terms of the best score anywhere in the item's group; at least ``own``.
    """

    own: npt.NDArray[np.float64]
    summed: npt.NDArray[np.float64]
    windowed: npt.NDArray[np.float64]
    grouped: npt.NDArray[np.float64]


def spread_terms(
    terms: TermScores,
    neighbours: npt.NDArray[np.int32],
    *,
    groups: npt.NDArray[np.int32],
    neighbour_share: float,
) -> SpreadTerms:
    """Lend each item's words to its neighbours and gather those of its group.

    With s(t, i) the score of term t on item i, N(i) its neighbours, G(i) its group and λ the share::

        summed(i)   = Σ_t s(t, i) + λ · Σ_{j ∈ N(i)} Σ_t s(t, j)
        windowed(i) = Σ_t max(s(t, i), λ · max_{j ∈ N(i)} s(t, j))
        grouped(i)  = Σ_t max_{j ∈ G(i)} s(t, j)

    Costs O(scores · 5 + items): each term touches only the items that hold it and their neighbours.

    Args:
        terms: Scores of the terms on items.
        neighbours: Mutual links, -1 for none, shape (items, 4).
        groups: A number from 0 per group, shape (items,).
        neighbour_share: λ, 0–1.
    """
    count = groups.size
    own = _add_up(terms.items, terms.scores, count)
    windowed = np.zeros(count)
    by_group = np.zeros(int(groups.max(initial=-1)) + 1)
    best_of_item = np.zeros(count, dtype=np.float32)
    best_of_group = np.zeros(by_group.size, dtype=np.float32)
    for items, scores in terms.rows():
        links = neighbours[items]
        has_neighbour = links >= 0
        lent = np.broadcast_to((scores * np.float32(neighbour_share))[:, None], links.shape)[has_neighbour]
        _add_best(windowed, best_of_item, np.concatenate((items, links[has_neighbour])), np.concatenate((scores, lent)))
        _add_best(by_group, best_of_group, groups[items], scores)
    return SpreadTerms(
        own=own,
        summed=own + neighbour_share * _lent_sum(own, neighbours),
        windowed=windowed,
        grouped=by_group[groups],
    )


def spread_similarity(
    similarity: npt.NDArray[np.float64], neighbours: npt.NDArray[np.int32], *, neighbour_share: float
) -> npt.NDArray[np.float64]:
    """Give what the items before and after lend to each item's similarity.

    Args:
        similarity: Centred, so that having neighbours is no advantage by itself, shape (items,).
        neighbours: Links, -1 for none, shape (items, 4).
        neighbour_share: Part that is lent, 0–1.
    """
    lent = np.zeros(similarity.size)
    for column in _BEFORE_AND_AFTER:
        links = neighbours[:, column]
        has_neighbour = links >= 0
        lent[has_neighbour] += similarity[links[has_neighbour]]
    return neighbour_share * lent


def _add_up(
    places: npt.NDArray[np.int32], values: npt.NDArray[np.float32] | npt.NDArray[np.float64], size: int
) -> npt.NDArray[np.float64]:
    return np.bincount(places, weights=values, minlength=size).astype(np.float64, copy=False)


def _lent_sum(own: npt.NDArray[np.float64], neighbours: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Add each item's score to its neighbours; items without a score lend nothing and cost nothing."""
    lenders = np.flatnonzero(own)
    links = neighbours[lenders]
    has_neighbour = links >= 0
    lent = np.broadcast_to(own[lenders][:, None], links.shape)[has_neighbour]
    return _add_up(links[has_neighbour], lent, own.size)


def _add_best(
    totals: npt.NDArray[np.float64],
    best: npt.NDArray[np.float32],
    places: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
) -> None:
    """Add the largest value of each place to its total; ``best`` is scratch, zero before and after."""
    np.maximum.at(best, places, values)
    # A place that occurs twice is assigned twice with the same sum, and so counted once.
    totals[places] += best[places]
    best[places] = 0.0
