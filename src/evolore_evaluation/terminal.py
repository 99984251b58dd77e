"""Tables of an evaluation for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evolore_evaluation.edits import level_lines
from evolore_evaluation.reports import CAPTIONS, COLUMNS, Report

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table


_WHOLE = frozenset(
    {
        *(
            "documents",
            "queries",
            "texts",
            "cases",
            "pairs",
            "edits",
            "episodes",
            "sentences",
            "chunk_ends",
            "questions",
            "target_characters",
            "chunks",
            "auto_approvals",
            "twins",
            "twins_found",
        ),
        "mean_characters",
    }
)
_RARE = frozenset({"chunk_ends_inside", "chunk_ends_forced"})
_PLAIN = frozenset({"boundary_ratio", "boundary_ratio_at_target"})
_ENDS = ("_low", "_high")
_ABREAST = 4
_COUNTED = (
    "rated_",
    "jobs",
    "promoted_",
    "promotions",
    "planted",
    "proposals",
    "harm_",
    "calls",
    "tokens",
    "poison_",
    "secret_",
    "texts",
    "attempts",
)
_COUNTS = ("_questions", "_held_out", "_proposed", "_stood", "characters", "_files", "same_history")
_RATIOS = ("_per_fix", "_per_proposal", "_ms")
_MEASURED = frozenset({"megabytes_per_second", "p50_ms", "ms_per_item"})


def render_table(report: Report) -> Group:
    """Return the chief figures as tables: fractions as percentages, one row a set and a category.

    All figures are in ``Report.to_json``.
    """
    from rich.console import Group  # noqa: PLC0415 - a run with --json needs no table
    from rich.text import Text  # noqa: PLC0415 - likewise

    if report.system not in COLUMNS:
        return _listed(report)
    tables = [_table(report, columns) for columns in COLUMNS[report.system]]
    shown = [table for table in tables if table.row_count]
    if shown:
        shown[0].title = f"evolore {report.version}, evaluate {report.system}"
        shown[-1].caption = CAPTIONS[report.system]
    lines = list(level_lines(report.rows())) if report.system == "edits" else []
    apart = [part for table in shown for part in (table, "")][:-1]
    return Group(*apart, *map(Text, lines))


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
        names = dict.fromkeys(name for _, metrics in some for name in metrics if not name.endswith(_ENDS))
        for name in names:
            table.add_row(name, *(_plain(name, metrics[name]) if name in metrics else "" for _, metrics in some))
        tables.append(table)
    return Group(*tables, "Shares in %; counts, and figures per something, as they are.")


def _plain(name: str, value: float) -> str:
    """Write a count or a ratio as it is, and a share in percent."""
    if name.endswith(_RATIOS):
        return f"{value:,.1f}"
    if _is_count(name):
        return f"{value:,.0f}"
    return f"{100 * value:.1f}"


def _is_count(name: str) -> bool:
    return name in _WHOLE or name.startswith(_COUNTED) or name.endswith(_COUNTS)


def _format(name: str, value: float) -> str:
    if _is_count(name):
        return f"{value:,.0f}"
    if name in _PLAIN:
        return f"{value:.2f}"
    if name in _RARE:
        return f"{100 * value:.2f}"
    return f"{value:.1f}" if name in _MEASURED else f"{100 * value:.1f}"
