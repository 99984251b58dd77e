from __future__ import annotations

import pytest

from evolore.domain.contest import QuestionOrigin, TrialQuestion
from evolore.errors import InvalidValue


def test_a_generated_question_names_its_claim() -> None:
    asked = TrialQuestion(text="When does it open?", origin=QuestionOrigin.GENERATED, claim="It opens at nine. " * 99)
    assert asked.claim
    with pytest.raises(InvalidValue, match="names no claim"):
        TrialQuestion(text="When does it open?", origin=QuestionOrigin.GENERATED)


def test_a_trigger_was_not_rated_good() -> None:
    with pytest.raises(InvalidValue, match="only be one of both"):
        TrialQuestion(text="When?", origin=QuestionOrigin.TRIGGER, was_good=True)


@pytest.mark.parametrize("text", ["", "  ", "a\0"])
def test_a_question_says_something(text: str) -> None:
    with pytest.raises(InvalidValue, match="The question"):
        TrialQuestion(text=text, origin=QuestionOrigin.RATING)
