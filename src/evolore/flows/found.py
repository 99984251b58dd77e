"""The hits of a question, ranked and read as far as they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Hit, ScoreTerm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    import numpy.typing as npt

    from evolore.ports import IndexView, StoreReader
    from evolore.recall.ranking import Ranking

_AHEAD = 4
"""How many times as many are ranked as were wanted first, when more are asked for after all."""


class Found:
    """The hits of a question.

    Args:
        rank_to: Gives a ranking of which the first so many places are right.
        view: The indexes.
        reader: Where episodes are read.
        numbers: Each item's number in the index, shape (items,).
    """

    def __init__(
        self,
        rank_to: Callable[[int], Ranking],
        view: IndexView,
        reader: StoreReader,
        *,
        numbers: npt.NDArray[np.int32],
    ) -> None:
        self._rank_to = rank_to
        self._view = view
        self._reader = reader
        self._numbers = numbers
        self._ranking: Ranking | None = None
        self._ranked = 0
        self._read: list[Hit] = []

    def ids(self, items: Sequence[int]) -> list[str]:
        """Give the episodes that are these items."""
        return [self._view.episode_ids[int(self._numbers[item])] for item in items]

    def first(self, count: int) -> tuple[Hit, ...]:
        """Give that many hits, best first, or all where there are fewer."""
        ranking = self.ranking_to(count)
        items: list[int] = ranking.order[len(self._read) : count].tolist()
        self._read += self.hits(ranking, items, rank=len(self._read) + 1)
        return tuple(self._read[:count])

    def hits(self, ranking: Ranking, items: Sequence[int], *, rank: int = 1) -> tuple[Hit, ...]:
        """Read these items, and rank them in this order."""
        found = self._reader.episodes(self.ids(items))
        return tuple(
            Hit(episode=episode, rank=place, score=float(ranking.score[item]), terms=_terms(ranking, item))
            for place, (episode, item) in enumerate(zip(found, items, strict=True), start=rank)
        )

    def ranking_to(self, count: int) -> Ranking:
        """Give a ranking of which that many places are right, or all where there are fewer."""
        if self._ranking is None or count > self._ranked:
            self._ranked = count if self._ranking is None else _AHEAD * count
            self._ranking = self._rank_to(self._ranked)
        return self._ranking


def _terms(ranking: Ranking, item: int) -> tuple[ScoreTerm, ...]:
    return tuple(ScoreTerm(name=term.value, value=float(values[item])) for term, values in ranking.terms.items())
