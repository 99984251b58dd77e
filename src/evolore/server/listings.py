"""Lists of a namespace a part at a time, for routes and pages: what lies behind a part is not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.flows.browse import document_named

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from contextlib import AbstractContextManager
    from datetime import date, datetime

    from evolore.domain.document import Document
    from evolore.domain.feedback import Feedback
    from evolore.domain.outcome import Rating
    from evolore.memory import Memory
    from evolore.store.reading import StoreReader


def reading(memory: Memory) -> AbstractContextManager[StoreReader]:
    """Open a memory's namespace to be read, as it is at one moment."""
    context = memory._context  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the server is of the house
    return context.store.read(context.namespace)


def documents_behind(memory: Memory, *, after: str, limit: int) -> tuple[Document, ...]:
    """List documents behind an id, oldest first."""
    with reading(memory) as reader:
        return reader.documents(after=after, limit=limit)


def feedback_behind(
    memory: Memory, document: str | None = None, *, unprocessed: bool, after: tuple[datetime, str] | None, limit: int
) -> tuple[Feedback, ...]:
    """List what people said of documents, oldest first, behind a moment and an id.

    Raises:
        NotFound: No document has the id or source.
        AmbiguousId: It begins several ids.
    """
    with reading(memory) as reader:
        id_ = None if document is None else document_named(reader, document).id
        return reader.feedback(document_id=id_, unprocessed=unprocessed, after=after, limit=limit)


def newest_feedback(memory: Memory, document_id: str, *, limit: int) -> tuple[Feedback, ...]:
    """List what people said of a document, the last first."""
    with reading(memory) as reader:
        return reader.feedback(document_id=document_id, limit=limit, newest_first=True)


def ratings_by_version(memory: Memory, document_ids: Collection[str]) -> tuple[tuple[str, int, Rating, int], ...]:
    """Count ratings by document, version and rating."""
    with reading(memory) as reader:
        return reader.ratings_by_version(document_ids)


def ratings_since(memory: Memory, begins: Sequence[date]) -> tuple[tuple[int, int], ...]:
    """Count ratings, GOOD and BAD, from each day on until the next."""
    with reading(memory) as reader:
        return reader.ratings_since(begins)
