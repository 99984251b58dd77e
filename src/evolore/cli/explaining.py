"""Explaining a recall: what its question was taken for, and a table of every term of every hit.

Terms and fields show by themselves: what a later recall tells besides is printed without a change here.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, cast

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from evolore.cli.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.answers import Hit, Recall

_HIDDEN = {"query", "hits", "tokens", "is_estimated", "unmatched", "namespace"}
"""What is shown elsewhere."""

SCORE_NOTE = (
    "A score is the sum of its terms. Holding all of the question's words counts\n"
    "for 1 at the most: it compares hits of this recall, never hits of two."
)
_NUMBER_WIDTH = 10
_LEAST_COLUMNS = 1


def explain_question(found: Recall) -> Table:
    """Give what a recall tells besides its hits, a line each; what it does not know is left out."""
    table = Table.grid(padding=(0, 2))
    for name, value in _fields_of(found):
        if name in _HIDDEN or value is None or value is False or value in ((), ""):
            continue
        for number, shown in enumerate(_lines(value)):
            table.add_row(Text("" if number else _words(name), style="dim"), Text(shown))
    return table


def explain_hits(hits: Sequence[Hit], *, width: int) -> Iterator[Table]:
    """Give every term of every hit: a row for each term, a column for each hit, so many tables as the width asks for."""
    names = list(dict.fromkeys(term.name for hit in hits for term in hit.terms))
    name_width = max(map(cell_len, [*names, "score"])) + 2
    columns = max(_LEAST_COLUMNS, (width - name_width) // _NUMBER_WIDTH)
    for start in range(0, len(hits), columns):
        yield _terms_table(hits[start : start + columns], names, name_width=name_width)


def _terms_table(hits: Sequence[Hit], names: Sequence[str], *, name_width: int) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_footer=True, header_style="bold")
    table.add_column("hit", footer="score", min_width=name_width - 2, no_wrap=True)
    for hit in hits:
        table.add_column(
            str(hit.rank), footer=f"{hit.score:+.3f}", justify="right", min_width=_NUMBER_WIDTH - 2, no_wrap=True
        )
    by_hit = [{term.name: term.value for term in hit.terms} for hit in hits]
    for name in names:
        table.add_row(name, *(_signed(terms.get(name)) for terms in by_hit))
    return table


def _signed(value: float | None) -> str:
    if value is None:
        return ""
    return "·" if value == 0.0 else f"{value:+.3f}"


def _fields_of(value: object) -> list[tuple[str, object]]:
    if not is_dataclass(value):
        return []
    return [(field.name, getattr(value, field.name)) for field in fields(value)]


def _lines(value: object) -> list[str]:
    """Write a value on a line, or the values of a tuple on one each."""
    if isinstance(value, tuple):
        return [_line(one) for one in cast("tuple[object, ...]", value)]
    return [_line(value)]


def _line(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, tuple):
        return ", ".join(map(_line, cast("tuple[object, ...]", value)))
    parts = [(name, part) for name, part in _fields_of(value) if part is not None and part != ()]
    if parts:
        return ", ".join(f"{_words(name)} {_line(part)}" for name, part in parts)
    return one_line(str(value))


def _words(name: str) -> str:
    return name.replace("_", " ")
