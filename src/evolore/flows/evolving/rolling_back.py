"""``rollback``: the texts before a promotion are back, byte for byte, as versions of their own; crossovers as a whole."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolore.domain.checks import check_text
from evolore.domain.evolving import JobState, ProposedText, Step
from evolore.domain.filters import Target
from evolore.errors import InvalidValue, NotFound, StoreBusy
from evolore.evolution.job import StepKind
from evolore.evolution.job_folding import taken_by
from evolore.evolution.settings import WHOLE_PERCENT
from evolore.flows.evolving.canaries import read_canary
from evolore.flows.evolving.canary_moves import stop
from evolore.flows.evolving.naming import promotion_named
from evolore.flows.linking import link_passages
from evolore.flows.next_version import next_version

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from evolore.domain.evolving import PromotedDocument, Promotion
    from evolore.flows.context import Context
    from evolore.ports import NewDocument, StoreReader, StoreWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack:
    """What a rollback did.

    Args:
        promotion: As it is now, with the versions that restored its documents.
        descendants: Later promotions of the same documents, whose texts rest on what was taken back; look at them again.
        reopened: The feedback that is open again.
    """

    promotion: Promotion
    descendants: tuple[Promotion, ...] = ()
    reopened: tuple[str, ...] = ()


def rollback(context: Context, promotion_id: str, *, reason: str) -> RolledBack:
    """Restore what a promotion changed, as the next versions of its documents; take a canary from everybody.

    Args:
        context: The ports; its principal is who rolls back.
        promotion_id: The promotion or its job, or the beginning of either id.
        reason: Why.

    Raises:
        NotFound: There is no such promotion, or one of its documents is not there any more.
        AmbiguousId: It begins several ids.
        InvalidValue: The reason is blank, it was rolled back already, or a source changed a document since.
        StoreBusy: A document changed at this moment; try again.
    """
    check_text(reason, "The reason")
    with context.store.read(context.namespace) as reader:
        promotion = promotion_named(reader, promotion_id)
        if promotion.rolled_back_at is not None:
            raise InvalidValue(f"The promotion {promotion.id} was rolled back already, at {promotion.rolled_back_at}.")
        canary = None if promotion.percent == WHOLE_PERCENT else read_canary(reader, promotion)
    if canary is not None:
        stopped = stop(context, canary, JobState.ROLLED_BACK, reason=reason)
        return RolledBack(promotion=stopped, reopened=_taken(context, stopped))
    return _rollback(context, promotion, reason=reason)


def _rollback(context: Context, promotion: Promotion, *, reason: str) -> RolledBack:
    with context.store.read(context.namespace) as reader:
        texts = [_before(reader, one) for one in promotion.documents if one.before]
        descendants = _descendants(reader, promotion)
        taken = taken_by(reader.steps(promotion.job_id))
    ready = [next_version(context, text) for text in texts]
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        restored = _restored(writer, promotion, texts, ready, at=at)
        writer.close_promotion(promotion.id, documents=restored, reason=reason, at=at)
        writer.set_processed(taken, None)
        _note(writer, promotion, reason, at=at)
        closed = writer.promotion(promotion.id)
        assert closed is not None
    _erase_made(context, closed)
    link_passages(context, [one.document_id for one in closed.documents if one.before])
    return RolledBack(promotion=closed, descendants=descendants, reopened=taken)


def _taken(context: Context, promotion: Promotion) -> tuple[str, ...]:
    with context.store.read(context.namespace) as reader:
        return taken_by(reader.steps(promotion.job_id))


def _before(reader: StoreReader, one: PromotedDocument) -> ProposedText:
    document = reader.document(one.document_id)
    text = reader.document_text(one.document_id, one.before)
    if document is None or text is None:
        raise NotFound(f"The document {one.document_id} is not there any more: it was forgotten, with its versions.")
    known = {
        number
        for other in reader.promotions(document_id=one.document_id)
        for mine in other.documents
        if mine.document_id == one.document_id
        for number in (mine.after, mine.restored)
        if number is not None
    }
    assert one.after is not None
    if any(number not in known for number in range(one.after, document.version + 1)):
        raise InvalidValue(
            f"{document.source} was changed at its source since: what it says now is not what was promoted. "
            "Change it there, and add it again."
        )
    return ProposedText(text=text, document_id=one.document_id, base_version=document.version)


def _descendants(reader: StoreReader, promotion: Promotion) -> tuple[Promotion, ...]:
    after = {one.document_id: one.after for one in promotion.documents}
    found: dict[str, Promotion] = {}
    for document_id, version in after.items():
        for other in reader.promotions(document_id=document_id):
            mine = next(one for one in other.documents if one.document_id == document_id)
            if (
                other.id != promotion.id
                and mine.after
                and other.rolled_back_at is None
                and mine.before >= (version or 0)
            ):
                found[other.id] = other
    return tuple(found.values())


def _restored(
    writer: StoreWriter,
    promotion: Promotion,
    texts: Sequence[ProposedText],
    ready: Sequence[NewDocument],
    *,
    at: datetime,
) -> list[PromotedDocument]:
    versions: dict[str, int] = {}
    for text, new in zip(texts, ready, strict=True):
        document = writer.put_document(replace(new, previous_version=text.base_version), at=at)
        if document is None:
            raise StoreBusy(f"The document {text.document_id} changed at this moment: try again.")
        versions[document.id] = document.version
    return [replace(one, restored=versions.get(one.document_id, 0)) for one in promotion.documents]


def _note(writer: StoreWriter, promotion: Promotion, reason: str, *, at: datetime) -> None:
    steps = writer.steps(promotion.job_id)
    number = steps[-1].number + 1 if steps else 1
    step = Step(number=number, kind=StepKind.ROLLED_BACK.value, body={"reason": reason}, at=at)
    if not writer.append_steps(promotion.job_id, [step], state=JobState.ROLLED_BACK, at=at):
        raise StoreBusy(f"Another process goes on with the job {promotion.job_id}: try again.")


def _erase_made(context: Context, promotion: Promotion) -> None:
    """Erase the documents that a promotion made: nothing was there before."""
    ids = [one.document_id for one in promotion.documents if not one.before]
    with context.store.read(context.namespace) as reader:
        there = [id_ for id_ in ids if reader.document(id_) is not None]
    for id_ in there:
        context.store.erase(context.namespace, Target(item_id=id_), principal=context.principal)
