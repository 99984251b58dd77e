"""``review``: list, show, resolve and reopen what a person should check, and settle contradictions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import IO, TypeVar

from evolore.domain.checks import check_count, check_name, check_text
from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeState
from evolore.domain.result import Result
from evolore.domain.review import (
    ExportFormat,
    Keep,
    Priority,
    Resolution,
    ReviewCategory,
    ReviewFilter,
    ReviewItem,
    ReviewStatus,
    cause_of,
)
from evolore.episodes.contradictions import suggestion_for
from evolore.errors import InvalidValue, NotFound
from evolore.flows.browse import by_source_or_path, complete, document_named, resolve
from evolore.flows.context import Context
from evolore.flows.remember.world import bring_in_line
from evolore.flows.transfer import new_file
from evolore.ports import Change, ChangeKind, FieldChange
from evolore.store.reading import StoreReader
from evolore.store.writing import StoreWriter
from evolore.text.scripts import detect_language

Word = TypeVar("Word", bound=StrEnum)
_LONGEST_NOTE = 10_000
_FIELDS = (
    *("id", "category", "priority", "status", "source", "document_id", "version", "episode_id", "start", "end"),
    *("reason", "suggestion", "text_length", "attempts", "final_tier", "language", "cause", "created_at"),
    *("resolved_at", "resolution", "note"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for a formula at the beginning of a cell."""


def choose(
    context: Context,
    *,
    status: ReviewStatus | str | None,
    category: ReviewCategory | str | None,
    priority: Priority | str | None,
    document: str | None,
    unresolved_for_days: int | None,
    limit: int | None,
    after: tuple[Priority, datetime, str] | None = None,
) -> ReviewFilter:
    """Read what was asked for; ``unresolved_for_days`` means open items filed at least so many days ago."""
    chosen = _member(ReviewStatus, status, "status")
    before = None
    if unresolved_for_days is not None:
        check_count(unresolved_for_days, "unresolved_for_days")
        if chosen is ReviewStatus.RESOLVED:
            raise InvalidValue("unresolved_for_days asks for open items, and status is 'resolved': use one of them.")
        chosen = ReviewStatus.OPEN
        before = _days_ago(context, unresolved_for_days)
    return ReviewFilter(
        status=chosen,
        category=_member(ReviewCategory, category, "category"),
        priority=_member(Priority, priority, "priority"),
        document_id=None if document is None else _document_id(context, document),
        filed_before=before,
        after=after,
        limit=limit,
    )


def _days_ago(context: Context, days: int) -> datetime:
    try:
        return context.clock.now() - timedelta(days=days)
    except OverflowError as error:
        raise InvalidValue(f"unresolved_for_days is {days}: that is before the year 1; use fewer.") from error


def _document_id(context: Context, document: str) -> str:
    with context.store.read(context.namespace) as reader:
        return document_named(reader, document).id


def list_items(context: Context, wanted: ReviewFilter) -> tuple[ReviewItem, ...]:
    """List review items, the most urgent first, and of those the oldest first."""
    with context.store.read(context.namespace) as reader:
        return reader.review_items(wanted)


def show(context: Context, item_id: str) -> ReviewItem:
    """Return the review item that an id, or the beginning of one, names."""
    with context.store.read(context.namespace) as reader:
        return item_with_id(reader, whole_id(reader, item_id))


def whole_id(reader: StoreReader, item_id: str) -> str:
    """Complete the beginning of a review item's id."""
    return complete(item_id, reader.resolve_review, unknown=_unknown(item_id))


def _unknown(item_id: str) -> str:
    return f"No review item has the id {item_id!r} here: `evolore review list` shows the ids."


def item_with_id(reader: StoreReader, item_id: str) -> ReviewItem:
    """Return the review item with an id.

    Raises:
        NotFound: There is none.
    """
    found = reader.review_item(item_id)
    if found is None:
        raise NotFound(_unknown(item_id))
    return found


def set_status(context: Context, item_id: str, status: ReviewStatus, *, note: str | None) -> ReviewItem:
    """Resolve or reopen a review item; one that is so already is left as it is, but for a new note."""
    check_name(note, "note", most=_LONGEST_NOTE)
    note = note and context.screen(note, "note", of="The review item")
    with context.store.read(context.namespace) as reader:
        whole = whole_id(reader, item_id)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        present = item_with_id(writer, whole)
        if present.category is ReviewCategory.PAGE:
            raise InvalidValue(f"{whole} is a standing page: rebuild or remove it with `evolore page`.")
        if present.status is not status or (note is not None and note != present.note):
            writer.set_review_status(whole, status, note=note, at=context.clock.now())
        return item_with_id(writer, whole)


