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
    from collections.abc import Iterable, Sequence

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
        summed: ``own`` plus the lent share of each neighbour's ``own``.
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
    neighbour_share: float,
) -> SpreadTerms:
    """Lend each item's words to its neighbours and gather those of its group.

    With s(t, i) the score of term t on item i, N(i) its neighbours, G(i) its group and λ the share::

        summed(i)   = Σ_t s(t, i) + λ · Σ_{j ∈ N(i)} Σ_t s(t, j)
        windowed(i) = Σ_t max(s(t, i), λ · max_{j ∈ N(i)} s(t, j))
        grouped(i)  = Σ_t max_{j ∈ G(i)} s(t, j)

    Costs O(scores · 5 + terms · items): where a term is in few items, it touches only those and their neighbours;
    where it is in many, a pass over all is faster than finding each.

    Args:
        terms: Scores of the terms on items.
        neighbours: Mutual links, -1 for none, shape (items, 4); no item is in a column twice.
        groups: A number from 0 per group, shape (items,).
        neighbour_share: λ, 0–1.
    """
    links = _columns(neighbours, range(neighbours.shape[1]))
    items = terms.items.astype(np.intp)  # numpy finds places fastest by its own kind of number
    own = np.bincount(items, weights=terms.scores, minlength=groups.size).astype(np.float32)
    summed = _lent(own, links, share=neighbour_share)
    summed += own
    return SpreadTerms(
        own=own,
        summed=summed,
        windowed=_windowed(terms, items, links, share=neighbour_share),
        grouped=_grouped(terms, items, groups),
    )


def spread_similarity(
    similarity: npt.NDArray[np.float32], neighbours: npt.NDArray[np.int32], *, neighbour_share: float
) -> npt.NDArray[np.float32]:
    """Give what the items before and after lend to each item's similarity.

    Args:
        similarity: Centred, so that having neighbours is no advantage by itself, shape (items,).
        neighbours: Links, -1 for none, shape (items, 4).
        neighbour_share: Part that is lent, 0–1.
    """
    return _lent(similarity, _columns(neighbours, _BEFORE_AND_AFTER), share=neighbour_share)


def _columns(neighbours: npt.NDArray[np.int32], columns: Iterable[int]) -> list[npt.NDArray[np.intp]]:
    """Give columns of links so that -1 leads to a place behind the last item."""
    links = [neighbours[:, column].astype(np.intp) for column in columns]
    for column in links:
        column[column < 0] = len(neighbours)
    return links


def _lent(
    values: npt.NDArray[np.float32], links: Iterable[npt.NDArray[np.intp]], *, share: float
) -> npt.NDArray[np.float32]:
    """Add up a share of the values of each item's neighbours."""
    padded = np.append(values, np.float32(0.0))  # the last answers for the neighbour that is none
    lent = np.zeros_like(values)
    for column in links:
        lent += np.take(padded, column)
    lent *= share
    return lent


def _windowed(
    terms: TermScores, items: npt.NDArray[np.intp], links: Sequence[npt.NDArray[np.intp]], *, share: float
) -> npt.NDArray[np.float32]:
    """Sum over the terms the larger of an item's own score and the best lent one."""
    window = _Window(links, share=share)
    for start, end in pairwise(terms.starts.tolist()):
        if start < end:
            window.add(items[start:end], terms.scores[start:end])
    return window.total


class _Window:
    """Adds, term after term, the best score that stands at each item or is lent to it.

    Args:
        links: Neighbours, column by column; the place behind the last item for none.
        share: Part of a score that is lent.
    """

    def __init__(self, links: Sequence[npt.NDArray[np.intp]], *, share: float) -> None:
        self._links = links
        self._share = np.float32(share)
        self._size = links[0].size
        # The last place takes what is lent to nobody.
        self._total = np.zeros(self._size + 1, dtype=np.float32)
        self._best = np.zeros(self._size + 1, dtype=np.float32)

    @property
    def total(self) -> npt.NDArray[np.float32]:
        """The sums, shape (items,)."""
        return self._total[: self._size]

    def add(self, items: npt.NDArray[np.intp], scores: npt.NDArray[np.float32]) -> None:
        """Add one term's scores on items, each once."""
        self._best[items] = scores
        if items.size * _DENSE_FROM > self._size:
            self._add_everywhere()
            self._best[items] = 0.0
        else:
            self._add_around(items, scores)

    def _add_everywhere(self) -> None:
        lent, other = np.take(self._best, self._links[0]), np.empty(self._size, dtype=np.float32)
        for column in self._links[1:]:
            np.take(self._best, column, out=other, mode="clip")  # any other mode copies what is taken
            np.maximum(lent, other, out=lent)
        lent *= self._share
        np.maximum(lent, self._best[: self._size], out=lent)
        self._total[: self._size] += lent

    def _add_around(self, items: npt.NDArray[np.intp], scores: npt.NDArray[np.float32]) -> None:
        lent = scores * self._share
        touched = [items]
        for column in self._links:
            near = np.take(column, items)
            self._best[near] = np.maximum(self._best[near], lent)
            touched.append(near)
        places = np.concatenate(touched)
        # A place that occurs twice is assigned twice with the same sum, and so counted once.
        self._total[places] += self._best[places]
        self._best[places] = 0.0


def _grouped(terms: TermScores, items: npt.NDArray[np.intp], groups: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    """Sum over the terms the best score anywhere in an item's group."""
    count = int(groups.max(initial=-1)) + 1
    # Each term and group has a number; items of a group mostly stand together, so its best are found run by run.
    numbers = groups[items] + count * np.repeat(np.arange(terms.starts.size - 1), np.diff(terms.starts))
    numbers, best = _best_of_runs(numbers, terms.scores)
    if np.any(numbers[1:] < numbers[:-1]):
        order = np.argsort(numbers, kind="stable")
        numbers, best = _best_of_runs(numbers[order], best[order])
    totals = np.bincount(numbers % max(count, 1), weights=best, minlength=count)
    return np.take(totals.astype(np.float32), groups)


def _best_of_runs(
    numbers: npt.NDArray[np.intp], scores: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """Give the number of each run of equal numbers and the best score in it."""
    if not numbers.size:
        return numbers, scores
    starts = np.flatnonzero(np.concatenate(([True], numbers[1:] != numbers[:-1])))
    return numbers[starts], np.maximum.reduceat(scores, starts)
