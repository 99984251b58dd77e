"""What a trial comes to: a winner, something for a person to decide, or nothing; each with its reasons and figures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.evolution.judging import Doubt, JudgeReport, report_judge
from evolore.evolution.settings import SelectionMode
from evolore.evolution.standing import Fate, best_of, pareto_front
from evolore.evolution.tally import Interval, Tally, anytime_interval, evidence, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.evolution.selection import Selection
    from evolore.evolution.settings import EvolutionSettings
    from evolore.evolution.standing import Standing


class Decision(StrEnum):
    """What may be done now."""

    UNDECIDED = "undecided"
    WINNER = "winner"
    NEEDS_PERSON = "needs_person"
    ORIGINAL_STAYS = "original_stays"


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateResult:
    """The figures of one candidate.

    Args:
        candidate_id: Which.
        fate: What became of it.
        screen: Its matches of the screen.
        screen_interval: 95 % interval of its win rate there (Wilson).
        confirm: Its matches on fresh questions.
        confirm_interval: Interval of its win rate there that holds whenever one looks; each end fails at most with the
            job's alpha.
        evidence: What 1 came to by betting on it there; it was proved from ``1 / alpha`` on.
        alpha: The share of the job's alpha it had; 0 where it was not confirmed.
        regression: Its first matches on what was answered well before.
        complaints: Its matches on what people complained of, where only a person can decide; they prove nothing.
        lost: The questions among these that it lost every time; it is out then.
        on_front: Whether no other that stood the test is better in all of win rate, regression, doubts, length and cost.
    """

    candidate_id: str
    fate: Fate
    screen: Tally
    screen_interval: Interval
    confirm: Tally
    confirm_interval: Interval
    evidence: float
    alpha: float
    regression: Tally
    complaints: Tally
    lost: tuple[str, ...]
    on_front: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOutcome:
    """What a trial came to, or stands at.

    Args:
        decision: What may be done.
        candidate_id: The winner, or the candidate that a person is to look at; None where there is none.
        has_too_few_questions: Whether there were too few fresh questions for more than a person's decision.
        doubts: Why the judge is not believed.
        may_auto_update: Whether a policy may approve it without a person.
        candidates: Every candidate, in the order they were made.
        judge: How the judge behaved.
    """

    decision: Decision
    candidate_id: str | None
    has_too_few_questions: bool
    doubts: tuple[Doubt, ...]
    may_auto_update: bool
    candidates: tuple[CandidateResult, ...]
    judge: JudgeReport


def outcome_of(state: Selection) -> TrialOutcome:
    """Give what a trial came to; it may be read at any time, and is undecided while something is asked.

    A judge that is not believed leaves a proved candidate to a person; in the seed's mode it only bars approval without one.
    """
    settings = state.trial.settings
    judge = report_judge(state.history, settings)
    standing = [one for one in state.standings if one.fate is Fate.PROVED] or [
        one for one in state.standings if one.still_stands
    ]
    chosen = best_of(standing) if standing and state.is_done else None
    decision = _decision(state, chosen, judge)
    front = pareto_front(standing)
    return TrialOutcome(
        decision=decision,
        candidate_id=chosen.contender.candidate_id if chosen else None,
        has_too_few_questions=settings.mode is SelectionMode.CONFIRMED and state.trial.has_too_few_questions,
        doubts=judge.doubts,
        may_auto_update=decision is Decision.WINNER and settings.auto_update and not judge.doubts,
        candidates=tuple(_result(one, front, settings) for one in state.standings),
        judge=judge,
    )


def _decision(state: Selection, chosen: Standing | None, judge: JudgeReport) -> Decision:
    if not state.is_done:
        return Decision.UNDECIDED
    if chosen is None:
        return Decision.ORIGINAL_STAYS
    if state.trial.settings.mode is SelectionMode.SEED:
        return Decision.WINNER
    return Decision.WINNER if chosen.fate is Fate.PROVED and not judge.doubts else Decision.NEEDS_PERSON


def _result(one: Standing, front: Sequence[Standing], settings: EvolutionSettings) -> CandidateResult:
    return CandidateResult(
        candidate_id=one.contender.candidate_id,
        fate=one.fate,
        screen=one.screen,
        screen_interval=wilson(float(one.screen.win_rate * one.screen.played), one.screen.played),
        confirm=one.confirm,
        confirm_interval=anytime_interval(one.confirm, alpha=settings.alpha, bets=settings.bets),
        evidence=evidence(one.confirm.wins, one.confirm.losses, settings.bets),
        alpha=one.alpha,
        regression=one.regression,
        complaints=one.complaints,
        lost=one.lost,
        on_front=any(other is one for other in front),
    )
