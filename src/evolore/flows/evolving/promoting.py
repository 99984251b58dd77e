"""A candidate becomes the next version of its documents: all of them in one transaction, or none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolore.domain.evolving import JobState, PromotedDocument, Promotion, Step
from evolore.errors import StoreBusy
from evolore.evolution.job import StepKind
from evolore.flows.evolving.deciding import winning_rate
from evolore.flows.linking import link_passages
from evolore.flows.next_version import next_version

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from evolore.domain.evolving import ProposedText
    from evolore.evolution.job import JobCandidate
    from evolore.flows.context import Context
    from evolore.flows.evolving.job_log import JobLog
    from evolore.ports import NewDocument, StoreReader, StoreWriter

MOVED = "the document changed before the change was taken over"


class Moved(Exception):
    """Say that a document has another version than the one a change was computed against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Who takes a candidate over, and how.

    Args:
        texts: What is written: those of the candidate, or as a person edited them.
        by: Who; None for nobody in particular.
        reason: Why.
        is_by_policy: Whether a policy did.
        is_edited: Whether the texts are a person's.
    """

    texts: tuple[ProposedText, ...]
    by: str | None
    reason: str = ""
    is_by_policy: bool = False
    is_edited: bool = False


def promote(context: Context, log: JobLog, candidate: JobCandidate, approval: Approval) -> Promotion:
    """Write a candidate's texts as the next versions of their documents, with the promotion and the job's step.

    Raises:
        Moved: A document is not at the version it was computed against; nothing is written.
        StoreBusy: Another process went on with the job; nothing is written.
    """
    # What computes them comes first: inside the transaction only what is ready is written.
    ready = [next_version(context, one) for one in approval.texts]
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        written = [put_text(writer, text, new, at=at) for text, new in zip(approval.texts, ready, strict=True)]
        promotion = promotion_of(log, candidate, approval, written, id_=writer.new_id(), at=at)
        writer.put_promotion(promotion, at=at)
        writer.set_processed(log.job.taken, log.record.id, is_taken_over=True)  # another job may have been first
        body = {"candidate": candidate.id, "reason": approval.reason}
        step = Step(number=log.job.number + 1, kind=StepKind.APPROVED.value, body=body, at=at)
        if not writer.append_steps(log.record.id, [step], state=JobState.PROMOTED, at=at):
            raise StoreBusy(f"Another process goes on with the job {log.record.id}: look at it again.")
    link_passages(context, [one.document_id for one in written])
    return promotion


def promotion_of(
    log: JobLog,
    candidate: JobCandidate,
    approval: Approval,
    documents: Sequence[PromotedDocument],
    *,
    id_: str,
    at: datetime,
    percent: int = 100,
) -> Promotion:
    """Say what is taken over, and how it came to be."""
    return Promotion(
        id=id_,
        job_id=log.record.id,
        candidate_id=candidate.id,
        operator=candidate.operator,
        documents=tuple(documents),
        win_rate=winning_rate(log.job, candidate.id),
        approved_by=approval.by,
        is_by_policy=approval.is_by_policy,
        is_edited=approval.is_edited,
        reason=approval.reason,
        promoted_at=at,
        percent=percent,
    )


def supersede(log: JobLog, reason: str = MOVED) -> None:
    """End a job whose documents changed meanwhile; its feedback is open again."""

    def reopen(writer: StoreWriter) -> None:
        writer.reopen_feedback(log.record.id)

    log.append(StepKind.SUPERSEDED, {"reason": reason}, state=JobState.SUPERSEDED, also=reopen)


def supersede_if_moved(context: Context, log: JobLog) -> None:
    """End a job that runs where its documents have changed since."""
    if log.record.state is not JobState.RUNNING:
        return
    with context.store.read(context.namespace) as reader:
        has_moved = any(moved_to(reader, base.document_id, base.version) for base in log.record.bases)
    if has_moved:
        supersede(log)


def moved_to(reader: StoreReader, document_id: str, version: int) -> bool:
    """Tell whether a document has another version, or is there no more."""
    found = reader.document(document_id)
    return found is None or found.version != version


def put_text(writer: StoreWriter, text: ProposedText, new: NewDocument, *, at: datetime) -> PromotedDocument:
    """Write a text as the next version of its document.

    Raises:
        Moved: The document is not at the version it was computed against.
    """
    document = writer.put_document(replace(new, previous_version=text.base_version), at=at)
    if document is None:
        raise Moved(MOVED)
    return PromotedDocument(document_id=document.id, before=text.base_version, after=document.version)
