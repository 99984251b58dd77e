"""What can be read of a namespace's structure: who stands for whom, edges, events, calibrations."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, Integer, and_, bindparam, exists, func, literal_column, or_, select

from evolore.domain.episodes import EdgeKind, EpisodeKind, EpisodeState
from evolore.ports import ChangeKind
from evolore.store import calibrating, history, holding
from evolore.store.neighbourhood import edges_around
from evolore.store.prepared import Prepared, as_json
from evolore.store.rows import timestamp, to_episode
from evolore.store.selects import joined, select_episodes, select_named_episodes, standing
from evolore.store.tables import edges, episodes, event_episodes, events, index_log, namespaces

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from evolore.domain.episodes import Edge, Episode
    from evolore.domain.language import Language
    from evolore.ports import EmbeddingModel, EventRecord, StoredCalibration

_PENDING: ColumnElement[str] = literal_column(f"'{EpisodeState.CONFLICT_PENDING.value}'")
"""Written out, because the index of those that wait holds only rows of this very state."""

_REVISION = Prepared(select(namespaces.c.revision).where(namespaces.c.ns == bindparam("here")))
_EPISODES = Prepared(select_named_episodes(bindparam("here", type_=Integer)))
_LIKENESS = (EdgeKind.SEMANTIC.value, EdgeKind.ECHO.value)

BATCH = 500
"""How many ids one statement names; SQLite takes no more than 32,766 parameters."""


class StructureReader:
    """One namespace's structure at one moment.

    Args:
        connection: An open transaction.
        ns: The namespace's number.
        name: The namespace's name.
        model: The store's embedding model.
    """

    def __init__(self, connection: Connection, ns: int, *, name: str, model: EmbeddingModel) -> None:
        self._connection = connection
        self._ns = ns
        self._name = name
        self._model = model

    @property
    def number(self) -> int:
        """The namespace's number."""
        return self._ns

    @property
    def revision(self) -> int:
        """How many writes were committed to the namespace, with the one that is open."""
        return next(iter(_REVISION.scalars(self._connection, {"here": self._ns})), 0)

    def episodes(self, ids: Sequence[str]) -> tuple[Episode, ...]:
        """Give these episodes in the order asked; ids that name none are left out."""
        if not ids:
            return ()
        rows = _EPISODES.mappings(self._connection, {"here": self._ns, "ids": as_json(ids)})
        found: dict[str, Episode] = {row["id"]: to_episode(row) for row in rows}
        return tuple(found[id_] for id_ in ids if id_ in found)

    def members(self, ids: Sequence[str]) -> Mapping[str, tuple[Episode, ...]]:
        """Give the source statements that each of these stands for beside itself, oldest first."""
        named = holding.members_of(self._connection, self._ns, ids)
        wanted = sorted({*ids, *chain.from_iterable(named.values())})
        there = {one.id: one for one in self.episodes(wanted)}
        return {
            id_: tuple(sorted((there[member] for member in named.get(id_, ()) if member in there), key=_by_time))
            for id_ in ids
            if id_ in there
        }

    def standing_for(self, ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Give the episodes that stand for each of these now, sorted: itself alone where it stands."""
        return holding.standing_for(self._connection, self._ns, frozenset(ids))

    def edges_around(
        self, ids: Sequence[str], *, kinds: Collection[EdgeKind] | None = None, hidden: bool = False, limit: int = 1000
    ) -> tuple[Edge, ...]:
        """Give the edges that begin or end at one of these, heaviest first, then by kind and ends.

        Raises:
            InvalidValue: More than 10,000 ids are given.
        """
        return edges_around(self._connection, self._ns, ids, kinds=kinds, hidden=hidden, limit=limit)

    def link_counts(self, ids: Collection[str]) -> Mapping[str, int]:
        """Count the edges of likeness that end at each of these; those without are left out."""
        found: dict[str, int] = {}
        wanted = sorted(ids)
        for start in range(0, len(wanted), BATCH):
            here = (edges.c.ns == self._ns, edges.c.target_id.in_(wanted[start : start + BATCH]))
            counted = select(edges.c.target_id, func.count().label("links")).where(*here, edges.c.kind.in_(_LIKENESS))
            rows = self._connection.execute(counted.group_by(edges.c.target_id))
            found |= {row.target_id: row.links for row in rows}
        return found

    def linked(self, ids: Collection[str]) -> frozenset[str]:
        """Give those of these from which an edge of likeness leads."""
        found: set[str] = set()
        wanted = sorted(ids)
        for start in range(0, len(wanted), BATCH):
            here = (edges.c.ns == self._ns, edges.c.source_id.in_(wanted[start : start + BATCH]))
            found |= set(self._connection.scalars(select(edges.c.source_id).where(*here, edges.c.kind.in_(_LIKENESS))))
        return frozenset(found)

    def about(self, subject: str, attribute: str) -> tuple[Episode, ...]:
        """Give the statements that state an attribute of a subject and stand, in time order."""
        stated = (episodes.c.about_subject == subject, episodes.c.about_attribute == attribute)
        rows = self._connection.execute(select_episodes(self._ns).where(*stated, standing())).mappings()
        return tuple(sorted((to_episode(row) for row in rows), key=_by_time))

    def history(self, episode_id: str, *, kinds: Collection[str] | None = None) -> tuple[EventRecord, ...]:
        """Give the events that made, changed or joined an episode, oldest first; only those of some kinds, or all."""
        return history.history(self._connection, self._ns, episode_id, kinds=kinds)

    def newest_events(self, limit: int) -> tuple[EventRecord, ...]:
        """Give the newest events of all, oldest first."""
        return history.newest(self._connection, self._ns, limit)

    def event(self, prefix: str) -> EventRecord:
        """Give the event whose id begins so.

        Raises:
            NotFound: None does.
            AmbiguousId: Several do.
        """
        return history.event(self._connection, self._ns, prefix)

    def changed_after(self, seq: int, *, limit: int) -> tuple[tuple[int, str], ...]:
        """Give what entered the indexes behind a number of their log and is still there, in its order."""
        later = index_log.alias()
        is_last = ~exists().where(
            later.c.ns == self._ns, later.c.episode_id == index_log.c.episode_id, later.c.seq > index_log.c.seq
        ).correlate(index_log)
        query = (
            select(index_log.c.seq, index_log.c.episode_id)
            .join_from(index_log, episodes, joined(index_log, episodes, episodes.c.id == index_log.c.episode_id))
            .where(index_log.c.ns == self._ns, index_log.c.seq > seq, index_log.c.present, is_last)
            .order_by(index_log.c.seq)
            .limit(limit)
        )
        return tuple((row.seq, row.episode_id) for row in self._connection.execute(query))

    def count_changed_after(self, seq: int) -> int:
        """Count what entered the indexes behind a number of their log, each once."""
        entered = (index_log.c.ns == self._ns, index_log.c.seq > seq, index_log.c.present)
        return self._connection.execute(
            select(func.count(index_log.c.episode_id.distinct())).where(*entered)
        ).scalar_one()

    def waiting_alone(self) -> tuple[str, ...]:
        """Give what waits because of a contradiction and stands, though nothing that contradicts it waits any more."""
        other = episodes.alias()
        here = and_(edges.c.ns == self._ns, edges.c.kind == EdgeKind.CONTRADICTS.value)
        ends = or_(
            and_(edges.c.source_id == episodes.c.id, edges.c.target_id == other.c.id),
            and_(edges.c.target_id == episodes.c.id, edges.c.source_id == other.c.id),
        )
        against = exists().where(here, ends, other.c.ns == self._ns, other.c.state == _PENDING).correlate(episodes)
        query = select(episodes.c.id).where(
            episodes.c.ns == self._ns, episodes.c.state == _PENDING, standing(), ~against
        )
        return tuple(self._connection.scalars(query.order_by(episodes.c.id)))

    def prunable(self, *, confidence: float, unused_since: datetime, limit: int) -> tuple[str, ...]:
        """Give standing statements of low confidence that no event has touched since, the least confident first."""
        touched = (
            select(event_episodes.c.episode_id)
            .join_from(event_episodes, events, joined(event_episodes, events, events.c.seq == event_episodes.c.seq))
            .where(event_episodes.c.ns == self._ns, events.c.recorded_at >= timestamp(unused_since))
        )
        query = (
            select(episodes.c.id)
            .where(
                episodes.c.ns == self._ns,
                episodes.c.kind == EpisodeKind.STATEMENT.value,
                episodes.c.confidence <= confidence,
                episodes.c.recorded_at < timestamp(unused_since),
                episodes.c.state == EpisodeState.ACTIVE.value,
                standing(),
                episodes.c.id.not_in(touched),
            )
            .order_by(episodes.c.confidence, episodes.c.id)
            .limit(limit)
        )
        return tuple(self._connection.scalars(query))

    def pruned_before(self, moment: datetime, *, limit: int) -> tuple[str, ...]:
        """Give statements that were pruned before a moment and are out of sight still, the earliest first."""
        query = (
            select(events.c.subject_id, func.max(events.c.seq).label("last"))
            .join_from(events, episodes, joined(events, episodes, episodes.c.id == events.c.subject_id))
            .where(
                events.c.ns == self._ns,
                events.c.kind == ChangeKind.PRUNED.value,
                events.c.recorded_at < timestamp(moment),
                episodes.c.state == EpisodeState.REVOKED.value,
            )
            .group_by(events.c.subject_id)
            .order_by("last")
            .limit(limit)
        )
        return tuple(row.subject_id for row in self._connection.execute(query))

    def maintained_to(self, task: str) -> int:
        """Give up to which number of the indexes' log a task is done; 0 where it never was."""
        return calibrating.maintained_to(self._connection, self._ns, task)

    def calibrations(self, model_id: str) -> Mapping[Language, StoredCalibration]:
        """Give the calibrations of a model that hold, by language."""
        return calibrating.last_calibrations(self._connection, self._ns, model_id)


def _by_time(episode: Episode) -> tuple[float, str]:
    return (episode.occurred_at or episode.recorded_at).timestamp(), episode.id
