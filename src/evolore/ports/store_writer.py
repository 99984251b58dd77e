"""What is written to a store: one namespace inside one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from evolore.ports.store_reader import StoreReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from evolore.domain.episodes import Episode
    from evolore.domain.knowledge import Document
    from evolore.domain.metadata import Labels
    from evolore.domain.review import ReviewItem, ReviewStatus
    from evolore.ports.records import ItemKeys, NewDocument, NewStatement, Record


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
