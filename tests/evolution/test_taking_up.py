"""Of many complaints a half is kept to try candidates by."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.feedback import Feedback, people
from evolore.domain.outcome import Rating
from evolore.evolution.contest_questions import taken_up, words_of

AT = datetime(2026, 3, 2, tzinfo=UTC)


def said(number: int, who: str | None, question: str | None, comment: str | None = None) -> Feedback:
    return Feedback(
        id=f"f{number:03}",
        document_id="d",
        version=1,
        rating=Rating.BAD,
        rated_at=AT,
        principal=who,
        query_id=None if question is None else f"q{number}",
        question=question,
        comment=comment,
    )


def complaints(count: int) -> list[Feedback]:
    return [said(number, f"p{number}", f"how about {number}?") for number in range(count)]


def test_three_people_that_begin_a_job_are_all_heard() -> None:
    assert taken_up(complaints(3), least=3) == tuple(complaints(3))


def test_of_more_about_a_half_is_kept_for_the_trial() -> None:
    taken = taken_up(complaints(203), least=3)
    assert taken[:3] == tuple(complaints(3))
    assert 70 <= len(taken) - 3 <= 130


def test_whoever_says_why_is_heard() -> None:
    more = [said(number, f"q{number}", f"and {number}?", "It is wrong.") for number in range(10, 40)]
    assert taken_up([*complaints(3), *more], least=3) == (*complaints(3), *more)


def test_one_person_who_says_it_often_is_one() -> None:
    often = [said(number, "ann", f"how about {number}?") for number in range(5)]
    assert taken_up(often, least=3) == tuple(often)


def test_what_names_no_question_is_heard_and_the_same_question_stays_together() -> None:
    more = [said(10, "x", None), said(11, "y", "How about 0 ?"), said(12, None, "how about 1?")]
    assert set(more) <= set(taken_up([*complaints(3), *more], least=3))


WHO = st.sampled_from(["ann", "ben", "cem", "dan", None])
LISTS = st.lists(st.tuples(WHO, st.none() | st.integers(0, 30), st.sampled_from([None, "Why?"])), max_size=30)


@given(LISTS, st.integers(1, 4))
def test_no_question_is_both_shown_and_kept_and_enough_people_are_heard(
    listed: list[tuple[str | None, int | None, str | None]], least: int
) -> None:
    every = [
        said(number, who, None if which is None else f"how about {which}?", why)
        for number, (who, which, why) in enumerate(listed)
    ]
    taken = taken_up(every, least=least)
    assert people(taken) >= min(least, people(every))
    shown = {words_of(one.question) for one in taken if one.question}
    kept = {words_of(one.question) for one in every if one not in taken and one.question}
    assert not shown & kept
    assert [one for one in every if one in taken] == list(taken)
    assert {one.id for one in every if one.comment} <= {one.id for one in taken}
    assert set(taken_up(every[:-1], least=least)) <= set(taken)
