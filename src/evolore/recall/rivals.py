"""Rivals: among the best candidates, what holds stands above the older accounts of the same matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.domain.answers import Intent
from evolore.recall.asked_state import AskedState
from evolore.recall.cost import UNKNOWN_AROUSAL
from evolore.recall.rival_pairs import find_pairs
from evolore.recall.rival_reading import PushedBy, RivalReader
from evolore.recall.rival_scores import RivalScores

if TYPE_CHECKING:
    from evolore.recall.asked_state import AskedMatter
    from evolore.recall.decay_settings import DecaySettings
    from evolore.recall.matter import MatterSpace
    from evolore.recall.rival_pairs import Candidates, Flags, Floats
    from evolore.recall.rival_scores import Rivalry, Scores

_SURE = 0.8
"""From what probability on two items are surely about the same matter."""

_SMALL = 30.0
"""How far, in standard deviations, time moves what stands above or below all else in a memory that is small."""

_PAST = 4.0
"""The same where an earlier state is asked for."""

_LEAST_COUNT = 0.1
"""What a rival counts for that is like nothing; likeness to the other and to the question are added."""

_NOT_EXCLUDED = 0.02
"""From what probability on, in a small memory, a felt account may be of the matter that a flat one is of."""

_STEP = 1e-3
"""How far apart in score two stand at the least of which one was preferred."""

_LEAST_ACCOUNTS = 2

_LEAST_SURE = 0.55
"""How sure it must be, in a large memory, that one account takes another's place: a chance of about 0.8."""

_NEAR_TIE = 1.0
"""How near in score two accounts stand of which time alone decides, in standard deviations of the words' scores."""


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

    Where a question is after how things are, what took another's place stands above it, and what only looks newer (a plan
    that came to nothing, a quotation, somebody else's, "nothing changed", a mention) below. Where it is after an earlier
    state, what came later sinks. Unless it is after a datum that holds now, the account that is far more strongly felt is
    lifted above the others, and time does not count. A memory so small that all it holds is among the candidates is
    compared as a whole; in a larger one only what stands out as alike, and what is surely told is moved.

    Laws: alone, nothing moves unless it is marked as superseded; with β = γ = 0 nothing does. The order of the candidates
    does not matter.

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
    is_felt = beta > 0.0 and (is_after_feeling or asked.heeds_feeling) and weighing.weigh_feeling()
    if gamma > 0.0 and not is_felt and (asked.wants_past or not asked.wants_account or weighing.is_small):
        weighing.weigh_time(asked.state, rate=settings.rate(intent), gamma=gamma)
    return weighing.moved.result()


