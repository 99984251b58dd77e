"""Rivals: what time and feeling do to a ranking; among the best candidates, what holds stands above other accounts of the same matter."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.domain.query import Intent, Suppressed
from evolore.recall.cost import SEED_CANDIDATES, UNKNOWN_AROUSAL, weigh_by_cost
from evolore.recall.dense import MatterSpace
from evolore.recall.question import AskedState, read_question, rules_language
from evolore.recall.ranking import Term
from evolore.recall.settings import Decay
from evolore.recall.succession import PairMarker, is_of_another
from evolore.recall.visibility import superseded_by
from evolore.text.changes import read_signs
from evolore.text.scripts import detect_language
from evolore.text.tokens import query_tokens, token_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from evolore.domain.episode import Episode
    from evolore.domain.language import Language
    from evolore.ports import EmbeddingModel, IndexView
    from evolore.recall.hits import ReadItems
    from evolore.recall.question import Asked, AskedMatter
    from evolore.recall.ranking import Ranking
    from evolore.recall.settings import DecaySettings


_RIVALS = 20
"""How many of the best are compared with each other: what stands lower is rarely about the same matter."""

_LOOKS_AT = {Decay.NONE: 0, Decay.SEED: SEED_CANDIDATES, Decay.RIVAL: _RIVALS}
"""How many of the best are weighed."""


def no_matter(model: EmbeddingModel) -> Mapping[str, npt.NDArray[np.float32]]:  # noqa: ARG001 - stands in for one that looks
    """Say of every model that nobody looked where it puts texts."""
    return {}


class MatterSpaces:
    """Where models put texts of each language, each read when the first question is asked by it.

    Args:
        shipped: Gives what was found beforehand for a model, as ``MatterSpace.from_arrays`` takes it.
    """

    def __init__(self, shipped: Callable[[EmbeddingModel], Mapping[str, npt.NDArray[np.float32]]] = no_matter) -> None:
        self._shipped = shipped
        self._known: dict[EmbeddingModel, MatterSpace] = {}

    def of(self, model: EmbeddingModel) -> MatterSpace:
        """Give that of a model."""
        if model not in self._known:
            self._known[model] = MatterSpace.from_arrays(self._shipped(model))
        return self._known[model]


def weigh_by_time(
    ranking: Ranking,
    asked: Asked,
    *,
    at: float,
    view: IndexView,
    items: ReadItems,
    numbers: npt.NDArray[np.int32],
    settings: DecaySettings,
    weights: tuple[float, float, float],
) -> tuple[Ranking, tuple[Suppressed, ...]]:
    """Order the best of a ranking anew by time and feeling, and say what was pushed down.

    Args:
        ranking: The order so far.
        asked: The question.
        at: The moment ages are counted to, in seconds: what is later is of today.
        view: The indexes.
        items: What it may see, as episodes.
        numbers: Each item's number in the index, shape (items,).
        settings: How much counts.
        weights: α, β and γ of the intent.
    """
    best = ranking.order[: _LOOKS_AT[settings.decay]]
    if not best.size:
        return ranking, ()
    found = items.episodes(best.tolist())
    candidates = _candidates(ranking, best, found, as_of=asked.query.as_of, view=view, numbers=numbers[best])
    suppressed: tuple[Suppressed, ...] = ()
    if settings.decay is Decay.SEED:
        age_days = (at - candidates.times) / _SECONDS_PER_DAY
        age_days[~candidates.has_time] = np.nan
        arousal, recency = weigh_by_cost(
            candidates.scores, arousal=candidates.arousal, age_days=age_days, weights=weights, rate=settings.rate
        )
    else:
        text = asked.query.text
        rivalry = weigh_rivals(
            candidates,
            question=text,
            vector=asked.vector,
            asked=read_question(text, rules_language(text, detect_language(text))),
            intent=asked.intent,
            weights=weights,
            space=asked.space,
            rate=settings.rate,
        )
        arousal, recency = rivalry.arousal, rivalry.recency
        suppressed = tuple(
            Suppressed(
                episode_id=found[one.candidate].id,
                rival_id=None if one.rival is None else found[one.rival].id,
                penalty=one.penalty,
                reason=one.reason.value,
            )
            for one in rivalry.pushed
        )
    for term, values in ((Term.AROUSAL, arousal), (Term.RECENCY, recency)):
        gained = np.zeros_like(ranking.score)
        gained[best] = values
        ranking = ranking.with_term(term, gained, limit=ranking.order.size)
    return ranking, suppressed


def _candidates(
    ranking: Ranking,
    best: npt.NDArray[np.int32],
    found: Sequence[Episode],
    *,
    as_of: datetime | None,
    view: IndexView,
    numbers: npt.NDArray[np.int32],
) -> Candidates:
    return Candidates(
        scores=ranking.score[best],
        vectors=view.vectors.rows_of(numbers),
        times=view.times[numbers],
        numbers=numbers,
        has_time=~view.is_passage[numbers] | (view.days[numbers] > 0),
        # By estimates, nothing was won.
        arousal=np.where(view.is_arousal_given[numbers], view.arousal[numbers], np.float32(np.nan)),
        speakers=view.speakers[numbers],
        groups=view.groups[numbers],
        names=[one.speaker for one in found],
        subjects=view.subjects[numbers],
        is_superseded=superseded_by(as_of, view, numbers),
        languages=[one.language for one in found],
        texts=[one.text for one in found],
    )


Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float64]

_SECONDS_PER_DAY = 86_400.0

_LEAST_BOND = 0.77
_BOND_GROWTH = 0.18
"""What binds two accounts of one matter is more than 0.77 + 0.18 · ln(candidates): the more are compared, the likelier is it
that two are alike by chance. Chosen so that of everyday facts, one of fifty loses its place to an unrelated one."""

_LEAST_ALIKE = 0.05
_LEAST_ASKED = 0.05
"""What two must have in common, whoever of them wins; and with the question what is far more strongly felt, else."""

_SHARED_WORDS = 0.15
_SUCCESSION = 0.8
_LEAST_SUCCESSION = 0.3
_AGE = 0.2
"""What the words that two share, being told by their wording, and the seed's time term count for beside the cosines."""

