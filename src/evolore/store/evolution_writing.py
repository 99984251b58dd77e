"""What can be written of answers, feedback, jobs and promotions inside one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.store import answer_writing, feedback_writing, job_writing, promotion_writing
from evolore.store.query_writer import QueryWriter

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from evolore.domain.answering import Answer
    from evolore.domain.evolving import JobState, NewJob, PromotedDocument, Promotion, Step
    from evolore.domain.queries import Rating


class EvolutionWriting(QueryWriter):
    """One namespace's answers, feedback, jobs and promotions inside one write transaction."""

    def put_answer(self, answer: Answer, *, at: datetime) -> None:
        """Write an answer, without what was found for it. One that rests on what is not there any more is left out."""
        answer_writing.put_answer(self._batch(at), answer, at=at)

    def new_id(self) -> str:
        """Give an id that no other has, later in order than all before."""
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
        """Note what the principal says of a document, and give the feedback's id.

        Raises:
            NotFound: There is no such document or question.
        """
        return feedback_writing.put_feedback(
            self._batch(at), document_id, rating, query_id=query_id, principal=self._principal, comment=comment
        )

    def rest_feedback(self, query_id: str, document_ids: Collection[str], *, at: datetime) -> None:
        """Let what people said of an answer count for the documents it is said to rest on now, and for no other."""
        feedback_writing.rest_feedback(self._batch(at), query_id, document_ids, principal=self._principal)

    def begin_job(self, new: NewJob, *, at: datetime) -> str | None:
        """Begin a job, and give its id; None where a document is not as named, or another open job is about it.

        Raises:
            InvalidValue: It names no document, or one twice.
        """
        return job_writing.begin_job(self._batch(at), new, principal=self._principal)

    def append_steps(self, job_id: str, steps: Sequence[Step], *, state: JobState | None = None, at: datetime) -> bool:
        """Write steps behind those that are there, and the job's state where it changes; False where they do not fit.

        Raises:
            InvalidValue: There is none, their numbers do not follow each other, or a body is not of JSON.
        """
        return job_writing.append_steps(self._batch(at), job_id, steps, state=state)

    def end_erased(self, job_id: str, state: JobState, *, at: datetime) -> None:
        """Say how a job whose steps were erased ended."""
        job_writing.end_erased(self._batch(at), job_id, state)

    def set_processed(self, feedback_ids: Collection[str], job_id: str, *, is_taken_over: bool = False) -> None:
        """Mark feedback as taken up by a job; what another took up only where it is taken over from that."""
        feedback_writing.set_processed(self._connection, self._ns, feedback_ids, job_id, is_taken_over=is_taken_over)

    def reopen_feedback(self, job_id: str) -> tuple[str, ...]:
        """Open again what a job took up and no other has, and give the feedback that counts, oldest first."""
        return feedback_writing.reopen_feedback(self._connection, self._ns, [job_id])

    def put_promotion(self, promotion: Promotion, *, at: datetime) -> str:
        """Write a promotion, with its event, and give the event's id."""
        return promotion_writing.put_promotion(self._batch(at), promotion)

    def set_percent(
        self, promotion_id: str, percent: int, *, documents: Sequence[PromotedDocument], at: datetime
    ) -> str:
        """Note before which share of people a promotion is, with its documents' versions; give the event's id.

        Raises:
            NotFound: There is no such promotion.
            InvalidValue: It was taken back, or the share is no percentage.
        """
        return promotion_writing.set_percent(self._batch(at), promotion_id, percent, documents=documents)

    def close_promotion(
        self, promotion_id: str, *, documents: Sequence[PromotedDocument], reason: str, at: datetime
    ) -> str:
        """Note that a promotion was taken back, with the versions that restored its documents; give the event's id.

        Raises:
            NotFound: There is no such promotion.
            InvalidValue: It was taken back already.
        """
        return promotion_writing.close_promotion(
            self._batch(at), promotion_id, documents=documents, reason=reason, principal=self._principal
        )
