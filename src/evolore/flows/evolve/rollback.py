"""``rollback``: restore the texts before a promotion, byte for byte, as new versions; crossovers as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from evolore.domain.checks import check_text
from evolore.domain.document import Document
from evolore.domain.evolution import JobState, KeptStretch, PromotedDocument, Promotion, ProposedText, Standing
from evolore.domain.filters import Target
from evolore.domain.result import Result
from evolore.domain.review import Resolution, ReviewStatus
from evolore.errors import InputError, InvalidValue, NotFound, StoreBusy
from evolore.evolution.job import merged_at
from evolore.evolution.job_steps import Closed, StepKind, read_step
from evolore.evolution.policy import is_from_source, rests_on
from evolore.evolution.rebase import stretches, without
from evolore.evolution.settings import WHOLE_PERCENT
from evolore.flows.context import Context
from evolore.flows.document_version import link_passages, next_version
from evolore.flows.evolve.canary import read_canary, stop
from evolore.flows.evolve.documents import promotion_named
from evolore.flows.evolve.log import append_step
from evolore.flows.evolve.promote import moved_to
from evolore.flows.evolve.write import note_merges
from evolore.flows.rebase import held_by, is_said, line_of, said_by_source, standings, waiting_of
from evolore.ports import NewDocument
from evolore.store.reading import StoreReader
from evolore.store.writing import StoreWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class RolledBack(Result):
    """What a rollback did."""

    promotion: Promotion  #: As it is now, with the versions that restored its documents.
    #: Later promotions of the same documents, whose texts rest on what was taken back; look at them again.
    descendants: tuple[Promotion, ...] = ()
    reopened: tuple[str, ...] = ()  #: The feedback that is open again.


def rollback(context: Context, promotion_id: str, *, reason: str) -> RolledBack:
    """Restore what a promotion changed, as the next versions of its documents; take a canary from everybody."""
    check_text(reason, "The reason")
    reason = context.screen(reason, "reason", of="The rollback")
    with context.store.read(context.namespace) as reader:
        promotion = promotion_named(reader, promotion_id)
        if promotion.rolled_back_at is not None:
            raise InvalidValue(f"The promotion {promotion.id} was rolled back already, at {promotion.rolled_back_at}.")
        canary = None if promotion.percent == WHOLE_PERCENT else read_canary(reader, promotion)
    if canary is not None:
        stopped, reopened = stop(context, canary, JobState.ROLLED_BACK, reason=reason)
        return RolledBack(promotion=stopped, reopened=reopened)
    return _rollback(context, promotion, reason=reason)


def follow_file(context: Context, present: Document, text: str) -> tuple[str, ...]:
    """Record what the text of a source, not added yet, does to promotions: it may be merged in it, or taken back.

    A promotion is taken back where its sources said it and say again what they said before, all of them; and where it was
    committed on branches that are gone, and neither its source says it nor another branch holds the commit.

    Returns:
        What was taken back, in sentences.
    """
    with context.store.read(context.namespace) as reader:
        line = line_of(reader, present.id)
        whys = [(one, _why_back(context, reader, one, present, text)) for one, mine in line if mine.before]
    back = [(one, why) for one, why in whys if why]
    for one, why in back:
        _rollback(context, one, reason=why, is_by_source=True)
    if line:
        note_merges(context, present, text)
    return tuple(f"The promotion {one.id} is rolled back: {why}" for one, why in back)


def _why_back(context: Context, reader: StoreReader, promotion: Promotion, present: Document, text: str) -> str:
    steps = reader.steps_of([promotion.job_id], {StepKind.MERGED, StepKind.BRANCHED}).get(promotion.job_id, [])
    was_said, said = merged_at(steps, promotion.id, present.id) is not None, dict[str, bool | None]()
    for one in promotion.documents:
        document = reader.document(one.document_id)
        if one.before and document is not None:
            own = said_by_source(reader, document.id, document.version) or ""
            said[document.id] = is_said(reader, document.media_type, one, own)
    was_said |= said.get(present.id) is True
    mine = next(one for one in promotion.documents if one.document_id == present.id)
    said[present.id] = is_said(reader, present.media_type, mine, text)
    if was_said and set(said.values()) == {False}:
        return "its file says again what it said before."
    branches = [] if said[present.id] else [read_step(one) for one in steps if one.kind == StepKind.BRANCHED.value]
    if branches and all(context.reader.is_branch_dropped(Path(one.root), one.branch, one.commit) for one in branches):
        return f"the branch {branches[-1].branch} was deleted, and nothing holds its commit."
    return ""


def _rollback(context: Context, promotion: Promotion, *, reason: str, is_by_source: bool = False) -> RolledBack:
    with context.store.read(context.namespace) as reader:
        _refuse_unless_there(reader, promotion)
        if not is_by_source:
            _refuse_in_source(reader, promotion)
        backs = [back for one in promotion.documents if (back := _before(reader, promotion, one)) is not None]
        waiting = [id_ for one in promotion.documents for id_ in _waiting(reader, one)]
        made = _made(reader, promotion)
        descendants = _descendants(reader, promotion)
    texts = [text for text, _ in backs]
    ready = [replace(next_version(context, text), stretches=kept) for text, kept in backs]
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        restored = _restored(writer, promotion, texts, ready, at=at)
        _erase(writer, made, at=at)
        for id_ in waiting:
            writer.set_review_status(id_, ReviewStatus.RESOLVED, note=None, at=at, by=Resolution.GONE)
        writer.close_promotion(promotion.id, documents=restored, reason=reason, at=at)
        reopened = writer.reopen_feedback(promotion.job_id)
        _note(writer, promotion, reason, at=at)
        closed = writer.promotion(promotion.id)
        assert closed is not None
    if made:
        context.store.take_out_erased()
    link_passages(context, [text.document_id for text in texts if text.document_id is not None])
    return RolledBack(promotion=closed, descendants=descendants, reopened=reopened)


def can_roll_back(reader: StoreReader, promotion: Promotion) -> bool:
    """Return whether ``rollback`` would take a promotion that is before everybody back now."""
    if promotion.rolled_back_at is not None:
        return False
    with suppress(InputError):
        _refuse_unless_there(reader, promotion)
        _refuse_in_source(reader, promotion)
        return bool(_made(reader, promotion)) or any(_before(reader, promotion, one) for one in promotion.documents)
    return False


def _refuse_unless_there(reader: StoreReader, promotion: Promotion) -> None:
    """Refuse where every document was forgotten; of those that are left each can be restored."""
    changed = [one.document_id for one in promotion.documents if one.before]
    if changed and all(reader.document(id_) is None for id_ in changed):
        named = "document" if len(changed) == 1 else "documents"
        gone = "is not there any more: it was forgotten, with its versions."
        if len(changed) > 1:
            gone = "are not there any more: they were forgotten, with their versions."
        raise NotFound(f"The {named} {', '.join(changed)} {gone}")


_Back: TypeAlias = tuple[ProposedText, tuple[KeptStretch, ...] | None]
"""What a document is to say again, and where that is something else than its source; None where a version before says so."""


def _before(reader: StoreReader, promotion: Promotion, one: PromotedDocument) -> _Back | None:
    """Return the text before a promotion; where its source changed since, the source's in the sections that still hold.

    None where there was none before, or nothing that is there rests on the promotion.
    """
    document = reader.document(one.document_id)
    if not one.before or document is None or not _is_there(reader, promotion, one):
        return None
    if _has_moved(reader, document, one):
        return _rebased(reader, document, one)
    text = reader.document_text(one.document_id, one.before)
    assert text is not None
    back = ProposedText(text=text, document_id=one.document_id, base_version=document.version)
    return back, reader.kept_stretches(one.document_id, one.before)


def _rebased(reader: StoreReader, document: Document, one: PromotedDocument) -> _Back | None:
    """Return a document with its source's text in the sections that a promotion wrote and that hold; None where none does."""
    text, said = reader.document_text(document.id), said_by_source(reader, document.id, document.version)
    assert text is not None
    kept = reader.kept_stretches(document.id, document.version)
    if kept is None:
        kept = stretches(said or "", text, media_type=document.media_type)
    taken = held_by(reader, one, text, kept, document.media_type)
    if not taken:
        return None
    back, left = without(text, kept, taken)
    return ProposedText(text=back, document_id=document.id, base_version=document.version), left


