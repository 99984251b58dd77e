from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.text.alignment import align

ENGLISH = "we lit the oven at four then the fitter came and he looked at the burner for an hour"
WORDS = st.lists(
    st.sampled_from(["oven", "bread", "猫", "東京", "the", "—", "(", "“", "。", "a1", ""]), max_size=30
).map(" ".join)


def test_a_place_of_a_rewrite_is_found_in_its_original() -> None:
    rewritten = "We lit the oven at four.\n\nThen the fitter came, and he looked at the burner for an hour."
    (place,) = align(ENGLISH, rewritten).places([0, rewritten.index("Then")])
    assert ENGLISH[place:].startswith("then the fitter")


def test_japanese_is_aligned_by_its_characters() -> None:
    original = "窯は四時に火を入れますそれから職人が来てバーナーを見ました"
    rewritten = "窯は四時に火を入れます。それから職人が来て、バーナーを見ました。"
    (place,) = align(original, rewritten).places([rewritten.index("それから")])
    assert original[place:].startswith("それから")


def test_words_that_come_again_are_told_apart_by_their_order() -> None:
    original = "the boat is blue and cold the boat is blue and cold the boat is blue and cold"
    rewritten = "The boat is blue and cold. The boat is blue and cold. The boat is blue and cold."
    starts = [0, 27, 54]
    assert [rewritten[start:][:8] for start in starts] == ["The boat"] * 3
    assert align(original, rewritten).places(starts) == [26, 52]


def test_brackets_before_a_place_go_with_it() -> None:
    original = "he came at noon (the second fitter was late that day) and left"
    rewritten = "He came at noon. The second fitter was late that day. And left."
    (place,) = align(original, rewritten).places([rewritten.index("The second")])
    assert original[place:].startswith("(the second")


def test_another_text_shares_little_and_gives_no_place() -> None:
    other = "Bananas ripen slowly. Nobody eats them green."
    found = align(ENGLISH, other)
    assert found.share < 0.4
    assert found.places([other.index("Nobody")]) == []
    assert align(ENGLISH, ENGLISH).share == 1.0


@pytest.mark.parametrize(("original", "rewritten"), [("", "a b"), ("a b", ""), ("", "")])
def test_nothing_aligns_with_nothing(original: str, rewritten: str) -> None:
    found = align(original, rewritten)
    assert found.share == 0.0
    assert found.places([0, 1]) == []


@given(WORDS, WORDS, st.lists(st.integers(0, 200), max_size=5))
def test_places_always_ascend_inside_the_original(original: str, rewritten: str, offsets: list[int]) -> None:
    found = align(original, rewritten).places(sorted(offsets))
    assert found == sorted(set(found))
    assert all(0 < place < len(original) for place in found)
