"""The review queue's rows: filed once for each cause, resolved and reopened, each with an event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import RowMapping, Update, and_, case, insert, or_, select, tuple_, update

from evolore.domain.document import Span
from evolore.domain.episode import EpisodeState
from evolore.domain.review import Priority, Resolution, ReviewCategory, ReviewFilter, ReviewItem, ReviewStatus
from evolore.store.event_bodies import EventKind
from evolore.store.events import Batch, OpenedToWrite, Row
from evolore.store.forms import reader, row_of, timestamp
from evolore.store.selects import AnySelect, joined
from evolore.store.sql import Opened, among, as_json
from evolore.store.tables import documents, episodes, review_items

_OF_PASSAGES = frozenset((ReviewCategory.WHOLENESS.value, ReviewCategory.DISAGREEMENT.value))
_RANKS = {priority.value: rank for rank, priority in enumerate(Priority)}


def _narrowed(query: AnySelect, wanted: ReviewFilter) -> AnySelect:
    columns = review_items.c
    same = {
        columns.status: wanted.status,
        columns.category: wanted.category,
        columns.priority: wanted.priority,
        columns.document_id: wanted.document_id,
    }
    for column, value in same.items():
        if value is not None:
            query = query.where(column == str(value))
    if wanted.category is None:  # standing pages wait for nobody
        query = query.where(columns.category != ReviewCategory.PAGE.value)
    if wanted.episode_id is not None:
        query = query.where(or_(*(one == wanted.episode_id for one in (columns.episode_id, columns.other_episode_id))))
    if wanted.filed_before is not None:
        query = query.where(columns.created_at < timestamp(wanted.filed_before))
    return query if wanted.limit is None else query.limit(wanted.limit)


class ReviewReader(Opened):
    """One namespace's review items at one moment."""

    def resolve_review(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of review items that begin with ``prefix``."""
        return self._beginning(review_items, prefix)

    def review_items(self, wanted: ReviewFilter) -> tuple[ReviewItem, ...]:
        """List review items, the most urgent first, and of those the oldest first."""
        query = _narrowed(_select_items(self._ns), wanted)
        rank = case(_RANKS, value=review_items.c.priority)
        if wanted.after is not None:
            priority, filed_at, id_ = wanted.after
            later = tuple_(review_items.c.created_at, review_items.c.id) > tuple_(timestamp(filed_at), id_)
            query = query.where(or_(rank < _RANKS[priority.value], and_(rank == _RANKS[priority.value], later)))
        ordered = query.order_by(rank.desc(), review_items.c.created_at, review_items.c.id)
        return tuple(_to_item(row) for row in self._connection.execute(ordered).mappings())

    def review_item(self, item_id: str) -> ReviewItem | None:
        """Return one review item."""
        row = self._connection.execute(_select_items(self._ns).where(review_items.c.id == item_id)).mappings().first()
        return None if row is None else _to_item(row)


def _select_items(ns: int) -> AnySelect:
    source = joined(review_items, documents, documents.c.id == review_items.c.document_id)
    query = select(review_items, documents.c.source).join_from(review_items, documents, source, isouter=True)
    return query.where(review_items.c.ns == ns)


def file_for_version(
    batch: Batch, items: Sequence[ReviewItem], *, document_id: str, version: int, gone: Sequence[str]
) -> None:
    """File what could not be cut well in a version, and resolve what its document no longer holds.

    An item whose passage is still there is the item it was, at its new place; a resolved one stays resolved. What was
    resolved because its passage was gone is opened again when the passage is back.
    """
    placed = [replace(item, document_id=document_id, version=version) for item in items]
    known = _known(batch, (item.cause for item in placed))
    _open_again(batch, [row for row in known.values() if row["resolution"] == Resolution.GONE.value])
    for item in placed:
        if item.cause in known:
            batch.connection.execute(_update(batch, known[item.cause]["id"]).values(_place(item)))
    _insert(batch, [item for item in placed if item.cause not in known])
    if version > 1:  # of the first nothing was filed before
        _resolve_gone(batch, document_id, {item.cause for item in placed}, frozenset(gone))


class ReviewWriter(OpenedToWrite):
    """One namespace's review items, inside a write transaction."""

    def file_review_items(self, items: Sequence[ReviewItem], *, at: datetime) -> tuple[str, ...]:
        """File items, each with an event, and return their ids.

        One whose cause was filed before is left as it is, unless it was resolved because its passage was gone; one
        whose document, passage or statement is no longer there is left out.
        """
        batch = self._batch(at)
        present = {item.cause or str(place): item for place, item in enumerate(items) if _is_there(batch, item)}
        known = _known(batch, present)
        back = [row for cause, row in known.items() if row["resolution"] == Resolution.GONE.value and cause in present]
        for row in back:
            batch.connection.execute(_update(batch, row["id"]).values(_place(present[row["cause"]])))
        reopened = _open_again(batch, back)
        fresh = [item for cause, item in present.items() if cause not in known]
        ids = _insert(batch, fresh)
        filed = [
            (id_, {"category": item.category.value, "priority": item.priority.value})
            for id_, item in zip(ids, fresh, strict=True)
        ]
        batch.append_events(EventKind.REVIEW_FILED, filed)
        return (*ids, *reopened)

    def set_review_status(
        self, item_id: str, status: ReviewStatus, *, note: str | None, at: datetime, by: Resolution = Resolution.PERSON
    ) -> None:
        """Resolve or reopen a review item that is there, and replace its note."""
        batch = self._batch(at)
        is_resolved = status is ReviewStatus.RESOLVED
        values: Row = {"status": status.value, "note": note}
        values["resolved_at"] = batch.recorded_at if is_resolved else None
        values["resolution"] = by.value if is_resolved else None
        batch.connection.execute(_update(batch, item_id).values(values))
        kind = EventKind.REVIEW_RESOLVED if is_resolved else EventKind.REVIEW_REOPENED
        batch.append_events(kind, [(item_id, {"by": by.value})])

    def set_review_note(self, item_id: str, note: str, *, at: datetime, by: Resolution) -> None:
        """Replace the note of a review item that is there, and leave it as open as it is."""
        batch = self._batch(at)
        batch.connection.execute(_update(batch, item_id).values(note=note))
        batch.append_events(EventKind.REVIEW_NOTED, [(item_id, {"by": by.value})])


def _is_there(batch: Batch, item: ReviewItem) -> bool:
    """Return whether what an item is about was not forgotten or replaced meanwhile."""
    document = select(documents.c.id).where(documents.c.ns == batch.ns, documents.c.id == item.document_id)
    if item.document_id is not None and batch.connection.scalar(document) is None:
        return False
    episode = select(episodes.c.id).where(episodes.c.ns == batch.ns, episodes.c.id == item.episode_id)
    # A passage that its document no longer holds is gone; a statement stays, even if replaced.
    present = episode.where(or_(episodes.c.document_id.is_(None), episodes.c.state != EpisodeState.SUPERSEDED.value))
    return item.episode_id is None or batch.connection.scalar(present) is not None


def _known(batch: Batch, causes: Iterable[str]) -> dict[str, RowMapping]:
    """Return the items that were filed for these causes."""
    wanted = list(dict.fromkeys(causes))
    if not wanted:
        return {}
    filed = select(review_items).where(review_items.c.ns == batch.ns, review_items.c.cause.in_(among("causes")))
    return {row["cause"]: row for row in batch.connection.execute(filed, {"causes": as_json(wanted)}).mappings()}


def _insert(batch: Batch, items: Sequence[ReviewItem]) -> tuple[str, ...]:
    """Write new items, of those with one cause the first."""
    rows: dict[str, Row] = {}
    for item in items:
        id_ = batch.new_id()
        rows.setdefault(item.cause or id_, _row(batch, item, id_))
    if rows:
        batch.connection.execute(insert(review_items), list(rows.values()))
    return tuple(row["id"] for row in rows.values())


def _resolve_gone(batch: Batch, document_id: str, causes: set[str], episode_ids: frozenset[str]) -> None:
    """Resolve the open items of a document whose passage left it."""
    is_disagreement = review_items.c.category == ReviewCategory.DISAGREEMENT.value
    query = select(review_items).where(
        review_items.c.ns == batch.ns,
        or_(
            review_items.c.document_id == document_id,
            and_(is_disagreement, review_items.c.other_episode_id.in_(among("gone"))),
        ),
        review_items.c.status == ReviewStatus.OPEN.value,
    )
    ids = [
        row["id"]
        for row in batch.connection.execute(query, {"gone": as_json(sorted(episode_ids))}).mappings()
        if (row["category"] == ReviewCategory.CHUNKING.value and row["cause"] not in causes)
        or (
            row["category"] in _OF_PASSAGES and not episode_ids.isdisjoint((row["episode_id"], row["other_episode_id"]))
        )
    ]
    resolved, gone = ReviewStatus.RESOLVED.value, Resolution.GONE.value
    values: Row = {"status": resolved, "resolution": gone, "resolved_at": batch.recorded_at}
    for id_ in ids:
        batch.connection.execute(_update(batch, id_).values(values))
    batch.append_events(EventKind.REVIEW_RESOLVED, [(id_, {"by": gone}) for id_ in ids])


def _open_again(batch: Batch, rows: Sequence[RowMapping]) -> tuple[str, ...]:
    values: Row = {"status": ReviewStatus.OPEN.value, "resolution": None, "resolved_at": None}
    ids: tuple[str, ...] = tuple(row["id"] for row in rows)
    for id_ in ids:
        batch.connection.execute(_update(batch, id_).values(values))
    batch.append_events(EventKind.REVIEW_REOPENED, [(id_, {"by": Resolution.GONE.value}) for id_ in ids])
    return ids


def _place(item: ReviewItem) -> Row:
    return {
        "document_id": item.document_id,
        "version": item.version,
        "episode_id": item.episode_id,
        "other_episode_id": item.other_episode_id,
        "start": item.span.start if item.span else None,
        "end": item.span.end if item.span else None,
    }


def _update(batch: Batch, item_id: str) -> Update:
    return update(review_items).where(review_items.c.ns == batch.ns, review_items.c.id == item_id)


def _row(batch: Batch, item: ReviewItem, id_: str) -> Row:
    return row_of(
        review_items,
        item,
        **_place(item),
        ns=batch.ns,
        id=id_,
        status=ReviewStatus.OPEN.value,
        created_at=batch.recorded_at,
        cause=item.cause or id_,
        **dict.fromkeys(("resolved_at", "resolution", "note")),
    )


_to_item = reader(
    ReviewItem,
    review_items,
    source=lambda row: row["source"] or "",
    span=lambda row: None if row["start"] is None else Span(row["start"], row["end"]),
)
