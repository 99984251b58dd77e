"""The pipeline of recall: evidence, stages that each rank again, then hits as they are wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from evolore.domain.citation import Citing, Level
from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.domain.query import EarlierQuestion, Hit, Suppressed, bearing
from evolore.ports import IndexView, Tokenizer
from evolore.recall import hits as found_hits
from evolore.recall.dates import date_term, read_time, with_order
from evolore.recall.dense import Seen
from evolore.recall.evidence import gather
from evolore.recall.expansion import Expander, Wholes, by_depth, seen_among
from evolore.recall.graph import NameGraph, graph_term
from evolore.recall.likelihood import Likelihoods
from evolore.recall.question import Asked
from evolore.recall.ranking import MeaningWeights, Ranking, Term, rank
from evolore.recall.reader import RecallReader
from evolore.recall.settings import DecaySettings, IntentSettings, Superseded
from evolore.recall.standing import Standings
from evolore.recall.time_order import weigh_by_time
from evolore.recall.visibility import count_words, seen_by, superseded_by, with_states_of_heads, word_rarity
from evolore.text.question_words import AskedWords
from evolore.text.scripts import detect_language
from evolore.text.tokens import estimate_tokens
from evolore.text.vectors import Float32s, Vectors

_FIRST = 100
"""So many places of a ranking are right: as many as any stage looks at."""

_FEW = 8
"""How many hits are read first where a budget decides how many are given."""

_WHOLE_TOKENS = 200
"""How long a statement may be, in estimated tokens, to be given whole; of a longer one, the passages that say what is asked are
given."""

_First: TypeAlias = "Callable[[int], tuple[Hit, ...]]"
"""Reads that many hits, best first, or all where there are fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSettings:
    """Settings of the stages."""

    meaning: MeaningWeights  #: What meaning weighs against words.
    decay: DecaySettings  #: What time does to the order of hits.
    intents: IntentSettings  #: What similarity, arousal and time weigh, by what a question is after.
    superseded: Superseded  #: Where superseded hits go.
    is_southern: bool  #: Whether seasons are those of the southern hemisphere.
    tokenizer: Tokenizer | None  #: What counts tokens; None for an estimate.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Learned:
    """What items gain by earlier questions, and from which."""

    gain: Float32s  #: 0 up to ``learned_weight``, float32, shape (seen,).
    questions: tuple[EarlierQuestion, ...]  #: The nearest first.


