"""The questions by which a candidate is tried, and the sets they are split into (seed 003, step 3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evolore.domain.checks import check_name, check_text
from evolore.errors import InvalidValue


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

    Args:
        text: What is asked.
        origin: Where it comes from: a rating that triggered the rewriting, another rating, a past query whose hits lie in
            the document, or generated from one of its claims.
        claim: What it asks for, where it was generated: all questions of a claim stand in one set.
        was_good: Whether an answer to it was rated good.
        is_used: Whether an earlier candidate of the document was confirmed or refused by it; it is not fresh then.

    Raises:
        InvalidValue: The text is blank, a generated question names no claim, or a trigger was rated good.
    """

    text: str
    origin: QuestionOrigin
    claim: str | None = None
    was_good: bool = False
    is_used: bool = False

    def __post_init__(self) -> None:
        check_text(self.text, "The question")
        check_name(self.claim, "claim", most=len(self.claim or ""))
        if self.origin is QuestionOrigin.GENERATED and self.claim is None:
            raise InvalidValue(f"{self.text!r} is generated and names no claim: give the claim it asks for.")
        if self.origin is QuestionOrigin.TRIGGER and self.was_good:
            raise InvalidValue(f"{self.text!r} triggered the rewriting and was rated good: it can only be one of both.")
