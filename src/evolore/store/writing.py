"""Write to one namespace inside one transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from evolore.domain.fact import StatedFact
from evolore.domain.filters import Target
from evolore.ports import ItemKeys, Receipt, Reconsidered, Record, Withdrawn
from evolore.store import documents, leftovers, namespaces, questions
from evolore.store.condensing import CondensingWriter
from evolore.store.database import FaultPoint, reached
from evolore.store.documents import DocumentWriter
from evolore.store.edges import EdgeWriter
from evolore.store.erasure import erase, erasure_body, find_doomed, free
from evolore.store.event_bodies import EventKind
from evolore.store.evolution import EvolutionWriter
from evolore.store.evolution_erasure import erase_asked, forget_said
from evolore.store.examination import refuse_unless_whole
from evolore.store.exports import put_records
from evolore.store.namespaces import NamespaceWriter
from evolore.store.questions import QuestionWriter
from evolore.store.repair import RepairWriter, relog
from evolore.store.review_items import ReviewWriter
from evolore.store.shadows import move_feedback, orphaned_trials
from evolore.store.statements import StatementWriter, insert_facts, put_keys
from evolore.store.structure import StructureWriter
from evolore.store.undo import UndoWriter, withdraw

_ORPHANED = "what it rested on was forgotten"


class StoreWriter(
    DocumentWriter,
    QuestionWriter,
    EdgeWriter,
    UndoWriter,
    EvolutionWriter,
    StatementWriter,
    ReviewWriter,
    StructureWriter,
    NamespaceWriter,
    CondensingWriter,
    RepairWriter,
):
    """One namespace inside one write transaction: everything is written, or nothing."""

    def settle(self) -> None:
        """Write what is counted once a transaction: the last thing of it."""
        self._counters.settle()

    def withdraw(
        self, principal: str | None, anew: Collection[Reconsidered] = (), *, erase: bool, at: datetime
    ) -> Withdrawn:
        """Withdraw everything one principal taught, as one event: edges, ratings, confidence and arousal.

        Confidence and arousal become what they would be had the principal never rated. ``undo`` of the event restores
        all of it, unless it was erased.

        Args:
            principal: Whose; None for what was asked and rated without a principal.
            anew: What becomes of questions that others asked and the principal rated.
            erase: Whether the questions themselves are erased too, with texts and vectors.
            at: When.
        """
        withdrawn = withdraw(self._batch(at), principal, anew, erase=erase)
        self._end_orphaned_trials(at)
        return withdrawn

    def new_id(self) -> str:
        """Return an id that no other has, later in order than all before."""
        return self._ids.next(self._now())

    def reopen_feedback(self, job_id: str) -> tuple[str, ...]:
        """Open again what a job took up and no other has, and return the feedback that counts, oldest first."""
        return questions.reopen_feedback(self._connection, self._ns, [job_id])

    def put_facts(self, stated: Mapping[str, tuple[StatedFact, ...]], *, at: datetime) -> None:
        """Write what statements state of which no fact is kept yet, by episode."""
        insert_facts(self._batch(at), sorted(stated.items()))

    def put_keys(self, keys: Mapping[str, ItemKeys], *, at: datetime) -> None:
        """Replace what is indexed of texts that are still there, by payload."""
        put_keys(self._connection, self._ns, keys, model=self._model)
        relog(self._batch(at), keys)

    def set_maintained(self, task: str, seq: int) -> None:
        """Record up to which number of the indexes' log a task is done.

        Raises:
            InvalidValue: The task is not one word of small letters, or the number below 0.
        """
        namespaces.set_maintained(self._connection, self._ns, task, seq)

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
        """Erase documents with all their versions, and statements, from every table; of a person, all that is theirs.

        What a person taught is withdrawn with it.

        Args:
            target: What.
            anew: What becomes of questions that others asked and the person rated.
            at: When.

        Once the transaction is over, ``Store.take_out_erased`` takes it out of the files.
        """
        batch = self._batch(at)
        doomed = find_doomed(self._connection, self._ns, target)
        if target.person is not None:
            withdraw(batch, target.person, anew, erase=True)
        if target.filter.asks_for_labels:  # what waits may be filed otherwise once it is whole
            documents.clear_all(batch)
        documents.clear(batch, document_ids=doomed.document_ids, after=documents.ERASED_AFTER)
        erase(batch, target, doomed)
        reached(FaultPoint.ROWS_ERASED)
        batch.log(doomed.episode_ids, present=False)
        (event_id,) = batch.append_events(EventKind.ERASED, [(target.item_id or "", erasure_body(target, doomed))])
        self.file_review_items(free(batch, doomed.freed_ids, event_id=event_id), at=at)
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
