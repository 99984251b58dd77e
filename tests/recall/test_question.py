from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.recall.question import plain_question


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('Ann: "I miss it."\nAnn: "So much."', "Ann: I miss it. Ann: So much."),
        ("「猫」の名前は？", "猫 の名前は？"),
        ("《红楼梦》是谁写的？", "红楼梦 是谁写的？"),
        ("What's new?", "What's new?"),
    ],
)
def test_marks_and_line_ends_are_left_out(text: str, plain: str) -> None:
    assert plain_question(text) == plain


@given(st.text(min_size=1, max_size=60))
def test_something_is_always_left(text: str) -> None:
    assert plain_question(text)


@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_making_it_plain_twice_changes_nothing_more(text: str) -> None:
    once = plain_question(text)
    assert plain_question(once) == once
