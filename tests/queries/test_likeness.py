"""Questions about one matter are told from those that only sound alike."""

from __future__ import annotations

import numpy as np
import pytest

from evolore.models.embedders import shipped_matter
from evolore.models.use import UseEmbedder
from evolore.ports import TextRole
from evolore.queries.lessons import same_matter, shared_words
from evolore.recall.dense import MatterSpace
from evolore.text.scripts import detect_language
from evolore.text.tokens import query_tokens


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
