"""Candidates are taken over, shown to more people, and taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update
from sqlalchemy.dialects.sqlite import insert

from evolore.errors import InvalidValue, NotFound
from evolore.store.event_kinds import EventKind
from evolore.store.evolution_rows import promotion_row
from evolore.store.evolution_tables import promotion_documents, promotions
from evolore.store.faults import FaultPoint, reached

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import RowMapping

    from evolore.domain.evolving import PromotedDocument, Promotion
    from evolore.store.batch import Batch

_WHOLE = 100


def put_promotion(batch: Batch, promotion: Promotion) -> str:
    """Write a promotion, and give its event."""
    batch.connection.execute(insert(promotions), [{"ns": batch.ns, **promotion_row(promotion)}])
    _put_documents(batch, promotion.id, promotion.documents)
    reached(FaultPoint.PROMOTION_WRITTEN)
    body = {
        "job": promotion.job_id,
        "candidate": promotion.candidate_id,
        "operator": promotion.operator.value,
        "win_rate": promotion.win_rate,
        "percent": promotion.percent,
        "is_by_policy": promotion.is_by_policy,
        "is_edited": promotion.is_edited,
        "documents": [[one.document_id, one.before, one.after] for one in promotion.documents],
    }
    return _tell(batch, EventKind.PROMOTED, promotion.id, body)


def set_percent(batch: Batch, promotion_id: str, percent: int, *, documents: Sequence[PromotedDocument]) -> str:
    """Note before which share of people a promotion is, and give the event.

    Raises:
        NotFound: There is no such promotion.
        InvalidValue: It was taken back, or the share is no percentage.
    """
    if not 0 <= percent <= _WHOLE:
        raise InvalidValue(f"The share of people is {percent} %: give 0 to {_WHOLE}.")
    _refuse_unless_holding(batch, promotion_id)
    _set(batch, promotion_id, {"percent": percent})
    _put_documents(batch, promotion_id, documents)
    reached(FaultPoint.PROMOTION_WRITTEN)
    body = {"percent": percent, "documents": [[one.document_id, one.before, one.after] for one in documents]}
    return _tell(batch, EventKind.PERCENT_CHANGED, promotion_id, body)


def close_promotion(
    batch: Batch, promotion_id: str, *, documents: Sequence[PromotedDocument], reason: str, principal: str | None
) -> str:
    """Note that a promotion was taken back, and give the event.

    Raises:
        NotFound: There is no such promotion.
        InvalidValue: It was taken back already.
    """
    _refuse_unless_holding(batch, promotion_id)
    back = {"rolled_back_at": batch.recorded_at, "rolled_back_by": principal, "rollback_reason": reason}
    _set(batch, promotion_id, back)
    _put_documents(batch, promotion_id, documents)
    reached(FaultPoint.PROMOTION_WRITTEN)
    body = {"documents": [[one.document_id, one.before, one.after, one.restored] for one in documents]}
    return _tell(batch, EventKind.ROLLED_BACK, promotion_id, body)


def _refuse_unless_holding(batch: Batch, promotion_id: str) -> None:
    here = (promotions.c.ns == batch.ns, promotions.c.id == promotion_id)
    row: RowMapping | None = batch.connection.execute(select(promotions).where(*here)).mappings().first()
    if row is None:
        raise NotFound(f"No promotion has the id {promotion_id!r} here: the history of a document shows them.")
    if row["rolled_back_at"] is not None:
        raise InvalidValue(
            f"The promotion {promotion_id!r} was taken back on {row['rolled_back_at']}: nothing is left."
        )


def _set(batch: Batch, promotion_id: str, values: dict[str, Any]) -> None:
    here = (promotions.c.ns == batch.ns, promotions.c.id == promotion_id)
    batch.connection.execute(update(promotions).where(*here).values(values))


def _put_documents(batch: Batch, promotion_id: str, documents: Sequence[PromotedDocument]) -> None:
    """Write what a promotion did to documents, in the place of what was noted of these before."""
    for place, one in enumerate(documents):
        did = {"before": one.before, "after": one.after, "restored": one.restored}
        key = {"ns": batch.ns, "promotion_id": promotion_id, "document_id": one.document_id}
        written = insert(promotion_documents).values(**key, place=place, **did)
        batch.connection.execute(written.on_conflict_do_update(index_elements=list(key), set_=did))


def _tell(batch: Batch, kind: EventKind, promotion_id: str, body: dict[str, Any]) -> str:
    (event_id,) = batch.append_events(kind, [(promotion_id, body)])
    return event_id
