from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.chunking.hard_split import hard_split


def pieces(text: str, most: int) -> list[str]:
    cuts, _ = hard_split(text, 0, len(text), most=most)
    return [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]


@given(st.text(alphabet=st.characters(exclude_categories=[]), max_size=300), st.integers(1, 60))
def test_the_pieces_fit_and_joined_are_the_text(text: str, most: int) -> None:
    found = pieces(text, most)
    assert "".join(found) == text
    assert all(len(piece) <= most for piece in found)
    assert all(found) or not text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aaaa\n\nbbbb bbb", ["aaaa\n\n", "bbbb bbb"]),
        ("aaaa bb\ncccc cc", ["aaaa bb\n", "cccc cc"]),
        ("あああ。いいい、うううう", ["あああ。", "いいい、うううう"]),
        ("aaa, bbb ccc dd", ["aaa, bbb ", "ccc dd"]),
        ("aaa bbb ccc ddd", ["aaa bbb ", "ccc ddd"]),
    ],
)
def test_the_best_gap_is_taken(text: str, expected: list[str]) -> None:
    assert pieces(text, 10) == expected


@pytest.mark.parametrize(
    "cluster", ["e\u0301", "👩\u200d👩\u200d👧", "👍🏽", "🇯🇵", "\ud83d\ude00", "か\u3099", "❤\ufe0f", "\r\n"]
)
@pytest.mark.parametrize("most", [9, 10, 11, 12])
def test_no_cut_falls_into_what_a_reader_sees_as_one(cluster: str, most: int) -> None:
    assert all(len(piece) % len(cluster) == 0 for piece in pieces(cluster * 20, most))


def test_a_cluster_longer_than_the_limit_is_cut_all_the_same() -> None:
    assert "".join(pieces("e" + "\u0301" * 300, 20)) == "e" + "\u0301" * 300


def test_it_says_whether_a_cut_fell_into_a_word() -> None:
    assert hard_split("x" * 30, 0, 30, most=10)[1]
    assert not hard_split("xxxx " * 6, 0, 30, most=10)[1]
