"""Canaries, their moves, each one transaction, and the places that check them in passing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from evolore.domain.evolution import JobState, PromotedDocument, Promotion, ProposedText, Shadow, Step, shadow_source
from evolore.domain.result import Result
from evolore.errors import InvalidValue, StoreBusy, StoreFailed, TryAgain
from evolore.evolution.canary import (
    Canary,
    CanaryResult,
    CanaryStatus,
    figures_of,
    folded_canary,
    read_figures,
    result_of,
)
from evolore.evolution.job import taken_by
from evolore.evolution.job_steps import CanaryBegun, CanaryMoved, JobCandidate, StepKind, read_step
from evolore.evolution.settings import WHOLE_PERCENT, CanarySettings
from evolore.flows.context import Context
from evolore.flows.document_version import link_passages, next_version, shadow_version
from evolore.flows.evolve.documents import promotion_named
from evolore.flows.evolve.log import JobLog, append_step
from evolore.flows.evolve.promote import MOVED, Approval, Moved, moved_to, promote, promotion_of, put_text
from evolore.flows.evolve.write import write_promoted
from evolore.ports import NewDocument
from evolore.store.reading import StoreReader
from evolore.store.writing import StoreWriter

GONE = "its text is not there any more"


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryView(Result):
    """A canary as people see it."""

    id: str  #: The promotion that it is.
    job_id: str  #: The job it came from.
    sources: tuple[str, ...]  #: Where the documents come from that it is about; empty for one that was forgotten.
    stages: tuple[int, ...]  #: Percent of principals that were to see the new text, one stage after the other.
    stage: int  #: Which of them it is at, or was at when it ended, from 1.
    is_running: bool  #: Whether it goes on.
    begun_at: datetime  #: When it began.
    reason: str  #: What was said of its last move.
    #: Its figures; of one that ended, as they were then. None where they are no longer known.
    result: CanaryResult | None

    @property
    def percent(self) -> int:
        """How many percent of principals see the new text while it runs."""
        return self.stages[self.stage - 1] if self.is_running else 0

    @property
    def next_percent(self) -> int | None:
        """How many see it at the next stage, where it may grow; None where it may not."""
        may_grow = self.is_running and self.result is not None and self.result.may_grow
        return self.stages[self.stage] if may_grow and self.stage < len(self.stages) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryState:
    """A canary at one moment, with what the next move needs."""

    promotion: Promotion  #: Its promotion.
    last: CanaryBegun | CanaryMoved  #: Its last move.
    settings: CanarySettings  #: Its stages and bounds, as it was begun with them.
    canary: Canary  #: What its answers come to.
    shadows: tuple[Shadow, ...]  #: The texts that are before some people.
    number: int  #: How many steps its job has.
    is_running: bool  #: Whether it goes on.
    has_moved: bool  #: Whether a document has another version than the one its new text was made for.


def read_canary(reader: StoreReader, promotion: Promotion) -> CanaryState:
    """Read a canary.

    Raises:
        InvalidValue: The promotion was before everybody at once, or what is known of it was forgotten with its documents.
    """
    steps = reader.steps(promotion.job_id)
    begun, moves = _moves(steps, promotion)
    settings = begun.settings
    job = reader.job(promotion.job_id)
    is_running = promotion.rolled_back_at is None and job is not None and job.state is JobState.CANARY
    grown = [at for at, one in moves if 0 < one.percent < settings.stages[-1]]
    answers = reader.trial_answers(promotion.id) if is_running else ()
    return CanaryState(
        promotion=promotion,
        last=moves[-1][1] if moves else begun,
        settings=settings,
        canary=folded_canary(promotion.id, settings, moves=grown, answers=answers),
        shadows=tuple(one for one in reader.shadows() if one.promotion_id == promotion.id),
        number=steps[-1].number,
        is_running=is_running,
        has_moved=any(moved_to(reader, one.document_id, one.before) for one in promotion.documents if one.before),
    )


def running_canaries(reader: StoreReader) -> tuple[CanaryState, ...]:
    """Read the canaries that go on, oldest first."""
    jobs = reader.jobs(states=[JobState.CANARY])
    every = (one for job in reversed(jobs) for one in reader.promotions(job_id=job.id))
    return tuple(read_canary(reader, one) for one in every if one.rolled_back_at is None)


def canaries(context: Context) -> tuple[CanaryView, ...]:
    """Show the canaries that go on, oldest first."""
    with context.store.read(context.namespace) as reader:
        return tuple(_viewed(reader, one) for one in running_canaries(reader))


def canary(context: Context, promotion_id: str) -> CanaryView:
    """Show a canary, whether it goes on or not, by the id of its promotion or job, or the beginning of either."""
    with context.store.read(context.namespace) as reader:
        return _viewed(reader, read_canary(reader, promotion_named(reader, promotion_id)))


def _viewed(reader: StoreReader, state: CanaryState) -> CanaryView:
    promotion = state.promotion
    found = [reader.document(one.document_id) for one in promotion.documents]
    last, result = state.last, result_of(state.canary)
    if not state.is_running and isinstance(last, CanaryMoved) and last.figures is not None:
        result = read_figures(last.figures)
    return CanaryView(
        id=promotion.id,
        job_id=promotion.job_id,
        sources=tuple("" if one is None else one.source for one in found),
        stages=state.settings.stages,
        stage=state.canary.stage + 1,
        is_running=state.is_running,
        begun_at=promotion.promoted_at,
        reason=last.reason,
        result=result,
    )


def _moves(steps: Sequence[Step], promotion: Promotion) -> tuple[CanaryBegun, list[tuple[datetime, CanaryMoved]]]:
    """Return how one canary of a job was begun, and its moves, up to where the next is begun."""
    found: dict[str, tuple[CanaryBegun, list[tuple[datetime, CanaryMoved]]]] = {}
    named = ""
    for one in steps:
        if one.kind == StepKind.CANARY_MOVED.value:
            move: CanaryBegun | CanaryMoved = read_step(one)
            if isinstance(move, CanaryBegun):
                named = move.promotion
                found[named] = (move, [])
            else:
                found[named][1].append((one.at, move))
    if promotion.id not in found:
        why = "what is known of it was forgotten" if not steps else "it was before everybody at once"
        raise InvalidValue(f"The promotion {promotion.id} shows no canary: {why}.")
    return found[promotion.id]


TRIPPED = "the new text is rated BAD more often than the old one"


def begin(context: Context, log: JobLog, candidate: JobCandidate, approval: Approval) -> Promotion:
    """Put a candidate's texts beside their documents, before the first stage's share of principals.

    Raises:
        Moved: A document is not at the version it was computed against; nothing is written.
        StoreBusy: Another process went on with the job; nothing is written.
    """
    settings = context.settings.evolution.canary
    if settings.stages[0] == WHOLE_PERCENT:
        return promote(context, log, candidate, approval)
    ready = [shadow_version(context, one) for one in approval.texts]
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        id_ = writer.new_id()
        for text, new in zip(approval.texts, ready, strict=True):
            _put_beside(writer, text, new, id_, at=at)
        # What is new has no document of its own before it is before everybody.
        written = [
            PromotedDocument(document_id=one.document_id, before=one.base_version, after=None)
            for one in approval.texts
            if one.document_id is not None
        ]
        promotion = promotion_of(log, candidate, approval, written, id_=id_, at=at, percent=settings.stages[0])
        writer.put_promotion(promotion, at=at)
        move = CanaryBegun(
            percent=promotion.percent,
            reason=approval.reason,
            promotion=promotion.id,
            candidate=candidate.id,
            settings=settings,
        )
        number = log.job.number + 1
        append_step(writer, promotion.job_id, number, StepKind.CANARY_MOVED, move, state=JobState.CANARY, at=at)
    return promotion


def canary_step(context: Context) -> tuple[CanaryView, ...]:
    """Look at every canary, and do what is due: take a worse text back, end what cannot go on, grow where that is set.

    What another process is at is left to it.

    Returns:
        The canaries that were moved, as they are now.
    """
    with context.store.read(context.namespace) as reader:
        found = running_canaries(reader)
    moved: list[str] = []
    for one in found:
        with suppress(StoreBusy):
            if _step(context, one):
                moved.append(one.promotion.id)
    return tuple(canary(context, id_) for id_ in moved)


def grow(context: Context, promotion_id: str) -> CanaryView:
    """Bring a canary before the next stage's share of principals, or before everybody."""
    with context.store.read(context.namespace) as reader:
        state = read_canary(reader, promotion_named(reader, promotion_id))
    if not state.is_running:
        raise InvalidValue(f"The canary {state.promotion.id} is over: approve its job again to begin another.")
    _grow(context, state, reason="")
    return canary(context, state.promotion.id)


