"""The outline that a document had at an earlier moment: of the version that was there then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, func, select

from evolore.store.rows import timestamp, to_chunk, to_document
from evolore.store.selects import joined, select_documents
from evolore.store.tables import chunks, documents, episodes, payloads, versions

if TYPE_CHECKING:
    from datetime import datetime

    from evolore.domain.knowledge import Chunk, Document


def outline_at(
    connection: Connection, ns: int, document_id: str, moment: datetime
) -> tuple[Document, tuple[tuple[Chunk, str | None, str], ...]] | None:
    """Give a document as it was at a moment, and its chunks in outline order, each leaf with its episode and text.

    Returns:
        None where it was not there yet.
    """
    visible = joined(versions, documents, documents.c.id == versions.c.document_id)
    number: int | None = connection.scalar(
        select(func.max(versions.c.number))
        .join_from(versions, documents, visible)
        .where(
            versions.c.ns == ns,
            versions.c.document_id == document_id,
            versions.c.number <= documents.c.version,
            versions.c.recorded_at <= timestamp(moment),
        )
    )
    if number is None:
        return None
    present = connection.execute(select_documents(ns).where(documents.c.id == document_id)).mappings().one()
    here = (versions.c.ns == ns, versions.c.document_id == document_id, versions.c.number == number)
    then = connection.execute(select(versions).where(*here)).mappings().one()
    document = to_document({**present, **then, "id": document_id, "version": number})
    leaf = joined(chunks, episodes, episodes.c.id == chunks.c.episode_id)
    text = joined(episodes, payloads, payloads.c.id == episodes.c.payload_id)
    rows = connection.execute(
        select(chunks, payloads.c.text)
        .join_from(chunks, episodes, leaf, isouter=True)
        .join(payloads, text, isouter=True)
        .where(chunks.c.ns == ns, chunks.c.document_id == document_id, chunks.c.version == number)
        .order_by(chunks.c.ordinal)
    ).mappings()
    return document, tuple((to_chunk(row), row["episode_id"], row["text"] or "") for row in rows)
