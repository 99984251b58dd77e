"""How each candidate of a trial stands, and which of those that stood the test is taken."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from evolore.domain.lineage import MatchOutcome, TrialStage
from evolore.evolution.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.lineage import Match
    from evolore.evolution.settings import EvolutionSettings
    from evolore.evolution.trial import Contender


class Fate(StrEnum):
    """What became of a candidate."""

    OPEN = "open"
    UNMOVED = "unmoved"
    SCREENED_OUT = "screened_out"
    OUTRANKED = "outranked"
    UNPROVED = "unproved"
    PROVED = "proved"
    TOO_FEW_QUESTIONS = "too_few_questions"
    REGRESSED = "regressed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known of one candidate so far.

    Args:
        contender: Which.
        screen: Its matches of the screen.
        confirm: Its matches on fresh questions.
        regression: Its first matches on what was answered well.
        complaints: Its matches on what people complained of; they prove nothing.
        same: How many questions of the screen, and of the fresh ones, both answered with the same words.
        lost: Those of these questions that it lost, each time it was asked.
        alpha: How likely it may be proved though it is no better; 0 until it is confirmed.
        fate: What became of it.
    """

    contender: Contender
    screen: Tally = field(default_factory=Tally)
    confirm: Tally = field(default_factory=Tally)
    regression: Tally = field(default_factory=Tally)
    complaints: Tally = field(default_factory=Tally)
    same: tuple[int, int] = (0, 0)
    lost: tuple[str, ...] = ()
    alpha: float = 0.0
    fate: Fate = Fate.OPEN

    @property
    def asked(self) -> tuple[int, int]:
        """How many questions of the screen, and of the fresh ones, it was asked."""
        return self.screen.played + self.same[0], self.confirm.played + self.same[1]

    @property
    def still_stands(self) -> bool:
        """Whether it may yet be taken."""
        return self.fate in {Fate.PROVED, Fate.TOO_FEW_QUESTIONS}

    @property
    def win_rate(self) -> Fraction:
        """The rate that counts: on fresh questions, or of the screen where it was asked no other."""
        return (self.confirm if self.confirm.played else self.screen).win_rate

    @property
    def is_worth_a_look(self) -> bool:
        """Whether it won more than it lost, of complaints and all else but what was answered well; or as much, and corrects."""
        played = (self.screen, self.confirm, self.complaints)
        ahead = sum(tally.wins - tally.losses for tally in played)
        return ahead > 0 or (ahead == 0 and self.contender.corrects)

    @property
    def merit(self) -> Fraction:
        """By what it is compared with others: its win rate where it was proved; else that of all it was asked.

        One win and one loss are added to that, so that of two that lost nothing the one that won more is ahead.
        """
        if self.fate is Fate.PROVED:
            return self.win_rate
        played = (self.screen, self.confirm, self.complaints, Tally(wins=1, losses=1))
        return Fraction(sum(2 * tally.wins + tally.ties for tally in played), 2 * sum(tally.played for tally in played))

    def after(self, match: Match, *, counts_same: bool = False) -> Standing:
        """Count one more match; one with the same answers says nothing, and only leads to the next question.

        Args:
            match: Which.
            counts_same: Whether it is a tie like any other instead, as the seed has it.
        """
        screened, confirmed = self.same
        if match.is_same and match.stage is TrialStage.SCREEN and not counts_same:
            return replace(self, same=(screened + 1, confirmed))
        if match.is_same and match.stage is TrialStage.CONFIRM:
            return replace(self, same=(screened, confirmed + 1))
        if match.stage is TrialStage.COMPLAINTS:
            return self if match.is_same else replace(self, complaints=self.complaints.after(match.outcome))
        if match.stage is TrialStage.SCREEN:
            return replace(self, screen=self.screen.after(match.outcome))
        if match.stage is TrialStage.CONFIRM:
            return replace(self, confirm=self.confirm.after(match.outcome))
        return self._after_regression(match)

    def _after_regression(self, match: Match) -> Standing:
        has_lost = match.outcome is MatchOutcome.A
        if match.attempt == 0:
            lost = (*self.lost, match.question) if has_lost else self.lost
            return replace(self, regression=self.regression.after(match.outcome), lost=lost)
        if has_lost:
            return self
        return replace(self, lost=tuple(question for question in self.lost if question != match.question))


def passes_seed_rule(tally: Tally, settings: EvolutionSettings) -> bool:
    """Say whether a win rate is at least one half and the margin, exactly, as decimals are written (seed 003, step 4).

    Nothing played passes nothing.
    """
    return tally.played > 0 and tally.win_rate >= Fraction(1, 2) + Fraction(str(settings.min_win_margin))


def best_by_seed_rule(standings: Sequence[Standing], settings: EvolutionSettings) -> Standing | None:
    """Give the candidate of the highest win rate in the screen, the first of equals, if it passes; else None."""
    best = max(standings, key=lambda one: one.screen.win_rate)
    return best if passes_seed_rule(best.screen, settings) else None


def pareto_front(standings: Sequence[Standing]) -> tuple[Standing, ...]:
    """Give those that no other is at least as good as in everything and better in something.

    Compared are win rate (higher), the rate of what was answered well before (higher), open doubts, length and cost (lower).
    """
    return tuple(one for one in standings if not any(_dominates(other, one) for other in standings))


def best_of(standings: Sequence[Standing]) -> Standing:
    """Choose of the front: the highest win rate, then the fewest losses before and doubts, the shortest, the cheapest, the first."""
    return max(pareto_front(standings), key=_merits)


def _dominates(one: Standing, other: Standing) -> bool:
    mine, theirs = _merits(one), _merits(other)
    return mine != theirs and all(left >= right for left, right in zip(mine, theirs, strict=True))


def _merits(one: Standing) -> tuple[Fraction, Fraction, int, float, float]:
    return (one.merit, one.regression.win_rate, -one.contender.doubts, -one.contender.length_ratio, -one.contender.cost)
