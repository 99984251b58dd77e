"""The moves of a canary: it begins, grows, comes before everybody, or ends; each is one transaction."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolore.domain.evolving import JobState, PromotedDocument, ProposedText, Step
from evolore.domain.shadows import shadow_source
from evolore.errors import InvalidValue, StoreBusy
from evolore.evolution.canary import CanaryStatus
from evolore.evolution.job import StepKind
from evolore.evolution.job_folding import taken_by
from evolore.evolution.job_forms import to_json
from evolore.evolution.settings import WHOLE_PERCENT
from evolore.flows.evolving.canaries import GONE, CanaryView, canary, read_canary, running_canaries
from evolore.flows.evolving.naming import promotion_named
from evolore.flows.evolving.promoting import MOVED, Moved, moved_to, promote, promotion_of, put_text
from evolore.flows.linking import link_passages
from evolore.flows.next_version import next_version, shadow_version

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from evolore.domain.evolving import Promotion
    from evolore.evolution.job import JobCandidate
    from evolore.flows.context import Context
    from evolore.flows.evolving.canaries import CanaryState
    from evolore.flows.evolving.job_log import JobLog
    from evolore.flows.evolving.promoting import Approval
    from evolore.ports import NewDocument, StoreReader, StoreWriter

TRIPPED = "the new text is rated BAD more often than the old one"


def begin(context: Context, log: JobLog, candidate: JobCandidate, approval: Approval) -> Promotion:
    """Put a candidate's texts beside their documents, before the first stage's share of principals.

    Raises:
        Moved: A document is not at the version it was computed against; nothing is written.
        StoreBusy: Another process went on with the job; nothing is written.
    """
    settings = context.evolution_settings.canary
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
        body = _body(promotion.percent, approval.reason) | {
            "candidate": candidate.id,
            "promotion": promotion.id,
            "settings": settings,
        }
        _append(writer, promotion, log.job.number + 1, body, state=JobState.CANARY, at=at)
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
    """Bring a canary before the next stage's share of principals, or before everybody.

    Raises:
        NotFound: There is no such promotion.
        AmbiguousId: It begins several ids.
        InvalidValue: It does not go on, or may not grow.
        StoreBusy: Another process went on with the job.
    """
    with context.store.read(context.namespace) as reader:
        state = read_canary(reader, promotion_named(reader, promotion_id))
    if not state.is_running:
        raise InvalidValue(f"The canary {state.promotion.id} is over: approve its job again to begin another.")
    _grow(context, state, reason="")
    return canary(context, state.promotion.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedCanary:
    """A canary that was taken from everybody.

    Args:
        promotion: As it is now.
        reopened: The feedback that is open again.
    """

    promotion: Promotion
    reopened: tuple[str, ...] = ()


def stop(context: Context, state: CanaryState, job_state: JobState, *, reason: str) -> StoppedCanary:
    """Take the new text from everybody: it is erased, and the job goes on to another state.

    A job that waits for a person keeps its feedback; of others it is open again.

    Raises:
        StoreBusy: Another process went on with the job.
    """
    promotion, at = state.promotion, context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        writer.set_percent(promotion.id, 0, documents=promotion.documents, at=at)
        writer.close_promotion(promotion.id, documents=promotion.documents, reason=reason, at=at)
        reopened = () if job_state is JobState.WAITING else writer.reopen_feedback(promotion.job_id)
        body = _body(0, reason) | {"figures": state.figures}
        _append(writer, promotion, state.number + 1, body, state=job_state, at=at)
        writer.erase_shadows(promotion.id, moved={}, at=at)
        closed = writer.promotion(promotion.id)
    context.store.take_out_erased()
    assert closed is not None
    return StoppedCanary(promotion=closed, reopened=reopened)


def _step(context: Context, state: CanaryState) -> bool:
    if not state.shadows:
        stop(context, state, JobState.WAITING, reason=GONE)
    elif state.has_moved:
        stop(context, state, JobState.SUPERSEDED, reason=MOVED)
    elif state.canary.status is CanaryStatus.TRIPPED:
        stop(context, state, JobState.WAITING, reason=TRIPPED)
    elif state.canary.may_grow and context.evolution_settings.canary.grows_by_itself:
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
        body = _body(grown.percent, reason) | {"figures": state.figures}
        _append(writer, promotion, state.number + 1, body, state=None, at=at)


def _complete(context: Context, state: CanaryState, *, reason: str) -> None:
    """Take the new texts over for everybody, as the next versions of their documents."""
    with context.store.read(context.namespace) as reader:
        held = _held(reader, state)
    ready = [next_version(context, text) for text in held.values()]
    try:
        _put(context, state, held, ready, reason=reason)
    except Moved:
        stop(context, state, JobState.SUPERSEDED, reason=MOVED)


def _put(
    context: Context, state: CanaryState, held: Mapping[str, ProposedText], ready: Sequence[NewDocument], *, reason: str
) -> None:
    promotion, at = state.promotion, context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        written = [put_text(writer, text, new, at=at) for text, new in zip(held.values(), ready, strict=True)]
        writer.set_percent(promotion.id, WHOLE_PERCENT, documents=written, at=at)
        writer.set_processed(taken_by(writer.steps(promotion.job_id)), promotion.job_id, is_taken_over=True)
        body = _body(WHOLE_PERCENT, reason) | {"figures": state.figures}
        _append(writer, promotion, state.number + 1, body, state=JobState.PROMOTED, at=at)
        became = {id_: (one.document_id, one.after or 0) for id_, one in zip(held, written, strict=True)}
        writer.erase_shadows(promotion.id, moved=became, at=at)
    context.store.take_out_erased()
    link_passages(context, [one.document_id for one in written])


def _held(reader: StoreReader, state: CanaryState) -> dict[str, ProposedText]:
    """Give the texts on trial as they are to be taken over, each by the document that holds it."""
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
    """Write a text beside its document.

    Raises:
        Moved: The document is not at the version it was computed against, or what should be new is there.
    """
    is_new = text.document_id is None
    if writer.document_by_source(text.source) is not None if is_new else _is_moved(writer, text):
        raise Moved(MOVED)
    named = replace(new.source_text, source=shadow_source(id_, new.source_text.source))
    written = writer.put_document(replace(new, source_text=named), at=at)
    assert written is not None


def _is_moved(writer: StoreWriter, text: ProposedText) -> bool:
    return text.document_id is not None and moved_to(writer, text.document_id, text.base_version)


def _body(percent: int, reason: str) -> dict[str, object]:
    return {"percent": percent, "reason": reason}


def _append(
    writer: StoreWriter,
    promotion: Promotion,
    number: int,
    body: dict[str, object],
    *,
    state: JobState | None,
    at: datetime,
) -> None:
    form = to_json(body)
    assert isinstance(form, dict)
    step = Step(number=number, kind=StepKind.CANARY_MOVED.value, body=form, at=at)
    if not writer.append_steps(promotion.job_id, [step], state=state, at=at):
        raise StoreBusy(f"Another process goes on with the job {promotion.job_id}: look at it again.")
