from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.evolution.requests import choose_sections
from evolore.text.sections import read_sections

WORDS = ("refunds", "parcels", "receipts", "offices", "bicycles", "lamps")
TEXT = "".join(f"# {word.capitalize()}\n\nThis is what holds for {word} here.\n\n" for word in WORDS)


def chosen(about: str, longest: int) -> list[str]:
    sections = read_sections(TEXT)
    return [one.path[0] for one in choose_sections(sections, [about], language=Language.EN, longest=longest)]


def test_all_are_shown_where_they_fit() -> None:
    assert len(chosen("parcels", len(TEXT))) == len(WORDS)


def test_the_sections_people_ask_about_are_shown_first_and_in_order() -> None:
    assert chosen("Where are lamps and parcels?", 120) == ["Parcels", "Lamps"]
    assert chosen("What holds?", 60) == ["Refunds"]
    assert chosen("lamps", 10) == []


def test_japanese_sections_are_chosen_by_their_words() -> None:
    text = "# 返金\n\n返金には7日かかります。\n\n# 配送\n\n配送は翌日です。\n\n"
    (one,) = choose_sections(read_sections(text), ["配送はいつですか"], language=Language.JA, longest=20)
    assert one.path == ("配送",)


@given(st.sampled_from(WORDS), st.integers(0, 400))
def test_what_is_chosen_fits_stands_in_order_and_is_whole(word: str, longest: int) -> None:
    sections = read_sections(TEXT)
    found = choose_sections(sections, [word], language=Language.EN, longest=longest)
    assert sum(len(one.text) for one in found) <= longest or found == sections
    assert [one for one in sections if one in found] == list(found)
