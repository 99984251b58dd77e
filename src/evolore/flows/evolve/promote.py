"""Record the result of a contest, and make a candidate the next version of its documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from evolore.domain.contest import DocumentText
from evolore.domain.evolution import JobState, Operator, PromotedDocument, Promotion, ProposedText
from evolore.evolution.contest_plan import CandidateResult, Decision, TrialOutcome
from evolore.evolution.fact_proof import open_doubts
from evolore.evolution.job import FROM_FEEDBACK, Job
from evolore.evolution.job_steps import CandidateApproved, Closed, Decided, JobCandidate, StepKind
from evolore.evolution.policy import ProofKind, Proven, apply_policy
from evolore.evolution.settings import SelectionMode
from evolore.flows.context import Context
from evolore.flows.document_version import link_passages, next_version
from evolore.flows.evolve.log import JobLog, append_step
from evolore.flows.evolve.proof import Authorship
from evolore.ports import NewDocument
from evolore.store.reading import StoreReader
from evolore.store.writing import StoreWriter
from evolore.text.sections import read_sections

_SHOWN = 3
MOVED = "the document changed before the change was taken over"


class Moved(Exception):
    """Say that a document has another version than the one a change was computed against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """Who takes a candidate over, and how."""

    texts: tuple[ProposedText, ...]  #: What is written: those of the candidate, or as a person edited them.
    by: str | None  #: Who; None if unnamed.
    reason: str = ""  #: Why.
    is_by_policy: bool = False  #: Whether a policy did.
    is_edited: bool = False  #: Whether the texts are a person's.


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
        body = CandidateApproved(reason=approval.reason, candidate=candidate.id)
        number = log.job.number + 1
        append_step(writer, log.record.id, number, StepKind.APPROVED, body, state=JobState.PROMOTED, at=at)
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
    """Return what is taken over, and how it came to be."""
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

    log.append(StepKind.SUPERSEDED, Closed(reason=reason), state=JobState.SUPERSEDED, also=reopen)


def supersede_if_moved(context: Context, log: JobLog) -> None:
    """End a job that runs where its documents have changed since."""
    if log.record.state is not JobState.RUNNING:
        return
    with context.store.read(context.namespace) as reader:
        has_moved = any(moved_to(reader, base.document_id, base.version) for base in log.record.bases)
    if has_moved:
        supersede(log)


def moved_to(reader: StoreReader, document_id: str, version: int) -> bool:
    """Return whether a document has another version, or is there no more."""
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


_WHY_NOT = {
    "nothing_to_improve": "nothing was found to improve",
    "no_evidence": "nothing was found that could be cited",
    "too_long": "what is to be rewritten is too long to be shown to the model",
}
"""In words, the reasons for which an operator makes no candidate that are no fault of a reply."""


def decided(job: Job, documents: Sequence[DocumentText], written: Authorship) -> tuple[Decided, JobState]:
    """Return what is decided, and the job's state from then on."""
    settings, outcome, chosen = job.settings, job.outcome, job.corrected
    if chosen is not None and chosen.proof is not None:
        decision, reason = Decision.WINNER, f"proved {chosen.proof.reason}"
    else:
        chosen = None if outcome is None or outcome.candidate_id is None else job.candidate(outcome.candidate_id)
        if outcome is None or chosen is None:
            return Decided(decision=Decision.ORIGINAL_STAYS, reason=_why_none(job)), JobState.ORIGINAL_STAYS
        decision, reason = outcome.decision, _reason(outcome, is_seed=settings.mode is SelectionMode.SEED)
    policy = apply_policy(settings.policy, _proven(job, chosen, documents, written)) if settings.auto_update else None
    return Decided(decision=decision, reason=reason, candidate=chosen.id, policy=policy), JobState.WAITING


