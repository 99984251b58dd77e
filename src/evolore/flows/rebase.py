"""Keep promoted sections where a source changed elsewhere, and ask a person about the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256

from evolore.domain import review
from evolore.domain.document import Document, MediaType, Span
from evolore.domain.evolution import KeptStretch, PromotedDocument, Promotion, PromotionStanding, Standing
from evolore.domain.result import Result
from evolore.errors import InvalidValue, StoreBusy
from evolore.evolution.edits import both_changed
from evolore.evolution.rebase import (
    ChangeFate,
    PlacedChange,
    Rebased,
    SectionChange,
    changes_between,
    keys_of,
    rebase,
    source_text,
)
from evolore.flows.context import Context
from evolore.flows.document_version import link_passages, version_of
from evolore.flows.review import item_with_id, whole_id
from evolore.store.reading import StoreReader
from evolore.store.writing import StoreWriter


class SettledSection(Exception):
    """Say that a person decided about a section while its source was added."""


def line_of(reader: StoreReader, document_id: str) -> tuple[tuple[Promotion, PromotedDocument], ...]:
    """Return the promotions of a document that are before everybody and were not taken back, oldest first."""
    return tuple(
        (one, mine)
        for one in reader.promotions(document_id=document_id)
        for mine in one.documents
        if mine.document_id == document_id and mine.after and one.rolled_back_at is None
    )


def said_by_source(reader: StoreReader, document_id: str, version: int) -> str | None:
    """Return what the source of a document said when a version was written; None where it has none."""
    every = [mine for one in reader.promotions(document_id=document_id) for mine in one.documents]
    mine = [one for one in every if one.document_id == document_id]
    before = {number: one.before for one in mine for number in (one.after, one.restored) if number}
    while version:
        kept = reader.kept_stretches(document_id, version)
        text = reader.document_text(document_id, version)
        if text is None or (kept is None and version not in before):
            return text
        if kept is not None:
            return source_text(text, kept)
        version = before[version]
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingChange:
    """A promoted section that a person is asked about."""

    item: review.ReviewItem  #: The review item.
    change: SectionChange  #: What was promoted, in the version that the item names.


def _changes_in(reader: StoreReader, document: Document, version: int) -> tuple[SectionChange, ...]:
    """Return what a version of a document says otherwise than its source did."""
    text, said = reader.document_text(document.id, version), said_by_source(reader, document.id, version)
    return () if text is None or said is None else changes_between(said, text, media_type=document.media_type)


def waiting_changes(reader: StoreReader, document: Document) -> tuple[WaitingChange, ...]:
    """Return the promoted sections of a document that a person is asked about, in the order in which they were filed."""
    wanted = review.ReviewFilter(
        status=review.ReviewStatus.OPEN, category=review.ReviewCategory.PROMOTION, document_id=document.id
    )
    found = ((item, _change_of(reader, document, item)) for item in reader.review_items(wanted))
    return tuple(WaitingChange(item=item, change=change) for item, change in found if change is not None)


def _change_of(reader: StoreReader, document: Document, item: review.ReviewItem) -> SectionChange | None:
    """Read again what an item is about; None where its document is marked up in another way since."""
    version = item.version or 0
    every = _changes_in(reader, document, version)
    return next((one for one in every if _cause(document.id, version, one) == item.cause), None)


def _found(reader: StoreReader, document: Document, item: review.ReviewItem) -> SectionChange:
    found = _change_of(reader, document, item)
    if found is None:
        raise InvalidValue(
            f"The document of the review item {item.id} is marked up in another way since: take the text from version "
            f"{item.version} of it, and resolve the item with `evolore review resolve {item.id}`."
        )
    return found


def _cause(document_id: str, version: int, change: SectionChange) -> str:
    place = str(change.span.start)
    return review.cause_of(review.ReviewCategory.PROMOTION, document_id, str(version), place, change.base, change.text)


def standings(reader: StoreReader, document: Document) -> tuple[PromotionStanding, ...]:
    """Return what there is of each section that was promoted in a document and not taken back, oldest first."""
    line = line_of(reader, document.id)
    if not line:
        return ()
    known = _Known(
        present=Counter(keys_of(reader.document_text(document.id) or "", document.media_type)),
        source=Counter(keys_of(said_by_source(reader, document.id, document.version) or "", document.media_type)),
        waiting=waiting_changes(reader, document),
    )
    return tuple(
        _standing(promotion, change, known)
        for promotion, mine in line
        for change in _promoted(reader, document.media_type, mine)
    )


def is_said(reader: StoreReader, media_type: MediaType, mine: PromotedDocument, text: str) -> bool | None:
    """Return whether the text of a source says all that was promoted in its document.

    False where it went back to all that was said before; None where it says anything else.
    """
    counted, changes = Counter(keys_of(text, media_type)), _promoted(reader, media_type, mine)
    said = {_stands_in(one, counted) for one in changes}
    is_before = all(counted.keys() >= set(one.base_keys) for one in changes)
    return said.pop() if len(said) == 1 and (True in said or is_before) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    present: Counter[str]
    source: Counter[str]
    waiting: tuple[WaitingChange, ...]


def _promoted(reader: StoreReader, media_type: MediaType, mine: PromotedDocument) -> tuple[SectionChange, ...]:
    before = reader.document_text(mine.document_id, mine.before) if mine.before else ""
    after = reader.document_text(mine.document_id, mine.after)
    return () if before is None or after is None else changes_between(before, after, media_type=media_type)


def _standing(promotion: Promotion, change: SectionChange, known: _Known) -> PromotionStanding:
    standing, review_id = Standing.GONE, None
    waits = next((one for one in known.waiting if _is_same(one.change, change)), None)
    if _stands_in(change, known.present):
        standing = Standing.IN_SOURCE if _stands_in(change, known.source) else Standing.HELD
    elif waits is not None:
        standing, review_id = Standing.WAITING, waits.item.id
    return PromotionStanding(
        promotion_id=promotion.id, job_id=promotion.job_id, section=change.path, standing=standing, review_id=review_id
    )


def _stands_in(change: SectionChange, counted: Counter[str]) -> bool:
    if change.text_keys:
        return min(counted[key] for key in change.text_keys) > change.said_before
    return counted.keys().isdisjoint(change.base_keys)


def _is_same(waiting: SectionChange, promoted: SectionChange) -> bool:
    if waiting.text_keys or promoted.text_keys:
        return set(waiting.text_keys) >= set(promoted.text_keys) and bool(promoted.text_keys)
    return waiting.base_keys == promoted.base_keys


@dataclass(frozen=True, slots=True, kw_only=True)
class RebasePlan:
    """What a new text of a source makes of a document with promoted sections."""

    text: str  #: What the document is to say.
    kept: tuple[KeptStretch, ...]  #: Where that is something else than its source says.
    items: tuple[review.ReviewItem, ...]  #: What a person is to be asked.
    settled: tuple[str, ...]  #: The review items that ask nothing any more.
    seen: tuple[str, ...]  #: All that were open.

    def write(self, writer: StoreWriter, *, at: datetime) -> None:
        """File what a person is to be asked, and close what needs no answer any more, in the transaction that is open.

        Raises:
            Settled: A person settled one meanwhile.
        """
        for id_ in self.seen:
            item = writer.review_item(id_)
            if item is None or item.status is not review.ReviewStatus.OPEN:
                raise SettledSection
        for id_ in self.settled:
            writer.set_review_status(id_, review.ReviewStatus.RESOLVED, note=None, at=at, by=review.Resolution.GONE)
        writer.file_review_items(self.items, at=at)


def plan_rebase(reader: StoreReader, present: Document, text: str, media_type: MediaType) -> RebasePlan | None:
    """Plan what becomes of the promoted sections of a document whose source says something else now.

    Returns:
        The plan; None where nothing was promoted that the source does not say.
    """
    waiting = waiting_changes(reader, present)
    standing = _changes_in(reader, present, present.version) if _is_promoted(present) else ()
    if not (waiting or standing):
        return None
    made = rebase([*(one.change for one in waiting), *standing], text, media_type=media_type)
    asked, fresh = made.placed[: len(waiting)], made.placed[len(waiting) :]
    items = tuple(_item(present, one) for one in fresh if one.fate is ChangeFate.WAITING)
    ids = [one.item.id for one in waiting if one.item.id is not None]
    settled = [id_ for id_, one in zip(ids, asked, strict=True) if one.fate is not ChangeFate.WAITING]
    return RebasePlan(text=made.text, kept=made.kept, items=items, settled=tuple(settled), seen=tuple(ids))


def _is_promoted(document: Document) -> bool:
    return document.source_sha256 is not None and document.source_sha256 != document.content_sha256


def _item(document: Document, placed: PlacedChange) -> review.ReviewItem:
    change = placed.change
    reason, suggestion = both_changed(" > ".join(change.path), document.language)
    return review.ReviewItem(
        category=review.ReviewCategory.PROMOTION,
        reason=reason,
        suggestion=suggestion,
        priority=review.Priority.HIGH,
        language=document.language,
        text_length=len(change.text),
        cause=_cause(document.id, document.version, change),
        document_id=document.id,
        version=document.version,
        span=change.span,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionConflict(Result):
    """A section that was promoted, and that its source changed too."""

    item: review.ReviewItem  #: The review item.
    section: tuple[str, ...]  #: The titles above it, its own last.
    base: str  #: What its source said when it was promoted; empty where it was put in.
    promoted: str  #: What was promoted; empty where it was taken out.
    source: str  #: What the source says there now; empty where it says nothing.


def conflict(context: Context, item_id: str) -> PromotionConflict:
    """Show what was promoted and what its source says now, with what it said before."""
    with context.store.read(context.namespace) as reader:
        item = item_with_id(reader, whole_id(reader, item_id))
        document = _document(reader, item)
        change = _found(reader, document, item)
        said = said_by_source(reader, document.id, document.version) or ""
    placed = rebase([change], said, media_type=document.media_type).placed[0]
    return PromotionConflict(
        item=item, section=change.path, base=change.base, promoted=change.text, source=_cut(placed.span, said)
    )


def _cut(span: Span | None, text: str) -> str:
    return "" if span is None else span.of(text)


def _document(reader: StoreReader, item: review.ReviewItem) -> Document:
    found = None if item.document_id is None else reader.document(item.document_id)
    if item.category is not review.ReviewCategory.PROMOTION or found is None:
        raise InvalidValue(f"The review item {item.id} is not about a promoted section: it is {item.category.value}.")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledPromotion(Result):
    """What deciding about a promoted section did."""

    item: review.ReviewItem  #: The review item, resolved.
    document: Document  #: The document as it is now.


def settle_promotion(
    context: Context, item_id: str, *, keep: review.Keep | str, note: str | None = None
) -> SettledPromotion:
    """Decide about a section that was promoted and that its source changed: keep one text or the other."""
    if keep not in {review.Keep.PROMOTED, review.Keep.SOURCE}:
        raise InvalidValue(f"keep is {keep!r}: for a promoted section, use promoted or source.")
    note = note and context.screen(note, "note", of="The review item")
    with context.store.read(context.namespace) as reader:
        item = item_with_id(reader, whole_id(reader, item_id))
        document = _document(reader, item)
        _refuse_settled(item)
        made = _with_promoted(reader, document, item) if keep == review.Keep.PROMOTED else None
    new = None if made is None else version_of(context, document, made.text, made.kept)
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        assert item.id is not None
        _refuse_settled(item_with_id(writer, item.id))
        written = document if new is None else writer.put_document(new, at=at)
        if written is None:
            raise StoreBusy(f"The document {document.source} changed at this moment: try again.")
        writer.set_review_status(item.id, review.ReviewStatus.RESOLVED, note=note, at=at)
        settled = SettledPromotion(item=item_with_id(writer, item.id), document=written)
    if new is not None:
        link_passages(context, [document.id])
    return settled


def _refuse_settled(item: review.ReviewItem) -> None:
    if item.status is review.ReviewStatus.RESOLVED:
        raise InvalidValue(f"The review item {item.id} is settled already: `evolore review reopen {item.id}` opens it.")


def _with_promoted(reader: StoreReader, document: Document, item: review.ReviewItem) -> Rebased:
    change = _found(reader, document, item)
    others = _changes_in(reader, document, document.version)
    said = said_by_source(reader, document.id, document.version) or ""
    made = rebase(others, said, media_type=document.media_type, forced=[change])
    if any(one.fate is ChangeFate.WAITING for one in made.placed):
        raise InvalidValue(
            f"Another promotion is where the review item {item.id} belongs: roll that back first, or keep the source."
        )
    return made


def held_by(
    reader: StoreReader, promotion: PromotedDocument, text: str, kept: Sequence[KeptStretch], media_type: MediaType
) -> tuple[Span, ...]:
    """Return the stretches of a text that a promotion wrote."""
    changes = _promoted(reader, media_type, promotion)
    return tuple(one.span for one in kept if any(_wrote(change, one, text, media_type) for change in changes))


def _wrote(change: SectionChange, kept: KeptStretch, text: str, media_type: MediaType) -> bool:
    here, there = keys_of(kept.span.of(text), media_type), keys_of(kept.source, media_type)
    if change.text_keys:
        return not set(here).isdisjoint(change.text_keys)
    return not here and not set(there).isdisjoint(change.base_keys)


def waiting_of(reader: StoreReader, document: Document, promotion: PromotedDocument) -> Iterator[str]:
    """Yield the review items that ask about what a promotion wrote."""
    changes = _promoted(reader, document.media_type, promotion)
    for one in waiting_changes(reader, document):
        if one.item.id is not None and any(_is_same(one.change, change) for change in changes):
            yield one.item.id


def text_sha256(text: str) -> str:
    """Return the hash of a text in UTF-8, in hex."""
    return sha256(text.encode("utf-8")).hexdigest()


def told(before: Collection[PromotionStanding], after: Sequence[PromotionStanding]) -> tuple[PromotionStanding, ...]:
    """Return what is to be said of promoted sections after their source changed: what is gone or was known is not."""
    known = {replace(one, review_id=None) for one in before if one.standing is Standing.IN_SOURCE}
    return tuple(one for one in after if one.standing is not Standing.GONE and one not in known)
