"""Which episodes stand, and which of them hold what no longer stands for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, and_, select

from evolore.domain.episodes import EdgeKind, EpisodeState
from evolore.store.selects import joined, standing
from evolore.store.tables import edges, episodes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


_BATCH = 500
_MEMBER = EdgeKind.MEMBER.value


def members_of(connection: Connection, ns: int, ids: Collection[str]) -> dict[str, list[str]]:
    """Give the ids of the source statements that each of these episodes stands for beside itself; none are left out."""
    found: dict[str, list[str]] = {}
    for some in _batches(sorted(ids)):
        here = (edges.c.ns == ns, edges.c.source_id.in_(some), edges.c.kind == _MEMBER)
        query = select(edges.c.source_id, edges.c.target_id).where(*here).order_by(edges.c.target_id)
        for row in connection.execute(query):
            found.setdefault(row.source_id, []).append(row.target_id)
    return found


def holders_of(connection: Connection, ns: int, ids: Collection[str]) -> dict[str, list[str]]:
    """Give the standing episodes that have each of these as a member; none are left out."""
    found: dict[str, list[str]] = {}
    source = joined(edges, episodes, episodes.c.id == edges.c.source_id)
    for some in _batches(sorted(ids)):
        here = (edges.c.ns == ns, edges.c.target_id.in_(some), edges.c.kind == _MEMBER, standing())
        query = select(edges.c.target_id, edges.c.source_id).join_from(edges, episodes, source).where(*here)
        for row in connection.execute(query.order_by(edges.c.source_id)):
            found.setdefault(row.target_id, []).append(row.source_id)
    return found


def standing_for(connection: Connection, ns: int, ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Give the standing episodes that stand for each of these that are there: itself, or those that hold it."""
    found: dict[str, tuple[str, ...]] = {}
    for some in _batches(sorted(ids)):
        here = (episodes.c.ns == ns, episodes.c.id.in_(some))
        query = select(episodes.c.id, standing().label("stands")).where(*here)
        found |= {row.id: (row.id,) if row.stands else () for row in connection.execute(query)}
    hidden = [id_ for id_, holders in found.items() if not holders]
    return found | {id_: tuple(holders) for id_, holders in holders_of(connection, ns, hidden).items()}


def unheld(connection: Connection, ns: int, ids: Collection[str]) -> list[str]:
    """Give those source statements among these that another should stand for, and none does; sorted.

    One that was taken back for itself, by pruning, is not among them.
    """
    lost: set[str] = set()
    for some in _batches(sorted(ids)):
        here = (episodes.c.ns == ns, episodes.c.id.in_(some), hidden_source())
        lost.update(connection.scalars(select(episodes.c.id).where(*here)))
    return sorted(lost - set(holders_of(connection, ns, lost))) if lost else []


def hidden_source() -> ColumnElement[bool]:
    """Tell of an episode whether it was remembered or added, and another stands for it."""
    return and_(
        episodes.c.made_by.is_(None),
        episodes.c.stands_until.is_not(None),
        episodes.c.state != EpisodeState.REVOKED.value,
    )


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]
