"""What is read of a store: one namespace at one moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from evolore.ports.evolution import EvolutionReader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from evolore.domain.episodes import Edge, EdgeKind, Episode
    from evolore.domain.filters import Filter
    from evolore.domain.knowledge import Chunk, Document, Span
    from evolore.domain.language import Language
    from evolore.domain.outline import OutlineCode
    from evolore.domain.queries import QueryEdge, QueryRecord
    from evolore.domain.review import ReviewFilter, ReviewItem
    from evolore.ports.changes import EventRecord, StoredCalibration
    from evolore.ports.queries import Reconsidered, Withdrawn
    from evolore.ports.records import Record, StoredKeys, StoreStats


class StoreReader(EvolutionReader, Protocol):
    """One namespace at one moment."""

    @property
    def revision(self) -> int:
        """How many writes were committed to the namespace; inside a write transaction, that one is counted too.

        So a writer whose revision is one above that of a reader sees just what that reader saw.
        """
        ...

    def document_by_source(self, source: str) -> Document | None:
        """Give the document that was read from ``source``, at its present version."""
        ...

    def document(self, document_id: str) -> Document | None:
        """Give a document at its present version."""
        ...

    def documents(self) -> tuple[Document, ...]:
        """List the documents, oldest first; texts on trial are none."""
        ...

    def outline_at(
        self, document_id: str, moment: datetime
    ) -> tuple[Document, tuple[tuple[Chunk, str | None, str], ...]] | None:
        """Give a document as it was at a moment, with its chunks in outline order, each leaf with episode and text.

        Returns:
            None where it was not there yet. An inner chunk has no episode and an empty text.
        """
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
        """List the statements that stand for themselves, newest first: no other stands for them, none was taken back."""
        ...

    def members(self, ids: Sequence[str]) -> Mapping[str, tuple[Episode, ...]]:
        """Give the source statements that each of these episodes stands for beside itself, oldest first.

        Oldest by when they happened, else were recorded. A plain statement and a passage have none. Ids that name none
        are left out.
        """
        ...

    def standing_for(self, ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Give the episodes that stand for each of these now, sorted: itself alone where it stands for itself.

        Empty where it was taken back, or is an episode that was made and replaced. Ids that name none are left out.
        """
        ...

    def edges_around(
        self, ids: Sequence[str], *, kinds: Collection[EdgeKind] | None = None, hidden: bool = False, limit: int = 1000
    ) -> tuple[Edge, ...]:
        """Give the edges that begin or end at one of these episodes, heaviest first, then by kind and ends; one query.

        Those of ``SEQUENCE`` lead from what stands before to what stands after in one session or document; those of
        ``HIERARCHY`` join passages that stand under one part of a document, from the earlier to the later.

        Args:
            ids: Which episodes, at most 10,000.
            kinds: Only these; None for all.
            hidden: Whether also edges of which an end does not stand for itself.
            limit: At most so many.
        """
        ...

    def link_counts(self, ids: Collection[str]) -> Mapping[str, int]:
        """Count the edges of ``SEMANTIC`` and ``ECHO`` that end at each of these episodes; those without are left out."""
        ...

    def linked(self, ids: Collection[str]) -> frozenset[str]:
        """Give those of these episodes from which an edge of ``SEMANTIC`` or ``ECHO`` leads."""
        ...

    def about(self, subject: str, attribute: str) -> tuple[Episode, ...]:
        """Give the statements that state an attribute of a subject and stand for themselves, in time order.

        By when they happened, else were recorded, then by id. Superseded ones are among them.
        """
        ...

    def history(self, episode_id: str, *, kinds: Collection[str] | None = None) -> tuple[EventRecord, ...]:
        """Give the events that made, changed or joined an episode, oldest first; only those of some kinds, or all."""
        ...

    def newest_events(self, limit: int) -> tuple[EventRecord, ...]:
        """Give the newest events of all, oldest first."""
        ...

    def event(self, prefix: str) -> EventRecord:
        """Give the event whose id begins so.

        Raises:
            NotFound: None does.
            AmbiguousId: Several do.
        """
        ...

    def changed_after(self, seq: int, *, limit: int) -> tuple[tuple[int, str], ...]:
        """Give the episodes that entered the indexes behind a number of their log and are still there, in its order.

        Returns:
            The number of each one's last entry, rising, and its id.
        """
        ...

    def count_changed_after(self, seq: int) -> int:
        """Count the episodes that entered the indexes behind a number of their log."""
        ...

    def waiting_alone(self) -> tuple[str, ...]:
        """Give what waits because of a contradiction and stands, though nothing that contradicts it waits any more."""
        ...

    def prunable(self, *, confidence: float, unused_since: datetime, limit: int) -> tuple[str, ...]:
        """Give statements that stand, are active, at most so confident, and named by no event since a moment.

        Returns:
            Ids, the least confident first.
        """
        ...

    def pruned_before(self, moment: datetime, *, limit: int) -> tuple[str, ...]:
        """Give statements that were pruned before a moment and were not brought back, the earliest first."""
        ...

    def maintained_to(self, task: str) -> int:
        """Give up to which number of the indexes' log a task of maintenance is done; 0 where it never was."""
        ...

    def calibrations(self, model_id: str) -> Mapping[Language, StoredCalibration]:
        """Give the calibrations of a model that hold, by language."""
        ...

    def query(self, query_id: str) -> QueryRecord | None:
        """Give a question that was taken down, by its whole id."""
        ...

    def queries(self, *, principal: str | None = None, limit: int) -> tuple[QueryRecord, ...]:
        """List questions, the last asked first; those of one principal, or of all where none is named."""
        ...

    def resolve_query(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of questions that begin with ``prefix``."""
        ...

    def touching(self, target_ids: Collection[str]) -> Mapping[str, tuple[QueryEdge, ...]]:
        """Give the edges to each of these episodes since it was last evaluated, those in the graph among them.

        In the order of the questions; episodes without any are left out.
        """
        ...

    def rated_by(self, principal: str | None) -> tuple[str, ...]:
        """Give the questions that a principal rated without having asked them, sorted; withdrawn ratings are left out."""
        ...

    def cited_by(self, query_id: str) -> frozenset[str | None] | None:
        """Give who said of an answer that it rests on what it does; None where that was said when it was taken down."""
        ...

    def stirred_since(self, event_ids: Collection[str], *, before: str) -> tuple[str, ...]:
        """Give the questions of some withdrawals that were rated since, or of which other ratings were withdrawn.

        Args:
            event_ids: The events of withdrawals, or by which such were undone; others are passed over.
            before: The event from which on nothing counts.
        """
        ...

    def foresee_withdrawal(
        self, principal: str | None, anew: Collection[Reconsidered] = (), *, erase: bool
    ) -> Withdrawn:
        """Tell what would be taken back, were all that one principal taught withdrawn; nothing is written."""
        ...

    def estimated_arousals(self, ids: Collection[str]) -> Mapping[str, float]:
        """Give how strongly these episodes are felt as estimated, whatever was stated; those without are left out."""
        ...

    def unembedded_queries(self, *, limit: int) -> tuple[tuple[str, str], ...]:
        """Give ids and texts of questions that have no vector of the store's model."""
        ...

    def gathered(self, *, least: int) -> tuple[str, ...]:
        """Give episodes for which at least so many edges wait, and of those that others stand for all for which any does.

        Sorted.
        """
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
