"""What can be written to one namespace inside one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.filters import Target
from evolore.domain.review import Resolution
from evolore.ports import Applied
from evolore.store import calibrating, lingering, staging
from evolore.store.arousal import arousal_of, set_arousal
from evolore.store.attributes import replace_labels
from evolore.store.changes import apply_change
from evolore.store.checking import refuse_unless_whole
from evolore.store.document_writing import insert_leaves, put_document
from evolore.store.edges import link
from evolore.store.erasing import erase, erasure_body, find_doomed
from evolore.store.event_kinds import EventKind
from evolore.store.evolution_erasing import forget_said
from evolore.store.evolution_writing import EvolutionWriting
from evolore.store.faults import FaultPoint, reached
from evolore.store.freeing import free
from evolore.store.importing import put_records
from evolore.store.keys import put_keys
from evolore.store.orphaned_trials import orphaned_trials
from evolore.store.question_erasing import erase_asked
from evolore.store.repairing import relog, repair
from evolore.store.reviewing import file_items, set_note, set_status
from evolore.store.shadows import move_feedback
from evolore.store.statement_writing import put_statements
from evolore.store.undoing import undo

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from evolore.domain.episodes import Edge, Episode
    from evolore.domain.knowledge import Document
    from evolore.domain.language import Language
    from evolore.domain.metadata import Labels
    from evolore.domain.review import ReviewItem, ReviewStatus
    from evolore.ports import (
        Change,
        ItemKeys,
        NewDocument,
        NewStatement,
        Receipt,
        Reconsidered,
        Record,
        Undone,
        Withdrawn,
    )
    from evolore.ports.changes import Parameters

_ORPHANED = "what it rested on was forgotten"


class SqliteWriter(EvolutionWriting):
    """One namespace inside one write transaction: everything is written, or nothing.

    Args:
        connection: The open write transaction.
        ns: The namespace's number.
        name: The namespace's name.
        model: The store's embedding model.
        ids: Where new ids come from.
        now: Where the time of ids comes from that no moment is given for.
        principal: On whose behalf it is opened.
    """

    def put_document(self, new: NewDocument, *, at: datetime) -> Document | None:
        """Write a document or its next version; None when the present one is not what it was computed against."""
        batch, source_text = self._batch(at), new.source_text
        if not self._is_present(source_text.source, new.previous_id, new.previous_version):
            return None
        staged = staging.find(batch, new.staging_id) if new.staging_id else None
        if new.staging_id and staged is None:
            return None
        if staged:
            staging.finish(batch, staged)
        else:
            staging.clear(batch, source=source_text.source)
        document_id = put_document(batch, new, staged)
        replace_labels(self._connection, self._ns, document_id, source_text.labels)
        return self.document(document_id)

    def begin_staging(self, source: str, *, previous_id: str | None, previous_version: int, at: datetime) -> str | None:
        """Begin a version that is written in parts; None when the present one is not what it was computed against."""
        if not self._is_present(source, previous_id, previous_version):
            return None
        return staging.begin(self._batch(at), source, document_id=previous_id, version=previous_version + 1)

    def stage_leaves(self, new: NewDocument, *, at: datetime) -> bool:
        """Write the leaves that ``new`` has keys for, invisibly; False when another writer took over."""
        batch = self._batch(at)
        staged = staging.find(batch, new.staging_id) if new.staging_id else None
        if staged is None:
            return False
        insert_leaves(batch, staged.document_id, new)
        reached(FaultPoint.STAGED)
        return True

    def clear_staging(self, source: str, *, at: datetime) -> None:
        """Delete what is written of a version of the source that is not visible yet."""
        staging.clear(self._batch(at), source=source)

    def _is_present(self, source: str, document_id: str | None, version: int) -> bool:
        present = self.document_by_source(source)
        return ((present.id, present.version) if present else (None, 0)) == (document_id, version)

    def label_document(self, present: Document, labels: Labels, *, at: datetime) -> Document | None:
        """Replace what a document is filed under; None when it is no longer as ``present`` says."""
        if self.document(present.id) != present:
            return None
        replace_labels(self._connection, self._ns, present.id, labels)
        changed = self.document(present.id)
        assert changed is not None
        counts = {"metadata": len(changed.metadata), "tags": len(changed.tags)}
        self._batch(at).append_events(EventKind.LABELS_CHANGED, [(present.id, counts)])
        return changed

    def put_statements(self, new: Sequence[NewStatement], *, at: datetime) -> tuple[Episode, ...]:
        """Write statements in their order, each behind what its session holds."""
        return put_statements(self._batch(at), new)

    def file_review_items(self, items: Sequence[ReviewItem], *, at: datetime) -> tuple[str, ...]:
        """File items whose cause is new, or was gone, and whose passage or document is still there; give their ids."""
        return file_items(self._batch(at), items)

    def set_review_status(
        self,
        item_id: str,
        status: ReviewStatus,
        *,
        note: str | None,
        at: datetime,
        by: Resolution = Resolution.PERSON,
    ) -> None:
        """Resolve or reopen a review item that is there."""
        set_status(self._batch(at), item_id, status, note=note, by=by)

    def set_review_note(self, item_id: str, note: str, *, at: datetime, by: Resolution) -> None:
        """Replace the note of a review item that is there, and leave it as open as it is."""
        set_note(self._batch(at), item_id, note, by=by)

    def put_keys(self, keys: Mapping[str, ItemKeys], *, at: datetime) -> None:
        """Replace what is indexed of texts that are still there, by payload."""
        put_keys(self._connection, self._ns, keys, model=self._model)
        relog(self._batch(at), keys)

    def arousals(self, ids: Iterable[str]) -> Mapping[str, float | None]:
        """Give how strongly those of these episodes that are there were felt, None where nobody stated it."""
        return arousal_of(self._connection, self._ns, ids)

    def set_arousal(self, changes: Mapping[str, float], *, at: datetime, reason: str) -> str | None:
        """Change how strongly episodes that are still there were felt, and give the event; None where nothing changed.

        Raises:
            InvalidValue: A value is no share, or the reason not one word.
        """
        return set_arousal(self._batch(at), changes, reason=reason)

    def undo(self, event_id: str, *, cascade: bool = False, at: datetime) -> Undone:
        """Take back what an event did, exactly, after what depends on it.

        Raises:
            NotFound: No event that can be undone has the id, or what it changed was erased.
            InvalidValue: It was undone already, something depends on it, or what it wrote is no longer as it left it.
        """
        return undo(self._batch(at), event_id, cascade=cascade)

    def apply(self, change: Change, *, at: datetime) -> Applied:
        """Change the structure, as one event that holds all it did and can be undone.

        Raises:
            NotFound: It names an episode that is not there.
            InvalidValue: A member is itself made, an edge is of a kind that is never stored, or a statement would be
                held by no episode that stands.
        """
        written = apply_change(self._batch(at), change)
        return Applied(event_id=written.event_id, made=self.episodes(written.made_ids))

    def link(self, edges: Collection[Edge], *, at: datetime) -> None:
        """Write edges that follow from the texts, without an event.

        Raises:
            InvalidValue: One is neither semantic nor an echo.
        """
        link(self._batch(at), edges)

    def set_maintained(self, task: str, seq: int) -> None:
        """Note up to which number of the indexes' log a task is done.

        Raises:
            InvalidValue: The task is not one word of small letters, or the number below 0.
        """
        calibrating.set_maintained(self._connection, self._ns, task, seq)

    def put_calibration(
        self, model_id: str, language: Language, parameters: Parameters, *, texts: int, at: datetime
    ) -> int:
        """Write a calibration that holds from now on, with an event, and give its version."""
        return calibrating.put_calibration(self._batch(at), model_id, language, parameters, texts=texts)

    def repair(self, *, at: datetime) -> None:
        """Delete leftovers and orphans, and write anew what is derived."""
        repair(self._batch(at), model=self._model)

    def put_records(self, records: Iterable[Record]) -> None:
        """Write records whose payloads have what is indexed of them, into a namespace that holds nothing.

        Raises:
            InvalidValue: The namespace is not empty, a record has another form, or they do not fit together.
        """
        put_records(self._connection, self._ns, records, model=self._model)
        refuse_unless_whole(self._connection, self._ns, name=self._name, model=self._model)

    def erase_shadows(self, promotion_id: str, *, moved: Mapping[str, tuple[str, int]], at: datetime) -> None:
        """Erase a promotion's texts on trial; what was said of those that were taken over counts for what they became."""
        move_feedback(self._batch(at), moved)
        ids = tuple(one.document_id for one in self.shadows() if one.promotion_id == promotion_id)
        if ids:
            self.erase(Target(item_ids=ids), at=at)

    def withdraw(
        self, principal: str | None, anew: Collection[Reconsidered] = (), *, erase: bool, at: datetime
    ) -> Withdrawn:
        """Take back all that one principal taught, as one event; with ``erase`` delete the questions themselves too."""
        withdrawn = super().withdraw(principal, anew, erase=erase, at=at)
        self._end_orphaned_trials(at)
        return withdrawn

    def erase(self, target: Target, *, at: datetime) -> Receipt:
        """Erase documents with all their versions, and statements, everywhere.

        Raises:
            NotFound: The target names nothing, or one of its ids does not.
        """
        batch = self._batch(at)
        doomed = find_doomed(self._connection, self._ns, target)
        staging.clear(batch, document_ids=doomed.document_ids)
        erase(self._connection, self._ns, target, doomed)
        reached(FaultPoint.ROWS_ERASED)
        batch.log(doomed.episode_ids, present=False)
        (event_id,) = batch.append_events(EventKind.ERASED, [(target.item_id or "", erasure_body(target, doomed))])
        free(batch, doomed.freed_ids, event_id=event_id)
        forget_said(batch, doomed.document_ids, doomed.episode_ids, event_id)
        erase_asked(batch, doomed.asked, event_id)
        lingering.note(self._connection, self._ns, event_id)
        self._end_orphaned_trials(at)
        return doomed.receipt(event_id, at)

    def _end_orphaned_trials(self, at: datetime) -> None:
        """Take texts on trial from everybody whose job went with what was erased."""
        for id_ in orphaned_trials(self._connection, self._ns):
            promotion = self.promotion(id_)
            assert promotion is not None
            self.set_percent(id_, 0, documents=promotion.documents, at=at)
            self.close_promotion(id_, documents=promotion.documents, reason=_ORPHANED, at=at)
            self.erase_shadows(id_, moved={}, at=at)
