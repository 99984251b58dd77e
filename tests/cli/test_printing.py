"""Lines of a terminal: as wide as it is, broken where a script lets them."""

from __future__ import annotations

import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from evolore.cli.printing import print_wrapped

JAPANESE = "自家用車を使うときは、事前に「車検証」と任意保険証券の写しを総務部に出しておく。ーっと。"


def printed(text: str, width: int, *, on_terminal: bool = True, indent: int = 0) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=on_terminal, color_system=None, soft_wrap=True)
    print_wrapped(console, Text(text), indent=indent)
    return stream.getvalue()


def test_words_stay_whole_where_they_fit() -> None:
    assert printed("the quick brown fox", 10) == "the quick\nbrown fox\n"
    assert printed("  - an item goes on", 10) == "  - an\nitem goes\non\n"
    assert printed("x" * 25, 10) == "xxxxxxxxxx\nxxxxxxxxxx\nxxxxx\n"
    assert printed("a\n\nb c", 10) == "a\n\nb c\n"


@pytest.mark.parametrize("width", range(8, 40))
def test_wide_characters_count_twice_and_no_line_begins_or_ends_against_the_rules(width: int) -> None:
    lines = printed(JAPANESE, width).splitlines()
    assert "".join(lines) == JAPANESE
    assert all(cell_len(line) <= width for line in lines)
    assert all(line[0] not in "、。」ーっ" and line[-1] != "「" for line in lines)
    assert all(cell_len(line) > width - 8 for line in lines[:-1])


def test_two_scripts_in_one_line_break_between_them() -> None:
    assert printed("Mika: 鉄道は普通車", 12) == "Mika: 鉄道は\n普通車\n"


def test_what_a_line_goes_on_with_is_indented() -> None:
    assert printed("the quick brown fox\na b", 12, indent=2) == "the quick\n  brown fox\na b\n"
    assert printed("the quick brown fox", 12, indent=2, on_terminal=False) == "the quick brown fox\n"


def test_a_pipe_keeps_lines_whole() -> None:
    assert printed(JAPANESE * 3, 20, on_terminal=False) == JAPANESE * 3 + "\n"


@example("a「、、", 5)
@given(st.text(alphabet="ab 。「漢字、\t\n", max_size=120), st.integers(4, 30))
def test_nothing_but_blanks_is_lost_and_nothing_is_wider(text: str, width: int) -> None:
    shown = printed(text, width)
    assert "".join(shown.split()) == "".join(text.split())
    assert all(cell_len(line) <= width for line in shown.splitlines())
