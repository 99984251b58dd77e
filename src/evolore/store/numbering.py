"""The number of a namespace, by which its rows are told from those of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, select, update

from evolore.errors import NamespaceNotFound
from evolore.store.events import FIRST_HASH
from evolore.store.model_setting import namespace_number
from evolore.store.prepared import Prepared
from evolore.store.rows import timestamp
from evolore.store.tables import namespaces

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import Connection

    from evolore.ports import EmbeddingModel

_COUNT_WRITE = Prepared(
    update(namespaces).where(namespaces.c.ns == bindparam("counted")).values(revision=namespaces.c.revision + 1)
)


def number_of(connection: Connection, namespace: str, model: EmbeddingModel, folder: Path) -> int:
    """Give the number of a namespace that something was written to.

    Raises:
        NamespaceNotFound: Nothing was.
        EmbedderMismatch: The store's vectors come from another model.
    """
    ns = namespace_number(connection, namespace, model, folder)
    if ns is not None:
        return ns
    known = tuple(connection.scalars(select(namespaces.c.name).order_by(namespaces.c.name).limit(5)))
    there = f" It holds {', '.join(map(repr, known))}." if known else ""
    raise NamespaceNotFound(
        f"Nothing was written to the namespace {namespace!r} of {folder} yet: check the name.{there}"
    )


def count_write(
    connection: Connection, namespace: str, model: EmbeddingModel, folder: Path, *, now: Callable[[], datetime]
) -> int:
    """Count a write to a namespace, making it where there is none, and give its number.

    Raises:
        EmbedderMismatch: The store's vectors come from another model.
    """
    ns = namespace_number(connection, namespace, model, folder)
    if ns is not None:
        _COUNT_WRITE.run(connection, {"counted": ns})
        return ns
    made = insert(namespaces).values(name=namespace, revision=1, event_hash=FIRST_HASH, created_at=timestamp(now()))
    return connection.execute(made.returning(namespaces.c.ns)).scalar_one()
