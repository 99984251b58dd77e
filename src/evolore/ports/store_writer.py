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
        """Replace what is indexed of texts that are still there, by payload."""
        ...

    def arousals(self, ids: Iterable[str]) -> Mapping[str, float | None]:
        """Give how strongly those of these episodes that are there were felt, None where nobody stated it."""
        ...

    def set_arousal(self, changes: Mapping[str, float], *, at: datetime, reason: str) -> str | None:
        """Change how strongly episodes that are still there were felt, 0-1, by episode, and give the event's id.

        The event holds the episodes' ids with old and new values. None where nothing changed.

        Raises:
            InvalidValue: A value is no share, or the reason not one word of small letters.
        """
        ...

    def undo_arousal(self, event_id: str, *, at: datetime) -> str:
        """Give back the arousal that an event changed, exactly as it was before, and give the new event's id.

        Episodes that were forgotten since are left out. Undoing is a change too, and can be undone.

        Raises:
            NotFound: No change of arousal has the id, or nothing that it changed is there any more.
            InvalidValue: Something changed one of the items again since; the message names those events.
        """
        ...

    def put_records(self, records: Iterable[Record]) -> None:
        """Write records into a namespace that holds nothing.

        Payloads have what is indexed of them: ``tokens`` joined by spaces, ``names``, ``periods`` as pairs of first and
        last day, ``arousal`` and ``vector``.

        Raises:
            InvalidValue: The namespace is not empty, a record has another form, or they do not fit together.
        """
        ...
