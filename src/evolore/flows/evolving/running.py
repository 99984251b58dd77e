"""``evolve``: jobs are begun for documents that people complained of, and taken as far as they come."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatBudget, ChatUsage
from evolore.domain.checks import check_name
from evolore.domain.evolving import Base, JobState, NewJob, Step
from evolore.domain.queries import Rating
from evolore.errors import ChatModelMissing, InvalidValue, NotFound
from evolore.evolution.job import StepKind, Work
from evolore.evolution.job_forms import to_json
from evolore.evolution.taking_up import taken_up
from evolore.flows.evolving.approving import approve_by_policy
from evolore.flows.evolving.desk import Desk
from evolore.flows.evolving.job_log import JobLog, Stopped
from evolore.flows.evolving.naming import document_named
from evolore.flows.evolving.promoting import supersede_if_moved
from evolore.flows.evolving.recorded_model import JobAsker, RecordedModel
from evolore.flows.evolving.viewing import view
from evolore.flows.evolving.working import work
from evolore.flows.proposing import CROSSOVERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.feedback import Feedback
    from evolore.domain.knowledge import Document
    from evolore.domain.lineage import Operator
    from evolore.evolution.settings import EvolutionSettings
    from evolore.flows.context import Context
    from evolore.flows.evolving.viewing import EvolutionJob
    from evolore.ports import StoreReader

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

    Args:
        context: The ports.
        documents: Ids, or their beginnings, of documents to rewrite though nobody complained of them enough; then no other
            is looked at. A crossover takes all of them together.
        operators: How candidates are made; by default as the settings say.
        budget: What may be spent by this call, all jobs together, beside what one job and a day may.
        seed: What everything drawn in a new job is drawn from.

    Raises:
        ChatModelMissing: There is something to do, and no chat model.
        NamespaceNotFound: Nothing was written to the namespace yet.
        NotFound: No document has the id.
        InvalidValue: Documents and operators do not fit.
    """
    check_name(seed, "seed")
    settings = (
        replace(context.evolution_settings, operators=tuple(operators)) if operators else context.evolution_settings
    )
    with context.store.read(context.namespace) as reader:
        named = [document_named(reader, one) for one in documents]
        wanted = _groups(named, settings) if named else _complained_of(reader, settings)
        begun = _begun_before(reader, named)
    if not wanted and not begun:
        return ()
    if context.chat_model is None:
        raise ChatModelMissing(
            "Rewriting documents needs a chat model, and there is none: name one in the setting chat.model, or open the "
            "memory in Python with Memory.open(…, chat_model=…) and call evolve."
        )
    done: list[EvolutionJob] = []
    spent = ChatUsage()
    for next_job in (*begun, *wanted):
        job_id = next_job
        if not isinstance(job_id, str):
            job_id = _begin(context, job_id, settings, seed or _DEFAULT_SEED, is_alongside=bool(named))
        if job_id is None:
            continue  # another process began one meanwhile, or the document changed
        told, used = advance(context, job_id, budget=_left(budget, spent))
        spent += used
        done.append(told)
        if told.stopped.startswith("out_of_budget"):
            break
    return tuple(done)


def advance(context: Context, job_id: str, *, budget: ChatBudget) -> tuple[EvolutionJob, ChatUsage]:
    """Take a job as far as it comes; give how it stands, and what that cost."""
    log = JobLog(context, job_id)
    if log.job.pending != ChatUsage():
        # Who asked died before it was told of: what that may have cost is spent.
        log.append(StepKind.REPLIED, {"replies": [], "usage": log.job.pending})
    model = None if context.chat_model is None else RecordedModel(context.chat_model, log)
    terms = replace(context.chat_terms, job=_left(context.chat_terms.job, log.job.spent))
    asker = JobAsker(model, budget, terms)
    supersede_if_moved(context, log)
    desk = Desk(context=context, log=log, asker=asker)
    stopped = ""
    while log.record.state is JobState.RUNNING and log.job.work is not Work.NOTHING:
        try:
            done = work(desk)
        except Stopped as why:
            stopped = str(why)
            log.append(StepKind.STOPPED, {"reason": stopped, "is_unusable": why.is_unusable})
            break
        except NotFound as error:
            log.append(StepKind.SUPERSEDED, {"reason": str(error)}, state=JobState.SUPERSEDED)
            break
        log.append(done.kind, done.body, state=done.state, also=done.also)
    approve_by_policy(context, job_id)
    return replace(view(context, job_id), stopped=stopped), asker.usage


def _left(budget: ChatBudget, spent: ChatUsage) -> ChatBudget:
    return ChatBudget(
        calls=_less(budget.calls, spent.calls),
        tokens=_less(budget.tokens, spent.tokens),
        cost_micros=_less(budget.cost_micros, spent.cost_micros),
    )


def _less(limit: int | None, amount: int) -> int | None:
    return None if limit is None else max(0, limit - amount)


def _groups(named: Sequence[Document], settings: EvolutionSettings) -> list[tuple[Base, ...]]:
    """Say which documents share a job: of crossovers all, else each has its own."""
    crosses = [one for one in settings.operators if one in CROSSOVERS]
    if crosses and len(crosses) < len(settings.operators):
        raise InvalidValue("Operators are crossovers and mutations at once: ask for either in a call of its own.")
    bases = tuple(Base(document_id=one.id, version=one.version) for one in dict.fromkeys(named))
    if crosses and len(bases) < 2:  # noqa: PLR2004 - a crossover joins two or more
        raise InvalidValue(f"{crosses[0].value} needs two documents or more: name them.")
    return [bases] if crosses else [(one,) for one in bases]


def _complained_of(reader: StoreReader, settings: EvolutionSettings) -> list[tuple[Base, ...]]:
    if any(one in CROSSOVERS for one in settings.operators):
        raise InvalidValue("A crossover needs documents: name two or more.")
    found = [reader.document(id_) for id_ in reader.rated_documents(least=settings.bad_feedback_threshold)]
    return [(Base(document_id=one.id, version=one.version),) for one in found if one is not None]


def _begun_before(reader: StoreReader, named: Sequence[Document]) -> list[str]:
    """Give the jobs that wait to go on, oldest first; of named documents only theirs."""
    running = reader.jobs(states={JobState.RUNNING})
    ids = {one.id for one in named}
    return [one.id for one in reversed(running) if not ids or ids & {base.document_id for base in one.bases}]


def _begin(
    context: Context, bases: Iterable[Base], settings: EvolutionSettings, seed: str, *, is_alongside: bool
) -> str | None:
    """Begin a job with the feedback there is, in one transaction."""
    listed = tuple(bases)
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        taken = tuple(
            one.id
            for base in listed
            for one in taken_up(_complaints(writer, base.document_id), least=settings.bad_feedback_threshold)
        )
        job_id = writer.begin_job(NewJob(bases=listed, seed=seed, feedback_ids=taken, is_alongside=is_alongside), at=at)
        if job_id is None:
            return None
        form = to_json({"feedback": taken, "operators": settings.operators, "settings": settings})
        assert isinstance(form, dict)
        step = Step(number=1, kind=StepKind.BEGUN.value, body=form, at=at)
        writer.append_steps(job_id, [step], at=at)
        return job_id


def _complaints(reader: StoreReader, document_id: str) -> list[Feedback]:
    found = reader.feedback(document_id=document_id, unprocessed=True)
    return [one for one in found if one.rating is Rating.BAD]
