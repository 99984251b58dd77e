"""Pipe tables of Markdown: the head that later rows need to be understood, and the names of rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_LONGEST_HEAD = 200
"""The head is repeated above every later piece of its table, as headings are: it is cut where headings are."""

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:-]+")
_NAMING_CELLS = 2
"""A row is named by its first cell, or by the second behind a number; further cells are values, which come again."""


def table_head(cells: Sequence[str]) -> str:
    """Write the cells of a table's first row on one line; empty where they have no words.

    >>> table_head(["Tree", "Height cm"])
    '| Tree | Height cm |'
    """
    line = " | ".join(cells)
    if len(line) > _LONGEST_HEAD:
        line = line[: _LONGEST_HEAD - 1] + "…"
    return f"| {line} |" if any(cells) else ""


def is_table_head(heading: str) -> bool:
    """Return whether a line above a text is the head of its table and no heading.

    >>> is_table_head("| Tree | Height cm |"), is_table_head("Trees | shrubs")
    (True, False)
    """
    return heading.startswith("| ") and heading.endswith(" |")


def row_names(text: str) -> Iterator[str]:
    r"""Read the cells of each row that may name it; heads are left out, and one sign or a number in the second place.

    >>> list(row_names("| No | Tree |\n| --- | --- |\n| T-1 | fir |\n| T-2 | 7 |"))
    ['T-1', 'fir', 'T-2']
    """
    lines = text.splitlines() if "|" in text else ()
    for line, below in pairwise([*lines, ""]):
        is_head = "-" in below and _RULE.fullmatch(below)
        if line.count("|") < _NAMING_CELLS or is_head or _RULE.fullmatch(line):
            continue
        cells = [cell.strip() for cell in _BAR.split(line.strip().removeprefix("|"), _NAMING_CELLS)[:_NAMING_CELLS]]
        yield from (cell for place, cell in enumerate(cells) if len(cell) > 1 and not (place and cell.isdigit()))