def file_procedure(writer: StoreWriter, one: Episode, *, at: datetime) -> tuple[str, ...]:
    """File a procedure that is new, or says something else now: others get it once the item is resolved."""
    item = ReviewItem(
        category=ReviewCategory.PROCEDURE,
        reason=one.about[0] if one.about else "",
        suggestion=suggestion_for(ReviewCategory.PROCEDURE, one.language),
        language=one.language,
        text_length=len(one.text),
        episode_id=one.id,
        cause=cause_of(ReviewCategory.PROCEDURE, one.id),
    )
    return writer.file_review_items([item], at=at)


def add_note(context: Context, text: str, *, priority: Priority | str, about: str | None) -> ReviewItem:
    """File a note by hand, about a document, a statement or nothing in particular."""
    check_text(text, "The note")
    check_name(text, "The note", most=_LONGEST_NOTE)
    text = context.screen(text, "text", of="The note")
    chosen = _member(Priority, priority, "priority") or Priority.NORMAL
    item = ReviewItem(category=ReviewCategory.NOTE, reason=text, priority=chosen, language=detect_language(text))
    with context.store.write(context.namespace, principal=context.principal) as writer:
        filed = writer.file_review_items([_about(writer, item, about)], at=context.clock.now())
        if not filed:
            raise NotFound(f"{about!r} is no part of a present document: name its document, or a passage it has now.")
        return item_with_id(writer, filed[0])


def _about(reader: StoreReader, item: ReviewItem, about: str | None) -> ReviewItem:
    if about is None:
        return item
    document = by_source_or_path(reader, about)
    if document is None:
        named = resolve(reader, about)
        document = reader.document(named)
        for episode in reader.episodes([named]):
            of_version = _version(reader, episode.document_id)
            return replace(item, episode_id=episode.id, document_id=episode.document_id, version=of_version)
    if document is None:
        raise NotFound(f"{about!r} is still being added: try again when that is done.")
    return replace(item, document_id=document.id, version=document.version)


def _version(reader: StoreReader, document_id: str | None) -> int | None:
    document = None if document_id is None else reader.document(document_id)
    return None if document is None else document.version


def export(context: Context, wanted: ReviewFilter, target: Path | IO[bytes], *, form: ExportFormat | str) -> int:
    """Write review items as JSON lines or CSV, and return their number."""
    chosen = _member(ExportFormat, form, "format") or ExportFormat.JSONL
    items = list_items(context, wanted)
    write: Callable[[tuple[ReviewItem, ...]], Iterator[str]] = _jsonl if chosen is ExportFormat.JSONL else _csv
    content = "".join(write(items)).encode("utf-8")
    with new_file(target) as stream:
        stream.write(content)
    return len(items)


def _fields(item: ReviewItem) -> dict[str, object]:
    values: dict[str, object] = {name: getattr(item, name, None) for name in _FIELDS}
    return values | {
        "start": item.span.start if item.span else None,
        "end": item.span.end if item.span else None,
        "attempts": [[attempt.tier.value, attempt.outcome.value] for attempt in item.attempts],
        "created_at": item.created_at and item.created_at.isoformat(),
        "resolved_at": item.resolved_at and item.resolved_at.isoformat(),
    }


def _jsonl(items: tuple[ReviewItem, ...]) -> Iterator[str]:
    for item in items:
        yield json.dumps(_fields(item), ensure_ascii=False) + "\n"


def _csv(items: tuple[ReviewItem, ...]) -> Iterator[str]:
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(_FIELDS)
    for item in items:
        rows.writerow([_cell(value) for value in _fields(item).values()])
    yield written.getvalue()


