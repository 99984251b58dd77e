"""The hits of a question, ranked and read as far as they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Hit, ScoreTerm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.flows.reading import ReadItems
    from evolore.recall.ranking import Ranking

_AHEAD = 4
"""How many times as many are ranked as were wanted first, when more are asked for after all."""


class Found:
    """The hits of a question.

    Args:
        rank_to: Gives a ranking of which the first so many places are right.
        items: What the question may see, as episodes.
    """

    def __init__(self, rank_to: Callable[[int], Ranking], items: ReadItems) -> None:
        self._rank_to = rank_to
        self.items = items
        self._ranking: Ranking | None = None
        self._ranked = 0
        self._read: list[Hit] = []

    def first(self, count: int) -> tuple[Hit, ...]:
        """Give that many hits, best first, or all where there are fewer."""
        ranking = self.ranking_to(count)
        items: list[int] = ranking.order[len(self._read) : count].tolist()
        self._read += self.hits(ranking, items, rank=len(self._read) + 1)
        return tuple(self._read[:count])

    def hits(self, ranking: Ranking, items: Sequence[int], *, rank: int = 1) -> tuple[Hit, ...]:
        """Read these items, and rank them in this order."""
        found = self.items.episodes(items)
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
