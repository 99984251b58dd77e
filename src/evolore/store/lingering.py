"""Erasures whose bytes may still lie in files: noted in the transaction that erases, until the files are clean."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select

from evolore.domain.health import Finding, FindingKind
from evolore.errors import EmbedderMismatch, StoreUnwritable, TryAgain
from evolore.store.connection import SCRUB_TIMEOUT_SECONDS, reading, scrub, writing
from evolore.store.tables import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection, Engine

    from evolore.store.snapshot_keeping import SnapshotKeeper

_NOTE = "erasing "


def note(connection: Connection, ns: int, event_id: str) -> None:
    """Note that an erasure in a namespace has left the tables, and not yet the files."""
    connection.execute(insert(settings).values(name=_NOTE + event_id, value=str(ns)))


def noted(connection: Connection) -> dict[str, int]:
    """Give the erasures that have not left the files, each with its namespace's number."""
    rows = connection.execute(select(settings).where(settings.c.name.startswith(_NOTE, autoescape=True)))
    return {row.name: int(row.value) for row in rows}


def clear(connection: Connection, names: Collection[str]) -> None:
    """Take notes away: what they speak of has left the files."""
    connection.execute(delete(settings).where(settings.c.name.in_(names)))


def take_out(
    engine: Engine,
    snapshots: SnapshotKeeper,
    renew_items: Callable[[int], None],
    *,
    taking_turns: Callable[[], AbstractContextManager[None]],
    timeout_seconds: float = SCRUB_TIMEOUT_SECONDS,
) -> tuple[str, ...]:
    """Take out of every file what has been erased, also by erasures that were interrupted.

    Args:
        engine: The database's.
        snapshots: The files beside it.
        renew_items: Writes the file of a namespace's items anew, or deletes it.
        taking_turns: Lets the threads of this process write one after the other.
        timeout_seconds: How long to wait for others.

    Returns:
        The files that may still hold some of it: while others read an older state or write, or the disk is full.
    """
    database = Path(str(engine.url.database)).name
    files = (database, f"{database}-wal")
    places: list[Path] = []
    try:
        with reading(engine) as connection:
            left = noted(connection)
        if not left:
            return ()
        erased_in = sorted(set(left.values()))
        places = [place for ns in erased_in for place in (snapshots.path(ns), snapshots.items_path(ns))]
        with taking_turns():
            for ns in erased_in:
                with suppress(EmbedderMismatch):  # the model was changed just now, and old snapshots retired
                    snapshots.take_out_erased(ns)
                renew_items(ns)
            if not scrub(engine, timeout_seconds=timeout_seconds):
                return files
    except (
        OSError,
        StoreUnwritable,
        TryAgain,
    ):  # the rows are gone all the same: who is told to try again would find nothing to erase
        return (*files, *(place.name for place in places if place.exists()))
    with suppress(OSError, StoreUnwritable, TryAgain), taking_turns(), writing(engine) as connection:
        clear(connection, left)
    return ()


def findings(connection: Connection) -> Generator[Finding]:
    """Find erasures that were interrupted, or that others who read kept from the files."""
    names = sorted(noted(connection))
    if names:
        yield Finding(
            kind=FindingKind.LEFTOVER,
            reason="What was forgotten has left the tables, and may still lie in files.",
            remedy="`evolore doctor --repair` takes it out, once nobody reads an older state.",
            count=len(names),
            examples=tuple(name.removeprefix(_NOTE) for name in names[:5]),
            can_be_repaired=True,
        )
