"""``evolore watch``: folders are added, and what changes in them is taken in as it does."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from evolore import config
from evolore.cli.add import AddDisplay, prepare, render_added
from evolore.cli.printing import counted
from evolore.cli.session import CliRun, MetaOption, SyncOption, TagOption, read_pairs
from evolore.errors import InvalidValue, MissingExtra, TryAgain
from evolore.text.display import one_line

if TYPE_CHECKING:
    from evolore.memory import Memory

_IDLE_MS = 500

Paths = frozenset[Path]


def watch(
    session: CliRun,
    folders: Annotated[list[Path], Argument(help="Folders to watch.", metavar="FOLDER")],
    meta: MetaOption = None,
    tag: TagOption = None,
    include: Annotated[
        list[str] | None, Option(metavar="PATTERN", help="Add only what fits, such as: 'guides/**/*.md'. Repeatable.")
    ] = None,
    exclude: Annotated[list[str] | None, Option(metavar="PATTERN", help="Leave out what fits. Repeatable.")] = None,
    sync: SyncOption = None,
    settle: Annotated[
        float, Option(min=0.1, max=3600, metavar="SECONDS", help="Read files that have not changed for so long.")
    ] = 1.0,
) -> None:
    """Add folders as `add` does, and then what changes in them, until it is stopped by Ctrl-C or SIGTERM.

    Only files that changed are read again. A file that is deleted leaves its document as it is, unless `--sync forget` is
    given. What cannot be written, because another process holds the store, is tried again. Others may use the store
    meanwhile.
    """
    with session.explaining():
        changes = watching(folders, settle)
        for folder in folders:
            if not folder.is_dir():
                raise InvalidValue(f"'{one_line(str(folder))}' is no folder: `evolore watch` takes folders.")
    with session.memory() as memory, _stopping() as stop:

        def add(only: Paths | None) -> None:
            with AddDisplay(quiet=session.as_json) as display:
                added = memory.add(
                    *folders,
                    metadata=read_pairs(meta, "--meta") if meta else None,
                    tags=tag or None,
                    include=include or (),
                    exclude=exclude or (),
                    only=only,
                    sync=sync,
                    progress=display,
                )
            if only is None or added.documents or added.failures or added.vanished:
                session.show(added, lambda: render_added(added, display.seconds))
                sys.stdout.flush()
            if only is None:
                if any(one.new_leaves for one in added.documents):
                    prepare(memory, quiet=session.as_json)
                if not session.as_json:
                    sys.stderr.write(f"Watching {counted(len(folders), 'folder')}; Ctrl-C stops.\n")

        follow(changes(stop), add, maintain=lambda: maintain_daily(memory))


_CHECK_SECONDS = 3600.0
_MAINTAIN_SECONDS = 60.0
_DAY = timedelta(days=1)


def maintain_daily(memory: Memory) -> None:
    """Maintain what changed, for a minute at most, where the last time is a day ago and the settings allow it."""
    stats = memory.stats()
    is_recent = stats.maintained_at is not None and datetime.now(UTC) - stats.maintained_at < _DAY
    if stats.changed and not is_recent and config.load().maintenance.schedule:
        memory.maintain(seconds=_MAINTAIN_SECONDS)


def follow(
    changes: Iterator[Paths], add: Callable[[Paths | None], None], *, maintain: Callable[[], object] = lambda: None
) -> None:
    """Add all, and then what changes."""
    due: Paths | None = None
    checked = -inf
    for changed in changes:
        if due is not None:
            due |= changed
        if due is None or due:
            try:
                add(due)
            except TryAgain as error:
                sys.stderr.write(f"{one_line(str(error))} It is tried again.\n")
            else:
                due = frozenset()
        if due is not None and monotonic() - checked >= _CHECK_SECONDS:
            checked = monotonic()
            with suppress(TryAgain):
                maintain()


@contextmanager
def _stopping() -> Generator[threading.Event]:
    """Return an event that is set once the process is asked to end, so that what is being written is written whole."""
    stop = threading.Event()

    def end(_number: int, _frame: object) -> None:
        stop.set()

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGTERM, before)


def watching(folders: Iterable[Path], settle: float) -> Callable[[threading.Event], Iterator[Paths]]:
    """Return what reports changes in folders from its first answer on, and every half second that there are none."""
    try:
        import watchfiles  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra(
            'Watching needs a package that is not installed. Type: pip install "evolore[watch]"'
        ) from error

    def changes(stop: threading.Event) -> Iterator[Paths]:
        for batch in watchfiles.watch(
            *folders,
            watch_filter=None,
            step=round(settle * 1000),
            debounce=round(settle * 10_000),
            rust_timeout=_IDLE_MS,
            yield_on_timeout=True,
            stop_event=stop,
            ignore_permission_denied=True,
        ):
            yield frozenset(Path(path) for _, path in batch)

    return changes
