"""Standing: which hits another has superseded, by the moment asked from, and which contradict each other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.episode import EdgeKind, EpisodeState
from evolore.recall.visibility import superseded_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from evolore.domain.episode import Edge, Episode
    from evolore.domain.query import Hit, Query
    from evolore.ports import IndexView
    from evolore.recall.reader import RecallReader

_PENDING = tuple(EpisodeState).index(EpisodeState.CONFLICT_PENDING)
_KINDS = frozenset((EdgeKind.SUPERSEDES, EdgeKind.CONTRADICTS))


class Standings:
    """Says of hits whether what they say still holds.

    Costs one read where a hit does not, or may not, another where what replaced it is no hit, and none elsewhere.

    Args:
        query: The question.
        view: The indexes.
        reader: A snapshot of the same moment.
        seen: The numbers of what the question may see, rising: nothing else is named.
        heads: For statements that count as they were said, what stands for them.
    """

    def __init__(
        self,
        query: Query,
        view: IndexView,
        reader: RecallReader,
        seen: npt.NDArray[np.int32],
        heads: Mapping[str, Sequence[str]],
    ) -> None:
        self._query, self._view, self._reader, self._seen, self._heads = query, view, reader, seen, heads

    def marked(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Give hits, and those found in a session or document, with what was superseded or is contradicted marked."""
        every = [one for hit in hits for one in (hit, *_within(hit))]
        numbers = np.array([self._view.numbers.get(one.episode.id, -1) for one in every], dtype=np.int32)
        superseded = (numbers >= 0) & superseded_by(self._query.as_of, self._view, numbers)
        pending = (numbers >= 0) & (self._view.states[numbers] == _PENDING)
        if not (superseded.any() or pending.any()):
            return tuple(hits)
        old = {one.episode.id for one, is_so in zip(every, superseded, strict=True) if is_so}
        doubted = {one.episode.id for one, is_so in zip(every, pending, strict=True) if is_so}
        return self._told(hits, old, doubted)

    def _told(self, hits: Sequence[Hit], old: set[str], doubted: set[str]) -> tuple[Hit, ...]:
        edges = self._reader.edges_around(sorted(set(self._joined(old | doubted))), kinds=_KINDS)
        ends = {end for edge in edges for end in (edge.source_id, edge.target_id) if self._is_seen(end)}
        others = {one.episode.id: one.episode for hit in hits for one in (hit, *_within(hit))}
        missing = sorted(ends - others.keys())
        others |= {one.id: one for one in (self._reader.episodes(missing) if missing else ())}
        newer = {id_: _newest(_sources(edges, self._joined([id_]), others)) for id_ in old}
        against = {id_: self._contradicting(edges, id_, others) for id_ in doubted}

        def tell(hit: Hit) -> Hit:
            id_ = hit.episode.id
            whole, wider = hit.whole, hit.expansion
            return replace(
                hit,
                whole=whole and replace(whole, found=tuple(map(tell, whole.found))),
                expansion=wider and replace(wider, folded=tuple(map(tell, wider.folded))),
                is_superseded=id_ in old,
                superseded_by=newer.get(id_),
                is_in_conflict=id_ in doubted,
                conflicts_with=against.get(id_, ()),
            )

        return tuple(map(tell, hits))

    def _joined(self, ids: Iterable[str]) -> frozenset[str]:
        """Give the episodes that edges join where these are meant: what stands for each."""
        return frozenset(head for id_ in ids for head in self._heads.get(id_, (id_,)))

    def _contradicting(self, edges: Sequence[Edge], id_: str, others: Mapping[str, Episode]) -> tuple[Episode, ...]:
        """Give what waits for the same decision: a contradiction that was settled is none."""
        own = self._joined([id_])
        ends = {
            end
            for edge in edges
            if edge.kind is EdgeKind.CONTRADICTS and not own.isdisjoint((edge.source_id, edge.target_id))
            for end in (edge.source_id, edge.target_id)
        }
        found = (others[end] for end in ends - own if end in others)
        return tuple(
            sorted((one for one in found if one.state is EpisodeState.CONFLICT_PENDING), key=lambda one: one.id)
        )

    def _is_seen(self, id_: str) -> bool:
        number = self._view.numbers.get(id_)
        if number is None:
            return False
        place = int(np.searchsorted(self._seen, number))
        return place < self._seen.size and int(self._seen[place]) == number


def _within(hit: Hit) -> tuple[Hit, ...]:
    return hit.whole.found if hit.whole else hit.expansion.folded if hit.expansion else ()


def _sources(edges: Sequence[Edge], ids: frozenset[str], others: Mapping[str, Episode]) -> list[Episode]:
    return [
        others[edge.source_id]
        for edge in edges
        if edge.kind is EdgeKind.SUPERSEDES and edge.target_id in ids and edge.source_id in others
    ]


def _newest(found: Sequence[Episode]) -> Episode | None:
    return max(found, key=lambda one: (one.occurred_at or one.recorded_at, one.id), default=None)
