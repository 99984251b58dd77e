from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.text.tokens import analyse, token_weights


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("UNTAG", 1.0, 1.0),
        ("正式名称", 0.5, 2.1),
        ("グループ", 0.5, 1.2),
        ("できるのは", 0.0, 0.5),
        ("서울", 0.3, 0.4),
    ],
)
def test_a_word_weighs_about_as_much_as_a_word(text: str, least: float, most: float) -> None:
    total = float(token_weights(analyse(text)).sum())
    assert least - 1e-6 <= total <= most + 1e-6


def test_a_rare_latin_word_outweighs_a_common_compound() -> None:
    assert token_weights(analyse("UNTAG")).sum() > token_weights(analyse("の正")).sum()


@given(st.text(max_size=40))
def test_every_token_has_a_weight_above_zero_and_at_most_one(text: str) -> None:
    tokens = analyse(text)
    weights = token_weights(tokens)
    assert weights.shape == (len(tokens),)
    assert weights.dtype == np.float32
    assert ((weights > 0) & (weights <= 1)).all()


@given(st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), max_size=8))
def test_words_of_letters_all_weigh_the_same(words: list[str]) -> None:
    assert (token_weights(words) == 1.0).all()
