"""Stores as tests look at them from outside: their rows, damage done to them, what they export."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from io import BytesIO
from typing import TYPE_CHECKING, Any

from evolore.store.location import DATABASE

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory


def rows(store: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """Return what a query finds in a store's database."""
    with closing(sqlite3.connect(store / DATABASE)) as connection:
        return connection.execute(query, values).fetchall()


def damage(store: Path, *statements: str) -> None:
    """Change rows of a store's database behind its back, some by each statement."""
    with closing(sqlite3.connect(store / DATABASE)) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0, statement


def exported(memory: Memory, *, with_vectors: bool = False) -> bytes:
    """Return what a memory exports."""
    stream = BytesIO()
    memory.store.export(stream, with_vectors=with_vectors)
    return stream.getvalue()
