"""Order the best hits by time and feeling: what an update edge joins, and what is about equally relevant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np

from evolore.domain.episode import Episode
from evolore.domain.query import Intent, Suppressed
from evolore.ports import IndexView
from evolore.recall.cost import SEED_CANDIDATES, weigh_by_cost
from evolore.recall.hits import ReadItems
from evolore.recall.question import Asked, AskedMatter, AskedState, read_question, rules_language
from evolore.recall.ranking import Ranking, Term
from evolore.recall.settings import Decay, DecaySettings
from evolore.recall.visibility import superseded_by
from evolore.text.forms import asked_forms, forms
from evolore.text.scripts import detect_language
from evolore.text.tokens import analyse, query_tokens
from evolore.text.vectors import Bools, Float32s, Float64s, Int32s, Intps

_COMPARED = 20
"""How many of the best are weighed: lower ones are rarely about the same matter."""

_LOOKS_AT = {Decay.NONE: 0, Decay.SEED: SEED_CANDIDATES, Decay.RIVAL: _COMPARED}

BAND = 0.3
"""How far ahead the older statement of a likely update may be for the newer to be lifted above it, in the unit of scores. Of
everyday statements that both hold, an older one is farther ahead of the newer in its own question in 72 to 90 of 100 cases
(``benchmarks/everyday.py``), and 4 of 100 such pairs have an edge: so of 1,000 of them, 4 to 11 change places wrongly."""

TOLD_BAND = 0.1
"""The same for what was stated to be strongly felt, where one asks for an account."""

MARGIN = 0.005
"""How far above what it overtakes an item is lifted."""

PENALTY = 0.1
"""What an item marked as superseded loses, at a time weight of 1, in the unit of scores."""

AROUSAL_GAP = 0.4
"""How much more strongly felt than another account, as was stated, one must be to be lifted above it where one asks for an account."""

FELT_BAND, FELT_GAP = 0.05, 0.1
"""The same two numbers for a question after a feeling, where estimates count too. Of old deep memories beside recent trifles of one
theme (``tests/data/everyday``, felt, visible) they put the deep one first for .47, .27 and .53 of the questions in English, Japanese
and Chinese, .13, .20 and .29 without; MADial's recall at 10 stays. A band of 0.2 reached .80, .53, .65, and cost MADial 4 to 6 points."""

_MOST_READ = 600
"""Characters of a text that are searched for words."""

_LEAST_SAID = 0.0035
"""A smaller push is not listed."""

_SECONDS_PER_DAY = 86_400.0
_NAMES = re.compile(r"\d[^\W\d_]|[^\W\d_]\d|\d{6}")
"""What names: letters with digits, or six digits. A shorter number may be the value that changed ("Is the code still 4417?")."""
_HIRAGANA = re.compile(r"[\u3041-\u309f]")
_END = re.compile(
    r"\b(?:before|prior to|until|till|preceded) (.+)|([^、。，？?\s]{1,12}?)(?:の前|より前|る前|た前|以前|之前|前|まで)",
    re.IGNORECASE,
)


class PushedBy(StrEnum):
    """Why something was pushed down."""

    NEWER = "a later statement replaces it, or possibly does"
    SUPERSEDED = "it is marked as superseded"
    OLDER_ASKED = "the question is after an earlier state"
    FELT = "another that is about as relevant is more strongly felt"


