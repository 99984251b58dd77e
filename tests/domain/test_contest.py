from __future__ import annotations

import pytest

from evolore.domain.contest import QuestionOrigin, Scores, Side, TrialQuestion, Verdict
from evolore.errors import InvalidValue

LOW, HIGH = (Scores(helpfulness=one, correctness=one, coherence=one) for one in (2, 4))


def test_scores_go_from_one_to_five() -> None:
    assert Scores(helpfulness=1, correctness=5, coherence=3).total == 9
    for value in (0, 5.5, float("nan")):
        with pytest.raises(InvalidValue, match=r"coherence is .*: use a score from 1 to 5"):
            Scores(helpfulness=1, correctness=5, coherence=value)


@pytest.mark.parametrize("side", [Side.FIRST, Side.SECOND])
def test_a_verdict_against_its_own_scores_counts_for_neither(side: Side) -> None:
    first, second = (LOW, HIGH) if side is Side.FIRST else (HIGH, LOW)
    against = Verdict(preferred=side, first=first, second=second)
    assert against.contradicts_itself
    assert against.counted is Side.TIE
    with_them = Verdict(preferred=side, first=second, second=first)
    assert with_them.counted is side
    assert Verdict(preferred=side, first=LOW, second=LOW).counted is side


def test_a_tie_contradicts_no_scores() -> None:
    assert not Verdict(preferred=Side.TIE, first=LOW, second=HIGH).contradicts_itself


def test_answers_have_no_negative_length() -> None:
    with pytest.raises(InvalidValue, match="second_characters is -1"):
        Verdict(preferred=Side.TIE, first=LOW, second=LOW, second_characters=-1)


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
