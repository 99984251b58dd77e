"""Tables of an evaluation for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from evolore.domain.tables import read_tables

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

    from evolore_evaluation.reports import Report

_ENDS = ("_low", "_high")
_ABREAST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Forms:
    """Which figures are written otherwise than as shares, by name, or by how it begins or ends."""

    counts: frozenset[str]
    counts_beginning: tuple[str, ...]
    counts_ending: tuple[str, ...]
    ratios_ending: tuple[str, ...]
    measured: frozenset[str]
    plain: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """How the figures of reports are shown: in which form, and of each system the columns of its tables and their caption."""

    form: _Forms
    captions: Mapping[str, str]
    columns: Mapping[str, tuple[Mapping[str, str], ...]]


@cache
def _shown() -> _Shown:
    return TypeAdapter(_Shown).validate_python(read_tables("evolore_evaluation", "words/figures.toml"))


def render_table(report: Report) -> Group:
    """Return the chief figures as tables: fractions as percentages, one row a set and a category.

    All figures are in ``Report.to_json``.
    """
    from rich.console import Group  # noqa: PLC0415 - a run with --json needs no table

    if report.system not in _shown().columns:
        return _listed(report)
    tables = [_table(report, columns) for columns in _shown().columns[report.system]]
    shown = [table for table in tables if table.row_count]
    if shown:
        shown[0].title = f"evolore {report.version}, evaluate {report.system}"
        shown[-1].caption = _shown().captions[report.system]
    return Group(*[part for table in shown for part in (table, "")][:-1])


def _table(report: Report, titles: Mapping[str, str]) -> Table:
    """Return a table of some figures, of all sets and categories that have any of them."""
    from rich.table import Table  # noqa: PLC0415 - a run with --json needs no table

    rows = [(label, metrics) for label, metrics in report.rows() if not titles.keys().isdisjoint(metrics)]
    columns = {name: title for name, title in titles.items() if any(name in metrics for _, metrics in rows)}
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("set", vertical="bottom", no_wrap=True)
    for title in columns.values():
        table.add_column(title, justify="right", vertical="bottom", no_wrap=True)
    for label, metrics in rows:
        table.add_row(label, *(_format(name, metrics[name]) if name in metrics else "" for name in columns))
    return table


def _listed(report: Report) -> Group:
    """Return every figure in a line of its own, a column each set and category, where there are too many for one line."""
    from rich.console import Group  # noqa: PLC0415 - a run with --json needs no table
    from rich.table import Table  # noqa: PLC0415 - likewise

    rows = report.rows()
    tables: list[Table] = []
    for start in range(0, len(rows), _ABREAST):
        some = rows[start : start + _ABREAST]
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        table.add_column(f"evaluate {report.system}", no_wrap=True)
        for label, _ in some:
            table.add_column(label.strip(), justify="right", overflow="fold")
        for name in dict.fromkeys(name for _, metrics in some for name in metrics if not name.endswith(_ENDS)):
            table.add_row(name, *(_plain(name, metrics[name]) if name in metrics else "" for _, metrics in some))
        tables.append(table)
    return Group(*tables, "Shares in %; counts, and figures per something, as they are.")


def _plain(name: str, value: float) -> str:
    """Write a count or a ratio as it is, and a share in percent."""
    if name.endswith(_shown().form.ratios_ending):
        return f"{value:,.1f}"
    return f"{value:,.0f}" if _is_count(name) else f"{100 * value:.1f}"


def _is_count(name: str) -> bool:
    form = _shown().form
    return name in form.counts or name.startswith(form.counts_beginning) or name.endswith(form.counts_ending)


def _format(name: str, value: float) -> str:
    form = _shown().form
    if _is_count(name):
        return f"{value:,.0f}"
    if name in form.plain:
        return f"{value:.2f}"
    return f"{value:.1f}" if name in form.measured else f"{100 * value:.1f}"
