"""Large documents: written in several transactions, made visible by the last.

The episodes of a version that is being written stand in the tables under its number, which is above the visible one:
no read shows them, and the index log does not name them. The row in ``stagings`` says who writes; whoever begins to add
the same source anew, publishes another version of it or forgets it takes the row away, and with it all that waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Row, and_, delete, insert, select, update

from evolore.store.erasing import delete_episodes
from evolore.store.faults import FaultPoint, reached
from evolore.store.rows import timestamp
from evolore.store.tables import episodes, payloads, stagings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.store.batch import Batch

_ABANDONED_AFTER = timedelta(hours=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """A version that is being written.

    Args:
        id: What its writer knows it by.
        document_id: The document; one of its own where the document is new.
        version: Its number.
    """

    id: str
    document_id: str
    version: int


def begin(batch: Batch, source: str, *, document_id: str | None, version: int) -> str:
    """Begin to write a version, clearing what an earlier writer of the source left, or any did an hour ago."""
    clear(batch, source=source)
    staging_id = batch.new_id()
    row = {
        "id": staging_id,
        "source": source,
        "document_id": document_id or batch.new_id(),
        "version": version,
        "touched_at": batch.recorded_at,
    }
    batch.connection.execute(insert(stagings).values(ns=batch.ns, **row))
    return staging_id


def find(batch: Batch, staging_id: str) -> Staging | None:
    """Give what is being written under an id, and note that it goes on; None when it was cleared away."""
    this = and_(stagings.c.ns == batch.ns, stagings.c.id == staging_id)
    touched = update(stagings).where(this).values(touched_at=batch.recorded_at)
    row = batch.connection.execute(touched.returning(stagings.c.document_id, stagings.c.version)).one_or_none()
    return None if row is None else Staging(id=staging_id, document_id=row.document_id, version=row.version)


def waiting(batch: Batch, staging: Staging) -> dict[int, tuple[str, bytes]]:
    """Give the episodes that wait, and their texts' salts, by their place among the document's leaves."""
    query = (
        select(episodes.c.position, episodes.c.id, payloads.c.salt)
        .join_from(episodes, payloads, and_(payloads.c.ns == episodes.c.ns, payloads.c.id == episodes.c.payload_id))
        .where(*_waiting(batch, staging))
    )
    return {row.position: (row.id, row.salt) for row in batch.connection.execute(query)}


def finish(batch: Batch, staging: Staging) -> None:
    """Take the note away: what waited is about to be visible."""
    batch.connection.execute(delete(stagings).where(stagings.c.ns == batch.ns, stagings.c.id == staging.id))
    reached(FaultPoint.PUBLISHING)


def clear(batch: Batch, *, source: str | None = None, document_ids: Iterable[str] = ()) -> None:
    """Delete what waits of a source or of documents, and whatever nobody has gone on with for an hour."""
    named, abandoned_before = frozenset(document_ids), timestamp(batch.at - _ABANDONED_AFTER)
    for row in _begun(batch):
        if row.source == source or row.document_id in named or row.touched_at < abandoned_before:
            _delete(batch, row)


def clear_all(batch: Batch) -> None:
    """Delete everything that waits; whoever is still writing it begins anew."""
    for row in _begun(batch):
        _delete(batch, row)


def _begun(batch: Batch) -> Sequence[Row[Any]]:
    return batch.connection.execute(select(stagings).where(stagings.c.ns == batch.ns)).all()


def _delete(batch: Batch, row: Row[Any]) -> None:
    left = Staging(id=row.id, document_id=row.document_id, version=row.version)
    ids = batch.connection.scalars(select(episodes.c.id).where(*_waiting(batch, left))).all()
    delete_episodes(batch.connection, batch.ns, ids)
    batch.connection.execute(delete(stagings).where(stagings.c.ns == batch.ns, stagings.c.id == row.id))


def _waiting(batch: Batch, staging: Staging) -> tuple[ColumnElement[bool], ...]:
    return (
        episodes.c.ns == batch.ns,
        episodes.c.document_id == staging.document_id,
        episodes.c.version == staging.version,
    )
