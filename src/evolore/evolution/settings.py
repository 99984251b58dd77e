"""Settings of evolution: when a document is rewritten, how candidates are tried, how a change is rolled out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from math import isclose

from evolore.domain.checks import check_count, check_share
from evolore.domain.lineage import Operator
from evolore.errors import InvalidValue
from evolore.evolution.policy import ApprovalPolicy

WHOLE_PERCENT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """What a candidate must keep to.

    Args:
        least_size: The shortest a candidate may be, as a multiple of its original's characters; above 0, at most 1.
        most_size: The longest, likewise; at least 1.
        size_slack: So many characters more or less are always let pass; at least 0.
        nearly_same: Candidates whose words are alike by this much or more are one, 0-1 (Jaccard's measure).
        kept_share: A sentence is kept when this share of its content words is found again, 0-1.
        known_share: A sentence is known when this share of its content words stands in the original or the evidence, 0-1.
        sure_similar: A sentence whose nearest counterpart is less similar than this in meaning may be lost or invented, 0-1.

    Raises:
        InvalidValue: A value outside its range.
    """

    least_size: float = 0.5
    most_size: float = 2.5
    size_slack: int = 200
    nearly_same: float = 0.98
    kept_share: float = 0.35
    known_share: float = 0.35
    sure_similar: float = 0.42

    def __post_init__(self) -> None:
        if not 0.0 < self.least_size <= 1.0:
            raise InvalidValue(f"least_size is {self.least_size}: give a number above 0 and at most 1.")
        if not (math.isfinite(self.most_size) and self.most_size >= 1.0):
            raise InvalidValue(f"most_size is {self.most_size}: give a number of at least 1.")
        if self.size_slack < 0:
            raise InvalidValue(f"size_slack is {self.size_slack}: give a number of at least 0.")
        for name in ("nearly_same", "kept_share", "known_share", "sure_similar"):
            value: float = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise InvalidValue(f"{name} is {value}: give a number from 0 to 1.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingSettings:
    """What is asked of a writer, and what of its reply is let pass.

    Args:
        most_sections_share: A mutation touches at most this share of a document's sections, above 0 and at most 1.
        least_sections: So many sections it may touch in any case, at least 1.
        longest_document: Characters of one document that a mutation is shown, at least 1; of a longer one it is shown
            the sections that have most to do with the complaints.
        longest_joined: Characters of all documents of a crossover together, which are shown whole or not at all.
        longest_edit: Characters that one edit may write, at least 1.
        most_reply_tokens: The longest reply, in the model's tokens, at least 1.

    Raises:
        InvalidValue: A value outside its range.
    """

    most_sections_share: float = 0.5
    least_sections: int = 2
    longest_document: int = 24_000
    longest_joined: int = 40_000
    longest_edit: int = 8_000
    most_reply_tokens: int = 8_000

    def __post_init__(self) -> None:
        if not 0 < self.most_sections_share <= 1:
            raise InvalidValue(
                f"most_sections_share is {self.most_sections_share}: give a number above 0 and at most 1."
            )
        for name in ("least_sections", "longest_document", "longest_joined", "longest_edit", "most_reply_tokens"):
            check_count(getattr(self, name), name)

    def most_sections(self, sections: int) -> int:
        """Say how many of a document's sections a mutation may touch.

        >>> [WritingSettings().most_sections(count) for count in (1, 3, 9)]
        [2, 2, 5]
        """
        return max(self.least_sections, math.ceil(sections * self.most_sections_share))


class SelectionMode(StrEnum):
    """What makes a winner: the seed's rule and then proof on fresh questions, or the seed's rule alone."""

    CONFIRMED = "confirmed"
    SEED = "seed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CanarySettings:
    """How a promoted text comes before people.

    Args:
        stages: Percent of principals that see it, growing, the last 100.
        least_questions: How many questions the canary must have answered before a stage may grow, at least 1.
        guardrail_alpha: How likely, over its whole life, a canary that is no worse may be stopped, above 0.
        sample_ratio_alpha: How likely, over a stage, principals that are split as told may be taken for split otherwise,
            above 0.
        ratios: How many times the control's BAD rate the guardrail looks for, each above 1; it bets on all alike.
        answers_per_principal: How many answers of one principal from one text count, the first ones, at least 1. With
            two, nobody trips the guardrail alone.
        is_default: Whether what is approved begins as a canary unless told otherwise.
        grows_by_itself: Whether a stage that may grow does, without a person.
    """

    stages: tuple[int, ...] = (5, 25, 50, 100)
    least_questions: int = 50
    guardrail_alpha: float = 0.05
    sample_ratio_alpha: float = 0.001
    ratios: tuple[float, ...] = (1.5, 2.0, 3.0, 4.0)
    answers_per_principal: int = 2
    is_default: bool = False
    grows_by_itself: bool = False

    def __post_init__(self) -> None:
        grows = all(less < more for less, more in pairwise((0, *self.stages)))
        if not self.stages or not grows or self.stages[-1] != WHOLE_PERCENT:
            raise InvalidValue(f"stages is {self.stages}: give growing whole percents above 0, the last of them 100.")
        check_count(self.least_questions, "least_questions")
        check_count(self.answers_per_principal, "answers_per_principal")
        for name in ("guardrail_alpha", "sample_ratio_alpha"):
            _check_within(getattr(self, name), name)
        if not self.ratios or min(self.ratios) <= 1:
            raise InvalidValue(f"ratios is {self.ratios}: give at least one number, each above 1.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionSettings:
    """When a document is rewritten and what a rewrite has to prove.

    Args:
        bad_feedback_threshold: From how many BAD ratings of different people on a document is rewritten, at least 1.
        candidate_count: How many candidates are made, at least 1.
        evaluation_sample_size: On how many questions each is screened, at least 1.
        min_win_margin: By how much the win rate must pass one half, 0–0.5.
        auto_update: Whether a policy may approve without a person.
        mode: What makes a winner: `confirmed`, the rule of the seed and then proof on fresh questions, or `seed`, that rule
            alone.
        alpha: How likely a job without any real improvement may confirm a candidate, above 0.
        confirm_pairs: On how many fresh questions a candidate is confirmed at most, at least ``least_fresh_questions``.
        confirm_candidates: How many of those that passed the screen are confirmed, best first; they share ``alpha``.
        least_fresh_questions: With fewer fresh questions a candidate can only be put before a person.
        bets: Shares of what was won so far that are laid on the candidate at each pair, each between 0 and 1; the mean of
            what they come to decides.
        futility: Confirming ends as hopeless once what the bets came to is below this.
        regression_questions: How many questions that were once answered well are asked again at most; 0 for none.
        regression_replays: How often a lost one is played again; only what is lost every time counts.
        train_share: Which share of the questions, other than triggers, goes to whoever writes candidates.
        screen_share: Which share is for the screen.
        confirm_share: Which share is for confirming.
        regression_share: Which share is for regression; the four come to 1.
        most_position_share: Above this share of matches decided by position alone a judge is not believed.
        most_longer_share: Above this share of decided matches won by the longer answer a judge is not believed.
        most_silent_share: Above this share of matches without a verdict a judge is not believed.
        operators: How candidates are made, in the order in which they are tried; those that need evidence are left out where
            there is none.
        writing: How much a chat model that writes candidates may see, write and touch.
        policy: What may be approved without a person, where ``auto_update`` is set.
        canary: How a promoted text comes before people.
    """

    bad_feedback_threshold: int = 3
    candidate_count: int = 3
    evaluation_sample_size: int = 5
    min_win_margin: float = 0.1
    auto_update: bool = False
    mode: SelectionMode = SelectionMode.CONFIRMED
    alpha: float = 0.05
    confirm_pairs: int = 40
    confirm_candidates: int = 3
    least_fresh_questions: int = 20
    bets: tuple[float, ...] = (0.3, 0.5, 0.7)
    futility: float = 0.05
    regression_questions: int = 20
    regression_replays: int = 2
    train_share: float = 0.0
    screen_share: float = 0.2
    confirm_share: float = 0.6
    regression_share: float = 0.2
    most_position_share: float = 0.3
    most_longer_share: float = 0.7
    most_silent_share: float = 0.2
    operators: tuple[Operator, ...] = (
        Operator.MUTATION_DETAIL,
        Operator.MUTATION_CLARITY,
        Operator.MUTATION_SIMPLIFY,
        Operator.MUTATION_QA_FORMAT,
    )
    writing: WritingSettings = field(default_factory=WritingSettings)
    policy: ApprovalPolicy = field(default_factory=ApprovalPolicy)
    canary: CanarySettings = field(default_factory=CanarySettings)

    def __post_init__(self) -> None:
        for name in _COUNTS:
            check_count(getattr(self, name), name)
        if self.confirm_pairs < self.least_fresh_questions:
            raise InvalidValue(
                f"confirm_pairs is {self.confirm_pairs} and least_fresh_questions {self.least_fresh_questions}: "
                "give at least as many pairs as questions are needed, or nothing could ever be proved."
            )
        for name in ("regression_questions", "regression_replays"):
            _check_from_zero(getattr(self, name), name)
        for name in ("futility", "most_position_share", "most_longer_share", "most_silent_share", *_SHARES):
            check_share(getattr(self, name), name)
        _check_within(self.alpha, "alpha")
        if not 0 <= self.min_win_margin <= _HALF:
            raise InvalidValue(f"min_win_margin is {self.min_win_margin}: give a number from 0 to 0.5.")
        if not self.bets or not 0 < min(self.bets) <= max(self.bets) < 1:
            raise InvalidValue(f"bets is {self.bets}: give at least one number, each above 0 and below 1.")
        self._check_operators()
        self._check_shares()

    def _check_operators(self) -> None:
        if not self.operators or len(set(self.operators)) < len(self.operators):
            raise InvalidValue(f"operators is {self.operators}: name at least one, each once.")

    def _check_shares(self) -> None:
        whole = self.train_share + self.screen_share + self.confirm_share + self.regression_share
        if not isclose(whole, 1.0):
            raise InvalidValue(f"{', '.join(_SHARES)} come to {whole}: give shares that come to 1.")


_COUNTS = (
    *("bad_feedback_threshold", "candidate_count", "evaluation_sample_size"),
    *("confirm_pairs", "confirm_candidates", "least_fresh_questions"),
)
_HALF = 0.5
_SHARES = ("train_share", "screen_share", "confirm_share", "regression_share")


def _check_within(value: float, name: str) -> None:
    if not 0 < value < 1:
        raise InvalidValue(f"{name} is {value}: give a number above 0 and below 1.")


def _check_from_zero(value: int, name: str) -> None:
    if value != 0:
        check_count(value, name)
