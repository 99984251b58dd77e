"""Settling: a person says which of two statements that do not fit together holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.episodes import Edge, EdgeKind, EpisodeState
from evolore.domain.review import Keep, Resolution, ReviewCategory, ReviewStatus
from evolore.errors import InvalidValue, NotFound
from evolore.flows.review import item_with_id, whole_id
from evolore.flows.waiting import bring_in_line
from evolore.ports import Change, ChangeKind, FieldChange

if TYPE_CHECKING:
    from datetime import datetime

    from evolore.domain.episodes import Episode
    from evolore.domain.review import ReviewItem
    from evolore.flows.context import Context
    from evolore.ports import StoreReader, StoreWriter

BY_CHAT_MODEL = "by_chat_model"
"""The reason of an event by which a chat model settled."""

_REASON = {"newer": "newer_holds", "older": "older_holds", "both": "both_hold"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What settling did.

    Args:
        item: The review item, resolved.
        older: The earlier statement as it is now.
        newer: The later one as it is now.
        event_id: The event that says so; ``undo`` takes it back, and the two wait again.
    """

    item: ReviewItem
    older: Episode
    newer: Episode
    event_id: str


def settle(context: Context, item_id: str, *, keep: Keep | str, note: str | None = None) -> Settled:
    """Settle a contradiction: keep the newer statement, the older, or both.

    Where the newer holds, the older is superseded from the newer's time on. Where the older holds, the newer is revoked:
    it is not found any more. Where both do, they are active again, and are not asked about again.

    Args:
        context: Where.
        item_id: The review item's id, or its beginning.
        keep: Which.
        note: What the person says about it.

    Raises:
        NotFound: No review item has the id, or one of its statements was forgotten.
        AmbiguousId: It begins several ids.
        InvalidValue: The item is of another kind or resolved already, or ``keep`` is another word.
    """
    chosen = _keep(keep)
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

    Args:
        writer: Where.
        item: A review item that is there.
        keep: Which statement holds.
        note: What is said about it.
        at: The moment.
        by: Who says so.

    Raises:
        NotFound: One of its statements was forgotten.
        InvalidValue: The item is of another kind or resolved already.
    """
    assert item.id is not None
    older, newer = sides(writer, item)
    applied = writer.apply(_change(writer, older, newer, keep, by=by), at=at)
    writer.set_review_status(item.id, ReviewStatus.RESOLVED, note=note, at=at, by=by)
    bring_in_line(writer, at=at)
    now = {one.id: one for one in writer.episodes([older.id, newer.id])}
    return Settled(
        item=item_with_id(writer, item.id), older=now[older.id], newer=now[newer.id], event_id=applied.event_id
    )


def _keep(keep: Keep | str) -> Keep:
    try:
        return Keep(keep)
    except ValueError as error:
        raise InvalidValue(f"keep is {keep!r}: give newer, older or both.") from error


def sides(reader: StoreReader, item: ReviewItem) -> tuple[Episode, Episode]:
    """Give the older and the newer statement of an open contradiction, or what stands for them now.

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
    # What was merged since is stood for by another one.
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
    """Say what becomes of both; one that waits for another answer too goes on waiting."""
    active = EpisodeState.ACTIVE
    fields: dict[str, FieldChange] = {}
    for one, other in ((older, newer), (newer, older)):
        if not _waits_elsewhere(reader, one, other):
            fields[one.id] = FieldChange(episode_id=one.id, state=active)
    added: tuple[Edge, ...] = ()
    if keep is Keep.NEWER:
        ends = min(filter(None, (older.valid_to, _when(newer))))  # another one may have ended it earlier
        fields[older.id] = FieldChange(episode_id=older.id, state=EpisodeState.SUPERSEDED, valid_to=ends)
        added = (Edge(source_id=newer.id, target_id=older.id, kind=EdgeKind.SUPERSEDES),)
    elif keep is Keep.OLDER:
        fields[newer.id] = FieldChange(episode_id=newer.id, state=EpisodeState.REVOKED)
    return Change(
        kind=ChangeKind.CONFLICT_SETTLED,
        subject_id=newer.id,
        fields=tuple(fields.values()),
        added=added,
        reason=BY_CHAT_MODEL if by is Resolution.MODEL else _REASON[keep.value],
    )


def _waits_elsewhere(reader: StoreReader, one: Episode, other: Episode) -> bool:
    """Tell whether a statement contradicts a third one that waits too."""
    edges = reader.edges_around([one.id], kinds=frozenset((EdgeKind.CONTRADICTS,)))
    others = {end for edge in edges for end in (edge.source_id, edge.target_id)} - {one.id, other.id}
    return any(third.state is EpisodeState.CONFLICT_PENDING for third in reader.episodes(sorted(others)))


def _when(one: Episode) -> datetime:
    return one.valid_from or one.occurred_at or one.recorded_at
