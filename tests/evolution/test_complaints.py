"""What people complained of is asked first: it spares trials and people, and proves nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.contest import SameAnswer
from evolore.domain.evolution import MatchOutcome, TrialStage
from evolore.errors import InvalidValue
from evolore.evolution.contest import Contender, Fate
from evolore.evolution.contest_plan import Decision, outcome_of
from evolution.scripted import run, run_judge, trial, verdict_for

if TYPE_CHECKING:
    from evolore.domain.contest import JudgeReply
    from evolore.evolution.matches import JudgeRequest, MatchKey

A, B, TIE = MatchOutcome.A, MatchOutcome.B, MatchOutcome.TIE
FIXES = (Contender(candidate_id="a", corrects=True),)


def of_complaints(won: MatchOutcome, others: MatchOutcome = TIE) -> object:
    def outcome(key: MatchKey) -> MatchOutcome:
        return won if key.stage is TrialStage.COMPLAINTS else others

    return outcome


def says_the_same(request: JudgeRequest) -> JudgeReply:
    return SameAnswer() if request.match.stage is TrialStage.COMPLAINTS else verdict_for(request, B)


def test_what_answers_every_complaint_with_the_same_words_is_tried_no_further() -> None:
    state = run_judge(trial("a", complaints=3), says_the_same)
    assert [one.fate for one in state.standings] == [Fate.UNMOVED]
    assert len(state.history) == 3
    assert outcome_of(state).decision is Decision.ORIGINAL_STAYS


def test_what_corrects_a_value_is_tried_though_no_complaint_is_answered_otherwise() -> None:
    state = run_judge(trial(complaints=3, contenders=FIXES), says_the_same)
    assert [one.fate for one in state.standings] == [Fate.PROVED]


def test_without_complaints_nothing_is_asked_of_them() -> None:
    state = run_judge(trial("a"), says_the_same)
    assert [one.fate for one in state.standings] == [Fate.PROVED]


def test_complaints_alone_prove_nothing() -> None:
    state = run(trial("a", complaints=5), of_complaints(B))  # pyright: ignore[reportArgumentType]
    assert outcome_of(state).decision is Decision.ORIGINAL_STAYS
    assert outcome_of(state).candidates[0].complaints.wins == 5
    assert outcome_of(state).candidates[0].evidence == 1.0


@pytest.mark.parametrize(
    ("won", "corrects", "decision"),
    [
        (B, False, "needs_person"),
        (TIE, False, "original_stays"),
        (A, False, "original_stays"),
        (TIE, True, "needs_person"),
        (A, True, "original_stays"),
    ],
)
def test_with_few_questions_a_person_sees_what_answers_a_complaint_better_or_corrects(
    won: MatchOutcome,
    corrects: bool,  # noqa: FBT001 - a parameter of the test
    decision: str,
) -> None:
    fixes = (Contender(candidate_id="a", corrects=corrects),)
    state = run(trial(screen=0, confirm=3, complaints=3, contenders=fixes), of_complaints(won))  # pyright: ignore[reportArgumentType]
    assert outcome_of(state).decision.value == decision


def test_of_two_that_lost_nothing_the_one_that_won_more_is_put_before_a_person() -> None:
    def outcome(key: MatchKey) -> MatchOutcome:
        return B if key.candidate_id == "b" or key.question == "complaint 0" else TIE

    state = run(trial("a", "b", screen=0, confirm=3, complaints=3), outcome)
    assert outcome_of(state).candidate_id == "b"


def test_a_complaint_is_in_no_other_set() -> None:
    with pytest.raises(InvalidValue, match="asked twice"):
        replace(trial("a"), complaints=("confirm 1",))


@given(st.lists(st.sampled_from([A, B, TIE]), min_size=1, max_size=5))
def test_what_is_proved_hangs_on_fresh_questions_alone(complaints: list[MatchOutcome]) -> None:
    def outcome(key: MatchKey) -> MatchOutcome:
        if key.stage is TrialStage.COMPLAINTS:
            return complaints[int(key.question.split()[1])]
        return B

    state = run(trial("a", complaints=len(complaints)), outcome)
    assert outcome_of(state).candidates[0].evidence == outcome_of(run(trial("a"), outcome)).candidates[0].evidence
    assert outcome_of(state).decision is Decision.WINNER
