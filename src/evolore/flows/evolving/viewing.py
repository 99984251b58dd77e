"""Jobs as people see them: what they propose, how it did, what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatUsage
from evolore.errors import InvalidValue
from evolore.evolution.job import StepKind
from evolore.evolution.job_folding import folded
from evolore.flows.evolving.naming import job_named

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from evolore.domain.evolving import Base, JobState, Promotion, ProposedText, Step
    from evolore.domain.lineage import Match, Operator
    from evolore.evolution.crossover import Conflict
    from evolore.evolution.edits import SectionEdit
    from evolore.evolution.job import Job
    from evolore.evolution.outcome import CandidateResult, TrialOutcome
    from evolore.flows.context import Context
    from evolore.ports import StoreReader


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDocument:
    """A document that a job is about.

    Args:
        id: Which.
        base_version: The version that the job found.
        source: Where it came from; empty where it was forgotten.
        title: What it is called.
        version: The version it has now; None where it was forgotten.
    """

    id: str
    base_version: int
    source: str = ""
    title: str = ""
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateView:
    """A candidate, and how it did.

    Args:
        id: Its number in the job.
        operator: How it was made.
        texts: The next text of each document, and new ones.
        edits: The edits that made each of them, with reasons and evidence.
        conflicts: Where its documents disagree, for a person to settle.
        refusals: Why gates or claims ended it; none where they let it pass.
        doubts: What is left open.
        result: How its matches went; None where it was not tried.
        matches: These matches, with what the judge said in both orders, and why.
    """

    id: str
    operator: Operator
    texts: tuple[ProposedText, ...]
    edits: tuple[tuple[SectionEdit, ...], ...]
    conflicts: tuple[Conflict, ...]
    refusals: tuple[str, ...]
    doubts: tuple[str, ...]
    result: CandidateResult | None
    matches: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionJob:
    """A job as it stands.

    Args:
        id: Which.
        state: Where it stands.
        documents: What it is about.
        created_at: When it was begun.
        updated_at: When it was last changed.
        principal: On whose behalf it was begun.
        feedback_ids: What gave rise to it.
        candidates: In the order they were made.
        skipped: Operators that made none, each with the reason.
        outcome: What the trial came to, or stands at; None where nothing was tried.
        decision: ``winner``, ``needs_person`` or ``original_stays``; empty while it runs.
        reason: Why.
        candidate_id: The candidate that won, or is put before a person; empty for none.
        policy_objections: Why the policy left it to a person; None where none was asked.
        usage: What it cost so far.
        stopped: Why it pauses; empty where it does not. ``evolve`` goes on.
        promotions: What was taken over of it.
        closing: What was said on approving, rejecting or rolling back, the last.
    """

    id: str
    state: JobState
    documents: tuple[JobDocument, ...]
    created_at: datetime
    updated_at: datetime
    principal: str | None = None
    feedback_ids: tuple[str, ...] = ()
    candidates: tuple[CandidateView, ...] = ()
    skipped: tuple[tuple[Operator, str], ...] = ()
    outcome: TrialOutcome | None = None
    decision: str = ""
    reason: str = ""
    candidate_id: str = ""
    policy_objections: tuple[str, ...] | None = None
    usage: ChatUsage = field(default_factory=ChatUsage)
    stopped: str = ""
    promotions: tuple[Promotion, ...] = ()
    closing: str = ""

    def candidate(self, candidate_id: str = "") -> CandidateView | None:
        """Give one of its candidates, by default the one that won or is put before a person."""
        wanted = candidate_id or self.candidate_id
        return next((one for one in self.candidates if one.id == wanted), None)


def chosen_of(job: EvolutionJob, candidate: str) -> CandidateView:
    """Give one of a job's candidates, by default the one that won or is put before a person.

    Raises:
        InvalidValue: There is no such candidate.
    """
    chosen = job.candidate(candidate)
    if chosen is not None:
        return chosen
    if not job.candidates:
        raise InvalidValue(
            f"The job {job.id} has no candidate: none was made, or what it proposed was forgotten with what it rested on."
        )
    known = ", ".join(one.id for one in job.candidates)
    raise InvalidValue(f"The job {job.id} has no candidate {candidate!r}: name one of these with --candidate: {known}.")


def view(context: Context, job_id: str) -> EvolutionJob:
    """Show a job, by its id or the beginning of one.

    Raises:
        NotFound: It names none.
        AmbiguousId: It begins several ids.
    """
    with context.store.read(context.namespace) as reader:
        return viewed(reader, job_named(reader, job_id).id)


def jobs(context: Context, *, states: Sequence[JobState] | None = None, limit: int = 100) -> tuple[EvolutionJob, ...]:
    """List jobs, the newest first; only those in some states."""
    with context.store.read(context.namespace) as reader:
        return tuple(viewed(reader, one.id) for one in reader.jobs(states=states, limit=limit))


def viewed(reader: StoreReader, job_id: str) -> EvolutionJob:
    """Show a job of a store that is being read."""
    record = reader.job(job_id)
    assert record is not None
    steps = reader.steps(job_id)
    job = folded(record.seed, steps)
    decision, outcome = dict(job.decision), job.outcome
    policy: Mapping[str, list[str]] | None = decision.get("policy")
    return EvolutionJob(
        id=record.id,
        state=record.state,
        documents=tuple(_document(reader, one) for one in record.bases),
        created_at=record.created_at,
        updated_at=record.updated_at,
        principal=record.principal,
        feedback_ids=job.taken,
        candidates=_candidates(job, outcome),
        skipped=job.skipped,
        outcome=outcome,
        decision=str(decision.get("decision", "")),
        reason=str(decision.get("reason", "")),
        candidate_id=str(decision.get("candidate", "")),
        policy_objections=None if policy is None else tuple(policy["objections"]),
        usage=job.spent,
        stopped=_stopped(steps),
        promotions=reader.promotions(job_id=job_id),
        closing=_closing(steps),
    )


def _document(reader: StoreReader, base: Base) -> JobDocument:
    found = reader.document(base.document_id)
    if found is None:
        return JobDocument(id=base.document_id, base_version=base.version)
    return JobDocument(
        id=found.id, base_version=base.version, source=found.source, title=found.title, version=found.version
    )


def _candidates(job: Job, outcome: TrialOutcome | None) -> tuple[CandidateView, ...]:
    results = {one.candidate_id: one for one in outcome.candidates} if outcome else {}
    played = job.selection.history if job.selection else ()
    return tuple(
        CandidateView(
            id=one.id,
            operator=one.operator,
            texts=one.texts,
            edits=one.edits,
            conflicts=one.conflicts,
            refusals=one.refusals,
            doubts=one.doubts,
            result=results.get(one.id),
            matches=tuple(match for match in played if match.candidate_id == one.id),
        )
        for one in job.candidates
    )


def _stopped(steps: Sequence[Step]) -> str:
    last = steps[-1] if steps else None
    return str(last.body["reason"]) if last is not None and last.kind == StepKind.STOPPED.value else ""


_CLOSES = {
    one.value
    for one in (
        StepKind.APPROVED,
        StepKind.REJECTED,
        StepKind.SUPERSEDED,
        StepKind.ROLLED_BACK,
        StepKind.CANARY_MOVED,
    )
}


def _closing(steps: Sequence[Step]) -> str:
    return next((str(one.body["reason"]) for one in reversed(steps) if one.kind in _CLOSES), "")