_FEW = 10
_MANY = 20
"""From how many candidates on they are alike by having been found, and until when that is taken off by degrees."""

PENALTY = 0.1
"""What an item marked as superseded loses, at a time weight of 1, in the unit of scores."""

_REACH = 4.0
MARGIN = 0.005
"""How far an account is lifted to stand above another that it wins over, for each unit by which what binds them is more than it
must be; by how much it then stands above, in the unit of scores. Chosen on the visible halves of ``tests/data/staleness``."""

AROUSAL_GAP = 0.4
"""How much more strongly felt than another account one must be to win over it."""

_TOLD = 0.8
_FELT = 1.5
"""How surely the better of two is told where an earlier state decides; where a feeling does, and an account is asked for."""

_MOST_READ = 600
"""Characters of a text that are searched for words."""

_LEAST_SAID = 0.0035
"""A smaller push is not listed."""

_HIRAGANA = re.compile(r"[\u3041-\u309f]")
_END = re.compile(
    r"\b(?:before|prior to|until|till|preceded) (.+)|([^、。，？?\s]{1,12}?)(?:の前|より前|る前|た前|以前|之前|前|まで)",
    re.IGNORECASE,
)


class PushedBy(StrEnum):
    """Why something was pushed down."""

    NEWER = "there is a newer account of the same matter"
    SUBJECT = "a newer statement has the same subject and attribute"
    SUPERSEDED = "it is marked as superseded"
    OLDER_ASKED = "the question is after an earlier state"
    UNCHANGED = "it only says that nothing changed"
    DROPPED = "it tells of a plan that came to nothing"
    QUOTED = "it repeats somebody else's words"
    OTHERS = "it is about somebody or something else"
    MENTION = "it mentions the matter in passing"
    FELT = "another account of the matter is far more strongly felt"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """The best items of a ranking, best first; all have the shape (n,) unless said otherwise.

    Args:
        scores: What they were ranked by.
        vectors: Unit vectors, shape (n, dimension).
        times: When each happened or was recorded, in seconds.
        numbers: Item numbers: of two of the same time the higher came later.
        has_time: Whether the time says when it was said; false for a document's chunk without a date.
        arousal: 0–1, NaN where it is not known.
        speakers: The number of who said it, -1 for nobody.
        names: Their names, None for nobody.
        groups: The number of its session or document; items that stand alone have one of their own.
        subjects: The number of the subject and attribute it states, -1 for none.
        is_superseded: Whether it is marked so.
        languages: What each is written in.
        texts: What each says.
    """

    scores: Floats
    vectors: Floats
    times: npt.NDArray[np.float64]
    numbers: npt.NDArray[np.int32]
    has_time: Flags
    arousal: Floats
    speakers: npt.NDArray[np.int32]
    groups: npt.NDArray[np.int32]
    names: Sequence[str | None]
    subjects: npt.NDArray[np.int32]
    is_superseded: Flags
    languages: Sequence[Language]
    texts: Sequence[str]

    @property
    def count(self) -> int:
        """How many there are."""
        return self.scores.size


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """A candidate that was pushed down.

    Args:
        candidate: Its place among the candidates.
        rival: The place of the one that it stands behind; None where it has none.
        penalty: By how much it fell or was overtaken, above 0.
        reason: Why.
    """

    candidate: int
    rival: int | None
    penalty: float
    reason: PushedBy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rivalry:
    """What rivals do to the candidates' scores.

    Args:
        arousal: What being strongly felt adds, shape (n,).
        recency: What time adds or takes, shape (n,).
        pushed: What was pushed down, each candidate at most once, the most first.
    """

    arousal: Floats
    recency: Floats
    pushed: tuple[Pushed, ...]


