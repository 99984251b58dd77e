"""What is written to a store: one namespace inside one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from evolore.domain.review import Resolution
from evolore.ports.evolution import EvolutionWriter
from evolore.ports.store_reader import StoreReader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from evolore.domain.episodes import Edge, Episode
    from evolore.domain.filters import Target
    from evolore.domain.knowledge import Document
    from evolore.domain.language import Language
    from evolore.domain.metadata import Labels
    from evolore.domain.queries import Entering, Outcome, QueryEdge, Rating
    from evolore.domain.review import ReviewItem, ReviewStatus
    from evolore.ports.changes import Applied, Change, Parameters, Undone
    from evolore.ports.embedding import Vectors
    from evolore.ports.queries import NewQuery, Reconsidered, Withdrawn
    from evolore.ports.records import ItemKeys, NewDocument, NewStatement, Receipt, Record


class StoreWriter(StoreReader, EvolutionWriter, Protocol):
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

    def erase(self, target: Target, *, at: datetime) -> Receipt:
        """Erase documents with all their versions, and statements, from every table.

        Once the transaction is over, ``Store.take_out_erased`` takes it out of the files.

        Raises:
            NotFound: It names nothing, or one of its ids does not.
        """
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

    def set_review_status(
        self,
        item_id: str,
        status: ReviewStatus,
        *,
        note: str | None,
        at: datetime,
        by: Resolution = Resolution.PERSON,
    ) -> None:
        """Resolve or reopen a review item that is there, and replace its note."""
        ...

    def set_review_note(self, item_id: str, note: str, *, at: datetime, by: Resolution) -> None:
        """Replace the note of a review item that is there, and leave it as open as it is."""
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

    def undo(self, event_id: str, *, cascade: bool = False, at: datetime) -> Undone:
        """Take back what an event of a change of structure or of arousal did, exactly; that is an event too.

        What it made is revoked and stays; undoing that event brings it back with the same ids and bytes. Of a change of
        arousal, what was forgotten since is left out.

        Args:
            event_id: The event, by its whole id.
            cascade: Whether to undo first all that depends on it: later events in effect that wrote a field or an edge
                that it wrote, or name an episode that it made, and what depends on those. Newest first.
            at: When.

        Raises:
            NotFound: No event that can be undone has the id, or something that it changed was erased.
            InvalidValue: It was undone already; or something depends on it, and the message names those events; or what
                it wrote is no longer as it left it.
        """
        ...

    def apply(self, change: Change, *, at: datetime) -> Applied:
        """Change the structure, as one event that holds all it did and can be undone.

        A field that has the value already, and an edge that is there already, are left out of the event.

        Raises:
            NotFound: It names an episode that is not there.
            InvalidValue: A member is itself made, an edge is of a kind that is never stored, or a statement would be
                held by no episode that stands.
        """
        ...

    def link(self, edges: Collection[Edge], *, at: datetime) -> None:
        """Write edges that follow from the texts: ``SEMANTIC`` and ``ECHO``. They have no event, and cannot be undone.

        One that is there takes the weight given, and keeps when it was made. Edges of episodes that are not there any
        more are left out. How many an episode has is the caller's to bound.

        Raises:
            InvalidValue: An edge is of another kind.
        """
        ...

    def put_query(self, new: NewQuery, *, at: datetime) -> str:
        """Take a question down, and give its id; what was handed over and is not there any more is left out."""
        ...

    def set_outcome(
        self, query_id: str, outcome: Outcome, *, is_stated: bool, cited: Collection[str] | None, at: datetime
    ) -> None:
        """Say what a question led to, and which of what was handed over the answer rests on; None leaves that as it is.

        Raises:
            NotFound: No question has the id.
        """
        ...

    def set_answer_id(self, query_id: str, answer_id: str, *, at: datetime) -> None:
        """Note for which answer a question was asked."""
        ...

    def rate_query(self, query_id: str, rating: Rating, *, comment: str | None, at: datetime) -> None:
        """Note what the principal said of an answer, in the place of what the same principal said before.

        Raises:
            NotFound: No question has the id.
        """
        ...

    def put_query_edges(self, edges: Collection[QueryEdge], *, at: datetime) -> None:
        """Let the edges wait that questions leave, each all of its own, in the place of those that it left before.

        One that was evaluated, or is in the graph, stays as it is; one that left the graph waits again.
        """
        ...

    def enter_query_edges(
        self, target_id: str, entering: Collection[Entering], *, evaluated: bool, reason: str, at: datetime
    ) -> str | None:
        """Let edges to one episode enter the graph, as one event, and give its id; None where none did.

        One that waits does so no longer; one from the same question in the graph takes the new kind and weight.

        Args:
            target_id: The episode.
            entering: The edges, whether or not they waited.
            evaluated: Whether this was the evaluation of the episode: then all that touched it counts as evaluated.
            reason: Why, as one word of small letters and underscores.
            at: When.
        """
        ...

    def dismiss_query_edges(self, target_id: str, *, at: datetime) -> str | None:
        """Keep the edges that wait for an episode in the store only, as one event: it was evaluated as of low value."""
        ...

    def withdraw(
        self, principal: str | None, anew: Collection[Reconsidered] = (), *, erase: bool, at: datetime
    ) -> Withdrawn:
        """Take back all that one principal taught, as one event: edges, ratings, confidence and arousal.

        Confidence and arousal become what they would be had the principal never rated. ``undo`` of the event restores
        all of it, unless it was erased.

        Args:
            principal: Whose; None for what was asked and rated by nobody in particular.
            anew: What becomes of questions that others asked and the principal rated.
            erase: Whether the questions themselves are erased too, with texts and vectors.
            at: When.
        """
        ...

    def take_back(self, event_id: str, *, at: datetime) -> str | None:
        """Take back what one event did to confidence or arousal: they become what they would be without it.

        Unlike ``undo`` it goes also where later events rest on it: their steps are taken anew, in their order.

        Returns:
            The event that says so; None where nothing is left of what it moved.
        """
        ...

    def put_query_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        """Write the vectors of questions that have none of the store's model, by question."""
        ...

    def set_maintained(self, task: str, seq: int) -> None:
        """Note up to which number of the indexes' log a task of maintenance is done.

        Raises:
            InvalidValue: The task is not one word of small letters, or the number below 0.
        """
        ...

    def put_calibration(
        self, model_id: str, language: Language, parameters: Parameters, *, texts: int, at: datetime
    ) -> int:
        """Write a calibration that holds from now on, with an event, and give its version; those before are kept."""
        ...

    def put_records(self, records: Iterable[Record]) -> None:
        """Write records into a namespace that holds nothing.

        Payloads have what is indexed of them: ``tokens`` joined by spaces, ``names``, ``periods`` as pairs of first and
        last day, ``arousal`` and ``vector``.

        Raises:
            InvalidValue: The namespace is not empty, a record has another form, or they do not fit together.
        """
        ...
