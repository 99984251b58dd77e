"""What keeps everything: one namespace read at one moment, or written in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from evolore.domain.episodes import Episode
    from evolore.domain.filters import Filter, Target
    from evolore.domain.health import Backup, ChainCheck, Finding
    from evolore.domain.knowledge import Chunk, Document, Span
    from evolore.domain.metadata import Labels
    from evolore.domain.outline import OutlineCode
    from evolore.domain.review import ReviewFilter, ReviewItem, ReviewStatus
    from evolore.ports.embedding import EmbeddingModel, Vectors
    from evolore.ports.indexes import IndexView
    from evolore.ports.records import (
        ItemKeys,
        ModelChange,
        NewDocument,
        NewStatement,
        Receipt,
        Record,
        StoredKeys,
        StoreStats,
        TextAt,
        TextPlace,
    )


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

        Among them may be episodes that left the indexes.
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


class StoreWriter(StoreReader, Protocol):
    """One namespace inside one transaction: everything is written, or nothing."""

    def put_document(self, new: NewDocument, *, at: datetime) -> Document | None:
        """Write a document or its next version; None when the present one is not what it was computed against.

        What another writer had staged of the source is deleted.
        """
        ...

    def begin_staging(self, source: str, *, previous_id: str | None, previous_version: int, at: datetime) -> str | None:
        """Begin a version that is written in parts, and give its id; None when the present one is another.

        What was staged of the source before is deleted.
        """
        ...

    def stage_leaves(self, new: NewDocument, *, at: datetime) -> bool:
        """Write the leaves ``new.keys`` names under ``new.staging_id``, invisibly; False when that was deleted."""
        ...

    def clear_staging(self, source: str, *, at: datetime) -> None:
        """Delete what is staged of ``source``."""
        ...

    def label_document(self, present: Document, labels: Labels, *, at: datetime) -> Document | None:
        """Replace what a document is filed under; None when it is no longer as ``present`` says."""
        ...

    def put_statements(self, new: Sequence[NewStatement], *, at: datetime) -> tuple[Episode, ...]:
        """Write statements in their order."""
        ...

    def file_review_items(self, items: Sequence[ReviewItem], *, at: datetime) -> tuple[str, ...]:
        """File items, and give their ids.

        One whose cause was filed before is left as it is, unless it was resolved because its passage was gone; one
        whose document, passage or statement is no longer there is left out.
        """
        ...

    def set_review_status(self, item_id: str, status: ReviewStatus, *, note: str | None, at: datetime) -> None:
        """Resolve or reopen a review item that is there."""
        ...

    def put_keys(self, keys: Mapping[str, ItemKeys], *, at: datetime) -> None:
        """Replace the tokens and vectors of texts that are still there, by payload."""
        ...

    def put_records(self, records: Iterable[Record]) -> None:
        """Write records whose payloads have ``tokens`` and ``vector``, into a namespace that holds nothing.

        Raises:
            InvalidValue: The namespace is not empty, a record has another form, or they do not fit together.
        """
        ...


class Reembedding(Protocol):
    """A store on its way to another embedding model; recall and writes go on with the old one until the switch."""

    def state(self) -> ModelChange:
        """Say how far it is.

        Raises:
            EmbedderMismatch: A change to another model has begun, or the store's has the same id and another dimension.
        """
        ...

    def begin(self) -> None:
        """Note in the store that the change has begun, if nobody has.

        Raises:
            EmbedderMismatch: As ``state`` says.
        """
        ...

    def texts(self, *, after: TextPlace | None) -> tuple[TextAt, ...]:
        """Give the next texts that lack a vector of the new model, in the order of their places; none at the end."""
        ...

    def put(self, made: Mapping[TextPlace, Vectors]) -> bool:
        """Write vectors of texts that are still there; False when the store has the new model already.

        Raises:
            StoreBusy: Another process gave the change up.
        """
        ...

    def switch(self, *, at: datetime, principal: str | None) -> Mapping[str, str] | None:
        """Make the new model the store's, unless a text still lacks a vector of it.

        Returns:
            The events that say so, by namespace; none when another process was faster. None where a text lacks a
            vector, and nothing was changed.

        Raises:
            StoreBusy: Another process gave the change up.
        """
        ...

    def clean(self) -> tuple[int, tuple[str, ...]]:
        """Delete what is left of other models, and give its space back.

        Returns:
            How many vectors were deleted, and the files that still hold their bytes.
        """
        ...


class Store(Protocol):
    """Keeps everything; one source of truth, and the indexes derived from it."""

    def read(self, namespace: str) -> AbstractContextManager[StoreReader]:
        """Open a snapshot.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
        """
        ...

    def write(self, namespace: str, *, principal: str | None = None) -> AbstractContextManager[StoreWriter]:
        """Open a transaction that commits on leaving and undoes everything on an exception.

        Args:
            namespace: Where to.
            principal: On whose behalf; the events it appends say so.

        Raises:
            StoreBusy: Another process wrote for too long.
        """
        ...

    def erase(
        self, namespace: str, target: Target, *, principal: str | None = None, is_dry_run: bool = False
    ) -> Receipt:
        """Erase documents with all their versions, and statements, from every table and file, in one transaction.

        Args:
            namespace: Where from.
            target: What; an id is whole, and a document is named by its id alone.
            principal: On whose behalf; the event says so.
            is_dry_run: Whether only to count what would go.

        Raises:
            NotFound: It names nothing, or one of its ids does not; then nothing is erased.
            StoreBusy: Another process wrote for too long.
        """
        ...

    def index(self, namespace: str) -> AbstractContextManager[tuple[IndexView, StoreReader]]:
        """Open the indexes, brought up to the last commit, and a snapshot of that same moment.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
        """
        ...

    def namespaces(self) -> tuple[str, ...]:
        """List the namespaces by name.

        Raises:
            NamespaceNotFound: There is no store yet.
        """
        ...

    def verify(self, namespace: str) -> ChainCheck:
        """Check the events of one namespace, and the texts they speak of.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
        """
        ...

    def examine(self, namespace: str | None = None) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
        """Look for what is wrong in the file, in the schema, and in the rows of a namespace, or of all.

        Tokens and vectors of texts that are there are not looked at.

        Returns:
            The namespaces whose rows were looked at, by name; none where the store could not be opened.

        Raises:
            NamespaceNotFound: There is no store, or no such namespace.
        """
        ...

    def repair(self, namespace: str) -> None:
        """Delete leftovers and orphans of a namespace, and write anew what is derived from its rows.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
            StoreBusy: Another process wrote for too long.
        """
        ...

    def check_record(self, record: Record) -> None:
        """Refuse a record that is not of the form an export has.

        Raises:
            InvalidValue: A field is missing, unknown or of another form.
        """
        ...

    def reembedding(self, model: EmbeddingModel) -> AbstractContextManager[Reembedding]:
        """Open the store to change its embedding model, whichever it has now.

        Raises:
            NamespaceNotFound: There is no store yet.
        """
        ...

    def abandon_reembedding(self) -> tuple[EmbeddingModel | None, int]:
        """Give up a change of the model that was begun.

        Returns:
            The model it was to, None where none was begun, and how many vectors were deleted.

        Raises:
            NamespaceNotFound: There is no store yet.
        """
        ...

    def rebound(self, model: EmbeddingModel) -> Store:
        """Give the same store, opened anew with another model."""
        ...

    def backup(self, target: Path) -> Backup:
        """Copy the whole store as it is now into a new folder, while it is in use.

        Raises:
            InvalidValue: The target is there already.
            StoreUnwritable: It cannot be made.
            StoreFailed: The disk did not do its part.
        """
        ...

    def prepare(self, namespace: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Build what a large namespace is searched by, and wait until it is there; nothing where it is.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
        """
        ...

    def close(self) -> None:
        """Let go of files and memory."""
        ...
