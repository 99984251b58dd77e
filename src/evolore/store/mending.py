"""Whether structure fits together: statements that nobody holds, what was made and lost its members, forgotten history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, exists, select, update

from evolore.domain.episodes import EdgeKind, EpisodeState
from evolore.store.change_bodies import member_edges
from evolore.store.edges import insert_edges
from evolore.store.history import find, name_episodes, named_by_events
from evolore.store.holding import hidden_source
from evolore.store.selects import joined, standing
from evolore.store.tables import edges, episodes, event_episodes

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from evolore.store.batch import Batch

_MEMBER = EdgeKind.MEMBER.value
_BATCH = 500


def unheld_statements(connection: Connection, ns: int) -> list[str]:
    """Give the statements that do not stand, and that nothing which stands has as a member."""
    holder = episodes.alias()
    held = (
        exists()
        .where(
            edges.c.ns == ns,
            edges.c.target_id == episodes.c.id,
            edges.c.kind == _MEMBER,
            holder.c.ns == ns,
            holder.c.id == edges.c.source_id,
            standing(holder),
        )
        .correlate(episodes)
    )
    return list(connection.scalars(select(episodes.c.id).where(episodes.c.ns == ns, hidden_source(), ~held)))


def lost_members(connection: Connection, ns: int) -> list[str]:
    """Give what merges and splits made, was not taken back, and has no member."""
    has_one = exists().where(joined(episodes, edges, and_(edges.c.source_id == episodes.c.id, edges.c.kind == _MEMBER)))
    made = (episodes.c.made_by.is_not(None), episodes.c.state != EpisodeState.REVOKED.value)
    query = select(episodes.c.id).where(episodes.c.ns == ns, *made, ~has_one.correlate(episodes))
    return list(connection.scalars(query))


def unnamed(connection: Connection, ns: int) -> list[str]:
    """Give the episodes that events name and no row says so, or the other way round."""
    rows = connection.execute(
        select(event_episodes.c.episode_id, event_episodes.c.seq).where(event_episodes.c.ns == ns)
    )
    return sorted({id_ for id_, _ in {(row.episode_id, row.seq) for row in rows} ^ named_by_events(connection, ns)})


def mend_structure(batch: Batch) -> list[str]:
    """Note anew what events name, give what was made its first members back, and let stand what nobody holds.

    Returns:
        What stands again, which the indexes have to hear of.
    """
    if unnamed(batch.connection, batch.ns):
        name_episodes(batch.connection, batch.ns)
    for id_ in lost_members(batch.connection, batch.ns):
        _join_again(batch, id_)
    freed = unheld_statements(batch.connection, batch.ns)
    for start in range(0, len(freed), _BATCH):
        here = (episodes.c.ns == batch.ns, episodes.c.id.in_(freed[start : start + _BATCH]))
        batch.connection.execute(update(episodes).where(*here).values(stands_until=None))
    return freed


def _join_again(batch: Batch, id_: str) -> None:
    """Write the edges to the members that an episode was made with and that are still there."""
    here = (episodes.c.ns == batch.ns, episodes.c.id == id_)
    made_by = batch.connection.scalar(select(episodes.c.made_by).where(*here))
    event = None if made_by is None else find(batch.connection, batch.ns, made_by)
    made = [one for one in event.done.made if one.id == id_] if event else []
    wanted = member_edges(made, event.recorded_at if event else "")
    there = select(episodes.c.id).where(episodes.c.ns == batch.ns, episodes.c.id.in_([one.target_id for one in wanted]))
    present = set(batch.connection.scalars(there))
    insert_edges(batch, [one for one in wanted if one.target_id in present])
