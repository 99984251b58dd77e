from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evolore.evolution.what_is_new import adds_nothing, differ_little

WORDS = st.lists(st.sampled_from(["wait", "call", "press", "thirty", "minutes", "desk"]), min_size=1, max_size=12)


@given(WORDS, st.randoms())
def test_another_order_adds_nothing_and_is_no_small_difference(words: list[str], random: object) -> None:
    mixed = list(words)
    random.shuffle(mixed)  # pyright: ignore[reportAttributeAccessIssue]
    assert adds_nothing(" ".join(words), " ".join(mixed))
    assert differ_little(" ".join(words), " ".join(mixed)) is (words == mixed)


@given(WORDS, WORDS)
def test_what_is_said_besides_is_added(words: list[str], more: list[str]) -> None:
    assert not adds_nothing(" ".join(words), " ".join([*words, *more]))
    assert adds_nothing(" ".join([*words, *more]), " ".join(words))
    assert differ_little(" ".join(words), " ".join([*words, *more])) is (len(more) <= 4)
