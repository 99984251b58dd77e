"""What every ``evaluate`` command shares: its options, how it measures, and how it prints what was found."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evolore.cli.session import Session, print_json

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from rich.progress import TaskID

    from evolore.evaluation.reports import Progress, Report
    from evolore.ports import Embedder

PathsArgument = Annotated[
    list[Path], typer.Argument(metavar="PATH", help="Data sets in JSON lines, also gzipped, or folders of them.")
]
PredictionsOption = Annotated[
    Path | None, typer.Option("--predictions", help="Write what was predicted to this file, as JSON lines.")
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", help="Take only so many texts or questions of each set; by default all.")
]
BlindOption = Annotated[bool, typer.Option("--blind", help="Measure the blind half too, and give both halves apart.")]


def default_embedder() -> Embedder:
    """Give the embedder that is measured with where the settings have no say."""
    from evolore.models.use import UseEmbedder  # noqa: PLC0415 - `--help` should not pay for it

    return UseEmbedder()


def run_measure(measure: Callable[[Progress | None], Report], *, as_json: bool) -> None:
    """Measure, with a bar where there is a terminal, and print what was found; errors are told as any command's."""
    with Session(None, None, as_json).explaining(), _progress(as_json) as progress:
        report = measure(progress)
    _print(report, as_json=as_json)


def _print(report: Report, *, as_json: bool) -> None:
    if as_json:
        print_json(report.to_json())
        return
    from rich.console import Console  # noqa: PLC0415 - JSON needs none

    from evolore.evaluation.terminal import render_table  # noqa: PLC0415 - likewise

    Console().print(render_table(report))


@contextmanager
def _progress(as_json: bool) -> Generator[Progress | None]:  # noqa: FBT001 - private, called here only
    """Show a bar on a terminal, nothing in a pipe."""
    if as_json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - a pipe needs none
    from rich.progress import Progress as Bar  # noqa: PLC0415 - likewise

    with Bar(console=Console(stderr=True), transient=True) as bar:
        tasks: dict[str, TaskID] = {}

        def advance(set_name: str, done: int, total: int, /) -> None:
            if set_name not in tasks:
                tasks[set_name] = bar.add_task(set_name, total=total)
            bar.update(tasks[set_name], completed=done, total=total)

        yield advance