def _has_moved(reader: StoreReader, document: Document, one: PromotedDocument) -> bool:
    """Return whether the source of a document said something else since a change of it was promoted."""
    line = reader.promotions(document_id=one.document_id)
    restored = {mine.restored for other in line for mine in other.documents if mine.document_id == document.id}
    rebased = reader.rebased_versions(document.id) - restored
    assert one.after is not None
    numbers = range(one.after, document.version + 1)
    return any(number in rebased or is_from_source(line, one.document_id, number) for number in numbers)


def _is_there(reader: StoreReader, promotion: Promotion, one: PromotedDocument) -> bool:
    """Return whether what a document says now may rest on a promotion: it may be taken back already, with one before it."""
    document = reader.document(one.document_id)
    if document is None:
        return False
    line = reader.promotions(document_id=one.document_id)
    rebased = reader.rebased_versions(one.document_id)
    return promotion.id in rests_on(line, one.document_id, document.version, rebased=rebased)


def _refuse_in_source(reader: StoreReader, promotion: Promotion) -> None:
    """Refuse where nothing is left to take back, because sources say it, or changed what the promotion made."""
    for one in promotion.documents:
        document = reader.document(one.document_id)
        if document is None or not _has_moved(reader, document, one):
            continue
        if not one.before or _is_only_in_source(reader, document, promotion):
            raise InvalidValue(
                f"{document.source} was changed at its source since, and what it says now is the source's own: "
                "change it there, and add it again."
            )


