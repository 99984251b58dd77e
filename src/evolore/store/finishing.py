"""Erasures whose copies were not cleared yet: noted in the transaction that erases, so that any process can finish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, delete, insert, select

from evolore.store.tables import settings

if TYPE_CHECKING:
    from collections.abc import Collection

_PREFIX = "unfinished erasure "


def note_erasure(connection: Connection, ns: int, event_id: str) -> None:
    """Write down that files may still hold what an event erased."""
    connection.execute(insert(settings).values(name=_PREFIX + event_id, value=str(ns)))


def unfinished_erasures(connection: Connection) -> dict[str, int]:
    """Give the erasures whose copies may still be in files, with the numbers of their namespaces."""
    found = select(settings).where(settings.c.name.startswith(_PREFIX, autoescape=True))
    return {row.name: int(row.value) for row in connection.execute(found)}


def strike_out(connection: Connection, names: Collection[str]) -> None:
    """Note that nothing of these erasures is left in any file."""
    connection.execute(delete(settings).where(settings.c.name.in_(names)))
