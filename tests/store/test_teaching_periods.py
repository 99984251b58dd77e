"""What a question taught at which time follows from who said what, and when."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evolore.index.questions import Entered, LessonTable, PersonalRating, lessons

if TYPE_CHECKING:
    from evolore.index.questions import Taught

LATER = 1e9
WHO = ("ann", "bob", "eve", None)
TIMES = st.integers(1, 6).map(float)
RATINGS = st.lists(st.tuples(TIMES, st.sampled_from(WHO), st.booleans()), max_size=4, unique_by=lambda one: one[1])
CITED = st.dictionaries(st.sampled_from("ab"), TIMES, max_size=2)
EDGES = st.lists(st.tuples(TIMES, st.sampled_from("abc")), max_size=3, unique_by=lambda one: one[1])


def at(taught: Taught, moment: float) -> set[tuple[str, float, bool, str | None]]:
    return {
        (one.target_id, one.weight, one.is_rated, one.principal)
        for one in taught
        if one.taught_at <= moment < one.taught_until
    }


@given(ratings=RATINGS, cited=CITED, edges=EDGES, moment=TIMES)
def test_at_each_moment_it_is_what_what_was_said_by_then_teaches_for_good(
    ratings: list[tuple[float, str | None, bool]],
    cited: dict[str, float],
    edges: list[tuple[float, str]],
    moment: float,
) -> None:
    said = [PersonalRating(*one) for one in ratings]
    entered = [Entered(at, target, 0.5) for at, target in edges]
    whole = lessons(principal="asker", since=0.0, ratings=said, cited=cited, edges=entered)
    then = lessons(
        principal="asker",
        since=0.0,
        ratings=[one for one in said if one.at <= moment],
        cited={target: at for target, at in cited.items() if at <= moment},
        edges=[one for one in entered if one.at <= moment],
    )
    assert at(whole, moment) == at(then, LATER)
    assert all(one.taught_at < one.taught_until for one in whole)


def test_what_more_people_call_bad_taught_until_they_did() -> None:
    said = [PersonalRating(2.0, "ann", is_good=True), PersonalRating(5.0, "bob", is_good=False)]
    [lesson] = lessons(principal="eve", since=1.0, ratings=said, cited={"a": 1.0}, edges=())
    assert (lesson.taught_at, lesson.taught_until, lesson.principal) == (2.0, 5.0, "ann")


def test_what_a_rating_does_not_change_is_one_lesson() -> None:
    said = [PersonalRating(2.0, "ann", is_good=True), PersonalRating(3.0, "bob", is_good=True)]
    found = lessons(principal=None, since=1.0, ratings=said, cited={"a": 1.0}, edges=())
    assert [(one.principal, one.taught_at, one.taught_until) for one in found] == [("ann", 2.0, inf), ("bob", 3.0, inf)]


@given(rows=st.lists(st.tuples(RATINGS, CITED, EDGES), min_size=1, max_size=5), moment=st.none() | TIMES)
def test_a_table_gives_what_held_at_a_moment_and_which_questions_taught_anything(
    rows: list[tuple[list[tuple[float, str | None, bool]], dict[str, float], list[tuple[float, str]]]],
    moment: float | None,
) -> None:
    taught = [
        lessons(
            principal="asker",
            since=0.0,
            ratings=[PersonalRating(*one) for one in ratings],
            cited=cited,
            edges=[Entered(time, target, 0.5) for time, target in edges],
        )
        for ratings, cited, edges in rows
    ]
    table = LessonTable()
    table.append([(), *taught[1:]])
    table.teaching(moment)  # what was told before is not told of what comes later
    table.append([()])
    table.teaching(moment)
    table.replace(0, taught[0])
    table.teaching(moment)
    table.move_last(len(taught))
    wanted = [at(row, LATER if moment is None else moment) for row in taught]
    found = table.of(np.arange(len(rows), dtype=np.int32), as_of=moment)
    places = found.rows.tolist()
    assert [places.count(place) for place in range(len(rows))] == [len(row) for row in wanted]
    assert (found.taught_at <= (LATER if moment is None else moment)).all()
    teaching = table.teaching(moment)
    if teaching is not None:
        assert teaching.tolist() == [bool(row) for row in wanted]
    else:
        assert wanted == [at(row, LATER) for row in taught]
