"""Write to one namespace inside one transaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime

from evolore.domain.answer import Answer
from evolore.domain.document import Document
from evolore.domain.episode import Edge, Episode
from evolore.domain.evolution import JobState, NewJob, PromotedDocument, Promotion, Step
from evolore.domain.fact import StatedFact
from evolore.domain.feedback import Feedback
from evolore.domain.filters import Target
from evolore.domain.language import Language
from evolore.domain.metadata import Labels
from evolore.domain.outcome import Outcome, QueryRecord, Rating
from evolore.domain.review import Resolution, ReviewItem, ReviewStatus
from evolore.ports import (
    Change,
    EmbeddingModel,
    Entering,
    ItemKeys,
    NewDocument,
    NewQuery,
    NewStatement,
    QueryEdge,
    Receipt,
    Reconsidered,
    Record,
    Undone,
    Vectors,
    Withdrawn,
)
from evolore.ports.changes import Parameters
from evolore.store import documents, evolution, leftovers, namespaces, questions
from evolore.store.condensing import condense
from evolore.store.database import FaultPoint, reached
from evolore.store.documents import insert_leaves, put_document
from evolore.store.edges import dismiss, enter, link
from evolore.store.erasure import erase, erasure_body, find_doomed, free
from evolore.store.event_bodies import EventKind
from evolore.store.events import Batch, Counters, IdSource
from evolore.store.evolution_erasure import erase_asked, forget_said
from evolore.store.examination import refuse_unless_whole
from evolore.store.exports import put_records
from evolore.store.reading import StoreReader
from evolore.store.repair import relog, repair
from evolore.store.review_items import file_items, set_note, set_status
from evolore.store.rows import replace_labels
from evolore.store.shadows import move_feedback, orphaned_trials
from evolore.store.statements import insert_facts, put_keys, put_statements
from evolore.store.structure import apply_change, arousal_of, set_arousal
from evolore.store.undo import take_back, undo, withdraw

_ORPHANED = "what it rested on was forgotten"


class StoreWriter(StoreReader):
    """One namespace inside one write transaction: everything is written, or nothing.

    Args:
        counters: The namespace's numbers, in the open write transaction.
        name: The namespace's name.
        model: The store's embedding model.
        ids: Where new ids come from.
        now: Where the time of ids comes from that no moment is given for.
        principal: On whose behalf it is opened.
    """

    def __init__(
        self,
        counters: Counters,
        *,
        name: str,
        model: EmbeddingModel,
        ids: IdSource,
        now: Callable[[], datetime],
        principal: str | None = None,
    ) -> None:
        super().__init__(counters.connection, counters.ns, name=name, model=model, revision=counters.revision)
        self._counters = counters
        self._ids = ids
        self._now = now
        self._principal = principal

    def settle(self) -> None:
        """Write what is counted once a transaction: the last thing of it."""
        self._counters.settle()

    def put_query(self, new: NewQuery, *, at: datetime) -> QueryRecord:
        """Record a question, and return it as it is kept; what was handed over and is not there any more is left out."""
        return questions.put_query(self._batch(at), new, principal=self._principal, model=self._model)

    def set_outcome(
        self, query_id: str, outcome: Outcome, *, is_stated: bool, cited: Collection[str] | None, at: datetime
    ) -> None:
        """Record what a question led to, and which of what was handed over the answer rests on; None leaves that as it is.

        Raises:
            NotFound: No question has the id.
        """
        questions.set_outcome(self._batch(at), query_id, outcome, is_stated=is_stated, cited=cited)

    def set_answer_id(self, query_id: str, answer_id: str, *, at: datetime) -> None:
        """Record for which answer a question was asked."""
        questions.set_answer_id(self._batch(at), query_id, answer_id)

    def rate_query(self, query_id: str, rating: Rating, *, comment: str | None, at: datetime) -> None:
        """Record what the principal said of an answer, in place of what the same principal said before.

        Raises:
            NotFound: No question has the id.
        """
        questions.rate_query(self._batch(at), query_id, rating, principal=self._principal, comment=comment)

    def put_query_edges(self, edges: Collection[QueryEdge], *, at: datetime) -> None:
        """Record as waiting the edges that questions leave, each question's all at once, in place of those that it left before.

        One that was evaluated, or is in the graph, stays as it is; one that left the graph waits again.
        """
        questions.put_query_edges(self._batch(at), edges)

    def enter_query_edges(
        self, target_id: str, entering: Collection[Entering], *, evaluated: bool, reason: str, at: datetime
    ) -> str | None:
        """Put edges to one episode into the graph, as one event, and return its id; None where none entered.

        One that waits does so no longer; one from the same question in the graph takes the new kind and weight.

        Args:
            target_id: The episode.
            entering: The edges, whether or not they waited.
            evaluated: Whether this was the evaluation of the episode: then all that touched it counts as evaluated.
            reason: Why, as one word of small letters and underscores.
            at: When.
        """
        return enter(self._batch(at), target_id, entering, evaluated=evaluated, reason=reason)

    def dismiss_query_edges(self, target_id: str, *, at: datetime) -> str | None:
        """Keep the edges that wait for an episode in the store only, as one event: it was evaluated as of low value."""
        return dismiss(self._batch(at), target_id)

    def withdraw(
        self, principal: str | None, anew: Collection[Reconsidered] = (), *, erase: bool, at: datetime
    ) -> Withdrawn:
        """Withdraw everything one principal taught, as one event: edges, ratings, confidence and arousal.

        Confidence and arousal become what they would be had the principal never rated. ``undo`` of the event restores
        all of it, unless it was erased.

        Args:
            principal: Whose; None for what was asked and rated by nobody in particular.
            anew: What becomes of questions that others asked and the principal rated.
            erase: Whether the questions themselves are erased too, with texts and vectors.
            at: When.
        """
        withdrawn = withdraw(self._batch(at), principal, anew, erase=erase)
        self._end_orphaned_trials(at)
        return withdrawn

    def take_back(self, event_id: str, *, at: datetime) -> str | None:
        """Revert what one event did to confidence or arousal: they become what they would be without it.

        Unlike ``undo`` it goes also where later events rest on it: their steps are taken anew, in their order.

        Returns:
            The event that says so; None where nothing is left of what it moved.
        """
        return take_back(self._batch(at), event_id)

    def put_query_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        """Write the vectors of questions that have none of the store's model, by question."""
        questions.put_query_vectors(self._batch(self._now()), vectors, model=self._model)

    def _batch(self, at: datetime) -> Batch:
        return Batch(self._counters, at=at, ids=self._ids, model_id=self._model.id, principal=self._principal)

    def put_answer(self, answer: Answer, *, at: datetime) -> bool:
        """Write an answer, without what was found for it; False where it rests on what is not there any more."""
        return questions.put_answer(self._batch(at), answer, at=at)

    def new_id(self) -> str:
        """Return an id that no other has, later in order than all before."""
        return self._ids.next(self._now())

    def put_feedback(
        self,
        document_id: str,
        rating: Rating,
        *,
        query_id: str | None = None,
        comment: str | None = None,
        at: datetime,
    ) -> str:
        """Record what the principal says of a document, and return the feedback's id.

        It takes the place of what the same principal said before of the same answer, or of the document itself; where
        that was processed and says the same still, it stays processed.

        Raises:
            NotFound: There is no such document or question.
        """
        return questions.put_feedback(
            self._batch(at), document_id, rating, query_id=query_id, principal=self._principal, comment=comment
        )

    def feedback_of_answer(
        self, rated: QueryRecord, episode_ids: Sequence[str], rating: Rating, *, comment: str | None, at: datetime
    ) -> tuple[Feedback, ...]:
        """Record what the principal says of the documents that some episodes lie in by rating an answer, and return that.

        What people said of other documents, when the answer was said to rest on those, counts for these now.
        """
        said = {"principal": self._principal, "comment": comment}
        return questions.feedback_of_answer(self._batch(at), rated, episode_ids, rating, **said)

    def begin_job(self, new: NewJob, *, at: datetime) -> str | None:
        """Begin a job, and return its id; None where a document is not as named, or another open job is about it.

        Raises:
            InvalidValue: It names no document, or one twice.
        """
        return evolution.begin_job(self._batch(at), new, principal=self._principal)

    def append_steps(self, job_id: str, steps: Sequence[Step], *, state: JobState | None = None, at: datetime) -> bool:
        """Write steps behind those that are there, and the job's state where it changes; False where they do not fit.

        Raises:
            InvalidValue: There is none, their numbers do not follow each other, or a body is not of JSON.
        """
        return evolution.append_steps(self._batch(at), job_id, steps, state=state)

    def end_erased(self, job_id: str, state: JobState, *, at: datetime) -> None:
        """Record how a job whose steps were erased ended: no step is left to show it."""
        evolution.end_erased(self._batch(at), job_id, state)

    def set_processed(self, feedback_ids: Collection[str], job_id: str, *, is_taken_over: bool = False) -> None:
        """Mark feedback as taken up by a job.

        Args:
            feedback_ids: Which.
            job_id: The job.
            is_taken_over: Whether also what another job took up is this one's from now on.
        """
        questions.set_processed(self._connection, self._ns, feedback_ids, job_id, is_taken_over=is_taken_over)

    def reopen_feedback(self, job_id: str) -> tuple[str, ...]:
        """Open again what a job took up and no other has, and return the feedback that counts, oldest first."""
        return questions.reopen_feedback(self._connection, self._ns, [job_id])

    def put_promotion(self, promotion: Promotion, *, at: datetime) -> str:
        """Write a promotion, with its event, and return the event's id.

        Its documents are written by ``put_document`` in the same transaction.
        """
        return evolution.put_promotion(self._batch(at), promotion)

    def set_percent(
        self, promotion_id: str, percent: int, *, documents: Sequence[PromotedDocument], at: datetime
    ) -> str:
        """Record which share of people sees a promotion, with its documents' versions; return the event's id.

        Raises:
            NotFound: There is no such promotion.
            InvalidValue: It was taken back, or the share is no percentage.
        """
        return evolution.set_percent(self._batch(at), promotion_id, percent, documents=documents)

    def close_promotion(
        self, promotion_id: str, *, documents: Sequence[PromotedDocument], reason: str, at: datetime
    ) -> str:
        """Record that a promotion was taken back, with the versions that restored its documents; return the event's id.

        Raises:
            NotFound: There is no such promotion.
            InvalidValue: It was taken back already.
        """
        return evolution.close_promotion(
            self._batch(at), promotion_id, documents=documents, reason=reason, principal=self._principal
        )

    def put_document(self, new: NewDocument, *, at: datetime) -> Document | None:
        """Write a document or its next version; None when the present one is not what it was computed against.

        What another writer had staged of the source is deleted.
        """
        batch, source_text = self._batch(at), new.source_text
        if not self._is_present(source_text.source, new.previous_id, new.previous_version):
            return None
        staged = documents.find(batch, new.staging_id) if new.staging_id else None
        if new.staging_id and staged is None:
            return None
        if staged:
            documents.finish(batch, staged)
        else:
            documents.clear(batch, source=source_text.source)
        document_id = put_document(batch, new, staged)
        replace_labels(self._connection, self._ns, document_id, source_text.labels)
        return self.document(document_id)

    def begin_staging(self, source: str, *, previous_id: str | None, previous_version: int, at: datetime) -> str | None:
        """Begin a version that is written in parts, and return its id; None when the present one is another.

        What was staged of the source before is deleted.
        """
        if not self._is_present(source, previous_id, previous_version):
            return None
        return documents.begin(self._batch(at), source, document_id=previous_id, version=previous_version + 1)

    def stage_leaves(self, new: NewDocument, *, at: datetime) -> bool:
        """Write the leaves that ``new`` has keys for, invisibly; False when another writer took over."""
        batch = self._batch(at)
        staged = documents.find(batch, new.staging_id) if new.staging_id else None
        if staged is None:
            return False
        insert_leaves(batch, staged.document_id, new)
        reached(FaultPoint.STAGED)
        return True

    def clear_staging(self, source: str, *, at: datetime) -> None:
        """Delete what is written of a version of the source that is not visible yet."""
        documents.clear(self._batch(at), source=source)

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

    def note_source(self, present: Document, *, at: datetime) -> bool:
        """Record that a document's source says now what the document says; False when it is no longer as ``present``."""
        if self.document(present.id) != present:
            return False
        documents.note_source(
            self._batch(at), present.id, version=present.version, content_sha256=present.content_sha256
        )
        return True

    def put_statements(self, new: Sequence[NewStatement], *, at: datetime) -> tuple[Episode, ...]:
        """Write statements in their order, each behind what its session holds."""
        return put_statements(self._batch(at), new)

    def put_facts(self, stated: Mapping[str, tuple[StatedFact, ...]], *, at: datetime) -> None:
        """Write what statements state of which no fact is kept yet, by episode."""
        insert_facts(self._batch(at), sorted(stated.items()))

    def file_review_items(self, items: Sequence[ReviewItem], *, at: datetime) -> tuple[str, ...]:
        """File items, and return their ids.

        One whose cause was filed before is left as it is, unless it was resolved because its passage was gone; one
        whose document, passage or statement is no longer there is left out.
        """
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
        """Resolve or reopen a review item that is there, and replace its note."""
        set_status(self._batch(at), item_id, status, note=note, by=by)

    def set_review_note(self, item_id: str, note: str, *, at: datetime, by: Resolution) -> None:
        """Replace the note of a review item that is there, and leave it as open as it is."""
        set_note(self._batch(at), item_id, note, by=by)

    def put_keys(self, keys: Mapping[str, ItemKeys], *, at: datetime) -> None:
        """Replace what is indexed of texts that are still there, by payload."""
        put_keys(self._connection, self._ns, keys, model=self._model)
        relog(self._batch(at), keys)

    def arousals(self, ids: Iterable[str]) -> Mapping[str, float | None]:
        """Return how strongly those of these episodes that are there were felt, None where nobody stated it."""
        return arousal_of(self._connection, self._ns, ids)

    def set_arousal(self, changes: Mapping[str, float], *, at: datetime, reason: str) -> str | None:
        """Change how strongly episodes that are still there were felt, 0-1, by episode, and return the event's id.

        The event holds the episodes' ids with old and new values. None where nothing changed.

        Raises:
            InvalidValue: A value is no share, or the reason not one word of small letters.
        """
        return set_arousal(self._batch(at), changes, reason=reason)

    def undo(self, event_id: str, *, cascade: bool = False, at: datetime) -> Undone:
        """Undo what an event of a change of structure or of arousal did, exactly; that is an event too.

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
        return undo(self._batch(at), event_id, cascade=cascade)

    def apply(self, change: Change, *, at: datetime) -> str:
        """Change the structure, as one event that holds all it did and can be undone; return the event's id.

        A field that has the value already, and an edge that is there already, are left out of the event.

        Raises:
            NotFound: It names an episode that is not there.
            InvalidValue: A member is itself made, an edge is of a kind that is never stored, or a statement would be
                held by no episode that stands.
        """
        return apply_change(self._batch(at), change)

    def link(self, edges: Collection[Edge], *, at: datetime) -> None:
        """Write edges that follow from the texts: ``SEMANTIC`` and ``ECHO``. They have no event, and cannot be undone.

        One that is there takes the weight given, and keeps when it was made. Edges of episodes that are not there any
        more are left out. How many an episode has is the caller's to bound.

        Raises:
            InvalidValue: An edge is of another kind.
        """
        link(self._batch(at), edges)

    def set_maintained(self, task: str, seq: int) -> None:
        """Record up to which number of the indexes' log a task is done.

        Raises:
            InvalidValue: The task is not one word of small letters, or the number below 0.
        """
        namespaces.set_maintained(self._connection, self._ns, task, seq)

    def put_calibration(
        self, model_id: str, language: Language, parameters: Parameters, *, texts: int, at: datetime
    ) -> int:
        """Write a calibration that holds from now on, with an event, and return its version; those before are kept."""
        return namespaces.put_calibration(self._batch(at), model_id, language, parameters, texts=texts)

    def repair(self, *, at: datetime) -> None:
        """Delete leftovers and orphans, and write anew what is derived."""
        repair(self._batch(at), model=self._model)

    def put_records(self, records: Iterable[Record]) -> None:
        """Write records into a namespace that holds nothing.

        Payloads have what is indexed of them: ``tokens`` joined by spaces, ``names``, ``periods`` as pairs of first and
        last day, ``arousal`` and ``vector``.

        Raises:
            InvalidValue: The namespace is not empty, a record has another form, or they do not fit together.
        """
        put_records(self._connection, self._ns, records, model=self._model)
        self._counters.read_anew()
        refuse_unless_whole(self._connection, self._ns, name=self._name, model=self._model)

    def condense_events(self, *, before: datetime, at: datetime) -> int:
        """Condense old events that say nothing any more; return how many rows that saves.

        Args:
            before: From when they are at the latest.
            at: When.
        """
        return condense(self._batch(at), before=before)

    def erase_shadows(self, promotion_id: str, *, moved: Mapping[str, tuple[str, int]], at: datetime) -> None:
        """Erase a promotion's texts on trial, and what rests on them.

        Args:
            promotion_id: Which.
            moved: For each document that held such a text and was taken over, the document and the version that it
                became: what was said of the one counts for the other.
            at: When.
        """
        move_feedback(self._batch(at), moved)
        ids = tuple(one.document_id for one in self.shadows() if one.promotion_id == promotion_id)
        if ids:
            self.erase(Target(item_ids=ids), at=at)

    def erase(self, target: Target, *, anew: Collection[Reconsidered] = (), at: datetime) -> Receipt:
        """Erase documents with all their versions, and statements, from every table; of a person, whatever is theirs.

        What a person taught is withdrawn with it.

        Args:
            target: What.
            anew: What becomes of questions that others asked and the person rated.
            at: When.

        Once the transaction is over, ``Store.take_out_erased`` takes it out of the files.

        Raises:
            NotFound: It names nothing, or one of its ids does not.
        """
        batch = self._batch(at)
        doomed = find_doomed(self._connection, self._ns, target)
        if target.person is not None:
            withdraw(batch, target.person, anew, erase=True)
        documents.clear(batch, document_ids=doomed.document_ids)
        erase(batch, target, doomed)
        reached(FaultPoint.ROWS_ERASED)
        batch.log(doomed.episode_ids, present=False)
        (event_id,) = batch.append_events(EventKind.ERASED, [(target.item_id or "", erasure_body(target, doomed))])
        free(batch, doomed.freed_ids, event_id=event_id)
        forget_said(batch, doomed.said, doomed.document_ids, doomed.episode_ids, event_id)
        erase_asked(batch, doomed.asked, event_id)
        leftovers.note(self._connection, self._ns, event_id)
        leftovers.empty_replies(self._connection)
        self._end_orphaned_trials(at)
        return doomed.receipt(event_id, at)

    def _end_orphaned_trials(self, at: datetime) -> None:
        """Withdraw from everybody the texts on trial whose job went with what was erased."""
        for id_ in orphaned_trials(self._connection, self._ns):
            promotion = self.promotion(id_)
            assert promotion is not None
            self.set_percent(id_, 0, documents=promotion.documents, at=at)
            self.close_promotion(id_, documents=promotion.documents, reason=_ORPHANED, at=at)
            self.erase_shadows(id_, moved={}, at=at)
