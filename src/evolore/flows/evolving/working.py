"""What is done in a job, one piece of work after the other; each gives the step that tells of it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from evolore.domain.lineage import Operator
from evolore.evolution.compared_texts import compared_texts
from evolore.evolution.job import UNUSABLE, StepKind, Work
from evolore.evolution.settings import GateSettings
from evolore.flows.claims import ClaimsJudged, judge_claims
from evolore.flows.evolving.deciding import decided
from evolore.flows.evolving.desk import Desk, Done, pause_after_failures
from evolore.flows.evolving.documents import as_one, joined, joined_after
from evolore.flows.evolving.gating import cited_texts, gated
from evolore.flows.evolving.job_log import Stopped
from evolore.flows.evolving.planning import known_of, plan
from evolore.flows.evolving.playing import answered, judged
from evolore.flows.evolving.serving import served_of
from evolore.flows.proposing import MADE_BEFORE, NoProposal, Proposal, ProposalPlan, propose
from evolore.flows.sentence_likeness import similar_by

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evolore.domain.proposing import DocumentText
    from evolore.evolution.job import Job
    from evolore.evolution.section_taking import SectionKey, Served
    from evolore.ports import StoreWriter

_HONEST = frozenset({"nothing_to_improve", "no_evidence", "too_long", "no_headings", "same_again", MADE_BEFORE})
"""Reasons for which there is no candidate that are no fault of a reply."""


def work(desk: Desk) -> Done:
    """Do what is to be done next.

    Raises:
        Stopped: It cannot be done now; nothing is changed.
    """
    return _WORKERS[desk.job.work](desk)


def _plan(desk: Desk) -> Done:
    documents = desk.documents()
    with desk.context.store.read(desk.context.namespace) as reader:
        known = known_of(reader, desk.log.record.id, desk.job.taken, documents)
    assert desk.job.settings is not None
    made = plan(
        desk.context,
        desk.asker,
        known,
        seed=desk.seed,
        operators=desk.job.operators,
        settings=desk.job.settings,
    )
    pause_after_failures(desk)
    return Done(kind=StepKind.PLANNED, body=made.body, also=partial(_refuse_unless_asked, made.asked))


def _refuse_unless_asked(query_ids: Sequence[str], writer: StoreWriter) -> None:
    """Refuse to keep the words of a question that was erased while the job was planned."""
    if any(writer.query(id_) is None for id_ in query_ids):
        raise Stopped("A question was erased meanwhile: the job is planned anew.")


def _propose(desk: Desk) -> Done:
    """Have the next operator make a candidate; one that cannot is passed over, unless none could."""
    job, documents = desk.job, desk.documents()
    assert job.plan is not None
    operator = (*job.untried, *job.worth_another_try)[0]
    wanted = ProposalPlan(
        operator=operator,
        documents=documents,
        complaints=job.plan.complaints,
        evidence=job.plan.evidence,
        seed=desk.seed + job.tries(operator),
        earlier=tuple(joined(text.text for text in one.texts) for one in job.standing),
        served=_served(desk, operator),
    )
    assert job.settings is not None
    made = propose(desk.asker, wanted, settings=job.settings.writing)
    if isinstance(made, Proposal) and not made.prompt and any(one.texts == made.texts for one in job.candidates):
        made = NoProposal(reason="same_again")  # what is made without a call may be made twice
    if isinstance(made, NoProposal):
        pause_after_failures(desk)
        return _not_proposed(job, operator, made)
    return Done(kind=StepKind.PROPOSED, body=_form(made, documents, number=len(job.candidates) + 1))


def _form(made: Proposal, documents: Sequence[DocumentText], *, number: int) -> dict[str, object]:
    """Write a candidate as its step holds it."""
    before, after = joined(one.text for one in documents), joined_after(documents, made.texts)
    return {
        "candidate": str(number),
        "operator": made.operator,
        "texts": made.texts,
        "edits": made.edits,
        "conflicts": made.conflicts,
        "prompt": made.prompt,
        "length_ratio": round(len(after) / len(before), 4),
    }


def _served(desk: Desk, operator: Operator) -> tuple[Mapping[SectionKey, Served], ...]:
    """Say how sections served people, where they are to be taken by that; not again where that was refused."""
    if operator is not Operator.CROSSOVER_SECTIONS or desk.job.tries(operator):
        return ()
    with desk.context.store.read(desk.context.namespace) as reader:
        return served_of(reader, desk.documents())


def _not_proposed(job: Job, operator: Operator, made: NoProposal) -> Done:
    """Pass over an operator; a job for which nothing could be used pauses at the last try."""
    if made.reason in _HONEST:
        return Done(kind=StepKind.NOT_PROPOSED, body={"operator": operator, "reason": made.reason})
    reason = f"{UNUSABLE}{made.reason}"
    told = Done(kind=StepKind.NOT_PROPOSED, body={"operator": operator, "reason": reason})
    after = replace(job, skipped=(*job.skipped, (operator, reason)))
    is_last = not (after.untried or after.worth_another_try)
    if is_last and not job.candidates and all(why.startswith(UNUSABLE) for _, why in after.skipped):
        raise Stopped(f"No candidate could be made: {made.reason}", is_unusable=True)
    return told


def _gate(desk: Desk) -> Done:
    candidate = next(one for one in desk.job.candidates if not one.is_gated)
    body = gated(
        desk.job,
        candidate,
        desk.documents(),
        settings=GateSettings(),
        similar=similar_by(desk.context.embedder),
    )
    return Done(kind=StepKind.GATED, body=body)


def _judge_claims(desk: Desk) -> Done:
    candidate = next(one for one in desk.job.standing if not one.are_claims_judged)
    documents = desk.documents()
    assert desk.job.plan is not None
    named = set(cited_texts(desk.job, candidate))
    before, after = compared_texts(documents, candidate.texts)
    said = judge_claims(
        desk.asker,
        before,
        after,
        language=as_one(documents).language,
        evidence=[one for one in desk.job.plan.evidence if one.text in named],
        doubts=candidate.doubts,
    )
    pause_after_failures(desk)
    refusals, doubts = list[str](), list(candidate.doubts)
    if isinstance(said, ClaimsJudged):
        refusals += [f"claims: lost: {one.quote}: {one.reason}" for one in said.lost]
        refusals += [f"claims: invented: {one.quote}: {one.reason}" for one in said.invented]
    else:
        doubts.append(f"claims: not judged: {said.reason}")
    return Done(kind=StepKind.CLAIMS_JUDGED, body={"candidate": candidate.id, "refusals": refusals, "doubts": doubts})


def _decide(desk: Desk) -> Done:
    body, state = decided(desk.job, desk.documents())
    taken, job_id = desk.job.taken, desk.log.record.id
    return Done(kind=StepKind.DECIDED, body=body, state=state, also=lambda writer: writer.set_processed(taken, job_id))


_WORKERS: dict[Work, Callable[[Desk], Done]] = {
    Work.PLAN: _plan,
    Work.PROPOSE: _propose,
    Work.GATE: _gate,
    Work.JUDGE_CLAIMS: _judge_claims,
    Work.ANSWER: answered,
    Work.JUDGE: judged,
    Work.DECIDE: _decide,
}
