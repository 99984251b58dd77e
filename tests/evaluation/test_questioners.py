"""Questions asked again in other words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore_evaluation.learning import paraphrase


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize(
    "text",
    [
        "When did Ana buy the house?",
        'Bart: "What should I wear?"\nBart: "I look forward to it."',
        "会議はいつですか？",
        "会议是什么时候？",
        "Why?",
    ],
)
def test_it_is_said_otherwise_and_the_same_each_time(text: str, number: int) -> None:
    assert paraphrase(text, number) != text
    assert paraphrase(text, number) == paraphrase(text, number)


@given(st.text(min_size=1).filter(str.strip), st.integers(0, 1000))
def test_any_text_can_be_said_otherwise(text: str, number: int) -> None:
    assert paraphrase(text, number) != text
