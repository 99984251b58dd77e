"""Find the tables in rows of cells, and the row that names their columns; no name is invented."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, islice, pairwise
from typing import Final

from evolore.sources.readers.markdown import escaped, some

_SAMPLED: Final = 100
_LONGEST_NAME: Final = 120
_LEAST_COLUMNS: Final = 2
_LEAST_IN_SERIES: Final = 3
_DEEPEST: Final = 3
_NO_VALUES: Final = frozenset({"", "-", "–", "—", "n/a", "na", "nan", "null", "none"})
_YEAR: Final = re.compile(r"(?:1[5-9]|20|21)\d\d年?度?")
_DATE: Final = re.compile(r"\d[-/:年月時时]|\d\.\d+\.\d")
_LETTERS_OF_DATES: Final = frozenset("TZ年月日時时分秒")


class Strong(str):
    """The text of a cell that is written in bold, as names of columns often are."""

    __slots__ = ()


@dataclass
class Tables:
    """Read rows as items, and keep what was in doubt."""

    guessed: list[str] = field(
        default_factory=list[str]
    )  #: Rows taken as names though nothing but their place says so.
    bare: list[str] = field(default_factory=list[str])  #: Names of columns that hold nothing.
    unnamed: int = 0  #: How many tables no row names the columns of.

    def read(self, rows: Iterable[Sequence[str]]) -> str:
        """Write rows as items of a list; where a row names the columns, every value has its column's name.

        Blank rows and columns part tables, and single cells above a table become paragraphs. A passage of a long table
        then says what its values are, wherever it is cut.

        >>> print(Tables().read([["tea", "price"], ["Sencha", "12"], ["Hojicha", ""]]))
        - tea: Sencha; price: 12
        - tea: Hojicha
        """
        return "\n".join(self._blocks(rows, _DEEPEST)).strip("\n")

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was in doubt, in sentences."""
        unsure = (
            f"Whether these rows name the columns below them is not sure, they were taken so: {some(self.guessed)}."
        )
        unnamed = f"Tables without a row that names their columns: {self.unnamed:,}; their values are without names."
        bare = f"Columns without a value were left out: {some(dict.fromkeys(self.bare))}."
        said = ((unsure, self.guessed), (unnamed, self.unnamed), (bare, self.bare))
        return tuple(note for note, found in said if found)

    def _blocks(self, rows: Iterable[Sequence[str]], depth: int) -> Iterator[str]:
        """Yield the lines of what blank rows and columns part."""
        above = _Head(names=(), start=0, end=0)
        for is_filled, block in groupby(rows, key=any):
            ahead = iter(block if is_filled else ())
            sample = list(islice(ahead, _SAMPLED))
            spans = _spans(sample)
            if depth and len(spans) > 1 and all(_is_table(sample, *span) for span in spans):
                whole = [*sample, *ahead]
                for start, end in spans:
                    yield from self._blocks((row[start:end] for row in whole), depth - 1)
                above = _Head(names=(), start=0, end=0)
            elif spans:
                head = self._head(sample, spans[0][0], spans[-1][1], above)
                yield from [""] * (head.names is not above.names)
                for row in sample[: head.lead]:
                    yield from (escaped("; ".join(filter(None, row))), "")
                body = islice(chain(sample, ahead), head.lead + head.rows, None)
                yield from self._items((row[head.start :] for row in body), head)
                above = head

    def _items(self, rows: Iterable[Sequence[str]], head: _Head) -> Iterator[str]:
        bare = {column for column, name in enumerate(head.names) if name and head.rows}
        for row in rows:
            bare = {column for column in bare if column >= len(row) or not row[column]}
            yield _item(row, head)
        self.bare += [head.names[column] for column in sorted(bare)]

    def _head(self, sample: Sequence[Sequence[str]], start: int, end: int, above: _Head) -> _Head:
        """Find the names of a table: below its title, in one row or two; else it goes on with those of the table above."""
        rows = [row[start:] for row in sample]
        lead = _lead(rows)
        first, *body = rows[lead:]
        kinds = [_usual(_column(body or [first], column)) for column in range(end - start)]
        names, count = _named(first, body)
        is_more = not names and not lead and _is_more(rows, kinds, start, end, above)
        if is_more and (not body or any(_kind(cell) not in {"", "word"} for cell in first)):
            return replace(above, lead=0, rows=0)
        if not names and not is_more and _may_name(first, body):
            self.guessed.append(", ".join(filter(None, first)))
            names, count = list(first), 1
        self.unnamed += not names and bool(body) and end - start > 1
        names = [name.rstrip(":：") for name in names]
        return _Head(names=names, start=start, end=end, lead=lead, rows=count, kinds=kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    names: Sequence[str]  #: Of the columns; none where no row names them.
    start: int  #: The first column of the table.
    end: int  #: The column behind its last.
    lead: int = 0  #: How many rows are above the names.
    rows: int = 0  #: How many rows the names take.
    kinds: Sequence[str] = ()  #: What its columns hold for the most part.


def _named(first: Sequence[str], body: Sequence[Sequence[str]]) -> tuple[list[str], int]:
    """Return the names of columns and how many rows they take; none where no row surely names them."""
    if body and _is_second(first, body[0], body[1:]):
        return _together(first, body[0]), 2
    has_index = bool(body) and all(len(row) == len(first) + 1 for row in body) and any(row[-1] for row in body)
    names = ["", *first] if has_index and all(first) else list(first)  # as R writes the names of rows
    return (names, 1) if body and _votes(names, body) > 0 else ([], 0)


def _is_more(rows: Sequence[Sequence[str]], kinds: Sequence[str], start: int, end: int, above: _Head) -> bool:
    """Return whether rows below a blank one may belong to the table above: in its columns, with the same kinds of values."""
    is_below = bool(above.names) and above.start <= start and end <= above.end
    pairs = zip(kinds, above.kinds[start - above.start :] if is_below else (), strict=False)
    is_one = len(rows) == 1  # as a sum, which has a word where the others have a code
    is_alike = all({kind, known} & {""} or kind == known or (is_one and kind == "word") for kind, known in pairs)
    return is_below and is_alike and (is_one or start == above.start)


def _item(row: Sequence[str], head: _Head) -> str:
    """Write a row; a single cell in a wide table is a caption or a note, and no value of the first column."""
    row = _trimmed(row)
    if len(row) == 1 and len(head.names) > _LEAST_COLUMNS:
        return f"- {row[0]}"
    names = [*head.names, *[""] * (len(row) - len(head.names))]
    named = zip(names, row, strict=False)
    return "- " + "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell)


def _spans(rows: Sequence[Sequence[str]]) -> list[tuple[int, int]]:
    """Return from where to where columns hold something; a single column belongs to its neighbours."""
    used = {column for row in rows for column, cell in enumerate(row) if cell}
    spans: list[tuple[int, int]] = []
    for column in sorted(used):
        if spans and column == spans[-1][1]:
            spans[-1] = (spans[-1][0], column + 1)
        else:
            spans.append((column, column + 1))
    parted: list[tuple[int, int]] = []
    for start, end in spans:
        if parted and min(end - start, parted[-1][1] - parted[-1][0]) < _LEAST_COLUMNS:
            parted[-1] = (parted[-1][0], end)
        else:
            parted.append((start, end))
    return parted


def _is_table(rows: Sequence[Sequence[str]], start: int, end: int) -> bool:
    """Return whether some columns have names of their own; else a gap beside them is one within a form."""
    cut = [part for row in rows if any(part := row[start:end])]
    first, *body = cut[_lead(cut) :]
    return bool(_named(first, body)[0]) or _may_name(first, body)


def _trimmed(row: Sequence[str]) -> Sequence[str]:
    count = len(row)
    while count and not row[count - 1]:
        count -= 1
    return row[:count]


def _lead(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows are above a table: those that fill less than half its columns, and one more line of words."""
    ends = [len(_trimmed(row)) for row in rows]
    width = sorted(ends)[len(ends) * 3 // 4]
    lead = 0
    while lead < len(rows) - 1 and ends[lead] * 2 <= width:
        lead += 1
    below = rows[lead + 1 : lead + 2]
    is_short = ends[lead] < width and all(rows[lead][: ends[lead]])
    if below and ends[lead + 1] == width and (is_short or rows[lead][0].startswith("#")):
        lead += not any(map(_is_value, below[0])) and _votes(below[0], rows[lead + 2 :]) > 0
    return lead


def _column(rows: Sequence[Sequence[str]], column: int) -> list[str]:
    return [row[column] for row in rows if column < len(row)]


def _kind(cell: str) -> str:
    """Return of which kind a value is: '' none, a word, a code, a flag, a year, a date or a number."""
    if cell.lower() in _NO_VALUES:
        return ""
    if cell.lower() in {"true", "false"}:
        return "flag"
    if not any(map(str.isdigit, cell)):
        return "code" if "@" in cell or "://" in cell else "word"
    if _YEAR.fullmatch(cell):
        return "year"
    if not any(sign.isalpha() and sign not in _LETTERS_OF_DATES for sign in cell):
        return "date" if _DATE.search(cell) else "number"
    return "word" if " " in cell and not cell[0].isdigit() else "code"


def _is_value(cell: str) -> bool:
    return _kind(cell) in {"flag", "number"}


def _usual(cells: Sequence[str]) -> str:
    """Return the kind that most cells of a column are of."""
    kinds = Counter(kind for kind in map(_kind, cells) if kind)
    return kinds.most_common(1)[0][0] if kinds else ""


def _votes(first: Sequence[str], body: Sequence[Sequence[str]]) -> int:
    """Count the columns whose first cell names the others, less those where it is one of them."""
    has_series = _is_series(first) and not (body and _is_series(body[0]))
    is_strong = bool(body) and _is_strong(first) - (_is_strong(body[0]) or _is_strong(_column(body, 0)))
    return len(first) * is_strong + sum(
        _vote(cell, _column(body, column), has_series=has_series) for column, cell in enumerate(first)
    )


def _vote(cell: str, values: Sequence[str], *, has_series: bool) -> int:
    kind, usual = _kind(cell), _usual(values)
    if not kind or not usual:
        return 0
    if kind == "word" == usual:
        return -1 if cell in values or cell.endswith((":", "：")) else _is_shorter(cell, values)
    if kind in {"word", "code"} and kind != usual:
        return int(kind == "word" or usual != "word")
    if kind in {"year", "number"} and has_series:
        return 1
    return 1 if kind == "date" != usual else 0 if kind == "year" != usual else -1


def _is_shorter(cell: str, values: Sequence[str]) -> int:
    return int(len(cell) * 2 <= min(len(value) for value in values if _kind(value)))


def _is_strong(row: Sequence[str]) -> bool:
    return all(isinstance(cell, Strong) for cell in row if cell)


def _is_series(row: Sequence[str]) -> bool:
    """Return whether numbers of a row count on, as years and hours do that name columns."""
    numbers = [int(cell[:4]) for cell in row if _kind(cell) == "year" or (cell.isdecimal() and len(cell) < 4)]  # noqa: PLR2004 - as years
    steps = {after - before for before, after in pairwise(numbers)}
    are_years = all(_kind(cell) == "year" for cell in row if _is_value(cell) or _kind(cell) == "year")
    return len(steps) == 1 and 0 not in steps and (are_years or len(numbers) >= _LEAST_IN_SERIES)


def _may_name(row: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Return whether nothing speaks against a row of words, each once and with no gap between them, as names."""
    row = _trimmed(row)
    are_words = all(_kind(cell) == "word" and len(cell) <= _LONGEST_NAME for cell in row)
    is_row = len(row) >= _LEAST_COLUMNS and len(set(row)) == len(row)
    return are_words and is_row and bool(body) and _votes(row, body) == 0


def _is_second(first: Sequence[str], second: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Return whether a row names columns together with the one above it, which has gaps or says the same twice."""
    groups = list(filter(None, first))
    if any(map(_is_value, chain(first, second))) or not body:
        return False
    if len(set(groups)) == len(groups) == len(_trimmed(second)):
        return False
    columns = [(_kind(cell), _usual(_column(body, column))) for column, cell in enumerate(second)]
    return any(kind and usual and kind != usual for kind, usual in columns) and _votes(second, body) >= 0


def _together(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Join two rows of names; a name in the upper goes on over the gap beside it."""
    names: list[str] = []
    group = ""
    for upper, lower in zip([*first, *[""] * (len(second) - len(first))], second, strict=False):
        group = upper or group if lower else ""
        names.append(" ".join(dict.fromkeys(filter(None, (upper or group, lower)))))
    return names
