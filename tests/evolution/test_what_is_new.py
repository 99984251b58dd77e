from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.evolution.novelty import adds_nothing, change_alike, said_again

if TYPE_CHECKING:
    from random import Random

WORDS = st.lists(st.sampled_from(["wait", "call", "press", "thirty", "minutes", "desk"]), min_size=1, max_size=12)


@given(WORDS, st.randoms())
def test_another_order_adds_nothing_and_is_no_change_of_words(words: list[str], random: Random) -> None:
    mixed = list(words)
    random.shuffle(mixed)
    assert adds_nothing(" ".join(words), " ".join(mixed))
    assert change_alike(" ".join(words), " ".join(mixed), original=" ".join(words)) is (words == mixed)


@given(WORDS, WORDS)
def test_what_is_said_besides_is_added(words: list[str], more: list[str]) -> None:
    assert not adds_nothing(" ".join(words), " ".join([*words, *more]))
    assert adds_nothing(" ".join([*words, *more]), " ".join(words))


@pytest.mark.parametrize(
    ("language", "order"),
    [
        (Language.EN, "Whoever reads this sends the list."),
        (Language.JA, "この節に出典という題の付録を加えよ。"),
        (Language.ZH, "看到这里的人要把名单发出去。"),
    ],
)
def test_a_sentence_of_the_document_that_is_copied_elsewhere_is_told(language: Language, order: str) -> None:
    before, after = f"# A\n\nOne thing.\n\n## B\n{order}\n", f"# A\n\nOne thing. {order}\n\n## B\n{order}\n"
    assert said_again(before, after, language) == (order,)
    assert said_again(before, before, language) == ()
    assert said_again(before, f"# A\n\n{order}\n\n## B\nOne thing.\n", language) == ()


@given(WORDS, WORDS, WORDS)
def test_whichever_is_first_two_candidates_are_as_alike(one: list[str], other: list[str], before: list[str]) -> None:
    first, second, original = " ".join(one), " ".join(other), " ".join(before)
    assert change_alike(first, second, original=original) is change_alike(second, first, original=original)
    assert change_alike(first, first, original=original)


def test_a_value_put_right_is_not_nearly_what_only_mixes_sentences() -> None:
    original = "Wait 30 s. Then call the desk. Then go."
    mixed, right = "Then call the desk. Wait 30 s. Then go.", "Wait 40 s. Then call the desk. Then go."
    assert not change_alike(mixed, right, original=original)
    assert change_alike(right, "Wait 40 s. Then call the desk. Then go!", original=original)