def _is_only_in_source(reader: StoreReader, document: Document, promotion: Promotion) -> bool:
    mine = {one.standing for one in standings(reader, document) if one.promotion_id == promotion.id}
    return Standing.IN_SOURCE in mine and mine <= {Standing.IN_SOURCE, Standing.GONE}


def _waiting(reader: StoreReader, one: PromotedDocument) -> tuple[str, ...]:
    document = reader.document(one.document_id)
    return () if document is None else tuple(waiting_of(reader, document, one))


def _made(reader: StoreReader, promotion: Promotion) -> dict[str, int]:
    """Return the documents that a promotion made and that are still there, each with its version: nothing was before."""
    there = [one for one in promotion.documents if not one.before and _is_there(reader, promotion, one)]
    return {one.id: one.version for one in [reader.document(one.document_id) for one in there] if one is not None}


def _erase(writer: StoreWriter, made: Mapping[str, int], *, at: datetime) -> None:
    if any(moved_to(writer, id_, version) for id_, version in made.items()):
        raise StoreBusy("A document that the change made was changed or forgotten at this moment: try again.")
    if made:
        writer.erase(Target(item_ids=tuple(made)), at=at)


def _descendants(reader: StoreReader, promotion: Promotion) -> tuple[Promotion, ...]:
    found: dict[str, Promotion] = {}
    for document_id in (one.document_id for one in promotion.documents):
        line = reader.promotions(document_id=document_id)
        rebased = reader.rebased_versions(document_id)
        for other in line:
            mine = next(one for one in other.documents if one.document_id == document_id)
            is_later = other.id != promotion.id and mine.after is not None and other.rolled_back_at is None
            if is_later and promotion.id in rests_on(line, document_id, mine.before, rebased=rebased):
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
    return [replace(one, restored=versions.get(one.document_id) if one.before else 0) for one in promotion.documents]


def _note(writer: StoreWriter, promotion: Promotion, reason: str, *, at: datetime) -> None:
    steps = writer.steps(promotion.job_id)
    if not steps:  # they quoted something that was forgotten
        writer.end_erased(promotion.job_id, JobState.ROLLED_BACK, at=at)
        return
    number, body = steps[-1].number + 1, Closed(reason=reason)
    append_step(writer, promotion.job_id, number, StepKind.ROLLED_BACK, body, state=JobState.ROLLED_BACK, at=at)