def weigh_rivals(
    candidates: Candidates,
    *,
    question: str,
    vector: Floats,
    asked: AskedMatter,
    intent: Intent,
    weights: tuple[float, float, float],
    space: MatterSpace,
    rate: float,
) -> Rivalry:
    """Say what time and feeling do between candidates about the same matter.

    Two candidates are rivals where what binds them is enough::

        cos(one, other) + cos(winner, question) + 0.15 · min(1, words both hold) + how surely the winner is told

    with cosines around the centre of their language. Who of two wins: where a question is after how things are, the newer as far
    as its wording takes the older one's place, and the older where the newer is a plan that came to nothing, a quotation,
    somebody else's, "nothing changed", a mention; where it is after an earlier state, the older; the far more strongly felt one
    unless the question is after a datum that holds now. The winner is lifted just above the other where it stands below
    it, within reach. Nothing else moves: what is bound to nothing keeps its place.

    Laws: alone, nothing moves unless it is marked as superseded; with β = γ = 0 nothing does. The order of the candidates
    does not matter.

    Args:
        candidates: The best items.
        question: What is asked.
        vector: It as a unit vector, shape (dimension,).
        asked: What its wording says it is after.
        intent: What it is taken to be after.
        weights: α, β and γ of that intent; α is not used.
        space: Where the model of the vectors puts a language.
        rate: A day's share of the decay, at least 0.
    """
    weighing = _Weighing(candidates, question, vector, space=space, rate=rate)
    _, beta, gamma = weights
    is_after_feeling = asked.wants_account or intent is Intent.EMOTIONAL
    heeds_feeling = is_after_feeling or asked.heeds_feeling
    is_felt = False
    if beta > 0.0:
        is_felt = weighing.weigh_feeling(_FELT if asked.wants_account else _TOLD, is_replaceable=not heeds_feeling)
    if gamma > 0.0 and not (is_felt and heeds_feeling):
        if asked.wants_past:
            weighing.prefer_older(asked.state)
        else:
            if not asked.wants_account:
                weighing.prefer_standing(gamma)
            weighing.mark_superseded(gamma)
    return weighing.result()


