"""Questions in texts: asking is told by how a text ends, in three languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.text.question_words import ENDING_CHARACTERS, ends_with_question


@pytest.mark.parametrize(
    "text",
    [
        "Where did you go?",
        'He asked, "Why?"',
        "That's great! What's next?! ",
        "いつ着きますか。",
        "元気でしたか",
        "どこに行ったの？",
        "你去过吗",
        "他为什么不来呢？",
        "真的嗎。",
    ],
)
def test_a_text_that_ends_by_asking_asks(text: str) -> None:
    assert ends_with_question(text)


@pytest.mark.parametrize(
    "text",
    [
        "I asked where. Nobody knew.",
        "What a day!",
        "静かなところ。",
        "いいか悪いかは別だ。",
        "好吃。",
        "",
        "Who knows? I do.",
    ],
)
def test_a_text_that_ends_by_telling_does_not_ask(text: str) -> None:
    assert not ends_with_question(text)


@given(st.text(max_size=100))
def test_only_the_end_of_a_text_matters(text: str) -> None:
    assert ends_with_question(text[-ENDING_CHARACTERS:]) == ends_with_question(text)
