"""Who waits for whom: when one side of a contradiction is settled otherwise, the other and the review items follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.episodes import EdgeKind, EpisodeState
from evolore.domain.review import Resolution, ReviewCategory, ReviewFilter, ReviewStatus
from evolore.ports import Change, ChangeKind, FieldChange

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from evolore.domain.review import ReviewItem
    from evolore.ports import StoreReader, StoreWriter

_PENDING = EpisodeState.CONFLICT_PENDING
_CLASH = frozenset((EdgeKind.CONTRADICTS,))


def bring_in_line(writer: StoreWriter, *, at: datetime) -> None:
    """Let nobody wait for what does not wait any more, and resolve review items whose sides do not both wait.

    Called behind whatever may have changed one side alone: settling, superseding, forgetting. Undoing gives back exactly
    what was, and only the review items follow it.

    Args:
        writer: The transaction that is open.
        at: The moment.
    """
    for id_ in writer.waiting_alone():
        writer.apply(
            Change(
                kind=ChangeKind.CONFLICT_SETTLED,
                subject_id=id_,
                fields=(FieldChange(episode_id=id_, state=EpisodeState.ACTIVE),),
                reason="nothing_against_it",
            ),
            at=at,
        )
    let_items_follow(writer, at=at)


def let_items_follow(writer: StoreWriter, *, at: datetime, undone: Collection[str] = ()) -> None:
    """Resolve the review items whose sides do not both wait any more.

    Args:
        writer: The transaction that is open.
        at: The moment.
        undone: Episodes of which something was undone: items about two of them that wait again are opened again.
    """
    for item in writer.review_items(ReviewFilter(category=ReviewCategory.CONTRADICTION)):
        _follow(writer, item, undone=undone, at=at)


def _follow(writer: StoreWriter, item: ReviewItem, *, undone: Collection[str], at: datetime) -> None:
    assert item.id is not None
    is_open = item.status is ReviewStatus.OPEN
    if not is_open and not {item.episode_id, item.other_episode_id} <= set(undone):
        return
    is_waiting = _is_waiting(writer, item)
    if is_open and not is_waiting:
        writer.set_review_status(item.id, ReviewStatus.RESOLVED, note=item.note, at=at, by=Resolution.GONE)
    elif is_waiting and not is_open:
        writer.set_review_status(item.id, ReviewStatus.OPEN, note=None, at=at, by=Resolution.GONE)


def _is_waiting(reader: StoreReader, item: ReviewItem) -> bool:
    """Tell whether both sides, or what stands for them now, wait for an answer about each other."""
    sides = [id_ for id_ in (item.episode_id, item.other_episode_id) if id_ is not None]
    standing = reader.standing_for(sides)
    heads = [set(standing.get(id_, ())) for id_ in sides]
    ids = sorted({id_ for head in heads for id_ in head})
    pending = {one.id for one in reader.episodes(ids) if one.state is _PENDING}
    if len(heads) < 2 or not all(pending & head for head in heads):  # noqa: PLR2004 - two sides
        return False
    return any(_join(edge.source_id, edge.target_id, heads) for edge in reader.edges_around(ids, kinds=_CLASH))


def _join(source: str, target: str, heads: Iterable[set[str]]) -> bool:
    first, second = heads
    return (source in first and target in second) or (source in second and target in first)
