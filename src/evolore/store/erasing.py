"""Erasure: what was forgotten leaves every table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, Table, delete, select, union

from evolore.errors import NotFound
from evolore.ports import Receipt
from evolore.store.tables import chunks, documents, edges, episodes, payloads, review_items, vectors, versions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What one erasure took out of the tables."""

    documents: int
    episode_ids: tuple[str, ...]
    payloads: int
    vectors: int

    def receipt(self, event_id: str, at: datetime) -> Receipt:
        """Count it for the person who asked."""
        return Receipt(
            event_id=event_id,
            documents=self.documents,
            episodes=len(self.episode_ids),
            payloads=self.payloads,
            vectors=self.vectors,
            erased_at=at,
        )


def gathered(erased: Sequence[Erased]) -> Erased:
    """Sum up several erasures."""
    return Erased(
        documents=sum(one.documents for one in erased),
        episode_ids=tuple(id_ for one in erased for id_ in one.episode_ids),
        payloads=sum(one.payloads for one in erased),
        vectors=sum(one.vectors for one in erased),
    )


def erase(connection: Connection, ns: int, item_id: str) -> Erased:
    """Delete a document with every version, or one statement, and everything that hangs on it.

    Events stay: they hold no text. The log entry that takes the episodes out of the indexes is the caller's.

    Raises:
        NotFound: The id names neither.
    """
    episode_ids = _episode_ids(connection, ns, item_id)
    erased_documents = _delete(connection, documents, documents.c.ns == ns, documents.c.id == item_id)
    if not episode_ids and not erased_documents:
        raise NotFound(f"No document or statement has the id {item_id!r} here: `evolore list` shows the ids.")
    for table in (versions, chunks, review_items):
        _delete(connection, table, table.c.ns == ns, table.c.document_id == item_id)
    erased_payloads, erased_vectors = delete_episodes(connection, ns, episode_ids)
    return Erased(documents=erased_documents, episode_ids=episode_ids, payloads=erased_payloads, vectors=erased_vectors)


def delete_episodes(connection: Connection, ns: int, episode_ids: Sequence[str]) -> tuple[int, int]:
    """Delete episodes with their texts, vectors and edges.

    Returns:
        How many texts and how many vectors went.
    """
    erased_payloads = erased_vectors = 0
    for start in range(0, len(episode_ids), _BATCH):
        batch = episode_ids[start : start + _BATCH]
        owned = select(payloads.c.id).where(payloads.c.ns == ns, payloads.c.episode_id.in_(batch))
        erased_vectors += _delete(connection, vectors, vectors.c.ns == ns, vectors.c.payload_id.in_(owned))
        erased_payloads += _delete(connection, payloads, payloads.c.ns == ns, payloads.c.episode_id.in_(batch))
        for end in (edges.c.source_id, edges.c.target_id):
            _delete(connection, edges, edges.c.ns == ns, end.in_(batch))
        _delete(connection, episodes, episodes.c.ns == ns, episodes.c.id.in_(batch))
    return erased_payloads, erased_vectors


def _episode_ids(connection: Connection, ns: int, item_id: str) -> tuple[str, ...]:
    # Two look-ups, each with its index; one with OR would walk the namespace.
    found = union(
        *(
            select(episodes.c.id).where(episodes.c.ns == ns, column == item_id)
            for column in (episodes.c.id, episodes.c.document_id)
        )
    )
    return tuple(connection.scalars(found))


def _delete(connection: Connection, table: Table, *conditions: ColumnElement[bool]) -> int:
    return connection.execute(delete(table).where(*conditions)).rowcount