def _why_none(job: Job) -> str:
    if job.standing:
        return "no candidate was better"
    if job.candidates:
        return "no candidate passed the gates"
    left_out = [(one, "no_evidence") for one in job.operators if one not in job.plan.operators]
    reasons = dict.fromkeys(_WHY_NOT.get(reason, reason) for _, reason in (*left_out, *job.skipped))
    return f"no candidate could be made: {'; '.join(reasons) or 'no operator is left'}"


def _reason(outcome: TrialOutcome, *, is_seed: bool) -> str:
    if outcome.decision is Decision.WINNER:
        return "won by the seed's rule" if is_seed else "proved on fresh questions"
    doubts = [f"the judge is doubted: {one.value}" for one in outcome.doubts]
    few = ["too few fresh questions for a proof"] if outcome.has_too_few_questions else []
    return "; ".join((*few, *doubts)) or "left to a person"


def _proven(job: Job, chosen: JobCandidate, documents: Sequence[DocumentText], written: Authorship) -> Proven:
    is_reworded = chosen.proof is not None and chosen.proof.is_reworded
    is_correction = chosen.operator is Operator.MUTATION_DETAIL and not is_reworded
    proven = Proven(
        proof=ProofKind.CORRECTION if is_correction else ProofKind.WORDING,
        operator=chosen.operator,
        sources=tuple(one.source for one in documents),
        may_auto_update=not is_reworded,  # a person approves other words
        win_rate_low=1.0,
        changed_share=changed_share(chosen, documents),
        doubts=open_doubts(chosen.doubts),
        suspicions=_suspicions(job),
        writer=written.first,
        evidence_writers=written.evidence,
    )
    if chosen.is_proved_by_fact or job.outcome is None:
        return proven
    return replace(
        proven,
        proof=ProofKind.WORDING,
        may_auto_update=job.outcome.may_auto_update,
        win_rate_low=result_of(job.outcome, chosen.id).confirm_interval.low,
        doubts=chosen.doubts,
    )


def _suspicions(job: Job) -> tuple[str, ...]:
    """Return what in feedback or documents looks like an order to a model, and what a writer took over from feedback alone.

    Words reveal few orders. But a writer that obeys one in one candidate may obey it in another, where no gate sees it.
    """
    refused = (line for one in job.candidates for line in one.refusals if line.startswith(FROM_FEEDBACK))
    followed = (f"a candidate took it over: {line}" for line in dict.fromkeys(refused))
    return (*job.plan.suspicions, *islice(followed, _SHOWN))


def result_of(outcome: TrialOutcome, candidate_id: str) -> CandidateResult:
    """Return the figures of one candidate."""
    return next(one for one in outcome.candidates if one.candidate_id == candidate_id)


def changed_share(candidate: JobCandidate, documents: Sequence[DocumentText]) -> float:
    """Return the share of the documents' characters that are in sections which the candidate changed."""
    after = {one.document_id: one.text for one in candidate.texts if one.document_id is not None}
    total = sum(len(one.text) for one in documents)
    changed = 0
    for one in documents:
        kept = {
            section.text for section in read_sections(after.get(one.document_id, one.text), media_type=one.media_type)
        }
        sections = read_sections(one.text, media_type=one.media_type)
        changed += sum(len(section.text) for section in sections if section.text not in kept)
    return changed / total if total else 0.0


def winning_rate(job: Job, candidate_id: str) -> float:
    """Return a candidate's share of the deciding matches, a tie counting half, or of the questions that prove a correction.

    0 where it was not tried.
    """
    corrected = job.corrected
    if corrected is not None and corrected.id == candidate_id and corrected.proof is not None:
        return corrected.proof.win_rate
    outcome = job.outcome
    if outcome is None:
        return 0.0
    result = next((one for one in outcome.candidates if one.candidate_id == candidate_id), None)
    if result is None:
        return 0.0
    deciding = result.confirm if result.confirm.played else result.screen
    return float(deciding.win_rate) if deciding.played else 0.0
