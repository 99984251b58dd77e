"""The directory of a store that is spread over schemas: in which of them each namespace lies."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from sqlalchemy import Column, MetaData, String, Table, select

from evolore.ports import EmbeddingModel
from evolore.store.database import WriteTurn
from evolore.store.opening import OpenStore
from evolore.store.schema import refuse_other_model
from evolore.store.sql import upsert

placements = Table(
    "placements", MetaData(), Column("name", String, primary_key=True), Column("schema", String, nullable=False)
)
_SCHEMA = select(placements.c.schema)


def rendezvous(name: str, schemas: Iterable[str]) -> str:
    """Return the schema whose hash with a name is the highest (Thaler and Ravishankar 1998): of n+1, one in n+1 names moves."""
    return max(schemas, key=lambda schema: sha256(f"{schema}\0{name}".encode()).digest())


class Placements:
    """The directory, as one process has read it.

    Args:
        opened: The schema that holds it.
        schemas: Those over which namespaces are spread.
        model: The embedding model of the store.
    """

    def __init__(self, opened: OpenStore, schemas: tuple[str, ...], model: EmbeddingModel) -> None:
        self._opened, self._schemas, self._model = opened, schemas, model
        self._known: dict[str, str] = {}

    def find(self, name: str, *, place: bool = False) -> str:
        """Return the schema of a namespace: where it lies, else where it would be placed; ``place`` records that."""
        found = self._known.get(name) or self._read(name) or (self._place(name) if place else None)
        if found is None:
            return rendezvous(name, self._schemas)
        self._known[name] = found
        return found

    def is_elsewhere(self, name: str, schema: str) -> bool:
        """Return whether a namespace lies in another schema by now; a move that is under way is waited for."""
        found = self._read(name, waits=not self._opened.is_read_only)
        if found is None or found == schema:
            return False
        self._known[name] = found
        return True

    def all(self) -> dict[str, str]:
        """Return the schema of each namespace."""
        with self._opened.database().reading() as connection:
            return {row.name: row.schema for row in connection.execute(select(placements))}

    def _read(self, name: str, *, waits: bool = False) -> str | None:
        if not self._opened.is_there():
            return None
        asked, database = _SCHEMA.where(placements.c.name == name), self._opened.database()
        if not waits:
            with database.reading(name) as connection:
                return connection.scalar(asked)
        with database.writing(WriteTurn.NAMESPACE, namespace=name) as connection:
            return connection.scalar(asked.with_for_update(read=True))

    def _place(self, name: str) -> str:
        row = {"name": name, "schema": rendezvous(name, self._schemas)}
        with self._opened.database().writing(WriteTurn.NAMESPACE, namespace=name) as connection:
            refuse_other_model(connection, self._model, self._opened.where)
            kept = upsert(placements, {"schema": placements.c.schema}).values(
                row
            )  # another process may have been first
            return connection.execute(kept.returning(placements.c.schema)).scalar_one()
