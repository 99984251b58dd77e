from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evolore.text.pipe_tables import is_table_head, row_names, table_head

CELLS = st.lists(st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=80), min_size=1, max_size=9)


@given(CELLS)
def test_a_head_is_known_for_one_and_short(cells: list[str]) -> None:
    head = table_head(cells)
    assert is_table_head(head)
    assert len(head) <= 204


def test_a_head_without_words_is_none() -> None:
    assert not table_head(["", ""])
    assert not is_table_head("")


def test_headings_are_no_heads_of_tables() -> None:
    assert not any(map(is_table_head, ("Trees", "Trees | shrubs", "|trees|")))


def test_rows_are_named_by_their_first_two_cells() -> None:
    text = "Prose | no row.\n\n| No | Tree | Height |\n|:--|---|--:|\n| 1 | Silver fir | 70 |\n| T\\|2 | 65 | 7 |\n| | | |\n"
    assert list(row_names(text)) == ["Silver fir", "T\\|2"]


def test_rows_without_outer_bars_have_names_too() -> None:
    assert list(row_names("port | number | 7070\ndir | path | /data")) == ["port", "number", "dir", "path"]


def test_reading_names_takes_linear_time() -> None:
    steps = [sum(1 for _ in row_names(text * size)) for size in (1000, 2000, 4000) for text in ("| ab | cd |\n",)]
    assert steps == [2000, 4000, 8000]
    for awkward in ("|" * 40_000, " " * 40_000 + "|", "|-" * 20_000, "\\|" * 20_000, "| \n" * 20_000):
        assert not any(len(name) > 1 and name.strip("|\\- ") for name in row_names(awkward))