def stop(
    context: Context, state: CanaryState, job_state: JobState, *, reason: str
) -> tuple[Promotion, tuple[str, ...]]:
    """Withdraw the new text from everybody: it is erased, and the job goes on to another state.

    A job that waits for a person keeps its feedback; of others it is open again.

    Returns:
        The promotion as it is now, and the feedback that is open again.
    """
    promotion, at = state.promotion, context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        writer.set_percent(promotion.id, 0, documents=promotion.documents, at=at)
        writer.close_promotion(promotion.id, documents=promotion.documents, reason=reason, at=at)
        reopened = () if job_state is JobState.WAITING else writer.reopen_feedback(promotion.job_id)
        _move(writer, state, 0, reason, job_state=job_state, at=at)
        writer.erase_shadows(promotion.id, moved={}, at=at)
        closed = writer.promotion(promotion.id)
    context.store.take_out_erased()
    assert closed is not None
    return closed, reopened


def _step(context: Context, state: CanaryState) -> bool:
    if not state.shadows:
        stop(context, state, JobState.WAITING, reason=GONE)
    elif state.has_moved:
        stop(context, state, JobState.SUPERSEDED, reason=MOVED)
    elif state.canary.status is CanaryStatus.TRIPPED:
        stop(context, state, JobState.WAITING, reason=TRIPPED)
    elif state.canary.may_grow and context.settings.evolution.canary.grows_by_itself:
        _grow(context, state, reason="by itself")
    else:
        return False
    return True