class Pipeline:
    """Ranks what a question may see, and returns as many hits as are asked for; asking for more keeps the first ones.

    Args:
        asked: The question.
        view: The indexes.
        reader: Where texts are read.
        lessons: Returns what the items that are seen gain by earlier questions, ages counted to a moment in seconds; None where
            nothing is gained.
        settings: Settings of the stages.
        centre_of: Returns the mean vector of texts of a language by the embedder; None if it was not measured: then hits have no
            likelihood.
    """

    def __init__(
        self,
        asked: Asked,
        *,
        view: IndexView,
        reader: RecallReader,
        lessons: Callable[[Seen, float], Learned | None],
        settings: RankSettings,
        centre_of: Callable[[Language], Vectors] | None = None,
    ) -> None:
        query = asked.query
        view, heads = with_states_of_heads(query, view, reader)
        self._asked, self._query, self._settings, self._lessons = asked, query, settings, lessons
        self._view, self._reader = view, reader
        now = query.as_of or asked.now
        self._today = now.date()
        # Ages count to the beginning of today: so a recall returns the same scores, to the last bit, until tomorrow.
        self._aged_at = (query.as_of or now.replace(hour=0, minute=0, second=0, microsecond=0)).timestamp()
        self._seen = seen = Seen.of(view, seen_by(query, view, asked.matching))
        self._items = found_hits.ReadItems(view, reader, seen.numbers)
        self.searched = seen.numbers.size
        self.intent_weights = settings.intents.weights(asked.intent)
        self.language = language = detect_language(query.text)
        self._standings = Standings(query, view, reader, self._items, seen.numbers, heads)
        self.asked_time = read_time(
            query, language=language, now=now, view=view, seen=seen, is_southern=settings.is_southern
        )
        self._gathered = gather(view, query, asked.vector, language=language, seen=seen, weights=settings.meaning)
        self._likelihoods: Likelihoods | None = None
        if centre_of is not None:
            self._likelihoods = Likelihoods(
                asked=asked, language=language, view=view, gathered=self._gathered, centre_of=centre_of
            )
        self.likelihood: float | None = None
        self.learned_from: tuple[EarlierQuestion, ...] = ()
        self.suppressed: tuple[Suppressed, ...] = ()
        ranking = self._by_words_and_meaning()
        for stage in self._STAGES:
            ranking = stage(self, ranking)
        self.ranking: Ranking = ranking

    def hits(self, cut: Callable[[str], Sequence[Span]], *, count: int | None = None) -> tuple[Hit, ...]:
        """Return the hits as the question wants them, with the statements they were made of.

        Args:
            cut: Returns the passages of a long statement.
            count: How many, regardless of the question's budget; None for its limit, or as many as fit its budget.
        """
        found = found_hits.FoundHits(self._to, self._items, self._likelihoods)
        hits = self._shaped(found, cut, count)
        self.likelihood = found.likelihood
        return found_hits.with_members(hits, self._asked.vector, view=self._view, reader=self._reader)

    def _by_words_and_meaning(self) -> Ranking:
        by_date = {} if self.asked_time is None else date_term(self.asked_time, self._view, self._seen)
        gathered = self._gathered
        return rank(
            gathered.evidence, weights=self._settings.meaning, limit=_FIRST, words=gathered.words, given=by_date
        )

    def _by_graph(self, ranking: Ranking) -> Ranking:
        view, evidence = self._view, self._gathered.evidence
        graph = NameGraph(view.names, self._seen.numbers, count=len(view.episode_ids))
        found = graph_term(self._query.text, ranking.score, graph, terms=evidence.terms, groups=evidence.groups)
        return ranking.with_term(Term.GRAPH, found, limit=_FIRST) if found.any() else ranking

    def _by_likeness(self, ranking: Ranking) -> Ranking:
        gathered = self._gathered
        return gathered.meaning.with_likeness(ranking, vague=gathered.evidence.vague, weights=self._settings.meaning)

    def _by_lessons(self, ranking: Ranking) -> Ranking:
        learned = self._lessons(self._seen, self._aged_at)
        if learned is None:
            return ranking
        self.learned_from = learned.questions
        return ranking.with_term(Term.LEARNED, learned.gain, limit=_FIRST)

    def _by_order(self, ranking: Ranking) -> Ranking:
        return ranking if self.asked_time is None else with_order(ranking, self.asked_time, self._view, self._seen)

    def _by_time(self, ranking: Ranking) -> Ranking:
        ranking, self.suppressed = weigh_by_time(
            ranking,
            self._asked,
            at=self._aged_at,
            view=self._view,
            items=self._items,
            settings=self._settings.decay,
            weights=self.intent_weights,
            updates=self._standings.updates,
        )
        return ranking

    def _by_rows(self, ranking: Ranking) -> Ranking:
        return found_hits.by_rows(ranking.to(_FIRST), self._query.text, items=self._items)

    _STAGES = (_by_graph, _by_likeness, _by_lessons, _by_order, _by_time, _by_rows)
    """The stages, in this order."""

    def _to(self, count: int) -> Ranking:
        """Return the ranking with so many places in order, or all where there are fewer; without what is superseded where that stays out."""
        if self._settings.superseded is Superseded.LAST:
            ranking = self.ranking.to(count)
        else:
            is_old = superseded_by(self._query.as_of, self._view, self._seen.numbers)
            ranking = self.ranking.to(count + int(is_old.sum()))
            ranking = replace(ranking, order=ranking.order[~is_old[ranking.order]][:count])
        depth = self._query.depth
        if depth is None:
            return ranking
        return by_depth(ranking, depth, count=count, ids_of=self._items.ids, reader=self._reader)

    def _shaped(
        self, found: found_hits.FoundHits, cut: Callable[[str], Sequence[Span]], count: int | None
    ) -> tuple[Hit, ...]:
        query, reader, tokenizer = self._query, self._reader, self._settings.tokenizer
        if query.level is not Level.EPISODE:
            wholes = Wholes(found=found, evidence=self._gathered.evidence, reader=reader, level=query.level)
            return self._fitting(self._bearing(lambda most: self._marked(wholes.first(most)), count), count)
        first = found_hits.EchoFolder(found.first).first if query.fold_echoes is not False else found.first
        words: list[AskedWords] = []

        cited = self._bearing(lambda most: self._marked([self._cited(hit, cut, words) for hit in first(most)]), count)
        if not query.expand:
            return self._fitting(cited, count)
        # Only siblings that would have been shown are folded: those that fit, each for itself.
        limit = len(self._fitting(cited, count)) if query.tokens is not None else count or query.limit
        budget = query.tokens
        expander = Expander(
            reader,
            is_seen=seen_among(self._view, self._seen.numbers.tolist()),
            fits=None if budget is None else lambda text: found_hits.count_tokens(text, tokenizer) <= budget,
        )
        hits = tuple(
            found_hits.with_warnings(hit, self._today) if hit.expansion else hit
            for hit in expander.expand(cited, limit=limit)
        )
        if budget is None or count is not None:
            return hits
        return found_hits.within_budget(hits, budget, tokenizer=tokenizer, citing=self.citing)

    @property
    def citing(self) -> Citing:
        """How hits are written for a prompt."""
        return Citing(language=self.language, as_of=self._query.as_of)

    def _fitting(self, first: _First, count: int | None) -> tuple[Hit, ...]:
        """Return so many hits, or the question's limit, or as many as fit its budget; little more is read than is given."""
        query = self._query
        if query.tokens is None or count is not None:
            return first(count or query.limit)
        count = min(query.limit, _FEW)
        while True:
            hits = first(count)
            fitting = found_hits.within_budget(
                hits, query.tokens, tokenizer=self._settings.tokenizer, citing=self.citing
            )
            if len(fitting) < len(hits) or len(hits) < count or count >= query.limit:
                return fitting
            count = min(query.limit, 2 * count)

    def _bearing(self, first: _First, most: int | None) -> _First:
        """Return a reader of the first hits that are relevant to the question, within its limit, ranked among themselves.

        It reads twice as far while the part it read last held a relevant one.
        """
        query, most = self._query, most or self._query.limit
        if not query.floor or self._likelihoods is None:
            return first

        def bearing_first(count: int) -> tuple[Hit, ...]:
            looked, held = count, -1
            while True:
                found = first(looked)
                hits = bearing(found, query.floor)
                if len(hits) >= count or len(hits) == held or len(found) < looked or looked >= most:
                    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits[:count], start=1))
                looked, held = min(2 * looked, most), len(hits)

        return bearing_first

    def _marked(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return hits with what is to be known of them before they are believed."""
        return self._standings.marked([found_hits.with_warnings(hit, self._today) for hit in hits])

    def _cited(self, hit: Hit, cut: Callable[[str], Sequence[Span]], words: list[AskedWords]) -> Hit:
        """Return a long statement with the passages that say what is asked; the question's words are read for the first one."""
        text = hit.episode.text
        if hit.episode.document_id is not None or estimate_tokens(text) <= _WHOLE_TOKENS:
            return hit
        if not words:
            words.append(AskedWords.of(self._query.text, word_rarity([count_words(self._query, self._view)])))
        return replace(hit, passages=found_hits.best_passages(text, cut(text), words[0]))
