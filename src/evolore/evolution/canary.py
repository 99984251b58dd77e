"""A new text before a growing share of people, taken from all of them by itself when it is rated worse.

``benchmarks/canary.py`` prints how often the guardrail trips.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from math import exp, log
from typing import Any

from evolore.domain.evolution import TrialAnswer
from evolore.errors import InvalidValue
from evolore.evolution.matches import Interval, Tally, anytime_interval
from evolore.evolution.settings import CanarySettings

_PRIOR_BAD = 1.0
_PRIOR_ASKED = 8.0
"""Before anything is known, one in eight answers is taken to be rated BAD; it costs evidence where it is wrong, no more."""

_MOST_RATE = 0.95


GUARDRAIL_ALPHA = 0.05
"""How likely, over its whole life, a canary that is no worse may be stopped."""

RATIOS = (1.5, 2.0, 3.0, 4.0)
"""How many times the control's BAD rate the guardrail looks for; it bets on all alike. ``benchmarks/selection.py`` prints when it
stops."""

_ANSWERS_PER_PRINCIPAL = 2
"""Only so many first answers of one principal from one text count: with two, no principal trips the guardrail alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedArm:
    """Answers, and how many of them were rated BAD."""

    asked: int = 0
    bad: int = 0

    def plus(self, other: RatedArm) -> RatedArm:
        """Count both."""
        return RatedArm(asked=self.asked + other.asked, bad=self.bad + other.bad)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guardrail:
    """Evidence that one arm's BAD rate is above the other's, with neither known beforehand.

    Answers are taken in blocks: as soon as both arms have answers that no block holds, these are one. In a block of n
    answers of the lower arm and m of the higher, with a guess p for the lower and r·p for the higher, made from earlier
    blocks, and their mean q weighted by n and m, what 1 came to is multiplied by ``Π P(answer | p or r·p) / P(answer | q)``.
    Its expectation is at most 1 where the higher arm's rate is not above the lower's, for any rates (Turner, Ly and
    Grünwald 2024), so the mean over r ever reaches ``1/alpha`` with probability at most alpha.
    """

    ratios: tuple[float, ...]  #: The values of r.
    logs: tuple[float, ...]  #: For each, the logarithm of what 1 came to.
    known: RatedArm = field(default_factory=RatedArm)  #: All blocks' answers of the lower arm.
    lower: RatedArm = field(default_factory=RatedArm)  #: Answers of the lower arm that no block holds yet.
    higher: RatedArm = field(default_factory=RatedArm)  #: Those of the higher arm; one of the two is always empty.

    @classmethod
    def begin(cls, ratios: Sequence[float]) -> Guardrail:
        """Return the one that saw nothing."""
        return cls(ratios=tuple(ratios), logs=(0.0,) * len(ratios))

    @property
    def evidence(self) -> float:
        """What 1 came to, the mean over the ratios; ``inf`` where it is too large to write."""
        try:
            return sum(exp(one) for one in self.logs) / len(self.logs)
        except OverflowError:
            return float("inf")

    def after(self, *, is_higher: bool, is_bad: bool) -> Guardrail:
        """Count one more answer, in the order in which the questions were asked.

        Where answers that were rated BAD came before others of their time, blocks would depend on what they hold.
        """
        one = RatedArm(asked=1, bad=int(is_bad))
        lower = self.lower if is_higher else self.lower.plus(one)
        higher = self.higher.plus(one) if is_higher else self.higher
        if not (lower.asked and higher.asked):
            return Guardrail(ratios=self.ratios, logs=self.logs, known=self.known, lower=lower, higher=higher)
        guess = (self.known.bad + _PRIOR_BAD) / (self.known.asked + _PRIOR_ASKED)
        logs = tuple(
            before + _log_factor(guess, min(guess * ratio, _MOST_RATE), lower, higher)
            for before, ratio in zip(self.logs, self.ratios, strict=True)
        )
        return Guardrail(ratios=self.ratios, logs=logs, known=self.known.plus(lower))


def _log_factor(low: float, high: float, lower: RatedArm, higher: RatedArm) -> float:
    low = min(low, high)
    mean = (low * lower.asked + high * higher.asked) / (lower.asked + higher.asked)
    return _log_ratio(low, mean, lower) + _log_ratio(high, mean, higher)


def _log_ratio(rate: float, mean: float, rated: RatedArm) -> float:
    return rated.bad * log(rate / mean) + (rated.asked - rated.bad) * log((1 - rate) / (1 - mean))


