"""The ranking of a question: evidence first, then what the best of it says of the others and of each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.flows.dates import date_term, read_time, with_order
from evolore.flows.decay import Asked, TimeWeigher
from evolore.flows.evidence import gather
from evolore.flows.hierarchy import by_depth
from evolore.flows.learned import learned
from evolore.flows.meaning import Seen
from evolore.flows.reading import ReadItems
from evolore.flows.reranking import Judged, by_judgement
from evolore.flows.seen import seen_by
from evolore.recall.graph import graph_term
from evolore.recall.name_graph import NameGraph
from evolore.recall.ranking import Term, rank
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from evolore.domain.answers import Intent, Query
    from evolore.domain.influences import EarlierQuestion, Suppressed
    from evolore.flows.context import Context
    from evolore.ports import IndexView, StoreReader
    from evolore.recall.evidence import Evidence
    from evolore.recall.ranking import Ranking

_FIRST = 100
"""So many places of the first ranking are right: as many as anything but a reranker looks at."""

_NOT_JUDGED = Judged()


class Ranked:
    """Ranks once, and gives as many places of the order as are asked for: those before stay as they were.

    Args:
        context: The settings.
        query: The question.
        vector: It as a unit vector, shape (dimension,).
        intent: What it is after.
        view: The indexes.
        reader: Where texts are read.
        judged: What a reranker said of the first.
    """

    def __init__(
        self,
        context: Context,
        query: Query,
        vector: npt.NDArray[np.float32],
        *,
        intent: Intent,
        view: IndexView,
        reader: StoreReader,
        judged: Judged = _NOT_JUDGED,
    ) -> None:
        self._context = context
        self._query = query
        self._view = view
        self._reader = reader
        self._judged = judged
        self._now = query.as_of or context.asked_now()
        # Ages count to the beginning of today: so a recall gives the same scores, to the last bit, until tomorrow.
        self._aged_at = query.as_of or self._now.replace(hour=0, minute=0, second=0, microsecond=0)
        self._vector = vector
        self._intent = intent
        self.suppressed: tuple[Suppressed, ...] = ()
        self.learned_from: tuple[EarlierQuestion, ...] = ()
        self.seen = Seen.of(view, seen_by(query, view, reader))
        self.items = ReadItems(view, reader, self.seen.numbers)
        self.asked_time = read_time(
            query,
            language=detect_language(query.text),
            now=self._now,
            view=view,
            seen=self.seen,
            settings=context.date_settings,
        )
        settings = context.recall_settings
        self._gathered = gather(view, query, vector, seen=self.seen, settings=settings)
        self.ranking = self._rank()

    @property
    def evidence(self) -> Evidence:
        """What is known of the items."""
        return self._gathered.evidence

    def to(self, count: int) -> Ranking:
        """Give the ranking with so many places in order, or all where there are fewer."""
        ranking, depth = self.ranking.to(count), self._query.depth
        if depth is None:
            return ranking
        settings = self._context.recall_settings
        return by_depth(ranking, depth, count=count, ids_of=self.items.ids, reader=self._reader, settings=settings)

    def _rank(self) -> Ranking:
        gathered, settings, dates = self._gathered, self._context.recall_settings, self._context.date_settings
        by_date = date_term(self.asked_time, self._view, self.seen, settings=dates)
        ranking = rank(gathered.evidence, settings=settings, limit=_FIRST, words=gathered.words, given=by_date)
        ranking = self._by_graph(ranking)
        ranking = gathered.meaning.with_likeness(ranking, vague=gathered.evidence.vague, settings=settings)
        ranking = self._by_lessons(ranking)
        ranking = with_order(ranking, self.asked_time, self._view, self.seen, settings=dates)
        ranking = self._by_time(ranking)
        judging = self._context.rerank_settings
        ranking = ranking.to(max(_FIRST, len(self._judged.scores)))
        return by_judgement(ranking, self._judged, ids_of=self.items.ids, settings=judging)

    def _by_graph(self, ranking: Ranking) -> Ranking:
        view, settings = self._view, self._context.graph_settings
        graph = NameGraph(
            view.names,
            self.seen.numbers,
            count=len(view.episode_ids),
            common_share=settings.common_share,
        )
        found = graph_term(
            self._query.text,
            ranking.score,
            graph,
            terms=self.evidence.terms,
            groups=self.evidence.groups,
            settings=settings,
        )
        return ranking.with_term(Term.GRAPH, found, limit=_FIRST) if found.any() else ranking

    def _by_lessons(self, ranking: Ranking) -> Ranking:
        context = self._context
        found = learned(
            self._query,
            self._vector,
            now=self._aged_at.timestamp(),
            view=self._view,
            reader=self._reader,
            seen=self.seen,
            space=context.matter_spaces.of(context.embedder.model),
            settings=context.query_settings,
        )
        if found is None:
            return ranking
        self.learned_from = found.questions
        return ranking.with_term(Term.LEARNED, found.gain, limit=_FIRST)

    def _by_time(self, ranking: Ranking) -> Ranking:
        context = self._context
        weigher = TimeWeigher(
            Asked(
                text=self._query.text,
                vector=self._vector,
                intent=self._intent,
                at=self._aged_at.timestamp(),
                as_of=self._query.as_of,
            ),
            view=self._view,
            items=self.items,
            numbers=self.seen.numbers,
            settings=context.decay_settings,
            weights=context.intent_settings,
            space=context.matter_spaces.of(context.embedder.model),
        )
        weighed = weigher.weigh(ranking, count=ranking.order.size)
        self.suppressed = weigher.suppressed
        return weighed
