"""``evolve``: begin jobs for documents that people complained of, and advance them step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from itertools import chain

from evolore.domain.chat import ChatBudget, ChatFailureKind, ChatUsage
from evolore.domain.checks import check_name
from evolore.domain.document import Document
from evolore.domain.evolution import Base, JobRecord, JobState, NewJob, Operator
from evolore.errors import ChatModelMissing, InvalidValue, NotFound, StoreBusy
from evolore.evolution.contest_plan import Decision
from evolore.evolution.contest_questions import taken_up
from evolore.evolution.edits import compared_texts
from evolore.evolution.gates.claim_judge import ReadClaims
from evolore.evolution.job import UNUSABLE, Job, Work, figures_of, heeded
from evolore.evolution.job_steps import Begun, GateFindings, JobPaused, NotProposed, Replied, StepKind
from evolore.evolution.mutation import MADE_BEFORE
from evolore.evolution.proposals import CROSSOVERS, NOTHING_TO_IMPROVE, ProposalPlan
from evolore.evolution.requests import Unusable
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.add import add_again
from evolore.flows.context import Context
from evolore.flows.evolve.approve import approve_by_policy, is_left_to_policy
from evolore.flows.evolve.blame import Complaints, crossable
from evolore.flows.evolve.candidates import cited_texts, gated, judge_claims, propose
from evolore.flows.evolve.contest import answered, controlled, judged
from evolore.flows.evolve.documents import as_one, document_to_rewrite, joined, joined_after, similar_by
from evolore.flows.evolve.entailment import entailment_at
from evolore.flows.evolve.log import (
    Desk,
    Done,
    JobAsker,
    JobLog,
    RecordedModel,
    Stopped,
    append_step,
    pause_after_failures,
)
from evolore.flows.evolve.planning import JobBase, known_of, plan, questioned
from evolore.flows.evolve.promote import decided, supersede, supersede_if_moved
from evolore.flows.evolve.proof import proved, written_by
from evolore.flows.evolve.show import EvolutionJob, view
from evolore.flows.evolve.turned_down import turned_down_again
from evolore.store.reading import StoreReader
from evolore.store.writing import StoreWriter

_DEFAULT_SEED = "0"


def evolve(
    context: Context,
    documents: Sequence[str] = (),
    *,
    operators: Sequence[Operator] | None = None,
    budget: ChatBudget,
    seed: str | None = None,
) -> tuple[EvolutionJob, ...]:
    """Go on with jobs that were begun, begin those that feedback asks for, and take each as far as it comes.

    If nothing is named, one job at most crosses two documents that answer the same rated questions, the last.
    """
    check_name(seed, "seed")
    settings, crossing = _by_kind(context.settings.evolution, operators)
    wanted, begun = _to_do(context, documents, settings, goes_on=not operators)
    if not wanted and not begun:
        return ()
    if context.chat_model is None:
        raise ChatModelMissing(
            "Rewriting documents needs a chat model, and there is none: name one in the setting chat.model, or open the "
            "memory in Python with Memory.open(…, chat_model=…) and call evolve."
        )
    done: list[EvolutionJob] = []
    spent = ChatUsage()
    begin = partial(_begin, context, seed=seed or _DEFAULT_SEED)
    ids = chain(
        (one.id for one in begun),
        (begin(bases, settings, is_alongside=bool(documents)) for bases in wanted),
        () if crossing is None or documents else _crossed(context, partial(begin, settings=crossing)),
    )
    for job_id in filter(None, ids):  # none where another process began one meanwhile, or the document changed
        went = _advanced(context, job_id, budget=_left(budget, spent))
        spent += went.used
        done.append(went.job)
        if went.is_over_budget:
            break
    return tuple(done)


def _by_kind(
    settings: EvolutionSettings, asked: Sequence[Operator] | None
) -> tuple[EvolutionSettings, EvolutionSettings | None]:
    """Return the settings of jobs about named and due documents, and of one that crosses two of these; None for none."""
    mutations = tuple(one for one in settings.operators if one not in CROSSOVERS)
    crossovers = tuple(one for one in settings.operators if one in CROSSOVERS)
    if asked or not (mutations and crossovers):
        return replace(settings, operators=tuple(asked or settings.operators)), None
    return replace(settings, operators=mutations), replace(settings, operators=crossovers)


_MOST_LEFT = 40
_LEFT_OPEN = frozenset({JobState.WAITING, JobState.ORIGINAL_STAYS})
_ENDS = frozenset({StepKind.BEGUN.value, StepKind.DECIDED.value})


def _crossed(context: Context, begin: Callable[..., str | None]) -> Iterator[str | None]:
    """Begin a job that crosses two documents whose last jobs have no proved result, with what these took up; a pair once."""
    with context.store.read(context.namespace) as reader:
        left = reader.jobs(states=_LEFT_OPEN, limit=_MOST_LEFT)
        told = reader.steps_of([one.id for one in left], _ENDS)
        last = {one.bases: figures_of(told.get(one.id, ())) for one in reversed(left)}
        own = {bases: one.taken for bases, one in last.items() if one.taken and one.decision != Decision.WINNER.value}
        due = reader.documents_with([base.document_id for bases in own for base in bases])
        due = [one for one in due if _bases(one) in own]
        pair = crossable(reader, due, but={_ids(job.bases) for one in due for job in reader.jobs(document_id=one.id)})
    if pair:
        yield begin(_bases(*pair), is_alongside=True, taken=tuple(id_ for one in pair for id_ in own[_bases(one)]))


def _to_do(
    context: Context, documents: Sequence[str], settings: EvolutionSettings, *, goes_on: bool
) -> tuple[list[tuple[Base, ...]], list[JobRecord]]:
    """Return what new jobs are to be about, with their files read again, and the jobs that were begun."""
    found = _planned(context, documents, settings, goes_on=goes_on)
    if context.chat_model is None:
        return found
    with context.store.read(context.namespace) as reader:
        files = [reader.document(base.document_id) for bases in found[0] for base in bases]
    has_changed = add_again(context, [one for one in files if one is not None])
    return _planned(context, documents, settings, goes_on=goes_on) if has_changed else found


def _planned(
    context: Context, documents: Sequence[str], settings: EvolutionSettings, *, goes_on: bool
) -> tuple[list[tuple[Base, ...]], list[JobRecord]]:
    """Return what new jobs are to be about, and the jobs that were begun, of what is named or all that enough complained of."""
    with context.store.read(context.namespace) as reader:
        named = [document_to_rewrite(reader, one) for one in documents]
        complained = () if named else _complained_of(reader, settings, today=context.clock.now().date())
        begun = _begun_before(reader, named)
    wanted = _groups(named, settings) if named else [_bases(one) for one in complained]
    if named and goes_on:
        gone_on = {_ids(job.bases) for job in begun}
        wanted = [one for one in wanted if _ids(one) not in gone_on]
    return wanted, begun


@dataclass(frozen=True, slots=True, kw_only=True)
class Advanced:
    """How far a job came."""

    job: EvolutionJob  #: In its present state.
    used: ChatUsage = field(default_factory=ChatUsage)  #: What that cost.
    #: Whether it stopped because no job may spend more now, rather than this one alone.
    is_over_budget: bool = False


def _advanced(context: Context, job_id: str, *, budget: ChatBudget) -> Advanced:
    """Advance a job as far as possible; one that another process is working on is left to that process."""
    with context.store.alone_at(job_id) as is_alone:
        try:
            if is_alone:
                return advance(context, job_id, budget=budget)
            why = f"Another process goes on with the job {job_id} now."
        except StoreBusy as error:
            why = str(error)
    return Advanced(job=replace(view(context, job_id), stopped=f"busy: {why}"))


def advance(context: Context, job_id: str, *, budget: ChatBudget) -> Advanced:
    """Advance a job as far as possible.

    Raises:
        StoreBusy: Another process went on with it.
    """
    log = JobLog(context, job_id)
    if log.job.pending != ChatUsage():
        # The asking process died before it recorded the reply: what that may have cost counts as spent.
        log.append(StepKind.REPLIED, Replied(replies=(), usage=log.job.pending))
    assert context.chat_model is not None
    model = RecordedModel(context.chat_model, log, context.chat_terms.prices)
    asker = JobAsker(model, budget, replace(context.chat_terms, job=_left(context.chat_terms.job, log.job.spent)))
    supersede_if_moved(context, log)
    desk = Desk(context=context, log=log, asker=asker)
    stopped = ""
    while log.record.state is JobState.RUNNING and log.job.work is not Work.NOTHING:
        try:
            done = _WORKERS[log.job.work](desk)
            log.append(done.kind, done.body, state=done.state, also=done.also)
        except Stopped as why:
            stopped = str(why)
            log.pause(JobPaused(reason=stopped, is_unusable=why.is_unusable))
        except NotFound as error:
            supersede(log, str(error))
        if stopped:
            break
    approve_by_policy(context, job_id)
    return Advanced(
        job=replace(view(context, job_id), stopped=stopped),
        used=asker.usage,
        is_over_budget=stopped.startswith(ChatFailureKind.OUT_OF_BUDGET.value) and not asker.is_own_budget_spent,
    )


def _left(budget: ChatBudget, spent: ChatUsage) -> ChatBudget:
    return ChatBudget(
        calls=_less(budget.calls, spent.calls),
        tokens=_less(budget.tokens, spent.tokens),
        cost_micros=_less(budget.cost_micros, spent.cost_micros),
    )


def _less(limit: int | None, amount: int) -> int | None:
    return None if limit is None else max(0, limit - amount)


def _groups(named: Sequence[Document], settings: EvolutionSettings) -> list[tuple[Base, ...]]:
    """Return which documents share a job: of crossovers all, else each has its own."""
    crosses = [one for one in settings.operators if one in CROSSOVERS]
    if crosses and len(crosses) < len(settings.operators):
        raise InvalidValue("Operators are crossovers and mutations at once: ask for either in a call of its own.")
    bases = _bases(*dict.fromkeys(named))
    if crosses and len(bases) < 2:  # noqa: PLR2004 - a crossover joins two or more
        raise InvalidValue(f"{crosses[0].value} needs two documents or more: name them.")
    return [bases] if crosses else [(one,) for one in bases]


def _complained_of(reader: StoreReader, settings: EvolutionSettings, *, today: date) -> tuple[Document, ...]:
    if any(one in CROSSOVERS for one in settings.operators):
        raise InvalidValue("A crossover needs documents: name two or more.")
    return Complaints(reader, least=settings.bad_feedback_threshold, today=today).documents()


def _bases(*documents: Document) -> tuple[Base, ...]:
    return tuple(Base(document_id=one.id, version=one.version) for one in documents)


def _begun_before(reader: StoreReader, named: Sequence[Document]) -> list[JobRecord]:
    """Return the jobs that wait to go on, or for what the policy said to be done, oldest first; of named documents theirs."""
    ids = {one.id for one in named}
    return [
        one
        for one in reversed(reader.jobs(states={JobState.RUNNING, JobState.WAITING}))
        if (not ids or ids & _ids(one.bases)) and (one.state is JobState.RUNNING or is_left_to_policy(reader, one))
    ]


def _ids(bases: Iterable[Base]) -> frozenset[str]:
    return frozenset(base.document_id for base in bases)


def _begin(
    context: Context,
    bases: Iterable[Base],
    settings: EvolutionSettings,
    *,
    seed: str,
    is_alongside: bool,
    taken: tuple[str, ...] = (),
) -> str | None:
    """Begin a job with the feedback there is, or what is named, in one transaction."""
    listed = tuple(bases)
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        complaints = Complaints(writer, least=settings.bad_feedback_threshold, today=at.date())
        if not (is_alongside or all(complaints.are_enough(base.document_id) for base in listed)):
            return None  # a job begun meanwhile took up what an older document is asked about first
        taken = taken or tuple(
            one.id
            for base in listed
            for one in taken_up(complaints.about(base.document_id), least=settings.bad_feedback_threshold)
        )
        job_id = writer.begin_job(NewJob(bases=listed, seed=seed, feedback_ids=taken, is_alongside=is_alongside), at=at)
        if job_id is None:
            return None
        begun = Begun(feedback=taken, operators=settings.operators, settings=settings)
        append_step(writer, job_id, 1, StepKind.BEGUN, begun, at=at)
        return job_id


_HONEST = frozenset({NOTHING_TO_IMPROVE, "no_evidence", "too_long", MADE_BEFORE})
"""Reasons for which there is no candidate that are no fault of a reply."""


def _plan(desk: Desk) -> Done:
    made = plan(desk.context, _known(desk), operators=desk.job.operators, settings=desk.job.settings)
    return Done(kind=StepKind.PLANNED, body=made, also=partial(_refuse_unless_asked, made.asked))


def _known(desk: Desk) -> JobBase:
    documents = desk.documents()
    with desk.context.store.read(desk.context.namespace) as reader:
        return known_of(reader, desk.log.record.id, desk.job.taken, documents)


def _question(desk: Desk) -> Done:
    """Generate questions, now that there is a candidate to be tried by them."""
    job = desk.job
    made = questioned(desk.context, desk.asker, _known(desk), job.plan, seed=desk.seed, settings=job.settings)
    pause_after_failures(desk)
    return Done(kind=StepKind.QUESTIONED, body=made, also=partial(_refuse_unless_asked, made.asked))


def _refuse_unless_asked(query_ids: Sequence[str], writer: StoreWriter) -> None:
    """Refuse to keep the words of a question that was erased while the job was planned."""
    if any(writer.query(id_) is None for id_ in query_ids):
        raise Stopped("A question was erased meanwhile: the job is planned again.")


def _propose(desk: Desk) -> Done:
    """Make a candidate by the next operator; one that cannot is passed over, unless none could."""
    job, documents = desk.job, desk.documents()
    operator = job.next_operators[0]
    wanted = ProposalPlan(
        operator=operator,
        documents=documents,
        complaints=heeded(job.plan.complaints, job.candidates),
        evidence=job.plan.evidence,
        seed=desk.seed + job.tries(operator),
        earlier=tuple(joined(text.text for text in one.texts) for one in job.standing),
    )
    made = propose(desk.asker, wanted)
    if isinstance(made, Unusable):
        pause_after_failures(desk)
        return _not_proposed(job, operator, made)
    before, after = joined(one.text for one in documents), joined_after(documents, made.texts)
    ratio = round(len(after) / len(before), 4)
    body = replace(made, candidate=str(len(job.candidates) + 1), model=desk.asker.model_id, length_ratio=ratio)
    return Done(kind=StepKind.PROPOSED, body=body)


def _not_proposed(job: Job, operator: Operator, made: Unusable) -> Done:
    """Pass over an operator; a job for which nothing could be used pauses at the last try."""
    if made.reason in _HONEST:
        return Done(kind=StepKind.NOT_PROPOSED, body=NotProposed(operator=operator, reason=made.reason))
    reason = f"{UNUSABLE}{made.reason}"
    told = Done(kind=StepKind.NOT_PROPOSED, body=NotProposed(operator=operator, reason=reason))
    after = replace(job, skipped=(*job.skipped, (operator, reason)))
    is_last = not after.next_operators
    if is_last and not job.candidates and all(why.startswith(UNUSABLE) for _, why in after.skipped):
        raise Stopped(f"No candidate could be made: {made.reason}", is_unusable=True)
    return told


def _gate(desk: Desk) -> Done:
    candidate = next(one for one in desk.job.candidates if not one.is_gated)
    body = gated(
        desk.job, candidate, desk.documents(), similar=similar_by(desk.context.embedder), entailment=entailment_at(desk)
    )
    body = replace(body, refusals=(*body.refusals, *turned_down_again(desk, candidate)))
    return Done(kind=StepKind.GATED, body=body)


def _judge_claims(desk: Desk) -> Done:
    candidate = next(one for one in desk.job.standing if not one.are_claims_judged)
    documents = desk.documents()
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
    if not isinstance(said, ReadClaims):
        doubts = (*candidate.doubts, f"claims: not judged: {said.reason}")
        return Done(kind=StepKind.CLAIMS_JUDGED, body=GateFindings(candidate=candidate.id, doubts=doubts))
    objections = (("lost", said.lost), ("invented", said.invented))
    refusals = tuple(f"claims: {how}: {one.quote}: {one.reason}" for how, some in objections for one in some)
    found = GateFindings(candidate=candidate.id, refusals=refusals, doubts=candidate.doubts)
    return Done(kind=StepKind.CLAIMS_JUDGED, body=found)


def _decide(desk: Desk) -> Done:
    body, state = decided(desk.job, desk.documents(), written_by(desk))
    taken, job_id = desk.job.taken, desk.log.record.id
    return Done(kind=StepKind.DECIDED, body=body, state=state, also=lambda writer: writer.set_processed(taken, job_id))


_WORKERS: dict[Work, Callable[[Desk], Done]] = {
    Work.PLAN: _plan,
    Work.PROPOSE: _propose,
    Work.GATE: _gate,
    Work.JUDGE_CLAIMS: _judge_claims,
    Work.PROVE: proved,
    Work.QUESTION: _question,
    Work.ANSWER: answered,
    Work.JUDGE: judged,
    Work.CONTROL: controlled,
    Work.DECIDE: _decide,
}
