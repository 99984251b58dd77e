"""Rivals: among the best candidates, what holds stands above the older accounts of the same matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.domain.answers import Intent
from evolore.recall.asked_state import AskedState
from evolore.recall.cost import UNKNOWN_AROUSAL
from evolore.recall.rival_pairs import find_pairs
from evolore.recall.rival_reading import PushedBy, RivalReader

if TYPE_CHECKING:
    from evolore.recall.asked_state import AskedMatter
    from evolore.recall.decay_settings import DecaySettings
    from evolore.recall.matter import MatterSpace
    from evolore.recall.rival_pairs import Candidates, Flags, Floats

Scores = npt.NDArray[np.float64]

_LEAST_SAID = 0.05
"""A smaller penalty is not listed."""

_SURE = 0.8
"""From what probability on two items are surely about the same matter."""

_LIKELY = 0.8
"""The same, for a newer account that does not tell of any change."""

_ASKED = 0.12
_ASKED_LIKELY = 0.3
"""From what probability on what takes another's place is about the question's matter; where it tells of no change."""

_NEAR_TIE = 1.0
"""How near in score two accounts stand of which time alone decides, in standard deviations of the words' scores."""


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
    settings: DecaySettings,
) -> Rivalry:
    """Say what time and feeling do between candidates about the same matter.

    Where a question is after how things are, a newer account is lifted above the older one, and what only looks newer
    (a plan that came to nothing, a quotation, somebody else's, "nothing changed", a mention) sinks below it. Where it is
    after an earlier state, what came later sinks. Where it asks to be told of something, time does not count. Unless it is
    after a datum that holds now, the account that is far more strongly felt is lifted above the others.

    Laws: what has no rival gets no recency, unless it is marked as superseded; with γ = 0 nothing does; where the newer
    is wanted, the older of two rivals never gains. The order of the candidates does not matter.

    Args:
        candidates: The best items.
        question: What is asked.
        vector: It as a unit vector, shape (dimension,).
        asked: What its wording says it is after.
        intent: What it is taken to be after; how fast things grow old follows it.
        weights: α, β and γ of that intent; α is not used.
        space: Where the model of the vectors puts a language.
        settings: How much counts.
    """
    weighing = _Weighing(candidates, question, vector, space=space, settings=settings)
    _, beta, gamma = weights
    is_after_feeling = asked.wants_account or intent is Intent.EMOTIONAL
    if gamma > 0.0 and (asked.wants_past or not is_after_feeling):
        weighing.weigh_time(asked.state, rate=settings.rate(intent), gamma=gamma)
    if beta > 0.0 and (is_after_feeling or asked.heeds_feeling):
        weighing.weigh_feeling()
    return weighing.result()