class CanaryStatus(StrEnum):
    """How far a canary is."""

    RUNNING = "running"
    TRIPPED = "tripped"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary:
    """The state of one canary; each answer returns the next value.

    Raises:
        InvalidValue: The id is blank.
    """

    id: str  #: Names it; another canary splits principals otherwise.
    settings: CanarySettings  #: Its stages and bounds.
    worse: Guardrail  #: Evidence that the new text is rated BAD more often.
    better: Guardrail  #: Evidence that it is rated BAD less often.
    stage: int = 0  #: Which stage it is at, from 0.
    status: CanaryStatus = CanaryStatus.RUNNING  #: How far it is.
    control: RatedArm = field(default_factory=RatedArm)  #: Answers from the old text.
    canary: RatedArm = field(default_factory=RatedArm)  #: Answers from the new text.
    asked_in_stage: int = 0  #: Answers from the new text in this stage.

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise InvalidValue("A canary's id is blank: use the id of its candidate.")

    @property
    def percent(self) -> int:
        """How many percent of principals see the new text now: 0 once the guardrail tripped."""
        return 0 if self.status is CanaryStatus.TRIPPED else self.settings.stages[self.stage]

    @property
    def may_grow(self) -> bool:
        """Whether enough was answered in this stage, without alarm, for the next."""
        return self.status is CanaryStatus.RUNNING and self.asked_in_stage >= self.settings.least_questions

    def after(self, *, is_new: bool, is_bad: bool) -> Canary:
        """Count an answer; once the new text is proved to be rated worse, it is no longer shown.

        Answers are counted in the order in which they were asked for, once it is settled whether they are rated, and few of
        one principal: what one person is unhappy with is no independent evidence. One that comes after the alarm is
        counted and changes nothing else. At 100 % no answer of the old text comes in, so that there is nothing to compare
        with.
        """
        one = RatedArm(asked=1, bad=int(is_bad))
        state = replace(
            self,
            control=self.control if is_new else self.control.plus(one),
            canary=self.canary.plus(one) if is_new else self.canary,
            asked_in_stage=self.asked_in_stage + is_new,
            worse=self.worse.after(is_higher=is_new, is_bad=is_bad),
            better=self.better.after(is_higher=not is_new, is_bad=is_bad),
        )
        has_tripped = state.worse.evidence * GUARDRAIL_ALPHA >= 1
        return replace(state, status=CanaryStatus.TRIPPED) if has_tripped else state

    def grown(self) -> Canary:
        """Return the next stage; after the last it is complete.

        Raises:
            InvalidValue: It may not grow.
        """
        if not self.may_grow:
            raise InvalidValue(f"The canary {self.id!r} at {self.percent} % may not grow: {self._obstacle()}.")
        if self.stage + 1 == len(self.settings.stages):
            return replace(self, status=CanaryStatus.COMPLETE)
        return self.at_stage(self.stage + 1)

    def at_stage(self, stage: int) -> Canary:
        """Return the canary at another stage, set regardless of its current figures."""
        return replace(self, stage=stage, asked_in_stage=0)

    def _obstacle(self) -> str:
        if self.status is not CanaryStatus.RUNNING:
            return f"it is {self.status.value}; begin another"
        return f"wait for {self.settings.least_questions - self.asked_in_stage} more answers in this stage"


def begin_canary(canary_id: str, settings: CanarySettings) -> Canary:
    """Return a canary at its first stage."""
    rail = Guardrail.begin(RATIOS)
    return Canary(id=canary_id, settings=settings, worse=rail, better=rail)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResult:
    """One arm's figures."""

    rated: RatedArm  #: Its answers and how many were rated BAD.
    #: Interval of its BAD rate that holds whenever one looks; each end fails at most 5 in 100 times.
    bad_rate: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryResult:
    """What a canary shows, at any time."""

    status: CanaryStatus  #: How far it is.
    percent: int  #: How many percent of principals see the new text now.
    control: ArmResult  #: The old text.
    canary: ArmResult  #: The new text.
    #: What 1 came to by betting that the new text is rated BAD more often; it trips from ``1 / alpha``.
    worse_evidence: float
    better_evidence: float  #: What 1 came to by betting that it is rated BAD less often.
    may_grow: bool  #: Whether the next stage may begin.


def result_of(canary: Canary) -> CanaryResult:
    """Return what a canary shows now."""
    return CanaryResult(
        status=canary.status,
        percent=canary.percent,
        control=_arm_result(canary.control),
        canary=_arm_result(canary.canary),
        worse_evidence=canary.worse.evidence,
        better_evidence=canary.better.evidence,
        may_grow=canary.may_grow,
    )


def _arm_result(rated: RatedArm) -> ArmResult:
    tally = Tally(wins=rated.bad, losses=rated.asked - rated.bad)
    return ArmResult(rated=rated, bad_rate=anytime_interval(tally, alpha=_INTERVAL_ALPHA))


_INTERVAL_ALPHA = 0.05


def figures_of(result: CanaryResult) -> dict[str, object]:
    """Write down what a canary shows, as plain values."""
    return {
        "status": result.status.value,
        "percent": result.percent,
        "control": [result.control.rated.asked, result.control.rated.bad],
        "canary": [result.canary.rated.asked, result.canary.rated.bad],
        "worse": min(result.worse_evidence, _MOST_EVIDENCE),
        "better": min(result.better_evidence, _MOST_EVIDENCE),
    }


def read_figures(written: Mapping[str, Any]) -> CanaryResult:
    """Read back what was written down of a canary; it may grow no more."""
    return CanaryResult(
        status=CanaryStatus(written["status"]),
        percent=written["percent"],
        control=_arm_result(RatedArm(asked=written["control"][0], bad=written["control"][1])),
        canary=_arm_result(RatedArm(asked=written["canary"][0], bad=written["canary"][1])),
        worse_evidence=written["worse"],
        better_evidence=written["better"],
        may_grow=False,
    )


_MOST_EVIDENCE = 1e300
"""More cannot be written as JSON."""


def folded_canary(
    canary_id: str, settings: CanarySettings, *, moves: Sequence[datetime], answers: Iterable[TrialAnswer]
) -> Canary:
    """Return a canary's state after the answers so far.

    Answers count in the order in which they were asked for, of each principal from each text the first
    ``answers_per_principal``.
    """
    canary, left = begin_canary(canary_id, settings), list(moves)
    counted = Counter[tuple[str, bool]]()
    for one in answers:
        while left and left[0] < one.at:
            del left[0]
            canary = canary.at_stage(canary.stage + 1)
        key = (one.principal, one.is_new)
        if counted[key] < _ANSWERS_PER_PRINCIPAL:
            counted[key] += 1
            canary = canary.after(is_new=one.is_new, is_bad=one.is_bad)
    return canary.at_stage(canary.stage + len(left)) if left else canary
