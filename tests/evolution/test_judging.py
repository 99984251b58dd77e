from __future__ import annotations

import pytest

from evolore.domain.contest import JudgeReply, Scores, Side, Verdict
from evolore.domain.evolution import Match, MatchOutcome
from evolore.evolution.matches import Doubt, match_of, report_judge
from evolution.scripted import NOTHING, key, says, verdict_for

LOW, HIGH = (Scores(helpfulness=one, correctness=one, coherence=one) for one in (2, 4))


def played(outcomes: str, *, original: int = 500, candidate: int = 500) -> list[Match]:
    """Play a match for each letter: A, B, or T for a tie."""
    kinds = {"A": MatchOutcome.A, "B": MatchOutcome.B, "T": MatchOutcome.TIE}
    found: list[Match] = []
    for place, letter in enumerate(outcomes):
        one = key(str(place))
        replies = [
            verdict_for(request, kinds[letter], original=original, candidate=candidate) for request in one.requests
        ]
        found.append(match_of(one, replies))
    return found


@pytest.mark.parametrize(
    ("original_first", "candidate_first", "outcome"),
    [
        (Side.SECOND, Side.FIRST, MatchOutcome.B),
        (Side.FIRST, Side.SECOND, MatchOutcome.A),
        (Side.FIRST, Side.FIRST, MatchOutcome.TIE),
        (Side.SECOND, Side.SECOND, MatchOutcome.TIE),
        (Side.TIE, Side.FIRST, MatchOutcome.TIE),
        (Side.SECOND, Side.TIE, MatchOutcome.TIE),
        (Side.TIE, Side.TIE, MatchOutcome.TIE),
    ],
)
def test_a_match_is_won_in_both_orders_or_tied(
    original_first: Side, candidate_first: Side, outcome: MatchOutcome
) -> None:
    assert match_of(key(), (says(original_first), says(candidate_first))).outcome is outcome


@pytest.mark.parametrize("replies", [(NOTHING, says(Side.FIRST)), (says(Side.SECOND), NOTHING), (NOTHING, NOTHING)])
def test_silence_counts_for_the_original(replies: tuple[JudgeReply, JudgeReply]) -> None:
    assert match_of(key(), replies).outcome is MatchOutcome.A


def test_a_verdict_against_its_own_scores_makes_a_tie() -> None:
    absurd = Verdict(preferred=Side.SECOND, first=HIGH, second=LOW)
    assert match_of(key(), (absurd, says(Side.FIRST))).outcome is MatchOutcome.TIE
    assert report_judge([match_of(key(), (absurd, says(Side.FIRST)))]).contradictory == 1


@pytest.mark.parametrize("side", [Side.FIRST, Side.SECOND])
def test_a_judge_that_goes_by_position_is_doubted(side: Side) -> None:
    matches = [match_of(key(str(at)), (says(side), says(side))) for at in range(15)]
    report = report_judge(matches)
    assert report.doubts == (Doubt.POSITION,)
    assert (report.by_position, report.ties) == (15, 15)


def test_a_judge_that_always_prefers_the_longer_is_doubted() -> None:
    matches = [*played("BBBBBBBB", candidate=900), *played("AAA", original=900)]
    assert report_judge(matches).doubts == (Doubt.LENGTH,)


def test_a_judge_that_prefers_the_longer_as_often_as_not_is_believed() -> None:
    matches = [*played("BBBBB", candidate=900), *played("BBBBBB", original=900), *played("BBBB")]
    report = report_judge(matches)
    assert not report.doubts
    assert (report.by_length, report.matches) == (11, 15)
    assert report.longer_share.low < 5 / 11 < report.longer_share.high


def test_ties_and_answers_of_one_length_say_nothing_about_length() -> None:
    assert report_judge([*played("TTTT", candidate=900), *played("BBBB", candidate=540)]).by_length == 0


def test_answers_nobody_measured_say_nothing_about_length() -> None:
    assert report_judge(played("BBBB", original=0, candidate=0)).by_length == 0


def test_a_silent_judge_is_doubted_and_an_almost_silent_one_is_not() -> None:
    spoken = played("BABABABABABABA")
    assert report_judge([match_of(key(str(at)), (NOTHING, NOTHING)) for at in range(10)]).doubts == (Doubt.SILENCE,)
    report = report_judge([*spoken, match_of(key("x"), (says(Side.FIRST), NOTHING))])
    assert report.silent == 1
    assert not report.doubts


def test_scores_are_averaged_by_whose_answer_they_are_for() -> None:
    replies = (
        Verdict(preferred=Side.SECOND, first=LOW, second=HIGH, judge="j2"),
        Verdict(preferred=Side.FIRST, first=HIGH, second=LOW, judge="j1"),
    )
    report = report_judge([match_of(key(), replies)])
    assert report.original == LOW
    assert report.candidates == (("c", HIGH),)
    assert report.judges == ("j1", "j2")


def test_no_matches_are_no_reason_for_doubt() -> None:
    report = report_judge([])
    assert (report.matches, report.original, report.doubts) == (0, None, ())
