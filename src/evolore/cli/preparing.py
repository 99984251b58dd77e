"""After much was added: the files that make a large namespace fast are built at once, because a command ends."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from evolore.memory import Memory


def prepare(memory: Memory, *, quiet: bool) -> None:
    """Build what is due, with a bar on a terminal; Ctrl-C leaves it to a later command."""
    try:
        with _bar(quiet=quiet) as progress:
            memory.prepare(progress=progress)
    except KeyboardInterrupt:
        sys.stderr.write("Everything is in the store; recall is slower until its index files are built.\n")
        raise


@contextmanager
def _bar(*, quiet: bool) -> Generator[Callable[[int, int], None] | None]:
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - a pipe needs none
    from rich.progress import Progress  # noqa: PLC0415 - likewise

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("building the index", total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total or None)

        yield show