def _grow(context: Context, state: CanaryState, *, reason: str) -> None:
    grown = state.canary.grown()
    if grown.percent == WHOLE_PERCENT:
        _complete(context, state, reason=reason)
        return
    promotion, at = state.promotion, context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        writer.set_percent(promotion.id, grown.percent, documents=promotion.documents, at=at)
        _move(writer, state, grown.percent, reason, job_state=None, at=at)


def _complete(context: Context, state: CanaryState, *, reason: str) -> None:
    """Make the new texts the next versions of their documents, for everybody."""
    with context.store.read(context.namespace) as reader:
        held = _held(reader, state)
    ready = [next_version(context, text) for text in held.values()]
    try:
        _put(context, state, held, ready, reason=reason)
    except Moved:
        stop(context, state, JobState.SUPERSEDED, reason=MOVED)
    else:
        with context.store.read(context.namespace) as reader:
            promotion = reader.promotion(state.promotion.id)
        assert promotion is not None
        write_promoted(context, promotion)


def _put(
    context: Context, state: CanaryState, held: Mapping[str, ProposedText], ready: Sequence[NewDocument], *, reason: str
) -> None:
    promotion, at = state.promotion, context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        written = [put_text(writer, text, new, at=at) for text, new in zip(held.values(), ready, strict=True)]
        writer.set_percent(promotion.id, WHOLE_PERCENT, documents=written, at=at)
        writer.set_processed(taken_by(writer.steps(promotion.job_id)), promotion.job_id, is_taken_over=True)
        _move(writer, state, WHOLE_PERCENT, reason, job_state=JobState.PROMOTED, at=at)
        became = {id_: (one.document_id, one.after or 0) for id_, one in zip(held, written, strict=True)}
        writer.erase_shadows(promotion.id, moved=became, at=at)
    context.store.take_out_erased()
    link_passages(context, [one.document_id for one in written])


def _held(reader: StoreReader, state: CanaryState) -> dict[str, ProposedText]:
    """Return the texts on trial as they are to be taken over, each by the document that holds it."""
    bases = {one.document_id: one.before for one in state.promotion.documents}
    found: dict[str, ProposedText] = {}
    for one in state.shadows:
        document, text = reader.document(one.document_id), reader.document_text(one.document_id)
        assert document is not None
        assert text is not None
        if one.original_id in bases:
            base = bases[one.original_id]
            found[document.id] = ProposedText(text=text, document_id=one.original_id, base_version=base)
        else:
            found[document.id] = ProposedText(text=text, source=document.source, title=document.title)
    return found


def _put_beside(writer: StoreWriter, text: ProposedText, new: NewDocument, id_: str, *, at: datetime) -> None:
    """Write a text beside its document, or raise ``Moved`` where that is not as it was computed against."""
    if text.document_id is None:
        has_moved = writer.document_by_source(text.source) is not None
    else:
        has_moved = moved_to(writer, text.document_id, text.base_version)
    if has_moved:
        raise Moved(MOVED)
    named = replace(new.source_text, source=shadow_source(id_, new.source_text.source))
    written = writer.put_document(replace(new, source_text=named), at=at)
    assert written is not None


def _move(
    writer: StoreWriter, state: CanaryState, percent: int, reason: str, *, job_state: JobState | None, at: datetime
) -> None:
    """Write a move with what the canary came to."""
    move = CanaryMoved(percent=percent, reason=reason, figures=figures_of(result_of(state.canary)))
    job_id = state.promotion.job_id
    append_step(writer, job_id, state.number + 1, StepKind.CANARY_MOVED, move, state=job_state, at=at)


def watch(context: Context) -> tuple[CanaryView, ...]:
    """Do what is due at the existing canaries, without a principal; return those that were moved.

    What goes wrong is left to the next time: what was done before must not look as if it had failed.
    """
    with context.store.read(context.namespace) as reader:
        if not reader.jobs(states=[JobState.CANARY], limit=1):
            return ()

    with suppress(StoreFailed, TryAgain):
        return canary_step(replace(context, principal=None))
    return ()