def weigh_by_time(
    ranking: Ranking,
    asked: Asked,
    *,
    at: float,
    view: IndexView,
    items: ReadItems,
    settings: DecaySettings,
    weights: tuple[float, float, float],
    updates: Callable[[Sequence[str]], Iterable[UpdatePair]],
) -> tuple[Ranking, tuple[Suppressed, ...]]:
    """Order the best of a ranking again by time and feeling; return what was pushed down, too."""
    best = ranking.order[: _LOOKS_AT[settings.decay]]
    if not best.size:
        return ranking, ()
    found = items.episodes(best.tolist())
    candidates = _candidates(ranking, best, found, as_of=asked.query.as_of, view=view, numbers=items.numbers[best])
    suppressed: tuple[Suppressed, ...] = ()
    if settings.decay is Decay.SEED:
        age_days = (at - candidates.times) / _SECONDS_PER_DAY
        age_days[~candidates.has_time] = np.nan
        arousal, recency = weigh_by_cost(
            candidates.scores, arousal=candidates.stated, age_days=age_days, weights=weights, rate=settings.rate
        )
    else:
        text = asked.query.text
        order = weigh_updates(
            candidates,
            updates([one.id for one in found]),
            question=text,
            asked=read_question(text, rules_language(text, detect_language(text))),
            intent=asked.intent,
            weights=weights,
        )
        arousal, recency = order.arousal, order.recency
        suppressed = tuple(
            Suppressed(
                episode_id=found[one.candidate].id,
                rival_id=None if one.rival is None else found[one.rival].id,
                penalty=one.penalty,
                reason=one.reason.value,
            )
            for one in order.pushed
        )
    for term, values in ((Term.AROUSAL, arousal), (Term.RECENCY, recency)):
        gained = np.zeros_like(ranking.score)
        gained[best] = values
        ranking = ranking.with_term(term, gained, limit=ranking.order.size)
    return ranking, suppressed


