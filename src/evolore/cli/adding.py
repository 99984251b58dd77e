"""How ``evolore add`` shows what it does."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self, assert_never

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from evolore.cli.printing import counted, one_line, short_source
from evolore.flows.add import Added, AddOutcome
from evolore.ports import LeftOutReason

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from rich.progress import TaskID

    from evolore.ports import LeftOut

_SHOWN_NAME = 40
_SHOWN_KINDS = 5


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
                TimeRemainingColumn(),
                TextColumn("left"),
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
        sys.stderr.write(f"{word}: {short_source(document.source)}\n")
    if added.receipt is not None and added.receipt.lingering_in:
        sys.stderr.write(
            f"Erased bytes may linger in {', '.join(added.receipt.lingering_in)}: "
            "`evolore doctor --repair` takes them out.\n"
        )
    print(summary(added, seconds))  # noqa: T201 - the command's output
    if added.left_out:
        print(left_out_line(added.left_out))  # noqa: T201 - likewise


def left_out_line(left_out: Sequence[LeftOut]) -> str:
    """Say in one line what was passed over in folders, and why."""
    parts = [_left_out(reason, [one for one in left_out if one.reason is reason]) for reason in LeftOutReason]
    return f"Left out: {'; '.join(filter(None, parts))}."


def _left_out(reason: LeftOutReason, some: Sequence[LeftOut]) -> str:
    count = sum(one.count for one in some)
    names = [f"{one.count:,} {one_line(one.name) or 'without an ending'}" for one in some[:_SHOWN_KINDS]]
    if len(some) > _SHOWN_KINDS:
        names.append(f"{sum(one.count for one in some[_SHOWN_KINDS:]):,} others")
    if not count:
        return ""
    match reason:
        case LeftOutReason.KIND:
            return f"{counted(count, 'file')} of a kind that is not read ({', '.join(names)})"
        case LeftOutReason.HIDDEN:
            return counted(count, "hidden file")
        case LeftOutReason.PATTERN:
            return f"{counted(count, 'file')} by --include or --exclude"
        case LeftOutReason.HIDDEN_FOLDER | LeftOutReason.LINKED_FOLDER | LeftOutReason.SKIPPED_FOLDER:
            kind = reason.value.removesuffix("_folder")
            return f"{counted(count, f'{kind} folder')} ({', '.join(dict.fromkeys(one_line(one.name) for one in some[:_SHOWN_KINDS]))})"
        case _:
            assert_never(reason)


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
