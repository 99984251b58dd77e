"""A job as a value: what its steps came to, and what is to be done next."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from evolore.domain.chat import ChatUsage
from evolore.domain.contest import Complaint
from evolore.domain.evolution import Operator, Step
from evolore.evolution.contest import Contender, Selection, begin, tell
from evolore.evolution.contest_plan import TrialOutcome, outcome_of, plan_trial
from evolore.evolution.job_steps import (
    Answered,
    Begun,
    Decided,
    GateFindings,
    JobCandidate,
    Plan,
    Questioned,
    Replied,
    StepKind,
    read_step,
)
from evolore.evolution.matches import Doubt, HeardVerdict, JudgeRequest, LengthControl
from evolore.evolution.proposals import CROSSOVERS
from evolore.evolution.settings import EvolutionSettings, SelectionMode

ORIGINAL = ""
"""Whose answer it is where it is no candidate's."""

UNUSABLE = "unusable reply: "
"""How the reason begins for which an operator made no candidate where the reply was at fault."""

FROM_FEEDBACK = "feedback: "
"""How a finding begins that quotes what is in feedback alone."""

_QUOTED = re.compile(r"""(?<=['"]).+(?=['"])""")
_MOST_TRIES = 3


class Work(StrEnum):
    """What is to be done next."""

    PLAN = "plan"
    PROPOSE = "propose"
    GATE = "gate"
    JUDGE_CLAIMS = "judge_claims"
    PROVE = "prove"
    QUESTION = "question"
    ANSWER = "answer"
    JUDGE = "judge"
    CONTROL = "control"
    DECIDE = "decide"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """Whose answer to which question: ``candidate_id`` is empty for the original's."""

    candidate_id: str
    question: str
    attempt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the steps of a job come to."""

    seed: str  #: What everything drawn in it is drawn from.
    taken: tuple[str, ...] = ()  #: The feedback that started it, by id.
    operators: tuple[Operator, ...] = ()  #: How candidates are to be made, in this order.
    #: The rules; those there are by default of a job whose steps are gone.
    settings: EvolutionSettings = field(default_factory=EvolutionSettings)
    plan: Plan = field(default_factory=Plan)  #: What it goes by; empty before that is made.
    candidates: tuple[JobCandidate, ...] = ()  #: In the order they were made.
    skipped: tuple[tuple[Operator, str], ...] = ()  #: Operators that made no candidate, each with the reason.
    #: What was answered so far.
    answers: Mapping[AnswerKey, str | None] = field(default_factory=dict[AnswerKey, "str | None"])
    selection: Selection | None = None  #: The trial; None before there is anything to try.
    control: LengthControl | None = None  #: What the judge made of control pairs; None where that was not asked.
    decision: Decided | None = None  #: What was decided; None before.
    #: What calls cost so far; of those that were begun and not reported, the most that they could.
    spent: ChatUsage = field(default_factory=ChatUsage)
    #: The most that calls which were begun and are not reported could cost.
    pending: ChatUsage = field(default_factory=ChatUsage)
    #: Replies that were heard, by what was asked, so that nothing is asked twice; not those from before a stop for
    #: replies that could not be used.
    replies: Mapping[str, str] = field(default_factory=dict[str, str])
    stops: int = 0  #: How often it stopped for these.
    number: int = 0  #: How many steps it has.

    @property
    def standing(self) -> tuple[JobCandidate, ...]:
        """The candidates that no gate refused."""
        return tuple(one for one in self.candidates if not one.is_refused)

    @property
    def correcting(self) -> tuple[JobCandidate, ...]:
        """The candidates that may be proved by their fact alone, and were not tried by it yet; in the seed's mode none."""
        if self.settings.mode is SelectionMode.SEED:
            return ()
        return tuple(
            one
            for one in self.standing
            if one.operator not in CROSSOVERS and one.are_claims_judged and one.proof is None
        )

    @property
    def corrected(self) -> JobCandidate | None:
        """The candidate that is proved as a correction; None for none."""
        return next((one for one in self.standing if one.is_proved_by_fact), None)

    @property
    def is_settled(self) -> bool:
        """Whether a correction is proved, and fewer complaints are about something else than begin a job."""
        proof = None if self.corrected is None else self.corrected.proof
        least = self.settings.bad_feedback_threshold
        return proof is not None and sum(proof.leaves(one) for one in self.plan.complaints) < least

    @property
    def contending(self) -> tuple[JobCandidate, ...]:
        """The candidates that are tried by questions: all that stand but a proved correction."""
        return tuple(one for one in self.standing if not one.is_proved_by_fact)

    @property
    def next_operators(self) -> tuple[Operator, ...]:
        """The operators that may make a candidate now, the next first.

        What adds by evidence is tried again before others are tried at all.
        """
        again = self.worth_another_try if self.selection is None else ()
        pressing = tuple(one for one in again if one is Operator.MUTATION_DETAIL)  # what it can prove costs least
        return tuple(dict.fromkeys((*pressing, *self.untried, *again)))

    @property
    def outcome(self) -> TrialOutcome | None:
        """The result of the trial, or its state so far; None where nothing is tried."""
        return None if self.selection is None else outcome_of(self.selection, control=self.control)

    @property
    def needs_control(self) -> bool:
        """Whether only the length of what won keeps it from being proved, and the judge was not asked about length alone."""
        selection = self.selection
        if self.corrected or self.control or selection is None or not selection.is_done:
            return False
        outcome = outcome_of(selection)
        return outcome.candidate_id is not None and outcome.doubts == (Doubt.LENGTH,)

    def tries(self, operator: Operator) -> int:
        """Return how often an operator was tried."""
        made = sum(one.operator is operator for one in self.candidates)
        return made + sum(tried is operator for tried, _ in self.skipped)

    @property
    def untried(self) -> tuple[Operator, ...]:
        """The operators that were not tried yet."""
        return tuple(one for one in self.plan.operators if not self.tries(one))

    @property
    def worth_another_try(self) -> tuple[Operator, ...]:
        """The operators whose candidate was refused, or whose reply could not be used, and which may be tried again.

        What adds by evidence is asked a second time, too, where it saw nothing to add though people complained.
        """
        failed = {one.operator for one in self.candidates if one.is_refused and not one.is_turned_down}
        failed |= {operator for operator, reason in self.skipped if reason.startswith(UNUSABLE)}
        if self.plan.evidence and self.plan.complaints and self.tries(Operator.MUTATION_DETAIL) == 1:
            failed |= {operator for operator, _ in self.skipped if operator is Operator.MUTATION_DETAIL}
        failed -= {one.operator for one in self.standing} | set(filter(self._is_stuck, failed))
        return tuple(one for one in self.plan.operators if one in failed and 0 < self.tries(one) < _MOST_TRIES)

    def _is_stuck(self, operator: Operator) -> bool:
        """Return whether the last two candidates of an operator were refused for the same reasons."""
        *_, last, latest = (None, None, *(one.refusals for one in self.candidates if one.operator is operator))
        return last is not None and last == latest

    @property
    def awaited(self) -> tuple[JudgeRequest, ...]:
        """What the judge is to be asked now."""
        return () if self.selection is None else self.selection.requests

    @property
    def answers_left(self) -> tuple[AnswerKey, ...]:
        """The answers that are needed for that, each once."""
        keys = (
            AnswerKey(who, request.match.question, request.match.attempt)
            for request in self.awaited
            for who in (ORIGINAL, request.match.candidate_id)
        )
        return tuple(key for key in dict.fromkeys(keys) if key not in self.answers)

    @property
    def work(self) -> Work:
        """What is to be done next."""
        open_work = (
            (Work.PLAN, not self.plan.bases),
            (Work.NOTHING, self.decision is not None),
            (Work.GATE, any(not one.is_gated for one in self.candidates)),
            (Work.JUDGE_CLAIMS, any(not one.are_claims_judged for one in self.standing)),
            (Work.PROVE, bool(self.correcting)),
            (Work.DECIDE, self.is_settled),
            (Work.PROPOSE, len(self.standing) < self.settings.candidate_count and bool(self.next_operators)),
            (Work.QUESTION, self.plan.lacks_questions and bool(self.contending)),
            (Work.ANSWER, bool(self.answers_left)),
            (Work.JUDGE, bool(self.awaited)),
            (Work.CONTROL, self.needs_control),
        )
        return next((work for work, is_open in open_work if is_open), Work.DECIDE)

    def candidate(self, candidate_id: str) -> JobCandidate | None:
        """Return one of its candidates."""
        return next((one for one in self.candidates if one.id == candidate_id), None)


