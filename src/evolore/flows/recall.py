"""``recall``: the question is analysed and embedded, every item weighed, the best read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.answers import Hit, Recall, ScoreTerm
from evolore.flows.embedding import embed
from evolore.flows.evidence import gather
from evolore.flows.hierarchy import Expander, by_depth, seen_among
from evolore.flows.seen import seen_by
from evolore.ports import TextRole
from evolore.recall.ranking import rank

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.domain.answers import Query
    from evolore.flows.context import Context
    from evolore.ports import IndexView, StoreReader
    from evolore.recall.ranking import Ranking

_POOL = 4
"""How many times as many hits as are asked for are ranked where some of them may be folded."""


def recall(context: Context, query: Query) -> Recall:
    """Find what answers a question.

    Raises:
        NamespaceNotFound: Nothing was written to the namespace yet.
    """
    with context.store.read(context.namespace):
        pass  # an unknown namespace is said before the model is loaded
    vector = embed(context.embedder, [query.text], role=TextRole.QUERY)[0]
    settings = context.recall_settings
    with context.store.index(context.namespace) as (view, reader):
        seen = seen_by(query, view, reader)
        gathered = gather(view, query, vector, seen=seen, settings=settings)
        expands = settings.expand if query.expand is None else query.expand
        count = _POOL * query.limit if expands else query.limit
        ranking = rank(gathered.evidence, settings=settings, limit=count, words=gathered.words)
        found = _Found(ranking, view, reader, numbers=gathered.numbers)
        if query.depth is not None:
            found.ranking = by_depth(
                ranking, query.depth, count=count, ids_of=found.ids, reader=reader, settings=settings
            )
        if expands:
            is_seen = seen_among(view, seen.tolist())
            hits = Expander(reader, settings=settings, is_seen=is_seen).expand(found.first, limit=query.limit)
        else:
            hits = found.first(query.limit)
    return Recall(query=query, hits=hits, searched=gathered.evidence.count)


class _Found:
    """The hits of a ranking, read as they are asked for."""

    def __init__(
        self, ranking: Ranking, view: IndexView, reader: StoreReader, *, numbers: npt.NDArray[np.int32]
    ) -> None:
        self.ranking = ranking
        self._view = view
        self._reader = reader
        self._numbers = numbers
        self._read: list[Hit] = []

    def ids(self, items: Sequence[int]) -> list[str]:
        """Give the episodes that are these items."""
        return [self._view.episode_ids[int(self._numbers[item])] for item in items]

    def first(self, count: int) -> tuple[Hit, ...]:
        """Give that many hits, best first, or all where there are fewer."""
        ranking = self.ranking
        order = ranking.order
        if order.size < min(count, ranking.score.size):
            order = np.argsort(-ranking.score, kind="stable")  # rare: nearly all of many hits were folded
        items: list[int] = order[len(self._read) : count].tolist()
        found = self._reader.episodes(self.ids(items))
        self._read += [
            Hit(episode=episode, rank=rank, score=float(ranking.score[item]), terms=_terms(ranking, item))
            for rank, (episode, item) in enumerate(zip(found, items, strict=True), start=len(self._read) + 1)
        ]
        return tuple(self._read[:count])


def _terms(ranking: Ranking, item: int) -> tuple[ScoreTerm, ...]:
    return tuple(ScoreTerm(name=term.value, value=float(values[item])) for term, values in ranking.terms.items())
