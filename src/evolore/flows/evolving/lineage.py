"""``generations``: how a document came to read as it does, promotion by promotion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.evolution.job_folding import taken_by
from evolore.flows.browse import document_named

if TYPE_CHECKING:
    from evolore.domain.evolving import PromotedDocument, Promotion
    from evolore.flows.context import Context
    from evolore.ports import StoreReader


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentGeneration:
    """One promotion in a document's line.

    Args:
        number: Counts promotions of the document from 1.
        promotion: Who took what over, when, and whether it was taken back.
        document: The versions of this document before and after, and what restored it.
        feedback_ids: What gave rise to it.
        before: The whole text before; None where it was forgotten, or there was none.
        after: The whole text that was promoted; None where it was forgotten.
        rests_on_rolled_back: Whether its text was made from one that was taken back since: look at it again.
    """

    number: int
    promotion: Promotion
    document: PromotedDocument
    feedback_ids: tuple[str, ...]
    before: str | None
    after: str | None
    rests_on_rolled_back: bool


def generations(context: Context, document_id: str) -> tuple[DocumentGeneration, ...]:
    """Give a document's line, oldest first.

    Raises:
        NotFound: No document has the id or source.
        AmbiguousId: It begins several ids.
    """
    with context.store.read(context.namespace) as reader:
        document = document_named(reader, document_id)
        every = [(one, _of(one, document.id)) for one in reader.promotions(document_id=document.id)]
        line = [(one, mine) for one, mine in every if mine.after]  # a canary is no generation before it is before all
        return tuple(
            DocumentGeneration(
                number=number,
                promotion=promotion,
                document=mine,
                feedback_ids=taken_by(reader.steps(promotion.job_id)),
                before=_text(reader, document.id, mine.before),
                after=_text(reader, document.id, mine.after),
                rests_on_rolled_back=_rests(promotion, mine, line),
            )
            for number, (promotion, mine) in enumerate(line, start=1)
        )


def _of(promotion: Promotion, document_id: str) -> PromotedDocument:
    return next(one for one in promotion.documents if one.document_id == document_id)


def _text(reader: StoreReader, document_id: str, version: int | None) -> str | None:
    return reader.document_text(document_id, version) if version else None


def _rests(promotion: Promotion, mine: PromotedDocument, line: list[tuple[Promotion, PromotedDocument]]) -> bool:
    """Tell whether an earlier one whose text this was made from was taken back after this was promoted."""
    return promotion.rolled_back_at is None and any(
        (theirs.restored or 0) > (mine.after or 0)  # versions rise, also where a clock is set back
        and (theirs.after or 0) <= mine.before
        for other, theirs in line
        if other.id != promotion.id
    )
