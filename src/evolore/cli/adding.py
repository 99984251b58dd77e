"""How ``evolore add`` shows what it does."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from evolore.cli.printing import one_line
from evolore.flows.add import Added, AddOutcome

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import TaskID

_SHOWN_NAME = 40


class AddDisplay:
    """A progress bar on a terminal, nothing in a pipe; when stopped, says what stands.

    Args:
        quiet: Whether to show nothing.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._done = 0
        self._documents = 0
        self._started = time.monotonic()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    @property
    def seconds(self) -> float:
        """How long it has been going."""
        return time.monotonic() - self._started

    def __call__(self, source: str, *, documents_done: int, documents: int, leaves_done: int, leaves: int) -> None:
        """Show how far it has come."""
        self._done, self._documents = documents_done, documents
        if self._bar is None or self._task is None:
            return
        share = leaves_done / leaves if leaves else 0.0
        name = source.rsplit("/", 1)[-1][-_SHOWN_NAME:]
        self._bar.update(self._task, completed=documents_done + share, total=documents, name=name)

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console  # noqa: PLC0415 - a pipe needs none

            self._bar = Progress(
                TextColumn("{task.fields[name]}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task("add", total=None, name="")
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            sys.stderr.write(
                f"{self._done} of {self._documents} documents are in the store, whole; "
                "the same command goes on with the others.\n"
            )


def render_added(added: Added, seconds: float) -> None:
    """Print the files that failed or were not read whole, and a summary line."""
    for failure in added.failures:
        sys.stderr.write(f"not added: {one_line(failure.reason)}\n")
    for one in added.documents:
        for note in one.notes:
            sys.stderr.write(f"not whole: {one_line(one.document.source)}: {note}\n")
    word = "vanished" if added.receipt is None else "forgotten"
    for document in added.vanished:
        sys.stderr.write(f"{word}: {one_line(document.source)}\n")
    if added.receipt is not None and added.receipt.lingering_in:
        sys.stderr.write(
            f"Erased bytes may linger in {', '.join(added.receipt.lingering_in)}: "
            "`evolore doctor --repair` takes them out.\n"
        )
    print(summary(added, seconds))  # noqa: T201 - the command's output


def summary(added: Added, seconds: float) -> str:
    """Say in one line what was done."""
    counts = {outcome.value: sum(document.outcome is outcome for document in added.documents) for outcome in AddOutcome}
    passages = sum(document.new_leaves for document in added.documents)
    review_items = sum(document.review_items for document in added.documents)
    parts = [f"{count} {name}" for name, count in counts.items() if count or name == AddOutcome.ADDED]
    if added.failures:
        parts.append(f"{len(added.failures)} failed")
    if added.vanished:
        parts.append(f"{len(added.vanished)} {'vanished' if added.receipt is None else 'forgotten'}")
    review = f", {review_items} to review" if review_items else ""
    return f"Documents: {', '.join(parts)}. New passages: {passages}{review}. {seconds:.1f} s."
