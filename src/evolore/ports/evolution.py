"""What is kept of answers, feedback, jobs and promotions: one namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from evolore.domain.answering import Answer
    from evolore.domain.evolving import JobRecord, JobState, NewJob, PromotedDocument, Promotion, Step
    from evolore.domain.feedback import Feedback
    from evolore.domain.queries import Rating
    from evolore.domain.shadows import Shadow
    from evolore.domain.trial_answers import TrialAnswer


class EvolutionReader(Protocol):
    """What can be read of them at one moment."""

    def document_text(self, document_id: str, version: int | None = None) -> str | None:
        """Give the whole text of a document as it is, or as it was in one of its versions; None where it is not there."""
        ...

    def answer(self, answer_id: str) -> Answer | None:
        """Give an answer that was given, by its whole id, without what was found for it."""
        ...

    def resolve_answer(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of answers that begin with ``prefix``."""
        ...

    def feedback(
        self, *, document_id: str | None = None, job_id: str | None = None, unprocessed: bool = False
    ) -> tuple[Feedback, ...]:
        """List feedback that counts, oldest first: what its author withdrew does not.

        Args:
            document_id: Only about this document.
            job_id: Only what this job took up.
            unprocessed: Only what no job has taken up.
        """
        ...

    def rated_documents(self, *, least: int) -> tuple[str, ...]:
        """List the documents on which at least so many people gave unprocessed BAD feedback, the most first.

        All who are not named count as one. Documents of a job that is open are left out.
        """
        ...

    def asked_about(self, document_id: str, *, limit: int) -> Mapping[str, str]:
        """Give questions of which one of the first three hits lies in a document, any version of it, by id; the last first."""
        ...

    def job(self, job_id: str) -> JobRecord | None:
        """Give a job, by its whole id."""
        ...

    def resolve_job(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of jobs that begin with ``prefix``."""
        ...

    def jobs(
        self, *, states: Collection[JobState] | None = None, document_id: str | None = None, limit: int = 1000
    ) -> tuple[JobRecord, ...]:
        """List jobs, the newest first; only those in some states, only those about a document."""
        ...

    def steps(self, job_id: str) -> tuple[Step, ...]:
        """Give the steps of a job in their order."""
        ...

    def step(self, job_id: str, number: int) -> Step | None:
        """Give one step of a job."""
        ...

    def promotion(self, promotion_id: str) -> Promotion | None:
        """Give a promotion, by its whole id."""
        ...

    def resolve_promotion(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of promotions that begin with ``prefix``."""
        ...

    def promotions(self, *, document_id: str | None = None, job_id: str | None = None) -> tuple[Promotion, ...]:
        """List promotions, oldest first; of one document its line."""
        ...

    def shadows(self) -> tuple[Shadow, ...]:
        """List the texts that are before some people only, oldest first."""
        ...

    def trial_answers(self, promotion_id: str) -> tuple[TrialAnswer, ...]:
        """List what known principals were answered while a promotion is before some people only, in the order of asking."""
        ...


class EvolutionWriter(EvolutionReader, Protocol):
    """What can be written of them inside one transaction."""

    def put_answer(self, answer: Answer, *, at: datetime) -> None:
        """Write an answer, without what was found for it. One that rests on what is not there any more is left out."""
        ...

    def new_id(self) -> str:
        """Give an id that no other has, later in order than all before."""
        ...

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

        It takes the place of what the same principal said before of the same answer, or of the document itself; where
        that was processed and says the same still, it stays processed.

        Raises:
            NotFound: There is no such document or question.
        """
        ...

    def rest_feedback(self, query_id: str, document_ids: Collection[str], *, at: datetime) -> None:
        """Let what people said of an answer count for the documents it is said to rest on now, and for no other.

        What the principal said of others is deleted; ``put_feedback`` writes down what that person says now.
        """
        ...

    def begin_job(self, new: NewJob, *, at: datetime) -> str | None:
        """Begin a job, and give its id; None where a document is not as named, or another open job is about it.

        A job that is ``is_alongside`` may be about what another is about.
        """
        ...

    def append_steps(self, job_id: str, steps: Sequence[Step], *, state: JobState | None = None, at: datetime) -> bool:
        """Write steps behind those that are there, and the job's state where it changes, as one.

        Returns:
            False where the first does not follow the last that is there: another process went on with the job.
        """
        ...

    def end_erased(self, job_id: str, state: JobState, *, at: datetime) -> None:
        """Say how a job whose steps were erased ended: no step can tell."""
        ...

    def set_processed(self, feedback_ids: Collection[str], job_id: str, *, is_taken_over: bool = False) -> None:
        """Mark feedback as taken up by a job.

        Args:
            feedback_ids: Which.
            job_id: The job.
            is_taken_over: Whether also what another job took up is this one's from now on.
        """
        ...

    def reopen_feedback(self, job_id: str) -> tuple[str, ...]:
        """Open again what a job took up and no other has, and give the feedback that counts, oldest first."""
        ...

    def put_promotion(self, promotion: Promotion, *, at: datetime) -> str:
        """Write a promotion, with its event, and give the event's id.

        Its documents are written by ``put_document`` in the same transaction.
        """
        ...

    def set_percent(
        self, promotion_id: str, percent: int, *, documents: Sequence[PromotedDocument], at: datetime
    ) -> str:
        """Note that a promotion is before another share of people, and its documents' versions; give the event's id."""
        ...

    def close_promotion(
        self, promotion_id: str, *, documents: Sequence[PromotedDocument], reason: str, at: datetime
    ) -> str:
        """Note that a promotion was taken back, with the versions that restored its documents; give the event's id.

        Raises:
            NotFound: There is no such promotion.
            InvalidValue: It was taken back already.
        """
        ...

    def erase_shadows(self, promotion_id: str, *, moved: Mapping[str, tuple[str, int]], at: datetime) -> None:
        """Erase a promotion's texts on trial, and what rests on them.

        Args:
            promotion_id: Which.
            moved: For each document that held such a text and was taken over, the document and the version that it
                became: what was said of the one counts for the other.
            at: When.
        """
        ...
