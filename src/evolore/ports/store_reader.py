"""What is read of a store: one namespace at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evolore.domain.episodes import Episode
    from evolore.domain.filters import Filter
    from evolore.domain.knowledge import Chunk, Document, Span
    from evolore.domain.outline import OutlineCode
    from evolore.domain.review import ReviewFilter, ReviewItem
    from evolore.ports.records import Record, StoredKeys, StoreStats


class StoreReader(Protocol):
    """One namespace at one moment."""

    def document_by_source(self, source: str) -> Document | None:
        """Give the document that was read from ``source``, at its present version."""
        ...

    def document(self, document_id: str) -> Document | None:
        """Give a document at its present version."""
        ...

    def documents(self) -> tuple[Document, ...]:
        """List the documents, oldest first."""
        ...

    def chunks(self, document_id: str) -> tuple[tuple[Chunk, str | None], ...]:
        """List a document's chunks in outline order, each leaf with its episode's id."""
        ...

    def chunk_text(self, document_id: str, outline: OutlineCode) -> str | None:
        """Give the text of one chunk, inner ones joined from their leaves."""
        ...

    def chunks_at(self, document_id: str, codes: Sequence[OutlineCode]) -> tuple[Chunk, ...]:
        """Give the chunks of a document that stand at these codes, in outline order; codes without one are left out."""
        ...

    def passage(self, document_id: str, span: Span) -> tuple[tuple[str, ...], str]:
        """Give the leaf episodes that lie in a span of a document, in text order, and their texts joined."""
        ...

    def depths(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Give how deep these episodes stand in their documents; those that are in none are left out."""
        ...

    def episodes(self, ids: Sequence[str]) -> tuple[Episode, ...]:
        """Give these episodes in the order asked; ids that name none are left out."""
        ...

    def leaf_episodes(self, document_id: str) -> tuple[Episode, ...]:
        """Give a document's leaf episodes in text order."""
        ...

    def is_staged(self, source: str) -> bool:
        """Tell whether a version of ``source`` is being written in parts, or was left half-written."""
        ...

    def statements(self, *, limit: int) -> tuple[Episode, ...]:
        """List remembered statements, newest first."""
        ...

    def resolve(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of documents and episodes that begin with ``prefix``."""
        ...

    def matching(self, wanted: Filter) -> frozenset[str]:
        """Give the episodes that have the names, metadata and tags a filter asks for; no time is looked at.

        Among them may be episodes that left the indexes, and ids of documents.
        """
        ...

    def review_items(self, wanted: ReviewFilter) -> tuple[ReviewItem, ...]:
        """List review items, the most urgent first, and of those the oldest first."""
        ...

    def review_item(self, item_id: str) -> ReviewItem | None:
        """Give one review item."""
        ...

    def resolve_review(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of review items that begin with ``prefix``."""
        ...

    def stats(self) -> StoreStats:
        """Count what the namespace holds."""
        ...

    def stored_keys(self) -> Iterator[StoredKeys]:
        """Give every text of an episode with what is stored of its keys."""
        ...

    def records(self, *, with_vectors: bool) -> Iterator[Record]:
        """Give everything that is visible and not derived, a document or an episode at a time."""
        ...
