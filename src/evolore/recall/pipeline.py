"""The pipeline of recall: visibility, words and meaning, dates, graph, lessons, rivals, a judgement, then hits as they are wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from evolore.domain.citation import Citing, Level
from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.domain.query import EarlierQuestion, Hit, Query, bearing
from evolore.ports import IndexView, Tokenizer
from evolore.recall.dates import date_term, read_time, with_order
from evolore.recall.dense import Seen
from evolore.recall.evidence import Evidence, gather
from evolore.recall.expansion import Expander, by_depth, seen_among
from evolore.recall.graph import NameGraph, graph_term
from evolore.recall.hits import (
    EchoFolder,
    FoundHits,
    ReadItems,
    best_passages,
    by_rows,
    count_tokens,
    with_members,
    with_warnings,
    within_budget,
)
from evolore.recall.likelihood import Likelihoods
from evolore.recall.question import Asked
from evolore.recall.ranking import MeaningWeights, Ranking, Term, rank
from evolore.recall.reranking import Scored, by_judgement
from evolore.recall.settings import DecaySettings, IntentSettings, RecallSettings, RerankSettings, Superseded
from evolore.recall.standing import Standings
from evolore.recall.time_order import weigh_by_time
from evolore.recall.visibility import count_words, seen_by, superseded_by, with_states_of_heads, word_rarity
from evolore.recall.wholes import Wholes
from evolore.text.question_words import AskedWords
from evolore.text.scripts import detect_language
from evolore.text.tokens import estimate_tokens
from evolore.text.vectors import Vectors

if TYPE_CHECKING:
    from evolore.recall.reader import RecallReader

_FIRST = 100
"""So many places of the first ranking are right: as many as anything but a reranker looks at."""

_FEW = 8
"""How many hits are read first where a budget decides how many are given."""

_WHOLE_TOKENS = 200
"""How long a statement may be, in estimated tokens, to be given whole; of a longer one, the passages that say what is asked are
given."""

_NOT_JUDGED = Scored()

_First: TypeAlias = "Callable[[int], tuple[Hit, ...]]"
"""Reads that many hits, best first, or all where there are fewer."""


class PipelineSettings(Protocol):
    """What the stages are told, as a flow's context carries it."""

    @property
    def meaning_weights(self) -> MeaningWeights:
        """What meaning weighs against words."""
        ...

    @property
    def decay_settings(self) -> DecaySettings:
        """What time does to the order of hits."""
        ...

    @property
    def recall_settings(self) -> RecallSettings:
        """Where hits that another has superseded stand."""
        ...

    @property
    def intent_settings(self) -> IntentSettings:
        """What similarity, arousal and time weigh, by what a question is after."""
        ...

    @property
    def rerank_settings(self) -> RerankSettings:
        """How much a reranker's judgement counts."""
        ...

    @property
    def is_southern(self) -> bool:
        """Whether seasons are those of the southern hemisphere."""
        ...

    @property
    def tokenizer(self) -> Tokenizer | None:
        """What counts tokens; None for an estimate."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Learned:
    """What items gain by earlier questions, and from which.

    Args:
        gain: 0 up to ``learned_weight``, float32, shape (seen,).
        questions: The nearest first.
    """

    gain: npt.NDArray[np.float32]
    questions: tuple[EarlierQuestion, ...]


class Pipeline:
    """Ranks what a question may see, and gives as many hits as are asked for: those before stay as they were.

    Args:
        asked: The question.
        view: The indexes.
        reader: Where texts are read.
        lessons: Gives what the items that are seen gain by earlier questions, ages counted to a moment in seconds; None where
            nothing is gained.
        settings: What the stages are told.
        judged: What a reranker said of the first.
        centre_of: Gives the mean vector of texts of a language by the embedder; None where nobody looked at it: then hits have no
            likelihood.
    """

    def __init__(
        self,
        asked: Asked,
        *,
        view: IndexView,
        reader: RecallReader,
        lessons: Callable[[Seen, float], Learned | None],
        settings: PipelineSettings,
        judged: Scored = _NOT_JUDGED,
        centre_of: Callable[[Language], Vectors] | None = None,
    ) -> None:
        query, vector = asked.query, asked.vector
        view, heads = with_states_of_heads(query, view, reader)
        self._query, self._vector, self._settings = query, vector, settings
        self._view, self._reader = view, reader
        now = query.as_of or asked.now
        # Ages count to the beginning of today: so a recall gives the same scores, to the last bit, until tomorrow.
        aged_at = (query.as_of or now.replace(hour=0, minute=0, second=0, microsecond=0)).timestamp()
        self.seen = seen = Seen.of(view, seen_by(query, view, asked.matching))
        self.items = ReadItems(view, reader, seen.numbers)
        self.language = detect_language(query.text)
        self._citing = Citing(language=self.language, as_of=query.as_of)
        self._standings = Standings(query, view, reader, self.items, seen.numbers, heads)
        self.asked_time = read_time(
            query,
            language=self.language,
            now=now,
            view=view,
            seen=seen,
            is_southern=settings.is_southern,
        )
        gathered = gather(view, query, vector, language=self.language, seen=seen, weights=settings.meaning_weights)
        self.evidence: Evidence = gathered.evidence
        self.likelihood: float | None = None
        self._likelihoods: Likelihoods | None = None
        if centre_of is not None:
            self._likelihoods = Likelihoods(
                asked=asked, language=self.language, view=view, gathered=gathered, centre_of=centre_of
            )
        weights = settings.meaning_weights
        by_date = {} if self.asked_time is None else date_term(self.asked_time, view, seen)
        ranking = rank(gathered.evidence, weights=weights, limit=_FIRST, words=gathered.words, given=by_date)
        ranking = self._by_graph(ranking)
        ranking = gathered.meaning.with_likeness(ranking, vague=gathered.evidence.vague, weights=weights)
        learned = lessons(seen, aged_at)
        self.learned_from: tuple[EarlierQuestion, ...] = () if learned is None else learned.questions
        if learned is not None:
            ranking = ranking.with_term(Term.LEARNED, learned.gain, limit=_FIRST)
        if self.asked_time is not None:
            ranking = with_order(ranking, self.asked_time, view, seen)
        ranking, self.suppressed = weigh_by_time(
            ranking,
            asked,
            at=aged_at,
            view=view,
            items=self.items,
            settings=settings.decay_settings,
            weights=settings.intent_settings.weights(asked.intent),
            updates=self._standings.updates,
        )
        ranking = by_rows(ranking.to(max(_FIRST, len(judged.scores))), query.text, items=self.items)
        if judged.scores:
            ranking = by_judgement(ranking, judged, ids_of=self.items.ids, settings=settings.rerank_settings)
        self.ranking: Ranking = ranking

    def to(self, count: int) -> Ranking:
        """Return the ranking with so many places in order, or all where there are fewer."""
        ranking, depth = self._held(count), self._query.depth
        if depth is None:
            return ranking
        return by_depth(ranking, depth, count=count, ids_of=self.items.ids, reader=self._reader)

    def hits(self, cut: Callable[[str], Sequence[Span]]) -> tuple[Hit, ...]:
        """Return the hits as the question wants them, with the statements they were made of.

        Args:
            cut: Gives the passages of a long statement.
        """
        found = FoundHits(self.to, self.items, self._likelihoods)
        hits = self._shaped(found, cut)
        self.likelihood = found.likelihood
        return with_members(hits, self._vector, view=self._view, reader=self._reader)

    def _held(self, count: int) -> Ranking:
        """Return the ranking with so many places in order, without what is superseded where that is to stay out."""
        if self._settings.recall_settings.superseded is Superseded.LAST:
            return self.ranking.to(count)
        is_old = superseded_by(self._query.as_of, self._view, self.seen.numbers)
        ranking = self.ranking.to(count + int(is_old.sum()))
        return replace(ranking, order=ranking.order[~is_old[ranking.order]][:count])

    def _by_graph(self, ranking: Ranking) -> Ranking:
        view, evidence = self._view, self.evidence
        graph = NameGraph(view.names, self.seen.numbers, count=len(view.episode_ids))
        found = graph_term(self._query.text, ranking.score, graph, terms=evidence.terms, groups=evidence.groups)
        return ranking.with_term(Term.GRAPH, found, limit=_FIRST) if found.any() else ranking

    def _shaped(self, found: FoundHits, cut: Callable[[str], Sequence[Span]]) -> tuple[Hit, ...]:
        query, reader, tokenizer = self._query, self._reader, self._settings.tokenizer
        citing = self._citing
        if query.level is not Level.EPISODE:
            wholes = Wholes(found=found, evidence=self.evidence, reader=reader, level=query.level)
            first = self._bearing(lambda count: self._marked(wholes.first(count)))
            return as_many_as_fit(query, first, tokenizer, citing)
        first = EchoFolder(found.first).first if query.fold_echoes is not False else found.first
        words: list[AskedWords] = []

        cited = self._bearing(lambda count: self._marked([self._cited(hit, cut, words) for hit in first(count)]))
        if not query.expand:
            return as_many_as_fit(query, cited, tokenizer, citing)
        # Only siblings that would have been shown are folded: those that fit, each for itself.
        limit = query.limit if query.tokens is None else len(as_many_as_fit(query, cited, tokenizer, citing))
        budget = query.tokens
        expander = Expander(
            reader,
            is_seen=seen_among(self._view, self.seen.numbers.tolist()),
            fits=None if budget is None else lambda text: count_tokens(text, tokenizer) <= budget,
        )
        hits = tuple(with_warnings(hit) if hit.expansion else hit for hit in expander.expand(cited, limit=limit))
        return hits if budget is None else within_budget(hits, budget, tokenizer=tokenizer, citing=citing)

    def _bearing(self, first: _First) -> _First:
        """Return what reads the first hits that bear on the question, as far as its limit looks, with ranks of their own.

        It looks twice as far while what was looked at last held one that does.
        """
        query = self._query
        if not query.floor or self._likelihoods is None:
            return first

        def bearing_first(count: int) -> tuple[Hit, ...]:
            looked, held = count, -1
            while True:
                found = first(looked)
                hits = bearing(found, query.floor)
                if len(hits) >= count or len(hits) == held or len(found) < looked or looked >= query.limit:
                    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits[:count], start=1))
                looked, held = min(2 * looked, query.limit), len(hits)

        return bearing_first

    def _marked(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return hits with what is to be known of them before they are believed."""
        return self._standings.marked([with_warnings(hit) for hit in hits])

    def _cited(self, hit: Hit, cut: Callable[[str], Sequence[Span]], words: list[AskedWords]) -> Hit:
        """Return a long statement with the passages that say what is asked; the question's words are read for the first one."""
        text = hit.episode.text
        if hit.episode.document_id is not None or estimate_tokens(text) <= _WHOLE_TOKENS:
            return hit
        if not words:
            words.append(AskedWords.of(self._query.text, word_rarity([count_words(self._query, self._view)])))
        return replace(hit, passages=best_passages(text, cut(text), words[0]))


def as_many_as_fit(query: Query, first: _First, tokenizer: Tokenizer | None, citing: Citing) -> tuple[Hit, ...]:
    """Return the limit of hits, or as many as fit the budget; little more is read than is given."""
    if query.tokens is None:
        return first(query.limit)
    count = min(query.limit, _FEW)
    while True:
        hits = first(count)
        fitting = within_budget(hits, query.tokens, tokenizer=tokenizer, citing=citing)
        if len(fitting) < len(hits) or len(hits) < count or count >= query.limit:
            return fitting
        count = min(query.limit, 2 * count)
