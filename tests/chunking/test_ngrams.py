from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.chunking.perplexity import KneserNeyModel, NgramModel

if TYPE_CHECKING:
    from collections.abc import Callable

LETTERS = "abcd"
TEXTS = st.text(alphabet=LETTERS, max_size=60)
MODELS: dict[str, Callable[[int], NgramModel]] = {
    "kneser_ney": lambda order: KneserNeyModel(order=order, alphabet=len(LETTERS)),
}


@pytest.mark.parametrize("name", MODELS)
@given(text=TEXTS, context=st.text(alphabet=LETTERS, max_size=4), order=st.integers(1, 5))
def test_probabilities_sum_to_one_behind_every_context(name: str, text: str, context: str, order: int) -> None:
    model = MODELS[name](order)
    model.learn(text, 0, len(text))
    behind = context[len(context) - min(len(context), order - 1) :]
    shares = [model.probability(behind, letter) for letter in LETTERS]
    assert all(share > 0 for share in shares)
    assert sum(shares) == pytest.approx(1.0)


@pytest.mark.parametrize("name", MODELS)
@given(text=TEXTS, order=st.integers(1, 4), data=st.data())
def test_learning_in_two_steps_is_learning_in_one(name: str, text: str, order: int, data: st.DataObject) -> None:
    middle = data.draw(st.integers(0, len(text)))
    once, twice = MODELS[name](order), MODELS[name](order)
    once.learn(text, 0, len(text))
    twice.learn(text, 0, middle)
    twice.learn(text, middle, len(text))
    assert once.bits(text, 0, len(text)) == pytest.approx(twice.bits(text, 0, len(text)))


@pytest.mark.parametrize("name", MODELS)
def test_what_was_read_before_is_cheaper_than_what_was_not(name: str) -> None:
    model = MODELS[name](3)
    text = "abcabcabcabc" + "abcabc" + "ddbdba"
    model.learn(text, 0, 12)
    assert model.bits(text, 12, 18) < model.bits(text, 18, 24)


def test_an_untaught_model_gives_every_character_the_same() -> None:
    for make in MODELS.values():
        assert make(3).bits("abcd", 0, 4) == pytest.approx(4 * math.log2(len(LETTERS)))


def test_kneser_ney_of_order_two_gives_the_numbers_of_its_formula() -> None:
    model = KneserNeyModel(order=2, alphabet=2)
    model.learn("aab", 0, 3)
    # Pairs aa, ab; behind "a": each once, two kinds. Single letters by kinds before them: a 1, b 1.
    uniform = (1 - 0.75 + 0.75 * 2 * 0.5) / 2
    assert model.probability("", "a") == pytest.approx(uniform)
    assert model.probability("a", "b") == pytest.approx((1 - 0.75 + 0.75 * 2 * uniform) / 2)


@pytest.mark.parametrize("name", MODELS)
@given(text=TEXTS, order=st.integers(1, 5))
def test_the_code_length_is_that_of_each_character_behind_what_stands_before_it(
    name: str, text: str, order: int
) -> None:
    model = MODELS[name](order)
    model.learn(text, 0, len(text) // 2)
    shares = (model.probability(text[max(0, place - order + 1) : place], text[place]) for place in range(len(text)))
    assert model.bits(text, 0, len(text)) == pytest.approx(-sum(map(math.log2, shares)))
