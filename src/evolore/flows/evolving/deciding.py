"""What a trial came to is written down: a change for a person or a policy, or the original stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.evolving import JobState
from evolore.evolution.outcome import Decision
from evolore.evolution.policy import Proven, apply_policy
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.proposing import DocumentText
    from evolore.evolution.job import Job, JobCandidate
    from evolore.evolution.outcome import CandidateResult, TrialOutcome


_WHY_NOT = {
    "nothing_to_improve": "nothing was found to improve",
    "no_evidence": "nothing was found that could be cited",
    "too_long": "what is to be rewritten is too long to be shown to the model",
    "no_headings": "a document has no headings to go by",
    "same_again": "what could be made was refused before",
}
"""In words, the reasons for which an operator makes no candidate that are no fault of a reply."""


def decided(job: Job, documents: Sequence[DocumentText]) -> tuple[dict[str, object], JobState]:
    """Give what is decided, as its step holds it, and the job's state from then on."""
    outcome = job.outcome
    chosen = None if outcome is None or outcome.candidate_id is None else job.candidate(outcome.candidate_id)
    if outcome is None or chosen is None:
        return _told(Decision.ORIGINAL_STAYS, reason=_why_none(job)), JobState.ORIGINAL_STAYS
    body = _told(outcome.decision, reason=_reason(outcome), candidate=chosen.id)
    assert job.settings is not None
    if job.settings.auto_update:
        body["policy"] = apply_policy(job.settings.policy, _proven(job, chosen, outcome, documents))
    return body, JobState.WAITING


def _why_none(job: Job) -> str:
    if job.standing:
        return "no candidate was better"
    if job.candidates:
        return "no candidate passed the gates"
    assert job.plan is not None
    left_out = [(one, "no_evidence") for one in job.operators if one not in job.plan.operators]
    reasons = dict.fromkeys(_WHY_NOT.get(reason, reason) for _, reason in (*left_out, *job.skipped))
    return f"no candidate could be made: {'; '.join(reasons)}"


def _told(decision: Decision, *, reason: str, candidate: str = "") -> dict[str, object]:
    return {"decision": decision, "candidate": candidate, "reason": reason, "policy": None}


def _reason(outcome: TrialOutcome) -> str:
    if outcome.decision is Decision.WINNER:
        return "proved on fresh questions"
    doubts = [f"the judge is doubted: {one.value}" for one in outcome.doubts]
    few = ["too few fresh questions for a proof"] if outcome.has_too_few_questions else []
    return "; ".join((*few, *doubts)) or "left to a person"


def _proven(job: Job, chosen: JobCandidate, outcome: TrialOutcome, documents: Sequence[DocumentText]) -> Proven:
    assert job.plan is not None
    return Proven(
        operator=chosen.operator,
        sources=tuple(one.source for one in documents),
        may_auto_update=outcome.may_auto_update,
        win_rate_low=result_of(outcome, chosen.id).confirm_interval.low,
        changed_share=changed_share(chosen, documents),
        doubts=chosen.doubts,
        suspicions=job.plan.suspicions,
    )


def result_of(outcome: TrialOutcome, candidate_id: str) -> CandidateResult:
    """Give the figures of one candidate."""
    return next(one for one in outcome.candidates if one.candidate_id == candidate_id)


def changed_share(candidate: JobCandidate, documents: Sequence[DocumentText]) -> float:
    """Give the share of the documents' characters that stand in sections which the candidate changed."""
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
    """Give a candidate's share of the deciding matches, a tie counting half; 0 where it was not tried."""
    outcome = job.outcome
    if outcome is None:
        return 0.0
    result = next((one for one in outcome.candidates if one.candidate_id == candidate_id), None)
    if result is None:
        return 0.0
    deciding = result.confirm if result.confirm.played else result.screen
    return float(deciding.win_rate) if deciding.played else 0.0
