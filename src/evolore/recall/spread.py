"""Spreading: what an item's neighbours and its session or document say for it.

A turn that answers a question often does not repeat the question's words; the turns around it do. So words and
similarity are lent to neighbours when a question is asked, and nothing of a neighbour is ever stored with an item.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evolore.recall.evidence import TermScores

_BEFORE_AND_AFTER = (1, 2)
"""Columns of the neighbour links that are next to the item."""

_DENSE_FROM = 16
"""A pass over this many numbers costs about as much as finding one of them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpreadTerms:
    """The question's words seen four ways, each float32 of shape (items,), at least 0.

    Args:
        own: Sum of the item's own scores.
        summed: ``own`` plus a share of each neighbour's ``own``.
        windowed: Sum over the terms of the larger of the item's own score and the best lent one.
        grouped: Sum over the terms of the best score anywhere in the item's group; at least ``own``.
    """

    own: npt.NDArray[np.float32]
    summed: npt.NDArray[np.float32]
    windowed: npt.NDArray[np.float32]
    grouped: npt.NDArray[np.float32]


def spread_terms(
    terms: TermScores,
    neighbours: npt.NDArray[np.int32],
    *,
    groups: npt.NDArray[np.int32],
    neighbour_share: float | npt.NDArray[np.float32],
) -> SpreadTerms:
    """Lend each item's words to its neighbours and gather those of its group.

    With s(t, i) the score of term t on item i, N(i) its neighbours, G(i) its group and λ(i) the share it takes::

        summed(i)   = Σ_t s(t, i) + λ(i) · Σ_{j ∈ N(i)} Σ_t s(t, j)
        windowed(i) = Σ_t max(s(t, i), λ(i) · max_{j ∈ N(i)} s(t, j))
        grouped(i)  = Σ_t max_{j ∈ G(i)} s(t, j)

    Costs O(scores · 5 + terms · items): where a term is in few items, it touches only those and their neighbours;
    where it is in many, a pass over all is faster than finding each.

    Args:
        terms: Scores of the terms on items.
        neighbours: Mutual links, -1 for none, shape (items, 4).
        groups: A number from 0 per group, shape (items,).
        neighbour_share: λ, 0–1; or one for each item, shape (items,).
    """
    items = terms.items.astype(np.intp)  # numpy finds places fastest by its own kind of number
    own = np.bincount(items, weights=terms.scores, minlength=groups.size).astype(np.float32)
    shares = np.asarray(neighbour_share, dtype=np.float32)
    near = [np.take(column, items).astype(np.intp) for column in neighbours.T]
    taken = np.append(shares if shares.ndim else np.full(groups.size, shares), np.float32(0.0))
    lent = [terms.scores * taken[column] for column in near]
    homes = np.take(groups, items).astype(np.intp)
    windowed, by_group = _BestSum(groups.size), _BestSum(int(groups.max(initial=-1)) + 1)
    for start, end in pairwise(terms.starts.tolist()):
        row = slice(start, end)
        windowed.add(
            (items[row], terms.scores[row]),
            *((column[row], of_column[row]) for column, of_column in zip(near, lent, strict=True)),
        )
        by_group.add((homes[row], terms.scores[row]))
    summed = _lent(own, neighbours, share=neighbour_share, columns=range(neighbours.shape[1]))
    summed += own
    return SpreadTerms(
        own=own,
        summed=summed,
        windowed=windowed.total,
        grouped=by_group.total[groups],
    )


def spread_similarity(
    similarity: npt.NDArray[np.float32],
    neighbours: npt.NDArray[np.int32],
    *,
    neighbour_share: float | npt.NDArray[np.float32],
) -> npt.NDArray[np.float32]:
    """Give what the items before and after lend to each item's similarity.

    Args:
        similarity: Centred, so that having neighbours is no advantage by itself, shape (items,).
        neighbours: Links, -1 for none, shape (items, 4).
        neighbour_share: Part that is taken, 0–1; or one for each item, shape (items,).
    """
    return _lent(similarity, neighbours, share=neighbour_share, columns=_BEFORE_AND_AFTER)


def _lent(
    values: npt.NDArray[np.float32],
    neighbours: npt.NDArray[np.int32],
    *,
    share: float | npt.NDArray[np.float32],
    columns: Iterable[int],
) -> npt.NDArray[np.float32]:
    """Add up a share of the values of each item's neighbours."""
    padded = np.append(values, np.float32(0.0))  # the last answers for the neighbour that is none
    lent = np.zeros_like(values)
    for column in columns:
        lent += np.take(padded, neighbours[:, column], mode="wrap")  # twice as fast as indexing
    lent *= np.asarray(share, dtype=np.float32)
    return lent


class _BestSum:
    """Adds, term after term, the largest value each place was given for it.

    Args:
        size: How many places there are.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._totals = np.zeros(size + 1, dtype=np.float32)  # the last takes what is given to the place -1
        self._best = np.zeros(size + 1, dtype=np.float32)

    @property
    def total(self) -> npt.NDArray[np.float32]:
        """The sums, shape (places,)."""
        return self._totals[: self._size]

    def add(self, *given: tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]) -> None:
        """Add one term's largest values; a place may occur more than once, and -1 is no place."""
        for places, values in given:
            np.maximum.at(self._best, places, values)
        if sum(places.size for places, _ in given) * _DENSE_FROM > self._size:
            self._totals += self._best
            self._best.fill(0.0)
        else:
            touched = np.concatenate([places for places, _ in given])
            # A place that occurs twice is assigned twice with the same sum, and so counted once.
            self._totals[touched] += self._best[touched]
            self._best[touched] = 0.0
