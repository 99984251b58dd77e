"""What can be read of a namespace's structure: who stands for whom, edges, events, calibrations."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from sqlalchemy import Connection, exists, select

from evolore.store import calibrating, history, holding
from evolore.store.neighbourhood import edges_around
from evolore.store.rows import to_episode
from evolore.store.selects import joined, select_episodes, select_named_episodes, standing
from evolore.store.tables import episodes, index_log, namespaces

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from evolore.domain.episodes import Edge, EdgeKind, Episode
    from evolore.domain.language import Language
    from evolore.ports import EmbeddingModel, EventRecord, StoredCalibration

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
        query = select(namespaces.c.revision).where(namespaces.c.ns == self._ns)
        return self._connection.execute(query).scalar_one()

    def episodes(self, ids: Sequence[str]) -> tuple[Episode, ...]:
        """Give these episodes in the order asked; ids that name none are left out."""
        found: dict[str, Episode] = {}
        query = select_named_episodes(self._ns)
        for start in range(0, len(ids), BATCH):
            rows = self._connection.execute(query, {"ids": list(ids[start : start + BATCH])}).mappings()
            found.update((row["id"], to_episode(row)) for row in rows)
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

    def about(self, subject: str, attribute: str) -> tuple[Episode, ...]:
        """Give the statements that state an attribute of a subject and stand, in time order."""
        stated = (episodes.c.about_subject == subject, episodes.c.about_attribute == attribute)
        rows = self._connection.execute(select_episodes(self._ns).where(*stated, standing())).mappings()
        return tuple(sorted((to_episode(row) for row in rows), key=_by_time))

    def history(self, episode_id: str) -> tuple[EventRecord, ...]:
        """Give the events that made, changed or joined an episode, oldest first."""
        return history.history(self._connection, self._ns, episode_id)

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

    def maintained_to(self, task: str) -> int:
        """Give up to which number of the indexes' log a task is done; 0 where it never was."""
        return calibrating.maintained_to(self._connection, self._ns, task)

    def calibrations(self, model_id: str) -> Mapping[Language, StoredCalibration]:
        """Give the calibrations of a model that hold, by language."""
        return calibrating.last_calibrations(self._connection, self._ns, model_id)


def _by_time(episode: Episode) -> tuple[float, str]:
    return (episode.occurred_at or episode.recorded_at).timestamp(), episode.id
