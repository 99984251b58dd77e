"""Whether the files beside the database are whole, belong to it, and hold nothing that was erased."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection, select

from evolore.domain.health import Finding, FindingKind
from evolore.store.checking import REPAIR
from evolore.store.items import ItemTable
from evolore.store.snapshot_file import NO_ID, begins_with_rows, read_snapshot, rows_of
from evolore.store.tables import episodes, vectors

if TYPE_CHECKING:
    from collections.abc import Generator

    from evolore.store.snapshot_keeping import SnapshotKeeper

_EXAMPLES = 5


def file_findings(connection: Connection, keeper: SnapshotKeeper, ns: int, *, name: str) -> Generator[Finding]:
    """Look for what is wrong in the files of a namespace; none at all is as it should be."""
    for path, erased in (
        (keeper.path(ns), _erased_vectors(connection, keeper, ns)),
        (keeper.items_path(ns), _erased_items(connection, keeper, ns)),
    ):
        if path.exists() and erased is None:
            yield _finding(name, f"{path.name} is damaged, or of another store or version.", [])
        elif erased:
            yield _finding(name, f"{path.name} holds what was erased.", erased)


def remove_wrong(connection: Connection, keeper: SnapshotKeeper, ns: int) -> None:
    """Delete the files of a namespace in which something is wrong: they are derived."""
    if _erased_vectors(connection, keeper, ns) != []:
        keeper.path(ns).unlink(missing_ok=True)
    if _erased_items(connection, keeper, ns) != []:
        keeper.items_path(ns).unlink(missing_ok=True)


def _finding(namespace: str, reason: str, ids: list[str]) -> Finding:
    return Finding(
        kind=FindingKind.INDEX_FILE,
        reason=reason,
        remedy=REPAIR,
        namespace=namespace,
        count=max(1, len(ids)),
        examples=tuple(ids[:_EXAMPLES]),
        can_be_repaired=True,
    )


def _erased_vectors(connection: Connection, keeper: SnapshotKeeper, ns: int) -> list[str] | None:
    """Give the payloads whose vectors should not be in the snapshot; None where it cannot be trusted."""
    origin = keeper.origin(connection, ns)
    found = read_snapshot(keeper.path(ns), origin)
    if found is None or not begins_with_rows(found, origin):
        return None
    present = set(connection.scalars(select(vectors.c.payload_id).where(vectors.c.ns == ns)))
    is_full: list[bool] = np.any(rows_of(found, origin.dimension).view(np.uint16), axis=1).tolist()
    held = zip(found.payload_ids, is_full, strict=True)
    return [id_ for id_, has_vector in held if (has_vector if id_ == NO_ID else id_ not in present)]


def _erased_items(connection: Connection, keeper: SnapshotKeeper, ns: int) -> list[str] | None:
    """Give the episodes that should not be in the file of items; None where it cannot be trusted."""
    found = keeper.open_items(connection, ns)
    if found is None:
        return None
    present = set(connection.scalars(select(episodes.c.id).where(episodes.c.ns == ns)))
    return [id_ for id_ in ItemTable.restored(found.part("items ")).ids if id_ not in present]
