"""What the steps of a job come to, one after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evolore.domain.chats import ChatUsage
from evolore.domain.lineage import Operator
from evolore.evolution import job_forms as forms
from evolore.evolution.job import AnswerKey, Job, JobCandidate, Plan, StepKind, Work
from evolore.evolution.selection import begin, tell
from evolore.evolution.trial import Contender, plan_trial

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.evolving import Step
    from evolore.evolution.judging import Judged


def after(job: Job, step: Step) -> Job:
    """Give the job once one more thing was done."""
    handle = _HANDLERS.get(StepKind(step.kind))
    told = replace(job, number=step.number)
    return told if handle is None else handle(told, dict(step.body))


def folded(seed: str, steps: Iterable[Step]) -> Job:
    """Give what steps come to, in their order."""
    job = Job(seed=seed)
    for step in steps:
        job = after(job, step)
    return job


def taken_by(steps: Sequence[Step]) -> tuple[str, ...]:
    """Give the feedback that gave rise to a job, by id, without looking at the rest of its steps."""
    first = next((step for step in steps if step.kind == StepKind.BEGUN.value), None)
    return () if first is None else folded("", [first]).taken


def _begun(job: Job, body: forms.Body) -> Job:
    return replace(
        job,
        taken=tuple(body["feedback"]),
        operators=tuple(map(Operator, body["operators"])),
        settings=forms.to_settings(body["settings"]),
    )


def _planned(job: Job, body: forms.Body) -> Job:
    plan = Plan(
        bases=forms.to_bases(body["bases"]),
        operators=tuple(map(Operator, body["operators"])),
        complaints=forms.to_complaints(body["complaints"]),
        evidence=forms.to_evidence(body["evidence"]),
        questions=forms.to_questions(body["questions"]),
        suspicions=tuple(body["suspicions"]),
    )
    return replace(job, plan=plan)


def _asking(job: Job, body: forms.Body) -> Job:
    most = forms.to_usage(body["most"])
    return replace(job, pending=most, spent=job.spent + most)


def _replied(job: Job, body: forms.Body) -> Job:
    heard = {one["key"]: one["text"] for one in body["replies"] if one["text"] is not None}
    return replace(
        job,
        spent=job.spent - job.pending + forms.to_usage(body["usage"]),
        pending=ChatUsage(),
        replies={**job.replies, **heard},
    )


def _stopped(job: Job, body: forms.Body) -> Job:
    return replace(job, replies={}, stops=job.stops + 1) if body["is_unusable"] else job


def _proposed(job: Job, body: forms.Body) -> Job:
    one = JobCandidate(
        id=body["candidate"],
        operator=Operator(body["operator"]),
        texts=forms.to_texts(body["texts"]),
        edits=forms.to_edits(body["edits"]),
        conflicts=forms.to_conflicts(body["conflicts"]),
        prompt=body["prompt"],
        length_ratio=body["length_ratio"],
    )
    return replace(job, candidates=(*job.candidates, one))


def _not_proposed(job: Job, body: forms.Body) -> Job:
    return _tried(replace(job, skipped=(*job.skipped, (Operator(body["operator"]), body["reason"]))))


def _gated(job: Job, body: forms.Body) -> Job:
    return _tried(
        _with(
            job,
            body["candidate"],
            is_gated=True,
            refusals=tuple(body["refusals"]),
            doubts=tuple(body["doubts"]),
        )
    )


def _claims_judged(job: Job, body: forms.Body) -> Job:
    one = job.candidate(body["candidate"])
    assert one is not None
    return _tried(
        _with(
            job,
            one.id,
            are_claims_judged=True,
            refusals=tuple(body["refusals"]),
            doubts=tuple(body["doubts"]),
        )
    )


def _tried(job: Job) -> Job:
    """Begin the trial once nothing is left to find out about the candidates."""
    if job.selection is not None or job.work is not Work.DECIDE:
        return job
    assert job.plan is not None
    assert job.settings is not None
    contenders = [
        Contender(candidate_id=one.id, length_ratio=one.length_ratio, doubts=len(one.doubts), corrects=one.corrects)
        for one in job.standing
    ]
    if not contenders:
        return job
    trial = plan_trial(contenders, job.plan.questions, job.settings, seed=job.seed)
    return replace(job, selection=begin(trial))


def _with(job: Job, candidate_id: str, **changes: Any) -> Job:  # noqa: ANN401 - fields of a candidate
    changed = tuple(replace(one, **changes) if one.id == candidate_id else one for one in job.candidates)
    return replace(job, candidates=changed)


def _answered(job: Job, body: forms.Body) -> Job:
    told = {AnswerKey(one["candidate"], one["question"], one["attempt"]): one["text"] for one in body["answers"]}
    return replace(job, answers={**job.answers, **told})


def _judged(job: Job, body: forms.Body) -> Job:
    replies: list[Judged] = [forms.to_judged(one) for one in body["judged"]]
    assert job.selection is not None
    return replace(job, selection=tell(job.selection, replies))


def _decided(job: Job, body: forms.Body) -> Job:
    return replace(job, decision=body)


_HANDLERS = {
    StepKind.BEGUN: _begun,
    StepKind.PLANNED: _planned,
    StepKind.ASKING: _asking,
    StepKind.REPLIED: _replied,
    StepKind.STOPPED: _stopped,
    StepKind.PROPOSED: _proposed,
    StepKind.NOT_PROPOSED: _not_proposed,
    StepKind.GATED: _gated,
    StepKind.CLAIMS_JUDGED: _claims_judged,
    StepKind.ANSWERED: _answered,
    StepKind.JUDGED: _judged,
    StepKind.DECIDED: _decided,
}
