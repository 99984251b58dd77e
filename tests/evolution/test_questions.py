from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.contest import QuestionOrigin, QuestionSet, TrialQuestion
from evolore.evolution.contest_questions import QuestionSets, set_of, split_questions, words_of
from evolore.evolution.settings import EvolutionSettings

SETTINGS = EvolutionSettings()
EVEN: dict[str, Any] = {"SCREEN_SHARE": 0.3, "CONFIRM_SHARE": 0.3}
TEXTS = st.sampled_from([f"How about {at}?" for at in range(12)] + [f"how  ABOUT {at}" for at in range(6)])
CLAIMS = st.sampled_from([f"It is {at}." for at in range(5)])


@st.composite
def trial_questions(draw: st.DrawFn) -> TrialQuestion:
    origin = draw(st.sampled_from(QuestionOrigin))
    is_generated = origin is QuestionOrigin.GENERATED
    return TrialQuestion(
        text=draw(TEXTS),
        origin=origin,
        claim=draw(CLAIMS) if is_generated else None,
        was_good=origin is not QuestionOrigin.TRIGGER and draw(st.booleans()),
        is_used=draw(st.booleans()),
    )


POOLS = st.lists(trial_questions(), max_size=25)


def places(sets: QuestionSets) -> dict[str, str]:
    named = {"train": sets.train, "screen": sets.screen, "confirm": sets.confirm, "regression": sets.regression}
    return {words_of(one.text): name for name, held in named.items() for one in held}


def count(sets: QuestionSets) -> int:
    return sum(map(len, (sets.train, sets.screen, sets.confirm, sets.regression)))


def rated(text: str, *, was_good: bool = False) -> TrialQuestion:
    return TrialQuestion(text=text, origin=QuestionOrigin.RATING, was_good=was_good)


def made(text: str, claim: str) -> TrialQuestion:
    return TrialQuestion(text=text, origin=QuestionOrigin.GENERATED, claim=claim)


@given(POOLS, st.booleans())
def test_no_question_stands_in_two_sets(pool: list[TrialQuestion], is_even: bool) -> None:  # noqa: FBT001 - drawn
    with patch.multiple("evolore.evolution.contest_questions", **EVEN) if is_even else nullcontext():
        sets = split_questions(pool)
    assert len(places(sets)) == count(sets)


@given(POOLS, st.booleans())
def test_no_claim_is_asked_for_in_two_sets(pool: list[TrialQuestion], is_even: bool) -> None:  # noqa: FBT001 - drawn
    with patch.multiple("evolore.evolution.contest_questions", **EVEN) if is_even else nullcontext():
        sets = split_questions(pool)
    held = {
        name: {one.claim for one in questions if one.claim is not None}
        for name, questions in (("train", sets.train), ("screen", sets.screen), ("confirm", sets.confirm))
    }
    # A claim may also stand in train by the words of a trigger, which then has no claim of its own.
    assert not held["screen"] & held["confirm"]
    assert not held["train"] & (held["screen"] | held["confirm"])


@given(POOLS, POOLS)
def test_what_comes_beside_it_moves_no_question(pool: list[TrialQuestion], more: list[TrialQuestion]) -> None:
    before, after = places(split_questions(pool)), places(split_questions([*pool, *more]))
    triggers = {words_of(one.text) for one in more if one.origin is QuestionOrigin.TRIGGER}
    moved = {text for text in before.keys() & after.keys() if before[text] != after[text]}
    assert moved <= triggers
    assert all(after[text] == "train" for text in moved)


@given(POOLS)
def test_triggers_go_to_train_whoever_else_asked_them(pool: list[TrialQuestion]) -> None:
    triggers = {words_of(one.text) for one in pool if one.origin is QuestionOrigin.TRIGGER}
    sets = split_questions(pool)
    assert triggers == {words_of(one.text) for one in sets.train}