class _Weighing:
    """The candidates' scores while they change."""

    def __init__(
        self, candidates: Candidates, question: str, vector: Floats, *, space: MatterSpace, settings: DecaySettings
    ) -> None:
        self._settings = settings
        self._candidates = candidates
        self._reader = RivalReader(candidates, question)
        self._pairs = find_pairs(candidates, question, vector, space=space, settings=settings)
        self._arousal = candidates.arousal.astype(np.float64)
        self._scores = candidates.scores.astype(np.float64)
        self._recency = np.zeros(candidates.count)
        self._felt = np.zeros(candidates.count)
        self._pushed: dict[int, Pushed] = {}

    def result(self) -> Rivalry:
        return Rivalry(
            arousal=self._felt.astype(np.float32),
            recency=self._recency.astype(np.float32),
            pushed=tuple(sorted(self._pushed.values(), key=lambda one: (-one.penalty, one.candidate))),
        )

    def weigh_time(self, state: AskedState, *, rate: float, gamma: float) -> None:
        match state:
            case AskedState.BEFORE | AskedState.FIRST:
                self._prefer_older()
            case AskedState.PAST:
                self._sink_untrue(state)
            case AskedState.CURRENT:
                sunk = self._sink_untrue(state)
                self._prefer_newer(sunk, rate=rate, gamma=gamma)

    def weigh_feeling(self) -> None:
        wins = (self._pairs.probability >= self._settings.matter) & self._is_felt_more()
        gaps = self._scores - self._scores[:, np.newaxis] + self._settings.margin
        gaps = np.where(wins & (gaps <= self._settings.reach), gaps, 0.0)
        self._felt += np.maximum(gaps.max(axis=1, initial=0.0), 0.0)
        for winner, other in np.argwhere(gaps > 0.0).tolist():
            self._note(other, winner, gaps[winner, other], PushedBy.FELT)

    def _is_felt_more(self) -> Flags:
        return np.asarray(self._arousal[:, np.newaxis] - self._arousal >= self._settings.arousal_gap)

    def _prefer_older(self) -> None:
        """Sink what came later below the best older account of the matter."""
        sure = self._pairs.is_same & ((self._pairs.probability >= _SURE) | self._pairs.shares_words)
        joined = sure | ((sure.astype(np.float32) @ sure.astype(np.float32)) > 0.0)
        pairs = joined & self._pairs.is_newer
        for newer in self._in_time():
            if pairs[:, newer].any():
                older = self._best(np.flatnonzero(pairs[:, newer]))
                drop = self._drop(newer, older)
                self._move_one(newer, -drop)
                self._note(newer, older, drop, PushedBy.OLDER_ASKED)

    def _sink_untrue(self, state: AskedState) -> Flags:
        """Sink what only looks newer below the best older account; say what sank."""
        sunk = np.zeros(self._recency.size, dtype=np.bool_)
        for newer in self._in_time():
            reach = self._scores - self._settings.margin < self._scores[newer]
            above = self._pairs.is_same[:, newer] & self._pairs.is_newer[:, newer] & reach & ~sunk
            reasons = {
                older: reason
                for older in np.flatnonzero(above).tolist()
                if (reason := self._reader.reason_to_sink(older, newer, state)) is not None
            }
            if reasons:
                older = self._best(np.array(list(reasons)))
                drop = self._drop(newer, older)
                sunk[newer] = drop > 0.0
                self._move_one(newer, -drop)
                self._note(newer, older, drop, reasons[older])
        return sunk

    def _prefer_newer(self, sunk: Flags, *, rate: float, gamma: float) -> None:
        within = self._scores[:, np.newaxis] - self._scores <= self._settings.reach
        outdates = self._unopposed(self._pairs.is_same & self._pairs.is_newer & within & ~sunk)
        self._break_ties(outdates, rate=rate, gamma=gamma)
        self._mark_superseded(gamma=gamma)
        self._lift(self._successors(outdates))

    def _unopposed(self, pairs: Flags) -> Flags:
        unopposed = pairs & self._pairs.has_same_subject
        for older, newer in np.argwhere(pairs & ~unopposed).tolist():
            unopposed[older, newer] = self._reader.objection(older, newer) is None
        return unopposed

    def _break_ties(self, outdates: Flags, *, rate: float, gamma: float) -> None:
        """Take from the older of two accounts that stand near each other, in proportion to how surely they are rivals."""
        floor = self._settings.floor
        age = floor + (1.0 - floor) * (1.0 - np.exp(-rate * self._pairs.gap_days))
        calm = 1.0 - np.where(np.isnan(self._arousal), UNKNOWN_AROUSAL, self._arousal)
        near = self._scores[:, np.newaxis] - self._scores <= _NEAR_TIE
        rivalry = self._pairs.probability * age * (outdates & near & (self._pairs.probability >= _SURE))
        penalties = gamma * self._settings.penalty * rivalry.max(axis=1, initial=0.0) * calm
        for older in np.flatnonzero(penalties > 0.0).tolist():
            self._note(older, int(rivalry[older].argmax()), penalties[older], PushedBy.NEWER)
        self._move(-penalties)

    def _mark_superseded(self, *, gamma: float) -> None:
        for one in np.flatnonzero(self._candidates.is_superseded).tolist():
            penalty = gamma * self._settings.penalty
            self._move_one(one, -penalty)
            self._note(one, None, penalty, PushedBy.SUPERSEDED)

    def _successors(self, outdates: Flags) -> Flags:
        """Say which newer account takes whose place: those that tell of a change; where none does, likely ones."""
        tells = np.array([self._reader.signs(one).changes for one in range(self._recency.size)], dtype=np.bool_)
        marked = self._pairs.has_same_subject | self._candidates.is_superseded.reshape(-1, 1)
        clear = outdates & (marked | (tells & (self._pairs.is_asked >= _ASKED)))
        is_settled = clear.any(axis=1) | clear.any(axis=0)
        is_likely = np.asarray(self._pairs.probability >= _LIKELY) | self._pairs.shares_words
        likely = outdates & is_likely & (self._pairs.is_asked >= _ASKED_LIKELY) & ~is_settled.reshape(-1, 1)
        return np.asarray((clear | likely) & ~self._is_felt_more(), dtype=np.bool_)

    def _lift(self, successors: Flags) -> None:
        """Lift what took others' place, and was not outdated itself, above them and above mentions of the matter."""
        lifts = np.zeros(self._recency.size)
        for newer in np.flatnonzero(successors.any(axis=0) & ~successors.any(axis=1)).tolist():
            older = np.flatnonzero(successors[:, newer])
            for one in [*older.tolist(), *self._later_mentions(older, newer)]:
                gap = self._scores[one] - self._scores[newer] + self._settings.margin
                lifts[newer] = max(lifts[newer], gap)
                subject = self._pairs.has_same_subject[one, newer]
                self._note(one, newer, gap, PushedBy.SUBJECT if subject else PushedBy.CHANGE)
        self._move(lifts)

    def _later_mentions(self, older: npt.NDArray[np.intp], newer: int) -> list[int]:
        later = self._pairs.is_same[older].any(axis=0) & self._pairs.is_newer[newer]
        return [one for one in np.flatnonzero(later).tolist() if self._reader.is_mention(one)]

    def _in_time(self) -> list[int]:
        return np.lexsort((self._candidates.numbers, self._candidates.times)).tolist()

    def _best(self, places: npt.NDArray[np.intp]) -> int:
        return int(places[self._scores[places].argmax()])

    def _drop(self, newer: int, older: int) -> float:
        """Give what the newer must lose to stand below the older; 0 where it does, or where it is out of reach."""
        drop = self._scores[newer] - self._scores[older] + self._settings.margin
        return float(drop) if 0.0 < drop <= self._settings.reach else 0.0

    def _move(self, by: Scores) -> None:
        self._recency += by
        self._scores += by

    def _move_one(self, one: int, by: float) -> None:
        self._recency[one] += by
        self._scores[one] += by

    def _note(self, candidate: int, rival: int | None, penalty: float, reason: PushedBy) -> None:
        known = self._pushed.get(candidate)
        if penalty >= _LEAST_SAID and (known is None or known.penalty < penalty):
            self._pushed[candidate] = Pushed(candidate=candidate, rival=rival, penalty=float(penalty), reason=reason)
