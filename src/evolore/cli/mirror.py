"""``evolore mirror``: statements as Markdown files, edited in either place."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from evolore.cli.printing import counted, shortened
from evolore.cli.session import EXIT_INPUT, ByOption, CliRun
from evolore.text.display import one_line

if TYPE_CHECKING:
    from evolore.integrations.mirror import Mirrored


def mirror(
    session: CliRun,
    folder: Annotated[
        Path, Argument(metavar="FOLDER", help="The folder of Markdown files; it is made if it is missing.")
    ],
    per: Annotated[
        str | None,
        Option(metavar="[speaker|day]", help="Put new lines into a file a speaker or a day; by default as before."),
    ] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Show what would be done both ways, and change nothing.")
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Retire statements also where many lines were deleted.")] = False,
    by: ByOption = None,
) -> None:
    """Keep statements as Markdown files, and take edits of the files back.

    An edited line becomes a correction, a new one a statement, a deleted one is retired. `undo` takes corrections and
    retirements back; delete a new line again to retire it, or `forget` it. What changed in the store is written to the
    files. Where both changed, both texts stay in the file, marked.

    Exits with 1 when a line was left alone or a conflict was written.
    """
    from evolore.integrations.mirror import mirror  # noqa: PLC0415 - `--help` need not pay for it

    with session.memory() as memory:
        done = mirror(memory, folder, per=per, dry_run=dry_run, yes=yes, principal=by)
        session.show(done, lambda: _render(done))
        if done.needs_a_look:
            raise typer.Exit(EXIT_INPUT)


def _render(done: Mirrored) -> None:
    for step in done.steps:
        reason = f": {step.reason}" if step.reason else ""
        undo = f"  (evolore undo {step.event_id})" if step.event_id else ""
        place = f"{one_line(step.place)}  " if step.place else ""
        typer.echo(f"{step.deed.value:10}  {place}{shortened(step.text)}{one_line(reason)}{undo}")
    counts = Counter(step.deed.value for step in done.steps)
    told = ", ".join(f"{number} {deed}" for deed, number in counts.items()) or "nothing changed"
    told = f"would be: {told}" if done.is_dry_run and counts else told
    written = "would be written. Nothing was changed." if done.is_dry_run else "written."
    typer.echo(f"{counted(done.statements, 'statement')}; {told}; {counted(len(done.files), 'file')} {written}")
