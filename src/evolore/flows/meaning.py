"""How near in meaning the items of an index are to a question, and what is asked of the index for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.recall.candidates import candidates, evenly
from evolore.recall.likeness import Centre, blended, common_ground, likeness, shares_of
from evolore.recall.ranking import Term

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.ports import IndexView
    from evolore.recall.ranking import Ranking
    from evolore.recall.settings import RecallSettings
    from evolore.recall.spread import SpreadTerms

_NEAREST = 50
_UNKNOWN = 5
_BEST_BY_WORDS = 500
_ALIKE = 100
"""Up to so many hits, the same items are compared, so that the first hits do not depend on how many are wanted; for more,
as many as are wanted of the nearest, and ten times as many of the best by words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Which items of an index a question may see, and how they are numbered among themselves.

    Args:
        count: How many items the index has.
        numbers: Those that are seen, rising, shape (seen,).
        new_numbers: The place of each item among them, -1 for none, shape (items + 1,): the last answers for -1.
    """

    count: int
    numbers: npt.NDArray[np.int32]
    new_numbers: npt.NDArray[np.int32]

    @classmethod
    def of(cls, view: IndexView, numbers: npt.NDArray[np.int32]) -> Seen:
        """Make one of the numbers of the items that are seen, rising."""
        count = len(view.episode_ids)
        if numbers.size == count:
            return cls(count=count, numbers=numbers, new_numbers=np.append(numbers, np.int32(-1)))
        new_numbers = np.full(count + 1, -1, dtype=np.int32)
        new_numbers[numbers] = np.arange(numbers.size, dtype=np.int32)
        return cls(count=count, numbers=numbers, new_numbers=new_numbers)

    @property
    def is_all(self) -> bool:
        """Whether nothing is hidden, so that all numbers stay."""
        return self.numbers.size == self.count


class Meaning:
    """Compares the items a question may see with vectors: all of them, or those that can matter and a sample.

    Args:
        view: The indexes.
        vector: The question as a unit vector, shape (dimension,).
        seen: What it may see.
        words: What words say of what is seen.
        neighbours: Links among what is seen, shape (seen, 4).
        limit: How many hits are wanted.
    """

    def __init__(
        self,
        view: IndexView,
        vector: npt.NDArray[np.float32],
        seen: Seen,
        words: SpreadTerms,
        *,
        neighbours: npt.NDArray[np.int32],
        limit: int,
    ) -> None:
        self._view = view
        self._vector = vector
        self._seen = seen
        self._compared: npt.NDArray[np.int32] | None = None
        is_long = limit > _ALIKE
        near = _nearest(view, vector, seen, count=limit if is_long else _NEAREST)
        if near is not None:
            by_words = words.windowed + words.grouped
            self._compared = candidates(by_words, near, neighbours, count=10 * limit if is_long else _BEST_BY_WORDS)
        self.similarity = self._products(vector)
        self._centre: Centre | None = None

    @property
    def sample(self) -> npt.NDArray[np.int32] | None:
        """Items that stand for all where only some are compared; None where all are."""
        return None if self._compared is None else evenly(self._seen.numbers.size)

    def seen_from_centre(self, share: float) -> npt.NDArray[np.float32]:
        """Give the similarity with what all items have in common taken out of a part of it, shape (seen,).

        Args:
            share: How far, 0–1; more than 0 costs a look at the vectors of some 500 items.
        """
        if not (share and self.similarity.size):
            return self.similarity
        centre = self._find_centre()
        return blended(self.similarity, centre.centred(self._vector, self.similarity), share=share)

    def with_likeness(self, ranking: Ranking, *, vague: float, settings: RecallSettings) -> Ranking:
        """Add to a ranking what likeness to its best items says.

        Args:
            ranking: Without it.
            vague: How little the question's words say, 0–1.
            settings: How many the best are, and what likeness counts for.
        """
        weight = settings.likeness_weight * vague * ranking.dense_weight
        best = ranking.order[: settings.likeness_count]
        if not (weight and best.size):
            return ranking
        centre, shares = self._find_centre(), shares_of(ranking.score[best])
        ground = common_ground(self._view.vectors.rows_of(self._seen.numbers[best]), shares, centre=centre)
        found = likeness(self._products(ground), ground, centre=centre, best=best, shares=shares)
        return ranking.with_term(Term.LIKENESS, np.float32(weight) * found, limit=ranking.order.size)

    def _find_centre(self) -> Centre:
        if self._centre is None:
            some = self._seen.numbers[evenly(self._seen.numbers.size)]
            # Of a few texts, the mean is mostly the texts themselves.
            known = some.size / (some.size + _UNKNOWN)
            mean = np.asarray(known * self._view.vectors.rows_of(some).mean(axis=0), dtype=np.float32)
            self._centre = Centre(mean=mean, similarity=self._products(mean))
        return self._centre

    def _products(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Multiply each item's vector with another; NaN for items that are not compared."""
        seen, vectors = self._seen, self._view.vectors
        if self._compared is None:
            products = vectors.similarities(vector)
            return products if seen.is_all else products[seen.numbers]
        products = np.full(seen.numbers.size, np.nan, dtype=np.float32)
        products[self._compared] = vectors.similarities_of(vector, seen.numbers[self._compared])
        return products


def _nearest(
    view: IndexView, vector: npt.NDArray[np.float32], seen: Seen, *, count: int
) -> npt.NDArray[np.int32] | None:
    """Give the nearest items; None where most are hidden, because the nearest of all would be hidden too."""
    if 2 * seen.numbers.size < seen.count:
        return None
    near = view.vectors.nearest(vector, count=count)
    if near is None or seen.is_all:
        return near
    shown = seen.new_numbers[near]
    return shown[shown >= 0]
