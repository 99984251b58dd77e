"""The number of a namespace, by which its rows are told from those of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, update

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


NOT_THERE = 0
"""The number of a namespace that nothing was written to: no row has it, so that it reads as empty."""


def number_of(connection: Connection, namespace: str, model: EmbeddingModel, folder: Path) -> int:
    """Give the number of a namespace; ``NOT_THERE`` of one that nothing was written to.

    Raises:
        EmbedderMismatch: The store's vectors come from another model.
    """
    ns = namespace_number(connection, namespace, model, folder)
    return NOT_THERE if ns is None else ns


def unknown(namespace: str, folder: Path) -> NamespaceNotFound:
    """Say that nothing was written to a namespace; which others there are is nobody's business who asks for it."""
    return NamespaceNotFound(f"Nothing was written to the namespace {namespace!r} of {folder} yet: check the name.")


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
