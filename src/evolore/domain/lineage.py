"""How a document came to read as it does: how candidates were made, and their matches (seed 003)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.judging import SameAnswer

if TYPE_CHECKING:
    from evolore.domain.judging import JudgeReply


class Operator(StrEnum):
    """How a candidate was made; the values are the seed's, but for the crossover by sections."""

    MUTATION_CLARITY = "MUTATION_CLARITY"
    MUTATION_DETAIL = "MUTATION_DETAIL"
    MUTATION_SIMPLIFY = "MUTATION_SIMPLIFY"
    MUTATION_QA_FORMAT = "MUTATION_QA_FORMAT"
    CROSSOVER_MERGE = "CROSSOVER_MERGE"
    CROSSOVER_EXTRACT = "CROSSOVER_EXTRACT"
    CROSSOVER_SECTIONS = "CROSSOVER_SECTIONS"


class MatchOutcome(StrEnum):
    """Who won a pairwise comparison; A is the original, B the candidate."""

    A = "A"
    B = "B"
    TIE = "TIE"


class TrialStage(StrEnum):
    """What a match was played for: to sort out, to prove, to look at what people complained of, or at what was good."""

    SCREEN = "screen"
    CONFIRM = "confirm"
    COMPLAINTS = "complaints"
    REGRESSION = "regression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One pairwise comparison of a candidate with the original, on one question.

    Args:
        candidate_id: Which candidate.
        question: What both were asked.
        outcome: Who won when both orders were judged; disagreement is a tie.
        stage: What it was played for.
        attempt: 0 for the first time; above, it was played again because the candidate had lost.
        replies: What the judge said with the original shown first, then with the candidate first; empty where that is
            not known.
    """

    candidate_id: str
    question: str
    outcome: MatchOutcome
    stage: TrialStage = TrialStage.SCREEN
    attempt: int = 0
    replies: tuple[JudgeReply, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether both answered with the same words, so that it says nothing for either."""
        return any(isinstance(reply, SameAnswer) for reply in self.replies)
