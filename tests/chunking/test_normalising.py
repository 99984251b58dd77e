from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.chunking.tiers import normalise, normalised_starts
from evolore.domain.language import Language


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("flour; yeast; salt", ["flour; ", "yeast; ", "salt"]),
        ("flour<br>yeast<br/>salt", ["flour<br>", "yeast<br/>", "salt"]),
        (r"one thing\ntwo things", [r"one thing\n", "two things"]),
        ("• flour • yeast", ["• ", "flour • ", "yeast"]),
        ("09:30 opened 10:15 closed", ["09:30 opened ", "10:15 closed"]),
        ("we went home.Then it rained", ["we went home.", "Then it rained"]),
        ("面粉；酵母；盐", ["面粉；", "酵母；", "盐"]),
        ("an ordinary run of words, with a comma", ["an ordinary run of words, with a comma"]),
        ("see example.com or 3.5 or e.g. this", ["see example.com or 3.5 or e.g. this"]),
    ],
)
def test_what_separates_starts_a_unit(text: str, pieces: list[str]) -> None:
    starts = normalised_starts(text, Language.EN, is_prose=True)
    assert [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)] == pieces


def test_lines_of_code_are_units_and_sentences_in_them_are_not() -> None:
    text = "a = 1  # One. Two.\nb = 2\n"
    assert normalised_starts(text, Language.EN, is_prose=False) == [0, text.index("b")]
    assert len(normalised_starts(text, Language.EN, is_prose=True)) > 2


@given(st.text(min_size=1, max_size=200), st.booleans())
def test_every_character_stays_at_its_place(text: str, is_prose: bool) -> None:  # noqa: FBT001 - drawn
    assert len(normalise(text)) == len(text)
    starts = normalised_starts(text, Language.EN, is_prose=is_prose)
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert starts[-1] < len(text)
