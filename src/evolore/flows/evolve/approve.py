"""``approve`` and ``reject``: decide, as a person or by a policy, about what a job proposes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from evolore.domain.checks import check_text
from evolore.domain.evolution import JobRecord, JobState, Promotion, ProposedText
from evolore.domain.result import Result
from evolore.errors import InvalidValue
from evolore.evolution.gates.screen import run_gates
from evolore.evolution.job_steps import Closed, JobCandidate, StepKind, read_step
from evolore.evolution.novelty import with_kept_changes
from evolore.flows.context import Context
from evolore.flows.evolve.canary import begin
from evolore.flows.evolve.candidates import cited_texts
from evolore.flows.evolve.documents import as_one, job_named, joined, texts_of
from evolore.flows.evolve.log import JobLog
from evolore.flows.evolve.promote import MOVED, Approval, Moved, promote, supersede
from evolore.flows.evolve.show import EvolutionJob, chosen_of, rebased_text, view
from evolore.flows.evolve.write import WrittenFile, write_promoted
from evolore.store.reading import StoreReader

_OPEN = frozenset({JobState.WAITING, JobState.ORIGINAL_STAYS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved(Result):
    """What approving came to."""

    #: As it is now: ``promoted``, ``canary``, or ``superseded`` where a document had changed meanwhile.
    job: EvolutionJob
    promotion: Promotion | None  #: What was taken over; None where nothing was.
    #: What the gates object to in a text that a person edited; it is taken over all the same.
    warnings: tuple[str, ...] = ()
    written: tuple[WrittenFile, ...] = ()  #: What was written back to files, where the settings say so.


def approve(
    context: Context,
    job_id: str,
    *,
    candidate: str = "",
    text: str | None = None,
    rebase: bool = False,
    canary: bool | None = None,
    reason: str = "",
) -> Approved:
    """Approve a candidate as the next version of its documents."""
    log, chosen = _chosen(context, job_id, candidate)
    if chosen.is_refused and text is None:
        raise InvalidValue(
            f"Candidate {chosen.id} was refused: {chosen.refusals[0]}. Choose another, or write the text as it is to be."
        )
    texts, warnings = chosen.texts, ()
    if rebase:
        texts = _rebased(context, chosen)
    if text is not None:
        warnings = _objections(context, log, chosen, texts, text)
        texts = (replace(texts[0], text=text),)
    reason = context.screen(reason, "reason", of="The approval")
    approval = Approval(texts=texts, by=context.principal, reason=reason, is_edited=text is not None)
    promotion, written = _promoted(context, log, chosen, approval, canary=canary)
    return Approved(job=view(context, log.record.id), promotion=promotion, warnings=warnings, written=written)


def approve_by_policy(context: Context, job_id: str) -> None:
    """Apply what the policy approved when the job was decided; do nothing where it did not approve, or only shadows."""
    log = JobLog(context, job_id)
    decision = log.job.decision
    if log.record.state is not JobState.WAITING or decision is None or not decision.is_approved_by_policy:
        return
    chosen = log.job.candidate(decision.candidate)
    assert chosen is not None
    approval = Approval(texts=chosen.texts, by=None, reason="by the policy", is_by_policy=True)
    with suppress(InvalidValue):  # such as of a secret that the settings refuse: it is left to a person
        _promoted(context, log, chosen, approval, canary=None)


def is_left_to_policy(reader: StoreReader, record: JobRecord) -> bool:
    """Return whether a policy approved what a job proposes, and nothing followed: who decided it died before that."""
    last = reader.step(record.id, record.steps)
    return (
        record.state is JobState.WAITING
        and last is not None
        and last.kind == StepKind.DECIDED.value
        and read_step(last).is_approved_by_policy
    )


def _promoted(
    context: Context, log: JobLog, chosen: JobCandidate, approval: Approval, *, canary: bool | None
) -> tuple[Promotion | None, tuple[WrittenFile, ...]]:
    """Promote a candidate or begin its canary, and write it back to files; end the job where a document changed meanwhile."""
    is_canary = context.settings.evolution.canary.is_default if canary is None else canary
    with context.store.read(context.namespace) as reader:
        before = joined(one.text for one in texts_of(reader, log.record.bases))
    texts = tuple(
        replace(
            one,
            text=context.screen(one.text, "text", of="The text", before=before),
            title=context.screen(one.title, "title", of="It"),
        )
        for one in approval.texts
    )
    approval = replace(approval, texts=texts)
    try:
        promotion = (begin if is_canary else promote)(context, log, chosen, approval)
    except Moved:
        supersede(log, MOVED)
        return None, ()
    return promotion, write_promoted(context, promotion)


def reject(context: Context, job_id: str, *, reason: str) -> EvolutionJob:
    """Reject what a job proposes, or end one that runs; its feedback stays processed."""
    check_text(reason, "The reason")
    reason = context.screen(reason, "reason", of="The rejection")
    log = _log(context, job_id)
    if log.record.state not in {JobState.WAITING, JobState.RUNNING}:
        raise InvalidValue(f"The job {log.record.id} is {log.record.state.value}: only an open one can be rejected.")
    taken = log.job.taken
    log.append(
        StepKind.REJECTED,
        Closed(reason=reason, by=context.principal),
        state=JobState.REJECTED,
        also=lambda writer: writer.set_processed(taken, log.record.id),
    )
    return view(context, log.record.id)


def _log(context: Context, job_id: str) -> JobLog:
    with context.store.read(context.namespace) as reader:
        whole = job_named(reader, job_id).id
    return JobLog(context, whole)


def _chosen(context: Context, job_id: str, candidate: str) -> tuple[JobLog, JobCandidate]:
    log = _log(context, job_id)
    if log.record.state not in _OPEN:
        raise InvalidValue(
            f"The job {log.record.id} is {log.record.state.value}: only one that waits for a person can be approved."
        )
    chosen = log.job.candidate(chosen_of(view(context, log.record.id), candidate).id)
    assert chosen is not None
    return log, chosen


def _rebased(context: Context, chosen: JobCandidate) -> tuple[ProposedText, ...]:
    with context.store.read(context.namespace) as reader:
        return tuple(rebased_text(reader, text, edits) for text, edits in zip(chosen.texts, chosen.edits, strict=True))


def objections(context: Context, job_id: str, text: str, *, candidate: str = "") -> tuple[str, ...]:
    """Return what the gates reject or flag in a text that a person edited; raises what ``approve`` raises."""
    log, chosen = _chosen(context, job_id, candidate)
    return _objections(context, log, chosen, chosen.texts, text)


def _objections(
    context: Context, log: JobLog, chosen: JobCandidate, texts: tuple[ProposedText, ...], text: str
) -> tuple[str, ...]:
    """Return what the gates reject or flag in a person's words; what they passed of the candidate counts as the original's."""
    if len(texts) != 1:
        raise InvalidValue(f"The job is about {len(texts)} texts: one that is edited can only replace a single one.")
    with context.store.read(context.namespace) as reader:
        documents = texts_of(reader, log.record.bases)
    before = joined(one.text for one in documents)
    if not chosen.is_refused:
        if texts[0].text.split() == text.split():
            return ()
        before = with_kept_changes(before, texts[0].text, text)
    verdicts = run_gates(before, text, language=as_one(documents).language, evidence=cited_texts(log.job, chosen))
    return tuple(line for verdict in verdicts if verdict.findings for line in str(verdict).splitlines())