def heeded(complaints: Sequence[Complaint], candidates: Sequence[JobCandidate]) -> tuple[Complaint, ...]:
    """Return complaints as the next writer sees them: without comments that an earlier one wrote into the document.

    Feedback is no evidence. A candidate that says what a comment alone says is refused, and the next one would be again.
    """
    told = [
        _bare(found)
        for one in candidates
        if one.is_refused
        for line in (*one.refusals, *one.doubts)
        for found in _QUOTED.findall(line)
        if line.startswith(FROM_FEEDBACK)
    ]
    return tuple(
        replace(one, comment="") if any(said and said in _bare(one.comment) for said in told) else one
        for one in complaints
    )


def _bare(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def after(job: Job, step: Step) -> Job:
    """Return the job once one more thing was done."""
    handle = _HANDLERS.get(StepKind(step.kind))
    told = replace(job, number=step.number)
    return told if handle is None else handle(told, read_step(step))


def folded(seed: str, steps: Iterable[Step]) -> Job:
    """Return what steps come to, in their order."""
    job = Job(seed=seed)
    for step in steps:
        job = after(job, step)
    return job


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFigures:
    """What a job cost, what was decided in it, and who wrote its candidates."""

    taken: tuple[str, ...] = ()  #: The feedback that started it, by id.
    usage: ChatUsage = field(default_factory=ChatUsage)  #: What calls cost so far.
    decision: str = ""  #: ``winner``, ``needs_person`` or ``original_stays``; empty while it runs.
    #: Which model wrote each candidate, by its number in the job; empty where none did, or it was not recorded.
    models: Mapping[str, str] = field(default_factory=dict[str, str])


FIGURED = frozenset({StepKind.BEGUN, StepKind.ASKING, StepKind.REPLIED, StepKind.PROPOSED, StepKind.DECIDED})
"""What the figures come from: no trial is played again for them."""


def figures_of(steps: Iterable[Step]) -> JobFigures:
    """Return a job's figures, as its ``folded`` steps have them; steps that say nothing of them may be left out."""
    job = folded("", (one for one in steps if StepKind(one.kind) in FIGURED))
    return JobFigures(
        taken=job.taken,
        usage=job.spent,
        decision="" if job.decision is None else job.decision.decision.value,
        models={one.id: one.model for one in job.candidates},
    )


def merged_at(steps: Iterable[Step], promotion: str = "", document: str = "") -> datetime | None:
    """Return when the file of a document was last found to say what was promoted, of any where none is named; None for never."""
    read = ((step.at, read_step(step)) for step in steps if step.kind == StepKind.MERGED.value)
    here = [at for at, one in read if promotion in {"", one.promotion} and document in {"", one.document}]
    return max(here, default=None)


def taken_by(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the feedback that started a job, by id, without reading the rest of its steps."""
    first = next((step for step in steps if step.kind == StepKind.BEGUN.value), None)
    return () if first is None else read_step(first).feedback


def _begun(job: Job, begun: Begun) -> Job:
    return replace(job, taken=begun.feedback, operators=begun.operators, settings=begun.settings)


def _questioned(job: Job, written: Questioned) -> Job:
    return _tried(replace(job, plan=replace(job.plan, questions=written.questions, lacks_questions=False)))


def _replied(job: Job, replied: Replied) -> Job:
    heard = {one.key: one.text for one in replied.replies if one.text is not None}
    spent = job.spent - job.pending + replied.usage
    return replace(job, spent=spent, pending=ChatUsage(), replies={**job.replies, **heard})


def _gated(job: Job, found: GateFindings) -> Job:
    return _tried(_with(job, found.candidate, is_gated=True, refusals=found.refusals, doubts=found.doubts))


def _claims_judged(job: Job, found: GateFindings) -> Job:
    return _tried(_with(job, found.candidate, are_claims_judged=True, refusals=found.refusals, doubts=found.doubts))


def _with(job: Job, candidate_id: str, **changes: Any) -> Job:  # noqa: ANN401 - fields of a candidate
    changed = tuple(replace(one, **changes) if one.id == candidate_id else one for one in job.candidates)
    return replace(job, candidates=changed)


def _tried(job: Job) -> Job:
    """Begin the trial once nothing is left to find out about the candidates."""
    if job.selection is not None or job.is_settled or job.work is not Work.DECIDE:
        return job
    contenders = [
        Contender(candidate_id=one.id, length_ratio=one.length_ratio, doubts=len(one.doubts), corrects=one.corrects)
        for one in job.contending
    ]
    if not contenders:
        return job
    return replace(job, selection=begin(plan_trial(contenders, job.plan.questions, job.settings, seed=job.seed)))


def _answered(job: Job, answered: Answered) -> Job:
    told = {AnswerKey(one.candidate, one.question, one.attempt): one.text for one in answered.answers}
    return replace(job, answers={**job.answers, **told})


def _judged(job: Job, replies: Sequence[HeardVerdict]) -> Job:
    assert job.selection is not None
    return replace(job, selection=tell(job.selection, replies))


_HANDLERS: Mapping[StepKind, Callable[[Job, Any], Job]] = {
    StepKind.BEGUN: _begun,
    StepKind.PLANNED: lambda job, plan: replace(job, plan=plan),
    StepKind.ASKING: lambda job, asking: replace(job, pending=asking.most, spent=job.spent + asking.most),
    StepKind.REPLIED: _replied,
    StepKind.STOPPED: lambda job, paused: replace(job, replies={}, stops=job.stops + 1) if paused.is_unusable else job,
    StepKind.PROPOSED: lambda job, candidate: replace(job, candidates=(*job.candidates, candidate)),
    StepKind.NOT_PROPOSED: lambda job, tried: _tried(
        replace(job, skipped=(*job.skipped, (tried.operator, tried.reason)))
    ),
    StepKind.GATED: _gated,
    StepKind.CLAIMS_JUDGED: _claims_judged,
    StepKind.PROVED: lambda job, proved: _tried(_with(job, proved.candidate, proof=proved.proof)),
    StepKind.QUESTIONED: _questioned,
    StepKind.ANSWERED: _answered,
    StepKind.JUDGED: _judged,
    StepKind.CONTROLLED: lambda job, told: replace(job, control=told.control),
    StepKind.DECIDED: lambda job, decided: replace(job, decision=decided),
}
