"""The ranking of a question: evidence first, then what the best of it says of the others and of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.flows.dates import with_order
from evolore.recall.ranking import rank

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import numpy.typing as npt

    from evolore.domain.asked_times import AskedTime
    from evolore.flows.context import Context
    from evolore.flows.evidence import Gathered
    from evolore.ports import IndexView
    from evolore.recall.ranking import Ranking, Term

_FIRST = 100
"""So many places of the first ranking are right: as many as anything looks at."""


class Ranked:
    """Ranks once, and gives as many places of the order as are asked for: those before stay as they were.

    Args:
        context: The settings.
        gathered: What the indexes say.
        asked: What the question says about time.
        view: The indexes.
        by_date: What each item gains by that.
    """

    def __init__(
        self,
        context: Context,
        gathered: Gathered,
        *,
        asked: AskedTime | None,
        view: IndexView,
        by_date: Mapping[Term, npt.NDArray[np.float32]],
    ) -> None:
        self._context = context
        self._gathered = gathered
        self._asked = asked
        self._view = view
        self._by_date = by_date
        self._ranking: Ranking | None = None

    @property
    def ranking(self) -> Ranking:
        """The ranking, of which the first places are in order."""
        if self._ranking is None:
            self._ranking = self._rank()
        return self._ranking

    def to(self, count: int) -> Ranking:
        """Give the ranking with so many places in order, or all where there are fewer."""
        return self.ranking.to(count)

    def _rank(self) -> Ranking:
        gathered, settings = self._gathered, self._context.recall_settings
        ranking = rank(gathered.evidence, settings=settings, limit=_FIRST, words=gathered.words, given=self._by_date)
        stages: tuple[Callable[[Ranking], Ranking], ...] = (self._by_likeness, self._by_order)
        for stage in stages:
            ranking = stage(ranking)
        return ranking

    def _by_likeness(self, ranking: Ranking) -> Ranking:
        gathered, settings = self._gathered, self._context.recall_settings
        return gathered.meaning.with_likeness(ranking, vague=gathered.evidence.vague, settings=settings)

    def _by_order(self, ranking: Ranking) -> Ranking:
        settings = self._context.date_settings
        return with_order(ranking, self._asked, self._view, self._gathered.seen, settings=settings)
