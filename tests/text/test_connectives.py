from __future__ import annotations

import pytest

from evolore.text.sentences import points_back


@pytest.mark.parametrize(
    "sentence",
    [
        "しかし、違う。",
        "その結果。",
        "　また来る。",
        "「これは本だ。」",
        "但是不行。",
        "因此如此。",
        "这是书。",
        "（注）",
        "However, no.",
        "“She left.",
        "this follows",
    ],
)
def test_a_sentence_that_refers_to_the_one_before_points_back(sentence: str) -> None:
    assert points_back(sentence)


@pytest.mark.parametrize(
    "sentence", ["サーバーを設定する。", "东京是首都。", "It is hot.", "Thistles grow.", "The office moved.", ""]
)
def test_a_sentence_that_names_its_matter_does_not(sentence: str) -> None:
    assert not points_back(sentence)
