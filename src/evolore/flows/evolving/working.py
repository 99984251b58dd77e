"""What is done in a job, one piece of work after the other; each gives the step that tells of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatFailure, ChatFailureKind
from evolore.domain.judging import NoVerdict, Order, SameAnswer
from evolore.domain.proposing import DocumentText
from evolore.evolution.compared_texts import compared_texts
from evolore.evolution.gate_settings import GateSettings
from evolore.evolution.job import ORIGINAL, UNUSABLE, AnswerKey, StepKind, Work
from evolore.evolution.job_forms import judged_form
from evolore.evolution.questions import words_of
from evolore.evolution.requests import Judged
from evolore.flows.answering_text import TextQuestion, answer_text
from evolore.flows.claims import ClaimsJudged, judge_claims
from evolore.flows.evolving.deciding import decided
from evolore.flows.evolving.documents import as_one, joined, texts_of
from evolore.flows.evolving.gating import cited_texts, gated
from evolore.flows.evolving.job_log import Stopped
from evolore.flows.evolving.planning import known_of, plan
from evolore.flows.matches import Pair, judge_pairs
from evolore.flows.proposing import NoProposal, ProposalPlan, propose
from evolore.flows.sentence_likeness import similar_by

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.domain.evolving import JobState
    from evolore.domain.judging import JudgeReply
    from evolore.domain.lineage import Operator
    from evolore.evolution.job import Job, JobCandidate
    from evolore.evolution.requests import JudgeRequest
    from evolore.flows.context import Context
    from evolore.flows.evolving.job_log import JobLog
    from evolore.flows.evolving.recorded_model import JobAsker
    from evolore.ports import StoreWriter

_AT_ONCE = 8
_HONEST = frozenset({"nothing_to_improve", "no_evidence", "too_long"})
"""Reasons for which there is no candidate that are no fault of a reply."""

_PASSING = frozenset({ChatFailureKind.REFUSED})
"""Failures that are the model's last word on something; after any other a job pauses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a piece of work gives.

    Args:
        kind: Of the step that tells of it.
        body: What that step holds.
        state: The job's new state; None where that stays.
        also: What else is written with it.
    """

    kind: StepKind
    body: dict[str, object]
    state: JobState | None = None
    also: Callable[[StoreWriter], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where a job is worked on.

    Args:
        context: The ports.
        log: The job.
        asker: What asks models on its behalf.
    """

    context: Context
    log: JobLog
    asker: JobAsker

    @property
    def job(self) -> Job:
        """The job as it is now."""
        return self.log.job

    @property
    def seed(self) -> int:
        """What the models draw from; another after each stop, so that a reply that could not be used is not had again."""
        digest = blake2b(self.job.seed.encode(), digest_size=4).digest()
        return (int.from_bytes(digest, "big") + self.job.stops) % 2**31

    def documents(self) -> tuple[DocumentText, ...]:
        """Give the documents as the job found them."""
        with self.context.store.read(self.context.namespace) as reader:
            return texts_of(reader, self.log.record.bases)


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
    body = plan(
        desk.context,
        desk.asker,
        known,
        seed=desk.seed,
        operators=desk.job.operators,
        settings=desk.job.settings,
    )
    _pause_after_failures(desk)
    return Done(kind=StepKind.PLANNED, body=body)


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
    )
    made = propose(desk.asker, wanted)
    if isinstance(made, NoProposal):
        _pause_after_failures(desk)
        return _not_proposed(job, operator, made)
    before, after = joined(one.text for one in documents), joined(one.text for one in made.texts)
    body: dict[str, object] = {
        "candidate": str(len(job.candidates) + 1),
        "operator": operator,
        "texts": made.texts,
        "edits": made.edits,
        "conflicts": made.conflicts,
        "prompt": made.prompt,
        "length_ratio": round(len(after) / len(before), 4),
    }
    return Done(kind=StepKind.PROPOSED, body=body)


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
    _pause_after_failures(desk)
    refusals, doubts = list[str](), list(candidate.doubts)
    if isinstance(said, ClaimsJudged):
        refusals += [f"claims: lost: {one.quote}: {one.reason}" for one in said.lost]
        refusals += [f"claims: invented: {one.quote}: {one.reason}" for one in said.invented]
    else:
        doubts.append(f"claims: not judged: {said.reason}")
    return Done(kind=StepKind.CLAIMS_JUDGED, body={"candidate": candidate.id, "refusals": refusals, "doubts": doubts})


