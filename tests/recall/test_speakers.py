"""Speakers: whom a question names."""

from __future__ import annotations

import numpy as np
import pytest

from evolore.recall.question import match_speakers

NAMES = ("Ann", "Bob Miller", "田中")
SPEAKERS = np.array([0, 1, 2, -1, 0], dtype=np.int32)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Ann's sister buy?", [True, False, False, False, True]),
        ("where does bob miller live", [False, True, False, False, False]),
        ("Where does Bob live?", [False, False, False, False, False]),
        ("田中さんは何を買った？", [False, False, True, False, False]),
        ("Did Ann and Bob Miller meet?", [True, True, False, False, True]),
        ("What was bought?", [False, False, False, False, False]),
    ],
)
def test_items_of_named_speakers_match(question: str, expected: list[bool]) -> None:
    assert match_speakers(question, SPEAKERS, NAMES).tolist() == expected


def test_a_name_that_is_also_a_common_word_is_still_a_name() -> None:
    assert match_speakers("What did Will do?", SPEAKERS[:2], ["Will", "Ann"]).tolist() == [True, False]


def test_a_name_without_letters_is_never_named() -> None:
    assert match_speakers("What?", SPEAKERS[:2], ["***", ""]).tolist() == [False, False]


def test_no_items_match_nobody() -> None:
    assert match_speakers("What did Ann do?", SPEAKERS[:0], []).shape == (0,)