class _Weighing:
    """Compares the candidates, and moves their scores."""

    def __init__(
        self, candidates: Candidates, question: str, vector: Floats, *, space: MatterSpace, settings: DecaySettings
    ) -> None:
        self._settings = settings
        self._candidates = candidates
        self._pairs = find_pairs(candidates, question, vector, space=space, settings=settings)
        self._reader = RivalReader(candidates, question, succession=space.succession)
        self._arousal = candidates.arousal.astype(np.float64)
        self.moved = RivalScores(candidates.scores)

    @property
    def is_small(self) -> bool:
        """Whether all that the memory holds is compared."""
        return self._pairs.is_all

    def weigh_time(self, state: AskedState, *, rate: float, gamma: float) -> None:
        match state:
            case AskedState.BEFORE | AskedState.FIRST:
                self._prefer_older(state)
            case AskedState.PAST | AskedState.CURRENT:
                if self.is_small or state is AskedState.CURRENT:
                    self._prefer_standing(rate=rate, gamma=gamma)
                self._mark_superseded(gamma=gamma)

    def weigh_feeling(self) -> bool:
        """Lift what is far more strongly felt above its rivals; say whether any is."""
        pairs, settings = self._pairs, self._settings
        is_rival = pairs.probability >= (_NOT_EXCLUDED if pairs.is_all else settings.matter)
        wins = is_rival & self._is_felt_more()
        gaps = self.moved.scores - self.moved.scores[:, np.newaxis] + settings.margin
        gaps = np.where(wins & (gaps <= (_SMALL if pairs.is_all else settings.reach)), gaps, 0.0)
        self.moved.lift_felt(np.maximum(gaps.max(axis=1, initial=0.0), 0.0))
        for winner, other in np.argwhere(gaps > 0.0).tolist():
            self.moved.note(other, winner, gaps[winner, other], PushedBy.FELT)
        return bool(wins.any())

    def _is_felt_more(self) -> Flags:
        return np.asarray(self._arousal[:, np.newaxis] - self._arousal >= self._settings.arousal_gap)

    def _prefer_older(self, state: AskedState) -> None:
        """Put the account that is asked for above what came later; in a small memory, above all about the question."""
        if not self._pairs.is_all:
            self._sink_later()
            return
        if self.moved.scores.size < _LEAST_ACCOUNTS:
            return
        wanted = np.round(self.moved.scores + _PAST * self._fitness(state), 3)
        for one, winner in self._hand_out(wanted):
            if self._pairs.is_newer[winner, one]:
                self.moved.note(one, winner, self.moved.lead(winner, one), PushedBy.OLDER_ASKED)

    def _fitness(self, state: AskedState) -> Scores:
        """Give 1 for the time that is asked for, less for others: the last before what is set as the end, or the oldest."""
        in_time = self._in_time()
        ends = self._reader.end_words() if state is AskedState.BEFORE else frozenset[str]()
        end = next((place for place, one in enumerate(in_time) if self._pairs.held[one] & ends), 0)
        fitness = np.zeros(len(in_time))
        for place, one in enumerate(in_time):
            if end:
                fitness[one] = 0.5 + 0.5 * (place + 1) / end if place < end else 0.0
            else:
                fitness[one] = 1.0 - place / (len(in_time) - 1)
        return fitness

    def _sink_later(self) -> None:
        pairs = self._pairs
        sure = pairs.is_same & ((pairs.probability >= _SURE) | pairs.shares_words)
        joined = sure | ((sure.astype(np.float32) @ sure.astype(np.float32)) > 0.0)
        later = joined & pairs.is_newer
        for newer in self._in_time():
            if later[:, newer].any():
                older = self._best(np.flatnonzero(later[:, newer]))
                drop = self._drop(newer, older)
                self.moved.move(newer, -drop)
                self.moved.note(newer, older, drop, PushedBy.OLDER_ASKED)

    def _prefer_standing(self, *, rate: float, gamma: float) -> None:
        """Order accounts by how surely each stands: took older ones' place, and was not replaced by a newer."""
        pairs = self._pairs
        says = self._reader.succession(pairs)
        against = (says.T - says).astype(np.float64)
        counts = pairs.is_same * (_LEAST_COUNT + np.maximum(pairs.alike, 0.0) + np.maximum(pairs.asked, 0.0))
        stands: Scores = (against * counts).sum(axis=1) / np.maximum(counts.sum(axis=1), _LEAST_COUNT)
        if self.is_small:
            self._move_all(against, stands)
        else:
            self._break_ties(says, rate=rate, gamma=gamma)
            self._lift(against, stands)

    def _break_ties(self, says: Floats, *, rate: float, gamma: float) -> None:
        """Take from the older of two accounts that stand near each other, in proportion to how surely they are rivals."""
        floor = self._settings.floor
        age = floor + (1.0 - floor) * (1.0 - np.exp(-rate * self._pairs.gap_days))
        calm = 1.0 - np.where(np.isnan(self._arousal), UNKNOWN_AROUSAL, self._arousal)
        near = self.moved.scores[:, np.newaxis] - self.moved.scores <= _NEAR_TIE
        rivalry = self._pairs.probability * age * (near & (says > 0.0) & (self._pairs.probability >= _SURE))
        penalties = gamma * self._settings.penalty * rivalry.max(axis=1, initial=0.0) * calm
        for older in np.flatnonzero(penalties > 0.0).tolist():
            self.moved.note(older, int(rivalry[older].argmax()), penalties[older], PushedBy.NEWER)
        self.moved.move_all(-penalties)

    def _move_all(self, against: Scores, stands: Scores) -> None:
        stands = np.where(self._reader.asks(), np.minimum(stands, 0.0), stands)
        wanted = np.round(self.moved.scores + _SMALL * stands, 3)
        for one, winner in self._hand_out(wanted):
            if against[winner, one] > 0.0:
                self._note_pair(one, winner, self.moved.lead(winner, one))

    def _hand_out(self, wanted: Scores) -> list[list[int]]:
        """Give scores out anew among what is rival to each other, the highest to what is wanted most.

        Returns:
            Who was overtaken, and by whom.
        """
        before = self.moved.scores.copy()
        for members in _joined(self._pairs.is_same):
            keys = (self._candidates.numbers[members], -np.round(before[members], 3), -wanted[members])
            order = members[np.lexsort(keys)]
            if np.any(np.diff(np.round(before[order], 3)) >= 0.0):
                self.moved.move(order, np.sort(before[order])[::-1] - _STEP * np.arange(order.size) - before[order])
        overtaken = (self.moved.scores[:, np.newaxis] < self.moved.scores) & (before[:, np.newaxis] >= before)
        is_rival = self._pairs.has_same_subject | (self._pairs.probability >= self._settings.matter)
        return np.argwhere(overtaken & is_rival).tolist()

    def _lift(self, against: Scores, stands: Scores) -> None:
        """Lift what stands above what it beats, where that is within reach."""
        gaps = self.moved.scores - self.moved.scores[:, np.newaxis] + self._settings.margin
        is_right = (against >= _LEAST_SURE) & (stands[:, np.newaxis] > stands) & ~self._is_felt_more().T
        reach = self._settings.reach * (against - _LEAST_SURE) / (1.0 - _LEAST_SURE)
        gaps = np.where(is_right & (gaps <= reach), gaps, 0.0)
        self.moved.move_all(np.maximum(gaps.max(axis=1, initial=0.0), 0.0))
        for winner, one in np.argwhere(gaps > 0.0).tolist():
            self._note_pair(one, winner, gaps[winner, one])

    def _note_pair(self, one: int, winner: int, penalty: float) -> None:
        if self._pairs.has_same_subject[one, winner] and self._pairs.is_newer[one, winner]:
            reason = PushedBy.SUBJECT
        elif self._pairs.is_newer[one, winner]:
            reason = PushedBy.NEWER
        else:
            reason = self._reader.objection(winner, one)
        self.moved.note(one, winner, float(penalty), reason)

    def _mark_superseded(self, *, gamma: float) -> None:
        """Take from what was superseded, and put it below what holds of the same subject, where that was found too."""
        is_superseded = self._candidates.is_superseded
        for one in np.flatnonzero(is_superseded).tolist():
            holding = np.flatnonzero(self._pairs.has_same_subject[one] & ~is_superseded)
            penalty = gamma * self._settings.penalty
            if holding.size:
                least = float(self.moved.scores[holding].min())
                penalty = max(penalty, float(self.moved.scores[one]) - least + self._settings.margin)
            self.moved.move(one, -penalty)
            self.moved.note(one, int(holding[0]) if holding.size else None, penalty, PushedBy.SUPERSEDED)

    def _in_time(self) -> list[int]:
        return np.lexsort((self._candidates.numbers, self._candidates.times)).tolist()

    def _best(self, places: npt.NDArray[np.intp]) -> int:
        return int(places[self.moved.scores[places].argmax()])

    def _drop(self, newer: int, older: int) -> float:
        """Give what the newer must lose to stand below the older; 0 where it does, or where it is out of reach."""
        drop = self.moved.lead(newer, older) + self._settings.margin
        return drop if 0.0 < drop <= self._settings.reach else 0.0


def _joined(is_same: Flags) -> list[npt.NDArray[np.intp]]:
    """Give the groups of two or more that rivalry joins, directly or by others; what is no rival stands in none."""
    reach = is_same | is_same.T
    for _ in range(len(reach)):
        wider = reach | ((reach.astype(np.float32) @ reach.astype(np.float32)) > 0.0)
        if (wider == reach).all():
            break
        reach = wider
    left = np.flatnonzero(reach.any(axis=1))
    groups: list[npt.NDArray[np.intp]] = []
    while left.size:
        members = np.flatnonzero(reach[left[0]])
        groups.append(members)
        left = np.setdiff1d(left, members)
    return groups