def _answer(desk: Desk) -> Done:
    """Answer what is needed next from original and candidates, all in one way."""
    keys, documents = desk.job.answers_left[:_AT_ONCE], desk.documents()
    asked = [
        TextQuestion(question=key.question, document=_read(desk, key, documents), attempt=key.attempt) for key in keys
    ]
    told = answer_text(desk.context, desk.asker, asked)
    _pause_after_failures(desk)
    texts = [None if isinstance(one, ChatFailure) else one.text for one in told]
    if texts and not any(texts):
        raise Stopped(
            "No question could be answered from the document: the model's replies cannot be used.", is_unusable=True
        )
    answers = [
        {"candidate": key.candidate_id, "question": key.question, "attempt": key.attempt, "text": text}
        for key, text in zip(keys, texts, strict=True)
    ]
    return Done(kind=StepKind.ANSWERED, body={"answers": answers})


def _read(desk: Desk, key: AnswerKey, documents: Sequence[DocumentText]) -> DocumentText:
    """Give what is asked: the original, or a candidate's texts in its place."""
    if key.candidate_id == ORIGINAL:
        return as_one(documents)
    candidate = desk.job.candidate(key.candidate_id)
    assert candidate is not None
    return candidate_text(candidate, documents)


def candidate_text(candidate: JobCandidate, documents: Sequence[DocumentText]) -> DocumentText:
    """Give a candidate's texts as one document."""
    first = as_one(documents)
    return DocumentText(
        document_id=first.document_id,
        version=first.version,
        source=first.source,
        title=first.title,
        text=joined(one.text for one in candidate.texts),
        media_type=first.media_type,
        language=first.language,
    )


def _judge(desk: Desk) -> Done:
    """Have answers compared; a reply that cannot be used counts for the original, and where most cannot a job pauses."""
    requests = desk.job.awaited[: 2 * _AT_ONCE]
    language = as_one(desk.documents()).language
    pairs = {request: _pair(desk, request, language) for request in requests}
    asked = [(request, pair) for request, pair in pairs.items() if pair is not None]
    heard = dict(
        zip((request for request, _ in asked), judge_pairs(desk.asker, [pair for _, pair in asked]), strict=True)
    )
    _pause_after_failures(desk)
    silent = sum(isinstance(reply, NoVerdict) for reply in heard.values())
    if heard and 2 * silent > len(heard):
        reason = next(reply.reason for reply in heard.values() if isinstance(reply, NoVerdict))
        raise Stopped(f"The judge gave no verdict that can be used: {reason}", is_unusable=True)
    judged = [
        judged_form(Judged(request=request, reply=heard.get(request) or _unjudged(desk, request)))
        for request in requests
    ]
    return Done(kind=StepKind.JUDGED, body={"judged": judged})


def _unjudged(desk: Desk, request: JudgeRequest) -> JudgeReply:
    """Say why nobody is asked about a pair: its answers are the same, or one is missing."""
    original, candidate = _answers(desk, request)
    if original is None or candidate is None:
        return NoVerdict(reason="one of the answers is missing")
    return SameAnswer()


def _answers(desk: Desk, request: JudgeRequest) -> tuple[str | None, str | None]:
    match = request.match
    answers = desk.job.answers
    return (
        answers.get(AnswerKey(ORIGINAL, match.question, match.attempt)),
        answers.get(AnswerKey(match.candidate_id, match.question, match.attempt)),
    )


def _pair(desk: Desk, request: JudgeRequest, language: object) -> Pair | None:
    match = request.match
    original, candidate = _answers(desk, request)
    if original is None or candidate is None or words_of(original) == words_of(candidate):
        return None
    is_first = request.order is Order.ORIGINAL_FIRST
    assert desk.job.plan is not None
    return Pair(
        question=match.question,
        first=original if is_first else candidate,
        second=candidate if is_first else original,
        language=language,  # pyright: ignore[reportArgumentType]
        attempt=match.attempt + 100 * desk.job.stops,
        reference="\n\n".join(one.text for one in desk.job.plan.evidence),
    )


def _decide(desk: Desk) -> Done:
    body, state = decided(desk.job, desk.documents())
    also = partial(_mark, feedback_ids=desk.job.taken, job_id=desk.log.record.id)
    return Done(kind=StepKind.DECIDED, body=body, state=state, also=also)


def _mark(writer: StoreWriter, *, feedback_ids: Sequence[str], job_id: str) -> None:
    writer.set_processed(feedback_ids, job_id)


def _pause_after_failures(desk: Desk) -> None:
    """Pause where a model could not be asked: silence is no answer."""
    failed = [one for one in desk.asker.failures if one.kind not in _PASSING]
    desk.asker.failures = []
    if failed:
        raise Stopped(f"{failed[0].kind.value}: {failed[0].detail or 'the chat model gave no reply'}")


_WORKERS: dict[Work, Callable[[Desk], Done]] = {
    Work.PLAN: _plan,
    Work.PROPOSE: _propose,
    Work.GATE: _gate,
    Work.JUDGE_CLAIMS: _judge_claims,
    Work.ANSWER: _answer,
    Work.JUDGE: _judge,
    Work.DECIDE: _decide,
}
