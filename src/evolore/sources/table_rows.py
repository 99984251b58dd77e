"""Write rows of cells as items of a list, each value under the name of its column where a row names the columns.

Heads are found by comparing kinds: words above numbers, years above other numbers, or short words that never stand below
themselves. What stands alone above a table is its title; blank rows and columns part tables. Where no head is found, no name
is made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from evolore.sources.markdown import escaped, one_line

_SAMPLED: Final = 30  # rows
_LONGEST_NAME: Final = 120  # characters
_LONGEST_WORDS: Final = 40
_VALUE: Final = re.compile(
    r"[^\w]*\d(?:[\d\s.,:/%+()'’-]|[eE][+-]?\d|T(?=\d)|[年月日时時分秒点])*[€$£¥￥%円元]?\W*Z?|(?i:true|false)"
)
_DATED: Final = re.compile(r"(?:1[89]|20)\d\d(?:年度?|[-/.年]\d{1,2}(?:[-/.月]\d{1,2}日?|月)?)?")
_SENTENCE: Final = re.compile(r"[.!?。！？]$")
Row: TypeAlias = Sequence[str]


class Items(NamedTuple):
    """Items, and how many tables have no head."""

    text: str
    headless: int


def rows_as_items(rows: Iterable[Row]) -> Items:
    """Write rows as items of a list; a passage of a long table then says what its values are, wherever it is cut.

    >>> print(rows_as_items([["Teas"], ["tea", "price"], ["Sencha", "12"], ["Hojicha", ""]]).text)
    Teas
    <BLANKLINE>
    - tea: Sencha; price: 12
    - tea: Hojicha
    """
    ahead = iter([one_line(cell) for cell in row] for row in rows)
    lines: list[str] = []
    headless = 0
    before: list[_Table] = []
    for first in ahead:
        if any(first):
            sample, is_whole = _sampled(first, ahead)
            tables = [_read_table(sample, part, before) for part in _parts(sample)]
            headless += sum(table.is_headless for table in tables)
            titles = [escaped(title) for table in tables for title in table.titles]
            is_another = any(table.names for table in tables) and [one.names for one in tables] != [
                one.names for one in before
            ]
            lines += ["", *titles, ""] if titles else [""] * bool(lines and is_another)
            at_hand = chain(enumerate(sample), () if is_whole else ((_SAMPLED, row) for row in _until_blank(ahead)))
            lines += (item for place, row in at_hand for table in tables if (item := table.item(place, row)))
            before = tables
    return Items("\n".join(lines).strip("\n"), headless)


def _sampled(first: Row, ahead: Iterator[Row]) -> tuple[list[Row], bool]:
    """Read rows until a blank one, or enough of them; return them and whether they are all."""
    sample = [first]
    for row in ahead:
        if not any(row):
            return sample, True
        sample.append(row)
        if len(sample) == _SAMPLED:
            return sample, False
    return sample, True


def _until_blank(ahead: Iterator[Row]) -> Iterator[Row]:
    for row in ahead:
        if not any(row):
            return
        yield row


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    start: int  #: Its first column.
    end: int  #: The column behind its last one.
    titles: tuple[str, ...]
    names: tuple[str, ...]  #: Of its columns; none where no row names them.
    first: int  #: The first row of the sample that holds values.
    is_headless: bool

    def item(self, place: int, row: Row) -> str:
        """Write a row's part of the table as an item; '' for what stands above its values, or for nothing."""
        cells = row[self.start : self.end]
        if place < self.first or not any(cells):
            return ""
        names = (*self.names, *[""] * (len(cells) - len(self.names)))
        return "- " + "; ".join(
            f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=False) if cell
        )


