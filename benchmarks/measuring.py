"""What scripts share that measure sets of texts as ``evolore evaluate`` does: options, and tables of figures."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from evolore.cli.printing import naming_bar
from evolore.errors import EvoloreError
from evolore_evaluation.measure import Run
from harness import command_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from evolore_evaluation.reports import Report

    Rows = Sequence[tuple[str, Mapping[str, float]]]

COUNT = ",.0f"
SHARE = ".1%"
RARE = ".2%"
TIME = ".1f"


def options(doc: str | None) -> ArgumentParser:
    """Return a parser of the options that every measurement has."""
    parser = command_line(doc)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="sets in JSON lines, or folders of them")
    parser.add_argument("--limit", type=int, help="use only so many of each set; by default all")
    parser.add_argument("--predictions", type=Path, help="write what was predicted to this file, as JSON lines")
    parser.add_argument("--json", action="store_true", help="print every figure as JSON")
    return parser


def show(
    measure: Callable[[Run], Report],
    given: Namespace,
    *tables: Mapping[str, tuple[str, str]],
    lines: Callable[[Rows], Iterable[str]] | None = None,
) -> None:
    """Measure and print tables of the figures, or all of them as JSON.

    Args:
        measure: Measures so much of each set.
        given: What was asked for; with ``blind`` where the sets have halves.
        tables: The figures of each table by name: title and format.
        lines: What is printed below the tables, of the rows of all of them.
    """
    try:
        with naming_bar(quiet=given.json) as progress:
            how = Run(
                blind=getattr(given, "blind", False),
                limit=given.limit,
                predictions=given.predictions,
                progress=progress,
            )
            report = measure(how)
    except EvoloreError as error:
        sys.exit(str(error))
    shown = [table(report, columns) for columns in tables] + (["\n".join(lines(report.rows()))] if lines else [])
    print(json.dumps(report.to_json(), indent=2) if given.json else "\n\n".join(shown))


def table(report: Report, columns: Mapping[str, tuple[str, str]]) -> str:
    """Return a row of figures for each set and category, with the columns that any of them has."""
    rows = [(label, metrics) for label, metrics in report.rows() if not columns.keys().isdisjoint(metrics)]
    shown = {name: how for name, how in columns.items() if any(name in metrics for _, metrics in rows)}
    lines = [["set", *(title for title, _ in shown.values())]]
    for label, metrics in rows:
        cells = (format(metrics[name], how) if name in metrics else "" for name, (_, how) in shown.items())
        lines.append([label, *cells])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ([first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])] for first, *rest in lines)
    return "\n".join("  ".join(cells).rstrip() for cells in padded)
