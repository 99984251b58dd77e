"""Vectors of models that a store does not have: deleted in parts, with their snapshots, and their space given back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, Table, delete, select, tuple_

from evolore.store.connection import reading, scrub, writing
from evolore.store.model_setting import end_change, next_model, stored_model
from evolore.store.snapshot_file import read_snapshot
from evolore.store.snapshot_keeping import SnapshotKeeper
from evolore.store.tables import namespaces, vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sqlalchemy import Engine

    from evolore.ports import EmbeddingModel, TextPlace

_DELETED_AT_ONCE = 5000
_START: TextPlace = (0, "")


def abandon(
    engine: Engine, taking_turns: Callable[[], AbstractContextManager[None]]
) -> tuple[EmbeddingModel | None, int]:
    """Give up a change of the model that was begun, and delete the vectors that were made for it.

    Returns:
        The model it was to, None where none was begun, and how many vectors were deleted.
    """
    with reading(engine) as connection:
        begun = next_model(connection)
    if begun is None:
        return None, 0
    made = vectors.c.model_id == begun.id
    deleted = delete_in_parts(engine, taking_turns, made, unless_stored=begun)
    with taking_turns(), writing(engine) as connection:
        if stored_model(connection) != begun:
            deleted += connection.execute(delete(vectors).where(made)).rowcount
            end_change(connection)
    return begun, deleted


def delete_in_parts(
    engine: Engine,
    taking_turns: Callable[[], AbstractContextManager[None]],
    which: ColumnElement[bool],
    *,
    table: Table = vectors,
    unless_stored: EmbeddingModel | None = None,
) -> int:
    """Delete vectors, some in each transaction, so that nobody waits long; none of a model that became the store's."""
    ns, owner = table.primary_key.columns.values()[:2]
    deleted, key = 0, tuple_(ns, owner)
    place: TextPlace = _START
    while True:
        with reading(engine) as connection:
            page = select(ns, owner).where(which, key > tuple_(*place))
            found = connection.execute(page.order_by(ns, owner).limit(_DELETED_AT_ONCE)).all()
        if not found:
            return deleted
        last: TextPlace = (found[-1][0], found[-1][1])
        with taking_turns(), writing(engine) as connection:
            if unless_stored is not None and stored_model(connection) == unless_stored:
                return deleted
            these = delete(table).where(which, key > tuple_(*place), key <= tuple_(*last))
            deleted += connection.execute(these).rowcount
        place = last


def retire_snapshots(connection: Connection, folder: Path, model: EmbeddingModel) -> None:
    """Delete the snapshots that were not built from vectors of the model."""
    keeper = SnapshotKeeper(folder, model, writing=lambda: writing(connection.engine))
    for ns in connection.scalars(select(namespaces.c.ns)).all():
        place = keeper.path(ns)
        if place.exists() and read_snapshot(place, keeper.origin(connection, ns)) is None:
            place.unlink(missing_ok=True)
            keeper.items_path(ns).unlink(missing_ok=True)


def give_space_back(engine: Engine, taking_turns: Callable[[], AbstractContextManager[None]]) -> bool:
    """Rewrite the database file where it has unused space; tell whether it has none any more."""
    with reading(engine) as connection:
        unused: int = connection.exec_driver_sql("pragma freelist_count").scalar_one()
    if not unused:
        return True
    with taking_turns():
        return scrub(engine)