class _Weighing:
    """Compares the candidates, and moves their scores."""

    def __init__(
        self, candidates: Candidates, question: str, vector: Floats, *, space: MatterSpace, rate: float
    ) -> None:
        self._candidates = candidates
        self._question = question
        self._space = space
        self._rate = rate
        self._centred = space.centred(candidates.vectors, candidates.languages)
        self._asked = _nearness(vector, candidates, self._centred, space)
        self._alike = np.asarray(self._centred @ self._centred.T, dtype=np.float32)
        later = candidates.times - candidates.times[:, np.newaxis]
        self._is_newer: Flags = (later > 0) | ((later == 0) & (candidates.numbers > candidates.numbers[:, np.newaxis]))
        self._gap_days = np.maximum(later, 0.0) / _SECONDS_PER_DAY
        known = (candidates.subjects[:, np.newaxis] >= 0) & (candidates.subjects >= 0)
        is_same = candidates.subjects[:, np.newaxis] == candidates.subjects
        self._has_same_subject: Flags = known & is_same & ~np.eye(candidates.count, dtype=np.bool_)
        self._is_comparable = self._comparable() & (~known | is_same)
        alike, self._near = _standing_out(self._alike, self._asked)
        self._bonds = alike + np.float32(_SHARED_WORDS) * _shared_words(candidates.texts)
        self._least = _LEAST_BOND + _BOND_GROWTH * math.log(max(candidates.count, 1))
        self._scores: Scores = candidates.scores.astype(np.float64)
        self._felt = np.zeros(candidates.count)
        self._pushed: dict[int, Pushed] = {}

    def weigh_feeling(self, told: float, *, is_replaceable: bool) -> bool:
        """Lift what is far more strongly felt above its rivals; say whether any is.

        Args:
            told: How surely it is told from them.
            is_replaceable: Whether it wins over none that took its place.
        """
        arousal = self._candidates.arousal.astype(np.float64)
        is_more = np.asarray(arousal[:, np.newaxis] - arousal >= AROUSAL_GAP)
        if not is_more.any():
            return False
        is_asked = self._near > _LEAST_ASKED  # who tells of a feeling may share no word with who mentions the matter
        wins = is_more * self._reaches(np.full(is_more.shape, told), is_enough=is_asked[:, np.newaxis])
        if is_replaceable:
            wins *= self._succession() < _LEAST_SUCCESSION
        before = self._scores.copy()
        self._lift(wins, in_order=np.argsort(np.nan_to_num(arousal), kind="stable"), reason=PushedBy.FELT)
        self._felt = self._scores - before
        return bool(wins.any())

    def prefer_older(self, state: AskedState) -> None:
        """Put the account that is asked for above the others."""
        fitness = self._fitness(state)
        wins = (fitness[:, np.newaxis] > fitness) * self._reaches(np.full(self._alike.shape, _TOLD))
        wins[self._has_same_subject & (fitness[:, np.newaxis] > fitness) & self._has_time()] = np.inf
        self._lift(wins, in_order=np.argsort(fitness, kind="stable"), reason=PushedBy.OLDER_ASKED)

    def prefer_standing(self, gamma: float) -> None:
        """Put what took another account's place above it, and what only looks newer below."""
        says = self._succession()
        sure: Scores = _SUCCESSION * np.abs(says)
        calm = 1.0 - np.where(np.isnan(self._candidates.arousal), UNKNOWN_AROUSAL, self._candidates.arousal)
        age = 1.0 - np.exp(-self._rate * self._gap_days)
        sure += _AGE * gamma * age * calm[:, np.newaxis] * (says > 0.0)
        told = np.abs(says) >= _LEAST_SUCCESSION
        newer_wins, older_wins = ((says > 0.0) & told).T, (says < 0.0) & told
        wins = newer_wins * self._reaches(sure.T) + older_wins * self._reaches(sure)
        wins[(self._has_same_subject & self._is_newer & self._has_time()).T] = np.inf
        self._lift(wins, in_order=self._in_time(), reason=None)

    def mark_superseded(self, gamma: float) -> None:
        """Take from what was superseded, and put it below what holds of the same subject, where that was found too."""
        is_superseded = self._candidates.is_superseded
        for one in np.flatnonzero(is_superseded).tolist():
            holding = np.flatnonzero(self._has_same_subject[one] & ~is_superseded)
            penalty = gamma * PENALTY
            if holding.size:
                least = float(self._scores[holding].min())
                penalty = max(penalty, float(self._scores[one]) - least + MARGIN)
            self._scores[one] -= penalty
            self._note(one, int(holding[0]) if holding.size else None, penalty, PushedBy.SUPERSEDED)

    def result(self) -> Rivalry:
        """Give what was done to the scores."""
        moved = self._scores - self._candidates.scores.astype(np.float64)
        return Rivalry(
            arousal=self._felt.astype(np.float32),
            recency=(moved - self._felt).astype(np.float32),
            pushed=tuple(sorted(self._pushed.values(), key=lambda one: (-one.penalty, one.candidate))),
        )

    def _comparable(self) -> Flags:
        """Tell which are of a time, and not said by two persons, or in one session, where what follows goes on."""
        speakers, groups = self._candidates.speakers, self._candidates.groups
        known = (speakers >= 0) & (speakers[:, np.newaxis] >= 0)
        is_apart = (known & (speakers != speakers[:, np.newaxis])) | (groups == groups[:, np.newaxis])
        return ~is_apart & self._has_time()

    def _has_time(self) -> Flags:
        return self._candidates.has_time & self._candidates.has_time[:, np.newaxis]

    def _reaches(self, told: Scores, *, is_enough: Flags | None = None) -> Scores:
        """Give how far behind the second of a pair the first may stand to win over it, 0 for what is no rival, shape (n, n).

        Args:
            told: How surely it is told from the other.
            is_enough: Which need nothing in common with the other.
        """
        surplus = self._bonds + self._near[:, np.newaxis] + told - self._least
        is_bound = self._bonds > _LEAST_ALIKE
        is_rival = is_bound if is_enough is None else is_bound | is_enough
        return np.where(self._is_comparable & is_rival, np.maximum(surplus, 0.0) * _REACH, 0.0)

    def _succession(self) -> Floats:
        """Say how surely the second, newer one of a pair takes the first one's place, -1 to 1, shape (n, n)."""
        says = np.zeros(self._alike.shape, dtype=np.float32)
        most = self._bonds + np.maximum(self._near, self._near[:, np.newaxis]) + _SUCCESSION + _AGE
        places = np.argwhere(self._is_comparable & self._is_newer & (most > self._least))
        if places.size:
            older, newer = places.T
            marker, texts, names = PairMarker(self._question), self._candidates.texts, self._candidates.names
            marks = np.array(
                [
                    marker.marks(
                        texts[one],
                        texts[other],
                        self._candidates.languages[other],
                        speakers=(names[one], names[other]),
                        nearness=(float(self._asked[one]), float(self._asked[other]), float(self._alike[one, other])),
                    )
                    for one, other in places.tolist()
                ],
                dtype=np.float32,
            )
            says[older, newer] = self._space.succession.says(marks, self._centred[newer], self._centred[older])
        says[self._has_same_subject & self._is_newer] = 1.0
        return says

    def _fitness(self, state: AskedState) -> Scores:
        """Give how well each one's time is what is asked for: the last before what is set as the end, or the oldest."""
        in_time = self._in_time()
        ends = _end_words(self._question) if state is AskedState.BEFORE else frozenset[str]()
        held = [ends & _words(self._candidates.texts[one]) for one in in_time]
        end = next((place for place, words in enumerate(held) if place and words), 0)
        fitness = np.zeros(len(in_time))
        for place, one in enumerate(in_time):
            fitness[one] = (place if place < end else -1 - place) if end else -place
        return fitness

    def _lift(self, wins: Scores, *, in_order: Sequence[int] | npt.NDArray[np.intp], reason: PushedBy | None) -> None:
        """Lift every winner just above what it wins over, those that lose most first, so that who beats them rises further."""
        for winner in map(int, in_order):
            gaps = self._scores - self._scores[winner] + MARGIN
            overtaken = np.flatnonzero((wins[winner] > wins[:, winner]) & (gaps > 0.0) & (gaps <= wins[winner]))
            if overtaken.size:
                self._scores[winner] += float(gaps[overtaken].max())
                for one in overtaken.tolist():
                    self._note(one, winner, float(gaps[one]), reason or self._reason(one, winner))

    def _reason(self, one: int, winner: int) -> PushedBy:
        if self._is_newer[one, winner]:
            return PushedBy.SUBJECT if self._has_same_subject[one, winner] else PushedBy.NEWER
        return self._objection(winner, one)

    def _objection(self, older: int, newer: int) -> PushedBy:
        """Say why the newer may not take the older one's place."""
        old, new = self._candidates.texts[older], self._candidates.texts[newer]
        signs = read_signs(new, self._candidates.languages[newer])
        known = f"{self._question} {old}".lower()
        if any(other not in known for other in signs.others) or is_of_another(new, old, self._question):
            return PushedBy.OTHERS
        if signs.dropped or signs.doubtful:
            return PushedBy.DROPPED
        if signs.quoted:
            return PushedBy.QUOTED
        return PushedBy.UNCHANGED if signs.unchanged else PushedBy.MENTION

    def _note(self, candidate: int, rival: int | None, penalty: float, reason: PushedBy) -> None:
        """Take note that a candidate fell or was overtaken; of several reasons the heaviest stays."""
        known = self._pushed.get(candidate)
        if penalty >= _LEAST_SAID and (known is None or known.penalty < penalty):
            self._pushed[candidate] = Pushed(candidate=candidate, rival=rival, penalty=float(penalty), reason=reason)

    def _in_time(self) -> list[int]:
        return np.lexsort((self._candidates.numbers, self._candidates.times)).tolist()


