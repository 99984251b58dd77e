"""Which episodes stand, and which of them hold what no longer stands for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, and_, bindparam, select

from evolore.domain.episodes import EdgeKind, EpisodeState
from evolore.store.prepared import Prepared, among, as_json
from evolore.store.selects import joined, standing
from evolore.store.tables import edges, episodes

if TYPE_CHECKING:
    from collections.abc import Collection


_IS_MEMBER = and_(edges.c.ns == bindparam("here"), edges.c.kind == EdgeKind.MEMBER.value)
_NAMED = and_(episodes.c.ns == bindparam("here"), episodes.c.id.in_(among("ids")))
# One at a time, and sorted here: for a list, or to have them sorted, SQLite would rather walk all edges of the namespace.
_MEMBERS = Prepared(select(edges.c.target_id).where(_IS_MEMBER, edges.c.source_id == bindparam("of")))
_HOLDERS = Prepared(
    # The weight is in no index: else SQLite would walk the one that holds all the rest.
    select(edges.c.source_id, edges.c.weight)
    .join_from(edges, episodes, joined(edges, episodes, episodes.c.id == edges.c.source_id))
    .where(_IS_MEMBER, edges.c.target_id == bindparam("of"), standing())
)
_STANDING = Prepared(select(episodes.c.id, standing().label("stands")).where(_NAMED))


def members_of(connection: Connection, ns: int, ids: Collection[str]) -> dict[str, list[str]]:
    """Give the ids of the source statements that each of these episodes stands for beside itself; none are left out."""
    found = ((id_, _MEMBERS.scalars(connection, {"here": ns, "of": id_})) for id_ in sorted(ids))
    return {id_: sorted(members) for id_, members in found if members}


def holders_of(connection: Connection, ns: int, ids: Collection[str]) -> dict[str, list[str]]:
    """Give the standing episodes that have each of these as a member; none are left out."""
    found = ((id_, _HOLDERS.rows(connection, {"here": ns, "of": id_})) for id_ in sorted(ids))
    return {id_: sorted(row.source_id for row in holders) for id_, holders in found if holders}


def standing_for(connection: Connection, ns: int, ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Give the standing episodes that stand for each of these that are there: itself, or those that hold it."""
    rows = _STANDING.rows(connection, {"here": ns, "ids": as_json(sorted(ids))})
    found: dict[str, tuple[str, ...]] = {row.id: (row.id,) if row.stands else () for row in rows}
    hidden = [id_ for id_, holders in found.items() if not holders]
    return found | {id_: tuple(holders) for id_, holders in holders_of(connection, ns, hidden).items()}


def unheld(connection: Connection, ns: int, ids: Collection[str]) -> list[str]:
    """Give those source statements among these that another should stand for, and none does; sorted.

    One that was taken back for itself, by pruning, is not among them.
    """
    lost = set[str](_HIDDEN.scalars(connection, {"here": ns, "ids": as_json(sorted(ids))}))
    return sorted(lost - set(holders_of(connection, ns, lost))) if lost else []


def hidden_source() -> ColumnElement[bool]:
    """Tell of an episode whether it was remembered or added, and another stands for it."""
    return and_(
        episodes.c.made_by.is_(None),
        episodes.c.stands_until.is_not(None),
        episodes.c.state != EpisodeState.REVOKED.value,
    )


_HIDDEN = Prepared(select(episodes.c.id).where(_NAMED, hidden_source()))