def _parts(sample: Sequence[Row]) -> list[tuple[int, int]]:
    """Return the columns of tables that stand beside each other, blank columns between them; each has two and more."""
    width = max(map(len, sample))
    filled = [any(column < len(row) and row[column] for row in sample) for column in range(width)]
    edges = [column for column in range(1, width - 1) if not filled[column] and filled[column - 1]]
    parts = list(zip([0, *edges], [*edges, width], strict=True))
    parts = [(next((column for column in range(start, end) if filled[column]), end), end) for start, end in parts]
    return parts if all(sum(filled[start:end]) > 1 for start, end in parts) else [(0, width)]


def _read_table(sample: Sequence[Row], part: tuple[int, int], before: Sequence[_Table]) -> _Table:
    start, end = part
    rows = [row[start:end] for row in sample]
    widest = max(sum(map(bool, row)) for row in rows)
    above = 0
    while (
        widest > 1
        and above < len(rows)
        and ("".join(rows[above][:1]).startswith("#") or (above < len(rows) - 1 and sum(map(bool, rows[above])) <= 1))
    ):
        above += 1
    titles = tuple("".join(row) if sum(map(bool, row)) <= 1 else ", ".join(filter(None, row)) for row in rows[:above])
    names, used = _names(rows[above:])
    kept = next((one.names for one in before if (one.start, one.end) == part and not titles), ())
    if not names and kept and widest <= len(kept):
        names = kept  # a blank row inside a table
    return _Table(
        start=start,
        end=end,
        titles=tuple(filter(None, titles)),
        names=names,
        first=above + used,
        is_headless=not names and widest > 1 and len(rows) - above > 1,
    )


def _names(rows: Sequence[Row]) -> tuple[tuple[str, ...], int]:
    """Return the names of columns, and how many rows they take; none where no row names them."""
    if len(rows) > 2 and (both := _two_heads(rows[0], rows[1])) and _is_head(both, rows[2:], by_values=True):  # noqa: PLR2004 - two heads and a row
        return both, 2
    if len(rows) > 1 and _is_head(rows[0], rows[1:]):
        return tuple(rows[0]), 1
    return (), 0


def _two_heads(upper: Row, lower: Row) -> tuple[str, ...]:
    """Join two rows of heads, of which the upper names several columns at once; nothing where they are none."""
    gaps = [place for place, name in enumerate(upper) if place and not name and place < len(lower) and lower[place]]
    if not gaps or any(map(_is_value, lower)):
        return ()
    joined: list[str] = []
    over = ""
    for place, name in enumerate(lower):
        over = (upper[place] if place < len(upper) else "") or (over if name else "")
        joined.append(f"{over} {name}".strip())
    return tuple(joined)


def _is_head(head: Row, rows: Sequence[Row], *, by_values: bool = False) -> bool:
    """Return whether a row names the columns of those below it."""
    votes = 0
    columns = [
        (name, [row[place] for row in rows if place < len(row) and row[place]]) for place, name in enumerate(head)
    ]
    for name, cells in columns:
        if not name or not cells:
            continue
        has_values = 2 * sum(map(_is_value, cells)) > len(cells)
        is_series = bool(_DATED.fullmatch(name)) and 2 * sum(bool(_DATED.fullmatch(cell)) for cell in cells) <= len(
            cells
        )
        if len(name) > _LONGEST_NAME or (_is_value(name) and not (has_values and is_series)):
            return False
        votes += has_values
    return bool(votes) or (not by_values and _are_names(columns))


def _are_names(columns: Sequence[tuple[str, Sequence[str]]]) -> bool:
    """Return whether words above words are names: short, each once, no sentences, and not found below themselves."""
    named = [name for name, _ in columns if name]
    is_without_gap = all(name or not cells for name, cells in columns)
    return (
        is_without_gap
        and len(set(named)) == len(named)
        and all(any(map(str.isalpha, name)) and len(name) <= _LONGEST_WORDS for name in named)
        and not any(_SENTENCE.search(name) or name in cells for name, cells in columns)
    )


def _is_value(cell: str) -> bool:
    return bool(_VALUE.fullmatch(cell))
