"""Leftovers to be removed from files: bytes that were erased, and vectors of models that a store does not have."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, Table, delete, insert, select, tuple_, update

from evolore.domain.health import Finding, FindingKind
from evolore.errors import EmbedderMismatch, StoreUnwritable, TryAgain
from evolore.index.snapshots import Kept, read_snapshot
from evolore.index.vector_search import SnapshotKeeper
from evolore.ports import EmbeddingModel, TextPlace
from evolore.store.database import Database
from evolore.store.index_rows import StoreFeed
from evolore.store.schema import end_change, next_model, stored_model
from evolore.store.tables import kept_replies, namespaces, settings, vectors

_NOTE = "erasing "


def note(connection: Connection, ns: int, event_id: str) -> None:
    """Record that an erasure in a namespace has left the tables, and not yet the files."""
    connection.execute(insert(settings).values(name=_NOTE + event_id, value=str(ns)))


def empty_replies(connection: Connection) -> int:
    """Delete what was replied to writes, since it may hold what is erased; that they were done stays known."""
    return connection.execute(update(kept_replies).values(body='{"is_gone": true}')).rowcount


def noted(connection: Connection) -> dict[str, int]:
    """Return the erasures that have not left the files, each with its namespace's number."""
    rows = connection.execute(select(settings).where(settings.c.name.startswith(_NOTE, autoescape=True)))
    return {row.name: int(row.value) for row in rows}


def clear(connection: Connection, names: Collection[str]) -> None:
    """Delete notes: what they speak of has left the files."""
    connection.execute(delete(settings).where(settings.c.name.in_(names)))


def take_out(
    database: Database,
    snapshots: SnapshotKeeper,
    renew_items: Callable[[int], None],
    *,
    taking_turns: Callable[[], AbstractContextManager[None]],
    timeout_seconds: float | None = None,
) -> tuple[str, ...]:
    """Remove from every file what has been erased, also by erasures that were interrupted.

    Args:
        database: Where it was erased.
        snapshots: The files beside it.
        renew_items: Writes the file of a namespace's items again, or deletes it.
        taking_turns: Lets the threads of this process write one after the other.
        timeout_seconds: How long to wait for others; by default as long as ``Database.compact`` does.

    Returns:
        The files that may still hold some of it: while others read an older state or write, or the disk is full.
    """
    places: list[Path] = []
    try:
        with database.reading() as connection:
            left = noted(connection)
        if not left:
            return ()
        erased_in = sorted(set(left.values()))
        places = [snapshots.path(ns, kept) for ns in erased_in for kept in Kept]
        with taking_turns():
            for ns in erased_in:
                with suppress(EmbedderMismatch):  # the model was changed just now, and old snapshots retired
                    snapshots.take_out_erased(ns)
                renew_items(ns)
            if lingering_in := database.compact(timeout_seconds=timeout_seconds):
                return lingering_in
    except (OSError, StoreUnwritable, TryAgain):
        # The rows are gone all the same: a caller asked to try again would find nothing to erase.
        return (*database.files, *(place.name for place in places if place.exists()))
    with suppress(OSError, StoreUnwritable, TryAgain), taking_turns(), database.writing() as connection:
        clear(connection, left)
    return ()


def findings(connection: Connection) -> Generator[Finding]:
    """Find erasures that were interrupted, or that others who read kept from the files."""
    names = sorted(noted(connection))
    if names:
        yield Finding(
            kind=FindingKind.LEFTOVER,
            reason="What was forgotten has left the tables, and may still lie in files.",
            remedy="`evolore store doctor --repair` takes it out, once no process reads an older state; in PostgreSQL, as a "
            "role that owns the tables or has MAINTAIN on them.",
            count=len(names),
            examples=tuple(name.removeprefix(_NOTE) for name in names[:5]),
            can_be_repaired=True,
        )


_DELETED_AT_ONCE = 5000
_START: TextPlace = (0, "")


def abandon(
    database: Database, taking_turns: Callable[[], AbstractContextManager[None]]
) -> tuple[EmbeddingModel | None, int]:
    """Abandon a change of the model that was begun, and delete the vectors that were made for it.

    Returns:
        The model it was to, None where none was begun, and how many vectors were deleted.
    """
    with database.reading() as connection:
        begun = next_model(connection)
    if begun is None:
        return None, 0
    made = vectors.c.model_id == begun.id
    deleted = delete_in_parts(database, taking_turns, made, unless_stored=begun)
    with taking_turns(), database.writing() as connection:
        if stored_model(connection) != begun:
            deleted += connection.execute(delete(vectors).where(made)).rowcount
            end_change(connection)
    return begun, deleted


def delete_in_parts(
    database: Database,
    taking_turns: Callable[[], AbstractContextManager[None]],
    which: ColumnElement[bool],
    *,
    table: Table = vectors,
    unless_stored: EmbeddingModel | None = None,
) -> int:
    """Delete vectors, some in each transaction, so that others wait briefly; but not those of the store's model."""
    ns, owner = table.primary_key.columns.values()[:2]
    deleted, key = 0, tuple_(ns, owner)
    place: TextPlace = _START
    while True:
        with database.reading() as connection:
            page = select(ns, owner).where(which, key > tuple_(*place))
            found = connection.execute(page.order_by(ns, owner).limit(_DELETED_AT_ONCE)).all()
        if not found:
            return deleted
        last: TextPlace = (found[-1][0], found[-1][1])
        with taking_turns(), database.writing() as connection:
            if unless_stored is not None and stored_model(connection) == unless_stored:
                return deleted
            these = delete(table).where(which, key > tuple_(*place), key <= tuple_(*last))
            deleted += connection.execute(these).rowcount
        place = last


def retire_snapshots(connection: Connection, folder: Path, model: EmbeddingModel) -> None:
    """Delete the snapshots that were not built from vectors of the model."""
    keeper = SnapshotKeeper(folder, model, writing=lambda ns: nullcontext(StoreFeed(connection, ns, model)))
    for ns in connection.scalars(select(namespaces.c.ns)).all():
        place = keeper.path(ns)
        if place.exists() and read_snapshot(place, keeper.origin(StoreFeed(connection, ns, model))) is None:
            for kept in Kept:
                keeper.path(ns, kept).unlink(missing_ok=True)


def give_space_back(database: Database, taking_turns: Callable[[], AbstractContextManager[None]]) -> tuple[str, ...]:
    """Rewrite the database file where it has unused space; return the files that still have some."""
    with database.reading() as connection:
        if not database.has_unused_space(connection):
            return ()
    with taking_turns():
        return database.compact()