def _nearness(vector: Floats, candidates: Candidates, centred: Floats, space: MatterSpace) -> Floats:
    """Give the cosine of each with the question, around the centre of its language where that is known, shape (n,)."""
    asked = space.centred(np.tile(vector, (candidates.count, 1)), candidates.languages)
    known = np.array([language in space.centres for language in candidates.languages], dtype=np.bool_)
    return np.asarray(
        np.where(known, np.einsum("ij,ij->i", centred, asked), candidates.vectors @ vector), dtype=np.float32
    )


def _standing_out(alike: Floats, asked: Floats) -> tuple[Floats, Floats]:
    """Take off what many candidates have in common by having been found: only what stands out among them is a rival.

    Args:
        alike: Cosines of every two, shape (n, n).
        asked: Cosines with the question, shape (n,).
    """
    count = len(asked)
    share = np.float32(min(max((count - _FEW) / (_MANY - _FEW), 0.0), 1.0))
    if not share:
        return alike, asked
    between = alike[np.triu_indices(count, 1)]
    common = max(float(np.median(between)), 0.0) + float(between.std())
    return alike - share * np.float32(common), asked - share * np.float32(max(float(np.median(asked)), 0.0))


def _words(text: str) -> frozenset[str]:
    return frozenset(query_tokens(text[:_MOST_READ]))


def _end_words(question: str) -> frozenset[str]:
    """Give the words of what a question sets as the end of what it asks for: "before Leeds"."""
    ends = " ".join(group for match in _END.finditer(question) for group in match.groups() if group)
    return frozenset(token for token in query_tokens(ends) if len(token) > 1 and not _HIRAGANA.search(token))


def _shared_words(texts: Sequence[str]) -> Floats:
    """Give how many words every two texts share, at most 1, shape (n, n)."""
    words = [_words(text) for text in texts]
    met = Counter(chain.from_iterable(words))
    places = {token: place for place, token in enumerate(sorted(token for token, times in met.items() if times > 1))}
    holds = np.zeros((len(texts), len(places)), dtype=np.float32)
    for row, own in zip(holds, words, strict=True):
        row[[places[token] for token in own if token in places]] = 1.0
    weights = np.asarray(token_weights(list(places)), dtype=np.float32)
    return np.minimum((holds * weights) @ holds.T, np.float32(1.0))
