"""The plan of a job's contest, made once before the first match, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from evolore.domain.contest import QuestionOrigin, TrialQuestion
from evolore.evolution import matches
from evolore.evolution.contest import Chances, Contender, Fate, Selection, Trial, best_of
from evolore.evolution.contest_questions import ALPHA, BETS, CONFIRM_PAIRS, QuestionSets, words_of
from evolore.evolution.hashing import hashed_share
from evolore.evolution.settings import EvolutionSettings, SelectionMode

REGRESSION_QUESTIONS = 20
"""At most how many questions that were once answered well are asked again."""


def plan_trial(
    contenders: Iterable[Contender], sets: QuestionSets, settings: EvolutionSettings, *, seed: str = ""
) -> Trial:
    """Choose the questions of a trial.

    Each set contributes its first, ordered ratings, past queries, generated; the screen all, of which as many are asked
    as it takes until enough are answered otherwise than by the original. Those chosen to confirm are then mixed by
    ``seed``: in the order of their origins, an early proof would be one for ratings alone. In the seed's mode the questions
    are the triggers and then what was answered well, and nothing is confirmed.
    """
    is_seed = settings.mode is SelectionMode.SEED
    screened = _seed_sample(sets) if is_seed else sets.screen
    confirmed = () if is_seed else sets.confirm[:CONFIRM_PAIRS]
    asked_again = () if is_seed else sets.regression[:REGRESSION_QUESTIONS]
    complained = () if is_seed else [one for one in sets.train if one.origin is QuestionOrigin.TRIGGER]
    return Trial(
        contenders=tuple(contenders),
        screen=_texts(screened[: settings.evaluation_sample_size] if is_seed else screened),
        confirm=_texts(sorted(confirmed, key=lambda one: hashed_share("evolore.confirm", seed, words_of(one.text)))),
        regression=_texts(asked_again),
        settings=settings,
        complaints=_texts(complained[: settings.evaluation_sample_size]),
    )


def _seed_sample(sets: QuestionSets) -> tuple[TrialQuestion, ...]:
    return (*sets.train, *(one for one in (*sets.regression, *sets.screen, *sets.confirm) if one.was_good))


def _texts(questions: Sequence[TrialQuestion]) -> tuple[str, ...]:
    return tuple(one.text for one in questions)


class Decision(StrEnum):
    """What may be done now."""

    UNDECIDED = "undecided"
    WINNER = "winner"
    NEEDS_PERSON = "needs_person"
    ORIGINAL_STAYS = "original_stays"


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateResult:
    """The figures of one candidate."""

    candidate_id: str  #: Which.
    fate: Fate  #: What became of it.
    screen: matches.Tally  #: Its matches of the screen.
    screen_interval: matches.Interval  #: 95 % interval of its win rate there (Wilson).
    confirm: matches.Tally  #: Its matches on fresh questions.
    #: Interval of its win rate there that holds whenever one looks; each end fails at most with the job's alpha.
    confirm_interval: matches.Interval
    evidence: float  #: What 1 came to by betting on it there; it was proved from ``1 / alpha`` on.
    alpha: float  #: The share of the job's alpha it had; 0 where it was not confirmed.
    regression: matches.Tally  #: Its first matches on what was answered well before.
    #: Its matches on what people complained of, where only a person can decide; they prove nothing.
    complaints: matches.Tally
    lost: tuple[str, ...]  #: The questions among these that it lost every time; it is out then.


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialOutcome:
    """The result of a trial, or its state so far."""

    decision: Decision  #: What may be done.
    candidate_id: str | None  #: The winner, or the candidate that a person is to look at; None where there is none.
    has_too_few_questions: bool  #: Whether there were too few fresh questions for more than a person's decision.
    doubts: tuple[matches.Doubt, ...]  #: Why the judge is not believed.
    may_auto_update: bool  #: Whether a policy may approve it without a person.
    candidates: tuple[CandidateResult, ...]  #: Every candidate, in the order they were made.
    judge: matches.JudgeReport  #: How the judge behaved.


def outcome_of(state: Selection, *, control: matches.LengthControl | None = None) -> TrialOutcome:
    """Return what a trial came to; it may be read at any time, and is undecided while something is asked.

    A judge that is not believed leaves a proved candidate to a person; in the seed's mode it only bars approval without one.

    Args:
        state: The trial.
        control: What its judge made of control pairs; None where it was not asked.
    """
    settings = state.trial.settings
    judge = matches.report_judge(state.history, control=control)
    standing = [one for one in state.standings if one.fate is Fate.PROVED] or [
        one for one in state.standings if one.still_stands
    ]
    chosen = best_of(standing) if standing and state.is_done else None
    decision = _decision(state, chosen, judge)
    return TrialOutcome(
        decision=decision,
        candidate_id=chosen.contender.candidate_id if chosen else None,
        has_too_few_questions=settings.mode is SelectionMode.CONFIRMED and state.trial.has_too_few_questions,
        doubts=judge.doubts,
        may_auto_update=decision is Decision.WINNER and settings.auto_update and not judge.doubts,
        candidates=tuple(_result(one) for one in state.standings),
        judge=judge,
    )


def _decision(state: Selection, chosen: Chances | None, judge: matches.JudgeReport) -> Decision:
    if not state.is_done:
        return Decision.UNDECIDED
    if chosen is None:
        return Decision.ORIGINAL_STAYS
    if state.trial.settings.mode is SelectionMode.SEED:
        return Decision.WINNER
    return Decision.WINNER if chosen.fate is Fate.PROVED and not judge.doubts else Decision.NEEDS_PERSON


def _result(one: Chances) -> CandidateResult:
    return CandidateResult(
        candidate_id=one.contender.candidate_id,
        fate=one.fate,
        screen=one.screen,
        screen_interval=matches.wilson(float(one.screen.win_rate * one.screen.played), one.screen.played),
        confirm=one.confirm,
        confirm_interval=matches.anytime_interval(one.confirm, alpha=ALPHA, bets=BETS),
        evidence=matches.evidence(one.confirm.wins, one.confirm.losses, BETS),
        alpha=one.alpha,
        regression=one.regression,
        complaints=one.complaints,
        lost=one.lost,
    )
