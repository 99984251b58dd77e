"""Contests between an original and its candidates: their evidence, the questions, and what a judge says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from evolore.domain.checks import check_least, check_name, check_text
from evolore.domain.document import MediaType
from evolore.domain.language import Language
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
    """A judge's scores of one answer, each from 1 to 5.

    Raises:
        InvalidValue: One is outside 1–5.
    """

    helpfulness: float  #: Whether it helps who asked.
    correctness: float  #: Whether it is right.
    coherence: float  #: Whether it hangs together.

    def __post_init__(self) -> None:
        for name in ("helpfulness", "correctness", "coherence"):
            value: float = getattr(self, name)
            if not LEAST_SCORE <= value <= MOST_SCORE:
                raise InvalidValue(f"{name} is {value}: use a score from {LEAST_SCORE} to {MOST_SCORE}.")

    @property
    def total(self) -> float:
        """The sum of the three."""
        return self.helpfulness + self.correctness + self.coherence


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge said of two answers in one order.

    Raises:
        InvalidValue: A length is below 0.
    """

    preferred: Side  #: Which it prefers.
    first: Scores  #: Scores of the answer shown first.
    second: Scores  #: Scores of the other.
    first_characters: int = 0  #: How long the first answer is; 0, as for the other, if not counted.
    second_characters: int = 0  #: How long the other is.
    judge: str = ""  #: Name and version of the judge and its prompt.
    reason: str = ""  #: Why, in the judge's words, to be read by a person; nothing follows from it.

    def __post_init__(self) -> None:
        check_least(0, first_characters=self.first_characters, second_characters=self.second_characters)

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
    """A judge did not answer, or nothing that could be used; the match then counts for the original."""

    reason: str  #: Why, to be read by a person.


@dataclass(frozen=True, slots=True, kw_only=True)
class SameAnswer:
    """Both answers say the same, word for word: there is nothing to judge, and no judge was asked."""


JudgeReply: TypeAlias = Verdict | NoVerdict | SameAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """A document with its text, at one version."""

    document_id: str  #: Which.
    version: int  #: The version.
    source: str  #: Where it came from.
    title: str  #: What it is called.
    text: str  #: All of it.
    media_type: MediaType  #: How it is marked up.
    language: Language  #: The language most of it is in.


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """What a person who rated an answer BAD asked and said. It is data and never evidence."""

    feedback_id: str  #: Which feedback.
    question: str = ""  #: What was asked; empty for a rating of the document itself.
    comment: str = ""  #: What was said; empty for nothing.


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceText:
    """A passage from elsewhere in the memory that a candidate may cite."""

    id: str  #: The episode it is, which an edit's evidence names.
    text: str  #: What it says.
    source: str = ""  #: Where it comes from.

    def __post_init__(self) -> None:
        check_text(self.text, "The evidence")
        if not self.id:
            raise InvalidValue("A piece of evidence has no id: use that of its episode.")


class QuestionOrigin(StrEnum):
    """Where a question comes from, in the order in which they are taken."""

    TRIGGER = "trigger"
    RATING = "rating"
    PAST_QUERY = "past_query"
    GENERATED = "generated"


class QuestionSet(StrEnum):
    """What a question is used for; no question is ever used for two."""

    TRAIN = "train"
    SCREEN = "screen"
    CONFIRM = "confirm"
    REGRESSION = "regression"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialQuestion:
    """A question that a document should answer.

    Raises:
        InvalidValue: The text is blank, a generated question names no claim, or a trigger was rated good.
    """

    text: str  #: What is asked.
    #: Where it comes from: a rating that triggered the rewriting, another rating, a past query whose hits lie in the
    #: document, or generated from one of its claims.
    origin: QuestionOrigin
    claim: str | None = None  #: What it asks for, where it was generated: all questions of a claim are in one set.
    was_good: bool = False  #: Whether an answer to it was rated good.
    #: Whether an earlier candidate of the document was confirmed or refused by it; it is not fresh then.
    is_used: bool = False

    def __post_init__(self) -> None:
        check_text(self.text, "The question")
        check_name(self.claim, "claim", most=len(self.claim or ""))
        if self.origin is QuestionOrigin.GENERATED and self.claim is None:
            raise InvalidValue(f"{self.text!r} is generated and names no claim: name the claim it asks for.")
        if self.origin is QuestionOrigin.TRIGGER and self.was_good:
            raise InvalidValue(f"{self.text!r} triggered the rewriting and was rated good: it can only be one of both.")
