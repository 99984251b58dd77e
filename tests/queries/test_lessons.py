"""What a question inherits: by distinct principals, never by volume, and less with age.

Questions about one matter are told from those that only sound alike.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.models.embedders import shipped_matter
from evolore.models.use import UseEmbedder
from evolore.ports import TextRole
from evolore.queries.lessons import Taught, gains, left_by_age, same_matter, shared_words
from evolore.recall.dense import MatterSpace
from evolore.text.scripts import detect_language
from evolore.text.tokens import query_tokens

lessons = st.lists(
    st.tuples(st.sampled_from("abc"), st.just(0.0) | st.floats(2**-10, 1.0, width=32), st.integers(-1, 4)),
    min_size=1,
    max_size=30,
)


def taught(rows: list[tuple[str, float, int]]) -> Taught:
    return Taught(
        episode_ids=[row[0] for row in rows],
        strengths=np.array([row[1] for row in rows], dtype=np.float32),
        principals=np.array([row[2] for row in rows], dtype=np.int32),
    )


@given(lessons, st.floats(0.01, 1.0))
def test_no_episode_gains_more_than_all_and_none_without_a_lesson(
    rows: list[tuple[str, float, int]], share: float
) -> None:
    found = gains(taught(rows), principal_share=share)
    assert set(found) <= {row[0] for row in rows if row[1] > 0.0}
    assert all(0.0 < gain <= 1.0 for gain in found.values())


@given(lessons, st.integers(2, 1000))
def test_one_principal_gives_no_more_for_saying_it_often(rows: list[tuple[str, float, int]], times: int) -> None:
    assert gains(taught(rows), principal_share=0.5) == gains(taught(rows * min(times, 20)), principal_share=0.5)


@given(lessons)
def test_one_principal_alone_gives_at_most_the_share(rows: list[tuple[str, float, int]]) -> None:
    alone = [(id_, strength, 3) for id_, strength, _ in rows]
    assert all(gain <= 0.5 + 1e-9 for gain in gains(taught(alone), principal_share=0.5).values())


@given(lessons, st.integers(0, 30))
def test_the_order_of_lessons_says_nothing(rows: list[tuple[str, float, int]], first: int) -> None:
    turned = [*rows[first:], *rows[:first]][::-1]
    assert gains(taught(rows), principal_share=0.4) == gains(taught(turned), principal_share=0.4)


def test_a_second_witness_adds_to_the_first() -> None:
    once = gains(taught([("a", 1.0, 1)]), principal_share=0.5)["a"]
    twice = gains(taught([("a", 1.0, 1), ("a", 1.0, 2)]), principal_share=0.5)["a"]
    assert (once, twice) == (0.5, 0.75)


def test_lessons_fade_by_half_lives_and_those_of_a_later_moment_do_not() -> None:
    days = np.array([-5.0, 0.0, 90.0, 180.0, 3600.0]) * 86_400.0
    left = left_by_age(days, half_life_days=180.0)
    assert left[:2].tolist() == [1.0, 1.0]
    assert left[2] == pytest.approx(0.7071, abs=1e-4)
    assert left[3] == pytest.approx(0.5)
    assert left[4] < 1e-5


@pytest.fixture(scope="module")
def embedder() -> UseEmbedder:
    return UseEmbedder()


def likely(embedder: UseEmbedder, one: str, other: str) -> float:
    space = MatterSpace.from_arrays(shipped_matter(embedder.model))
    vectors = embedder.embed([one, other], role=TextRole.QUERY)
    first, second = space.centred(vectors, [detect_language(one), detect_language(other)])
    words = shared_words(frozenset(query_tokens(one)), [frozenset(query_tokens(other))])
    return float(same_matter(np.array([first @ second], dtype=np.float32), words)[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("When did Ana move to Lyon?", "Do you remember when Ana moved to Lyon?"),
        ("Which database do we run in production?", "In production, which database do we run?"),
        ("来月の会議はどこで開かれますか", "来月の会議はどこで開かれるのか教えてください"),
        ("下个月的会议在哪里开", "请问下个月的会议在哪里开"),
    ],
)
def test_the_same_question_in_other_words_is_near(embedder: UseEmbedder, one: str, other: str) -> None:
    assert likely(embedder, one, other) >= 0.5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("When did Ana move to Lyon?", "When did Bo move to Kyoto?"),
        ("Which database do we run in production?", "Which coffee machine stands in the kitchen?"),
        ("来月の会議はどこで開かれますか", "来月の旅行の予算はいくらですか"),
        ("下个月的会议在哪里开", "下个月的房租是多少钱"),
    ],
)
def test_a_question_of_the_same_form_about_something_else_is_not(embedder: UseEmbedder, one: str, other: str) -> None:
    assert likely(embedder, one, other) < 0.5


def test_shared_words_of_nothing_are_none() -> None:
    assert shared_words(frozenset(), [frozenset()]).tolist() == [0.0]
