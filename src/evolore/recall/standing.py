"""Find which hits are superseded at the moment asked from, possibly replaced, or in conflict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress, product

import numpy as np

from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeKind, EpisodeState
from evolore.domain.query import Hit, Query
from evolore.ports import IndexView
from evolore.recall.hits import ReadItems
from evolore.recall.reader import RecallReader
from evolore.recall.time_order import UpdatePair
from evolore.recall.visibility import superseded_by
from evolore.text.vectors import Int32s

_PENDING = tuple(EpisodeState).index(EpisodeState.CONFLICT_PENDING)
_KINDS = frozenset((EdgeKind.SUPERSEDES, EdgeKind.LIKELY_SUPERSEDES, EdgeKind.CONTRADICTS))


class Standings:
    """Says of hits whether what they say still holds.

    Costs one read where a hit is a statement, another where what replaced it is no hit, and none elsewhere.
    """

    def __init__(
        self,
        query: Query,
        view: IndexView,
        reader: RecallReader,
        items: ReadItems,
        seen: Int32s,
        heads: Mapping[str, Sequence[str]],
    ) -> None:
        self._query, self._view, self._reader, self._items = query, view, reader, items
        self._seen, self._heads = seen, heads
        self._edges: dict[str, list[Edge]] = {}

    def marked(self, hits: Sequence[Hit]) -> tuple[Hit, ...]:
        """Return hits, and those found in a session or document, with what was superseded or is contradicted marked."""
        found = {one.episode.id: one.episode for hit in hits for one in (hit, *_within(hit))}
        said = [id_ for id_, one in found.items() if one.kind is EpisodeKind.STATEMENT]
        if not said:
            return tuple(hits)
        old, doubted = self._in_doubt(list(found))
        edges = self._around(self._joined(said))
        if not (edges or old or doubted):
            return tuple(hits)
        ends = {end for edge in edges for end in (edge.source_id, edge.target_id) if self._is_seen(end)}
        others = found | {one.id: one for one in self._items.named(sorted(ends - found.keys()))}
        newer = {id_: next(iter(self._ends(edges, id_, others, EdgeKind.SUPERSEDES)), None) for id_ in old}
        kind = EdgeKind.LIKELY_SUPERSEDES
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
                possibly_replaced_by=self._ends(edges, id_, others, kind),
                possibly_replaces=self._ends(edges, id_, others, kind, is_newer=False),
            )

        return tuple(map(tell, hits))

    def _in_doubt(self, ids: Sequence[str]) -> tuple[set[str], set[str]]:
        """Return those of some episodes that are superseded, and those that wait for a decision."""
        numbers = np.array([self._view.numbers.get(id_, -1) for id_ in ids], dtype=np.int32)
        superseded = (numbers >= 0) & superseded_by(self._query.as_of, self._view, numbers)
        pending = (numbers >= 0) & (self._view.states[numbers] == _PENDING)
        return set(compress(ids, superseded)), set(compress(ids, pending))

    def updates(self, ids: Sequence[str]) -> list[UpdatePair]:
        """Return which of some episodes replace which, surely or possibly, by their places."""
        heads = {id_: self._joined([id_]) for id_ in ids}
        places: dict[str, list[int]] = {}
        for place, id_ in enumerate(ids):
            for head in heads[id_]:
                places.setdefault(head, []).append(place)
        return [
            UpdatePair(older=older, newer=newer, is_sure=edge.kind is EdgeKind.SUPERSEDES)
            for edge in self._around(frozenset(places))
            if edge.kind is not EdgeKind.CONTRADICTS
            for older, newer in product(places.get(edge.target_id, ()), places.get(edge.source_id, ()))
        ]

    def _around(self, ids: frozenset[str]) -> list[Edge]:
        """Return the edges at some episodes; each episode's are read once."""
        missing = sorted(ids - self._edges.keys())
        if missing:
            self._edges |= {id_: [] for id_ in missing}
            for edge in self._reader.edges_around(missing, kinds=_KINDS):
                for end in {edge.source_id, edge.target_id}.intersection(missing):
                    self._edges[end].append(edge)
        return list(dict.fromkeys(edge for id_ in sorted(ids) for edge in self._edges[id_]))

    def _joined(self, ids: Iterable[str]) -> frozenset[str]:
        """Return the episodes that edges join for these: those that represent each."""
        return frozenset(head for id_ in ids for head in self._heads.get(id_, (id_,)))

    def _ends(
        self, edges: Sequence[Edge], id_: str, others: Mapping[str, Episode], kind: EdgeKind, *, is_newer: bool = True
    ) -> tuple[Episode, ...]:
        """Return what edges of a kind lead from, or to, where they end, or begin, at an episode; the newest first."""
        own = self._joined([id_])
        ends = [
            (one.source_id, one.target_id) if is_newer else (one.target_id, one.source_id)
            for one in edges
            if one.kind is kind
        ]
        found = {other: others[other] for other, end in ends if end in own and other in others}
        return tuple(sorted(found.values(), key=lambda one: (one.occurred_at or one.recorded_at, one.id), reverse=True))

    def _contradicting(self, edges: Sequence[Edge], id_: str, others: Mapping[str, Episode]) -> tuple[Episode, ...]:
        """Return what waits for the same decision: a contradiction that was settled is none."""
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
        place = int(np.searchsorted(self._seen, np.int32(number)))
        return place < self._seen.size and int(self._seen[place]) == number


def _within(hit: Hit) -> tuple[Hit, ...]:
    return hit.whole.found if hit.whole else hit.expansion.folded if hit.expansion else ()