def _candidates(
    ranking: Ranking,
    best: Int32s,
    found: Sequence[Episode],
    *,
    as_of: datetime | None,
    view: IndexView,
    numbers: Int32s,
) -> Candidates:
    return Candidates(
        scores=ranking.score[best],
        times=view.times[numbers],
        numbers=numbers,
        has_time=~view.is_passage[numbers] | (view.days[numbers] > 0),
        # What documents say is not anyone's feeling.
        arousal=np.where(view.is_passage[numbers], np.float32(np.nan), view.arousal[numbers]),
        is_stated=view.is_arousal_given[numbers],
        subjects=view.subjects[numbers],
        is_superseded=superseded_by(as_of, view, numbers),
        texts=[one.text for one in found],
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """The best items of a ranking, best first; all have the shape (n,)."""

    scores: Float32s  #: What they were ranked by.
    times: Float64s  #: When each happened or was recorded, in seconds.
    numbers: Int32s  #: Item numbers: of two of the same time the higher came later.
    has_time: Bools  #: Whether the time says when it was said; false for a document's chunk without a date.
    arousal: Float32s  #: 0–1, NaN where it is not known.
    is_stated: Bools  #: Whether somebody stated that, and it is no estimate.
    subjects: Int32s  #: The number of the subject and attribute it states, -1 for none.
    is_superseded: Bools  #: Whether it is marked so.
    texts: Sequence[str]  #: What each says.

    @property
    def count(self) -> int:
        """How many there are."""
        return self.scores.size

    @property
    def stated(self) -> Float32s:
        """The arousal that was stated, NaN where none was."""
        return np.where(self.is_stated, self.arousal, np.float32(np.nan))


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatePair:
    """Two candidates of which one replaces the other, by their places."""

    older: int  #: What is replaced.
    newer: int  #: What replaces it.
    is_sure: bool  #: Whether it does so surely; else possibly.


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """A candidate that was pushed down."""

    candidate: int  #: Its place among the candidates.
    rival: int | None  #: The place of the one that it ranks behind; None where it has none.
    penalty: float  #: By how much it fell or was overtaken, above 0.
    reason: PushedBy  #: Why.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimeOrder:
    """What time and feeling do to the candidates' scores."""

    arousal: Float32s  #: What being strongly felt adds, shape (n,).
    recency: Float32s  #: What time adds or takes, shape (n,).
    pushed: tuple[Pushed, ...]  #: What was pushed down, each candidate at most once, the most first.


def weigh_updates(
    candidates: Candidates,
    updates: Iterable[UpdatePair],
    *,
    question: str,
    asked: AskedMatter,
    intent: Intent,
    weights: tuple[float, float, float],
) -> TimeOrder:
    """Return what time and feeling add to the candidates' scores.

    A question after a feeling lifts what is more strongly felt, as stated or estimated, above what is about as relevant; one that
    asks for an account of something, what was stated to be far more strongly felt. A question after how things are lifts the newer of two that an edge joins just above the older, where that one is at most ``BAND`` ahead,
    and puts what is superseded below what replaced it; a question after an earlier state does the reverse.

    Laws: without an edge nothing moves by time; a likely edge moves nothing where the question names the older alone by a code or
    a long number; nothing overtakes what is more than a band ahead but what a sure edge
    joins; with β = γ = 0 nothing moves; the order of the candidates does not matter.
    """
    held = [one for one in updates if one.is_sure or not _names(question, candidates.texts, one)]
    pairs: list[UpdatePair] = []
    in_time = np.lexsort((candidates.numbers, candidates.times)).tolist()
    keyed = [place for place in in_time if candidates.subjects[place] >= 0 and candidates.has_time[place]]
    for number, newer in enumerate(keyed):
        same = (older for older in keyed[:number] if candidates.subjects[older] == candidates.subjects[newer])
        pairs += [UpdatePair(older=older, newer=newer, is_sure=True) for older in same]
    weighing = _Weighing(candidates, [*held, *pairs])
    _, beta, gamma = weights
    is_felt = False
    if beta > 0.0 and intent is Intent.EMOTIONAL:
        is_felt = weighing.weigh_feeling(candidates.arousal, gap=FELT_GAP, band=FELT_BAND)
    elif beta > 0.0 and asked.wants_account:
        is_felt = weighing.weigh_feeling(candidates.stated, gap=AROUSAL_GAP, band=TOLD_BAND)
    if gamma > 0.0 and not is_felt:
        if asked.state in {AskedState.BEFORE, AskedState.FIRST}:
            weighing.prefer_older(asked.state, question)
        else:
            if not asked.wants_account:
                weighing.prefer_newer()
            weighing.mark_superseded(gamma)
    return weighing.result()


class _Weighing:
    """Moves the scores of the candidates."""

    def __init__(self, candidates: Candidates, updates: Sequence[UpdatePair]) -> None:
        self._candidates = candidates
        self._updates = updates
        self._scores: Float64s = candidates.scores.astype(np.float64)
        self._felt = np.zeros(candidates.count)
        self._pushed: dict[int, Pushed] = {}

    def weigh_feeling(self, felt: Float32s, *, gap: float, band: float) -> bool:
        """Lift what is more strongly felt above what is little ahead; return whether anything may be lifted.

        Only what is within a band of the best takes part: what is less relevant keeps its place.
        """
        arousal = felt.astype(np.float64)
        is_near = self._scores >= self._scores.max(initial=0.0) - band
        reach = np.where((arousal[:, np.newaxis] - arousal >= gap) & is_near[:, np.newaxis], band, 0.0)
        before = self._scores.copy()
        self._lift(reach, np.argsort(np.nan_to_num(arousal), kind="stable"), PushedBy.FELT)
        self._felt = self._scores - before
        return bool(reach.any())

    def prefer_newer(self) -> None:
        """Lift what replaces another above it."""
        self._lift(self._reach((one.newer, one.older, one.is_sure) for one in self._updates), self._in_time())

    def prefer_older(self, state: AskedState, question: str) -> None:
        """Lift the account that is asked for above those that replaced it, or that it replaced."""
        if not self._updates:
            return
        fitness = self._fitness(state, question)
        wins: list[tuple[int, int, bool]] = []
        for one in self._updates:
            first, second = sorted((one.older, one.newer), key=lambda place: -fitness[place])
            wins.append((first, second, one.is_sure))
        self._lift(self._reach(wins), np.argsort(fitness, kind="stable"), PushedBy.OLDER_ASKED)

    def mark_superseded(self, gamma: float) -> None:
        """Lower what was superseded, below what replaced it where that was found, too."""
        is_superseded = self._candidates.is_superseded
        for one in np.flatnonzero(is_superseded).tolist():
            by = [
                pair.newer
                for pair in self._updates
                if pair.is_sure and pair.older == one and not is_superseded[pair.newer]
            ]
            penalty = gamma * PENALTY
            if by:
                penalty = max(penalty, float(self._scores[one] - self._scores[by].min()) + MARGIN)
            self._scores[one] -= penalty
            self._note(one, by[0] if by else None, penalty, PushedBy.SUPERSEDED)

    def result(self) -> TimeOrder:
        """Return what was done to the scores."""
        moved = self._scores - self._candidates.scores.astype(np.float64)
        return TimeOrder(
            arousal=self._felt.astype(np.float32),
            recency=(moved - self._felt).astype(np.float32),
            pushed=tuple(sorted(self._pushed.values(), key=lambda one: (-one.penalty, one.candidate))),
        )

    def _reach(self, wins: Iterable[tuple[int, int, bool]]) -> Float64s:
        """Return how far ahead the second of a pair may be for the first to be lifted above it, shape (n, n)."""
        reach = np.zeros((self._candidates.count, self._candidates.count))
        for winner, loser, is_sure in wins:
            reach[winner, loser] = max(reach[winner, loser], np.inf if is_sure else BAND)
        return reach

    def _fitness(self, state: AskedState, question: str) -> Float64s:
        """Return how well each one's time is what is asked for: the last before what is set as the end, or the oldest."""
        in_time = self._in_time()
        ends = _end_words(question) if state is AskedState.BEFORE else frozenset[str]()
        held = [ends & _words(self._candidates.texts[one]) for one in in_time] if ends else []
        end = next((place for place, words in enumerate(held) if place and words), 0)
        fitness = np.zeros(len(in_time))
        for place, one in enumerate(in_time):
            fitness[one] = (place if place < end else -1 - place) if end else -place
        return fitness

    def _lift(self, reach: Float64s, in_order: Sequence[int] | Intps, reason: PushedBy = PushedBy.NEWER) -> None:
        """Lift every winner just above what it wins over, those that lose most first, so that who beats them rises further."""
        for winner in map(int, in_order):
            gaps = self._scores - self._scores[winner] + MARGIN
            overtaken = np.flatnonzero((reach[winner] > 0.0) & (gaps > 0.0) & (gaps <= reach[winner] + MARGIN))
            if overtaken.size:
                self._scores[winner] += float(gaps[overtaken].max())
                for one in overtaken.tolist():
                    self._note(one, winner, float(gaps[one]), reason)

    def _note(self, candidate: int, rival: int | None, penalty: float, reason: PushedBy) -> None:
        """Record that a candidate fell or was overtaken; of several reasons the heaviest stays."""
        known = self._pushed.get(candidate)
        if penalty >= _LEAST_SAID and (known is None or known.penalty < penalty):
            self._pushed[candidate] = Pushed(candidate=candidate, rival=rival, penalty=float(penalty), reason=reason)

    def _in_time(self) -> list[int]:
        return np.lexsort((self._candidates.numbers, self._candidates.times)).tolist()


def _names(question: str, texts: Sequence[str], pair: UpdatePair) -> bool:
    """Return whether a question names, by a code or a long number in any written form, what the older has and the newer has not."""
    named = {token for token in (*analyse(question), *asked_forms(question)) if _NAMES.search(token)}
    older, newer = (
        named & {*analyse(text), *forms(text)}
        for text in (texts[pair.older][:_MOST_READ], texts[pair.newer][:_MOST_READ])
    )
    return bool(older - newer)


def _words(text: str) -> frozenset[str]:
    return frozenset(query_tokens(text[:_MOST_READ]))


def _end_words(question: str) -> frozenset[str]:
    """Return the words of what a question sets as the end of what it asks for: "before Leeds"."""
    ends = " ".join(group for match in _END.finditer(question) for group in match.groups() if group)
    return frozenset(token for token in query_tokens(ends) if len(token) > 1 and not _HIRAGANA.search(token))