@given(st.data())
def test_the_order_of_questions_changes_nothing(data: st.DataObject) -> None:
    pool = data.draw(POOLS)
    mixed = data.draw(st.permutations(pool))
    assert split_questions(mixed) == split_questions(pool)


def test_the_shares_are_those_that_are_set() -> None:
    sets = split_questions([rated(f"question {at}", was_good=True) for at in range(4000)])
    assert not sets.train
    assert abs(len(sets.screen) / 4000 - 0.2) < 0.03
    assert abs(len(sets.confirm) / 4000 - 0.6) < 0.03
    assert abs(len(sets.regression) / 4000 - 0.2) < 0.03


def test_ratings_come_before_past_queries_and_generated_ones_last() -> None:
    kinds = (QuestionOrigin.GENERATED, QuestionOrigin.PAST_QUERY, QuestionOrigin.RATING)
    pool = [
        TrialQuestion(text=f"{kind} {at}", origin=kind, claim=f"{at}" if kind is QuestionOrigin.GENERATED else None)
        for kind in kinds
        for at in range(30)
    ]
    origins = [one.origin for one in split_questions(pool).confirm]
    assert origins == sorted(origins, key=list(QuestionOrigin).index)
    assert set(origins) == set(kinds)


def test_regression_asks_only_what_was_answered_well() -> None:
    pool = [rated(f"question {at}", was_good=at % 2 == 0) for at in range(200)]
    sets = split_questions(pool)
    assert sets.regression
    assert all(one.was_good for one in sets.regression)


def test_several_questions_of_one_claim_prove_it_once() -> None:
    pool = [made(f"question {at} of {claim}", f"claim {claim}") for claim in range(60) for at in range(3)]
    sets = split_questions(pool)
    assert len({one.claim for one in sets.confirm}) == len(sets.confirm) > 20


def test_what_was_used_is_not_fresh_nor_is_its_claim() -> None:
    pool = [made(f"question {at} of {claim}", f"claim {claim}") for claim in range(60) for at in range(2)]
    fresh = split_questions(pool).confirm
    used = {one.claim for one in fresh[:5]}
    again = [replace(one, is_used=one.claim in used and one.text.startswith("question 0")) for one in pool]
    left = split_questions(again).confirm
    assert {one.claim for one in left} == {one.claim for one in fresh} - used


def test_words_that_belong_to_two_sets_go_to_none() -> None:
    """A person asked what was generated, too; half of such pairs fall into two sets."""
    pairs = [(rated(f"question {at}"), made(f"Question {at}?", f"claim {at}")) for at in range(100)]
    dropped = [pair for pair in pairs if set_of(pair[0]) is not set_of(pair[1])]
    kept = [pair for pair in pairs if {set_of(one) for one in pair} == {QuestionSet.CONFIRM}]
    assert dropped
    assert kept
    assert not any(count(split_questions(pair)) for pair in dropped)
    assert all(count(split_questions(pair)) == 1 for pair in kept)


def test_case_width_spaces_and_closing_marks_make_no_other_question() -> None:
    assert words_of("Wann  öffnet ihr?") == words_of("ｗann ÖFFNET ihr ？")
    assert words_of("何時に開きますか？") == words_of("何時に開きますか。")
    assert words_of("???") == "???"
    assert words_of("When?") != words_of("Where?")


def test_it_is_said_how_many_questions_are_worth_generating() -> None:
    assert split_questions([]).missing(SETTINGS) == 67
    many = [rated(f"question {at}") for at in range(400)]
    assert split_questions(many).missing(SETTINGS) == 0


def test_a_trigger_belongs_to_train_whatever_its_words() -> None:
    triggers = [TrialQuestion(text=f"question {at}", origin=QuestionOrigin.TRIGGER) for at in range(50)]
    assert {set_of(one) for one in triggers} == {QuestionSet.TRAIN}
    assert QuestionSet.TRAIN not in {set_of(rated(one.text)) for one in triggers}
