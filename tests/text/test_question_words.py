"""Questions in texts: asking is told by how a text ends, in three languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.text.question_words import ENDING_CHARACTERS, AskedWords, ends_with_question, held_words


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


RARITY = {"名字": 3.0, "名": 2.0, "字": 1.5, "是从": 6.0, "从": 2.5, "哪两": 6.0, "两": 2.0, "两个": 5.0}


def test_a_pair_of_characters_counts_for_no_more_than_twice_its_commoner_one() -> None:
    weights = AskedWords.of("名字", RARITY).weights
    assert weights["名字"] == AskedWords.of("名字", RARITY | {"名字": 9.0}).weights["名字"]
    assert weights["名字"] < AskedWords.of("名字", RARITY | {"字": 2.0, "名字": 9.0}).weights["名字"]


def test_a_pair_with_a_character_that_only_asks_is_not_asked_for() -> None:
    weights = AskedWords.of("名字是从哪两个来的？", RARITY).weights
    assert {"名字", "从", "两"} <= weights.keys()
    assert not {"是从", "哪两", "两个"} & weights.keys()


def test_an_identifier_is_held_to_the_letter() -> None:
    asked = AskedWords.of("What changed in 2.1.10?", {})
    assert asked.covered(held_words("Changed in 2.1.10.")) == 1.0
    assert asked.covered(held_words("Changed in 2.10.1.")) < 0.3


def test_numbers_that_are_no_part_of_an_identifier_stay_words() -> None:
    assert "9" in AskedWords.of("Which bus leaves at 9?", {}).weights