def _cell(value: object) -> object:
    """Return a cell that no spreadsheet runs as a formula."""
    if isinstance(value, list):
        return json.dumps(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _member(words: type[Word], given: Word | str | None, name: str) -> Word | None:
    if given is None:
        return None
    try:
        return words(given)
    except ValueError as error:
        raise InvalidValue(f"{name} is {given!r}: use one of {', '.join(words)}.") from error


BY_CHAT_MODEL = "by_chat_model"
"""The reason of an event by which a chat model settled."""

_REASON = {"newer": "newer_holds", "older": "older_holds", "both": "both_hold"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled(Result):
    """What settling did."""

    item: ReviewItem  #: The review item, resolved.
    older: Episode  #: The earlier statement as it is now.
    newer: Episode  #: The later one as it is now.
    event_id: str  #: The event that says so; ``undo`` takes it back, and the two wait again.


def settle(context: Context, item_id: str, *, keep: Keep | str, note: str | None = None) -> Settled:
    """Settle a contradiction: keep the newer statement, the older, or both.

    Where the newer holds, the older is superseded from the newer's time on. Where the older holds, the newer is revoked:
    it is not found any more. Where both do, they are active again, and are not asked about again.
    """
    chosen = _keep(keep)
    note = note and context.screen(note, "note", of="The review item")
    with context.store.read(context.namespace) as reader:
        whole = whole_id(reader, item_id)
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return settle_item(writer, item_with_id(writer, whole), chosen, note=note, at=at)


def settle_item(
    writer: StoreWriter,
    item: ReviewItem,
    keep: Keep,
    *,
    note: str | None,
    at: datetime,
    by: Resolution = Resolution.PERSON,
) -> Settled:
    """Settle a contradiction in the transaction that is open.

    Raises:
        NotFound: One of its statements was forgotten.
        InvalidValue: The item is of another kind or resolved already.
    """
    assert item.id is not None
    older, newer = sides(writer, item)
    event_id = writer.apply(_change(writer, older, newer, keep, by=by), at=at)
    writer.set_review_status(item.id, ReviewStatus.RESOLVED, note=note, at=at, by=by)
    bring_in_line(writer, at=at)
    now = {one.id: one for one in writer.episodes([older.id, newer.id])}
    return Settled(item=item_with_id(writer, item.id), older=now[older.id], newer=now[newer.id], event_id=event_id)


def _keep(keep: Keep | str) -> Keep:
    if keep in {Keep.NEWER, Keep.OLDER, Keep.BOTH}:
        return Keep(keep)
    raise InvalidValue(f"keep is {keep!r}: use newer, older or both.")


def sides(reader: StoreReader, item: ReviewItem) -> tuple[Episode, Episode]:
    """Return the older and the newer statement of an open contradiction, or what represents them now.

    Raises:
        NotFound: One of them was forgotten.
        InvalidValue: The item is of another kind or resolved already.
    """
    if item.category is not ReviewCategory.CONTRADICTION or item.episode_id is None or item.other_episode_id is None:
        raise InvalidValue(
            f"The review item {item.id} is no contradiction: `evolore review resolve {item.id}` resolves it."
        )
    if item.status is ReviewStatus.RESOLVED:
        raise InvalidValue(f"The review item {item.id} is settled already: `evolore review reopen {item.id}` opens it.")
    # Another one represents what was merged since.
    standing = reader.standing_for([item.other_episode_id, item.episode_id])
    ids = [next(iter(standing.get(id_, ())), id_) for id_ in (item.other_episode_id, item.episode_id)]
    found = reader.episodes(ids)
    if len(found) != len(ids):
        raise NotFound(
            f"A statement of the review item {item.id} was forgotten: resolve it with `evolore review resolve`."
        )
    older, newer = found
    return older, newer


def _change(reader: StoreReader, older: Episode, newer: Episode, keep: Keep, *, by: Resolution) -> Change:
    """Return what becomes of both; one that waits for another answer too goes on waiting."""
    active = EpisodeState.ACTIVE
    fields: dict[str, FieldChange] = {}
    for one, other in ((older, newer), (newer, older)):
        if not waits_elsewhere(reader, one, other):
            fields[one.id] = FieldChange(episode_id=one.id, state=active)
    added: tuple[Edge, ...] = ()
    if keep is Keep.NEWER:
        ends = min(filter(None, (older.valid_to, begins_at(newer))))  # another one may have ended it earlier
        fields[older.id] = FieldChange(episode_id=older.id, state=EpisodeState.SUPERSEDED, valid_to=ends)
        added = (Edge(source_id=newer.id, target_id=older.id, kind=EdgeKind.SUPERSEDES),)
    elif keep is Keep.OLDER:
        fields |= {one.episode_id: one for one in taken_back(reader, newer.id)}
    return Change(
        kind=ChangeKind.CONFLICT_SETTLED,
        subject_id=newer.id,
        fields=tuple(fields.values()),
        added=added,
        reason=BY_CHAT_MODEL if by is Resolution.MODEL else _REASON[keep.value],
    )


def taken_back(reader: StoreReader, id_: str) -> tuple[FieldChange, ...]:
    """Revoke an episode with the statements that it alone represents; those that other parts of a split hold stay."""
    members = reader.member_ids([id_]).get(id_, ())
    alone = (one for one, heads in reader.standing_for(members).items() if set(heads) == {id_})
    return tuple(FieldChange(episode_id=one, state=EpisodeState.REVOKED) for one in (id_, *alone))


def waits_elsewhere(reader: StoreReader, one: Episode, other: Episode) -> bool:
    """Return whether a statement contradicts a third one that waits too."""
    edges = reader.edges_around([one.id], kinds=frozenset((EdgeKind.CONTRADICTS,)))
    others = {end for edge in edges for end in (edge.source_id, edge.target_id)} - {one.id, other.id}
    return any(third.state is EpisodeState.CONFLICT_PENDING for third in reader.episodes(sorted(others)))


def begins_at(one: Episode) -> datetime:
    """Return from when a statement holds, as far as is known."""
    return one.valid_from or one.occurred_at or one.recorded_at
