"""What a judge says of two answers, who does not know which is which (seed 003, evaluation engine)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from evolore.errors import InvalidValue

LEAST_SCORE = 1
MOST_SCORE = 5


class Side(StrEnum):
    """Which of two answers a judge prefers; it sees them as the first and the second only."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


class Order(StrEnum):
    """In which order the answers were shown; every match is judged in both."""

    ORIGINAL_FIRST = "original_first"
    CANDIDATE_FIRST = "candidate_first"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What a judge gives one answer, each from 1 to 5.

    Args:
        helpfulness: Whether it helps who asked.
        correctness: Whether it is right.
        coherence: Whether it hangs together.

    Raises:
        InvalidValue: One is outside 1–5.
    """

    helpfulness: float
    correctness: float
    coherence: float

    def __post_init__(self) -> None:
        for name in ("helpfulness", "correctness", "coherence"):
            value: float = getattr(self, name)
            if not LEAST_SCORE <= value <= MOST_SCORE:
                raise InvalidValue(f"{name} is {value}: give a score from {LEAST_SCORE} to {MOST_SCORE}.")

    @property
    def total(self) -> float:
        """The sum of the three."""
        return self.helpfulness + self.correctness + self.coherence


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge said of two answers in one order.

    Args:
        preferred: Which it prefers.
        first: Scores of the answer shown first.
        second: Scores of the other.
        first_characters: How long the first answer is; 0 with the other where nobody counted.
        second_characters: How long the other is.
        judge: Name and version of the judge and its prompt.
        reason: Why, in the judge's words, to be read by a person; nothing follows from it.

    Raises:
        InvalidValue: A length is below 0.
    """

    preferred: Side
    first: Scores
    second: Scores
    first_characters: int = 0
    second_characters: int = 0
    judge: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        for name in ("first_characters", "second_characters"):
            if getattr(self, name) < 0:
                raise InvalidValue(f"{name} is {getattr(self, name)}: give the length of the answer, 0 or more.")

    @property
    def contradicts_itself(self) -> bool:
        """Whether the answer it prefers has the lower scores in sum."""
        lead = self.first.total - self.second.total
        return (self.preferred is Side.FIRST and lead < 0) or (self.preferred is Side.SECOND and lead > 0)

    @property
    def counted(self) -> Side:
        """The side it counts for: one that contradicts itself counts for none."""
        return Side.TIE if self.contradicts_itself else self.preferred


@dataclass(frozen=True, slots=True, kw_only=True)
class NoVerdict:
    """A judge did not answer, or nothing that could be used; the match then counts for the original.

    Args:
        reason: Why, to be read by a person.
    """

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SameAnswer:
    """Both answers say the same, word for word: there is nothing to judge, and nobody was asked."""


JudgeReply: TypeAlias = "Verdict | NoVerdict | SameAnswer"
