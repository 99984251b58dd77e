"""What a question may see, and which hits are superseded at its moment, possibly replaced, or in conflict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import compress, product
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeKind, EpisodeState
from evolore.domain.query import Hit, Query
from evolore.recall.time_order import UpdatePair
from evolore.text.question_words import rarity
from evolore.text.tokens import query_tokens
from evolore.text.vectors import Bools, Float64s, Int32s

if TYPE_CHECKING:
    from evolore.domain.query import Query
    from evolore.ports import IndexView
    from evolore.recall.hits import ReadItems
    from evolore.recall.reader import RecallReader

_REVOKED = tuple(EpisodeState).index(EpisodeState.REVOKED)
_SUPERSEDED = tuple(EpisodeState).index(EpisodeState.SUPERSEDED)
_PENDING = tuple(EpisodeState).index(EpisodeState.CONFLICT_PENDING)


def seen_by(query: Query, view: IndexView, matching: Collection[str] | None) -> Int32s:
    """Return the numbers of the items that a question may see, rising.

    What it may not see takes no part at all: it is not ranked, lends its neighbours nothing and moves no average.
    So as many hits come back as were asked for, when as many match, and nothing shows of what does not match.

    Args:
        query: The question.
        view: The indexes.
        matching: What has the names and labels its filter asks for; None where it asks for none.
    """
    there = there_by(query, view)
    is_seen = np.ones(len(view.episode_ids), dtype=np.bool_) if there is None else there.copy()
    if query.filter.since is not None:
        is_seen &= view.times >= query.filter.since.timestamp()
    if query.filter.until is not None:
        is_seen &= view.times < query.filter.until.timestamp()
    if matching is not None:
        is_seen &= np.fromiter(map(matching.__contains__, view.episode_ids), dtype=np.bool_, count=is_seen.size)
    return np.flatnonzero(is_seen).astype(np.int32)


def with_states_of_heads(
    query: Query, view: IndexView, reader: RecallReader
) -> tuple[IndexView, Mapping[str, Sequence[str]]]:
    """Return the view in which statements that count as they were said hold as long as what represents them does.

    What is superseded or waits for a person is the episode that represents a statement, and not the statement itself: said
    twice and then taken back, it would else be found as holding. One that several represent, after a split, is superseded
    where all of them are.

    Returns:
        The view, and for each such statement the episodes that represent it.
    """
    nothing: dict[str, Sequence[str]] = {}
    if query.filter.is_empty or not view.has_hidden:
        return view, nothing
    stands = np.isinf(view.stands_until)
    doubted = np.flatnonzero(stands & ((view.states == _SUPERSEDED) | (view.states == _PENDING)))
    members = reader.member_ids([view.episode_ids[one] for one in doubted.tolist()]) if doubted.size else nothing
    hidden = sorted({id_ for ids in members.values() for id_ in ids if not stands[view.numbers[id_]]})
    if not hidden:
        return view, nothing
    heads = reader.standing_for(hidden)
    states, valid_to = view.states.copy(), view.valid_to.copy()
    for id_, holders in heads.items():
        numbers = [view.numbers[one] for one in holders]
        of = view.states[numbers]
        if (of == _SUPERSEDED).all():
            states[view.numbers[id_]], valid_to[view.numbers[id_]] = _SUPERSEDED, view.valid_to[numbers].max()
        elif (of == _PENDING).any():
            states[view.numbers[id_]] = _PENDING
    return replace(view, states=states, valid_to=valid_to), heads


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCounts:
    """In how many items the words of a question are, of those it may see."""

    holding: Mapping[str, int]  #: For each word.
    items: int  #: How many there are.


def count_words(query: Query, view: IndexView) -> WordCounts:
    """Count the items that hold each word of a question, in what it may see."""
    tokens, is_there = query_tokens(query.text), there_by(query, view)
    starts, *_ = view.text.term_postings(tokens, among=is_there)
    items = len(view.episode_ids) if is_there is None else int(is_there.sum())
    return WordCounts(holding=dict(zip(tokens, np.diff(starts).tolist(), strict=True)), items=items)


def word_rarity(counts: Sequence[WordCounts]) -> dict[str, float]:
    """Return how rare each word of a question is, of all views together."""
    holding: Counter[str] = Counter()
    for one in counts:
        holding.update(one.holding)
    return rarity(dict(holding), sum(one.items for one in counts))


def there_by(query: Query, view: IndexView) -> Bools | None:
    """Return which items were there at the question's moment; None for all: later items must not change how rare a word is.

    Texts on trial take part only where they are before who asks, and then what they replace does not. What was
    merged into another or split counts for what it became, and what was taken back for nothing. A filter checks
    what was said, by whom, when and where: under one, statements count as they were said, and none for others. What
    a filter hides is counted: the whole memory shows better how rare a word is than the few that match.
    """
    as_said = view.has_hidden and not query.filter.is_empty
    if query.as_of is None and not as_said:
        return standing(view)
    was_there = _stood(query, view, as_said=as_said)
    return None if was_there.all() else was_there


def _stood(query: Query, view: IndexView, *, as_said: bool) -> Bools:
    moment = np.inf if query.as_of is None else query.as_of.timestamp()
    was_there = view.times <= moment
    if as_said:
        was_there &= ~view.is_made & (view.states != _REVOKED)
    elif view.has_hidden:
        was_there &= (moment < view.stands_until) & (view.states != _REVOKED)
    if view.withheld is not None:
        was_there &= ~view.withheld
    return was_there


def standing(view: IndexView) -> Bools | None:
    """Return which items are there now; None for all."""
    takes_part = None if view.withheld is None else ~view.withheld
    if not view.has_hidden:
        return takes_part
    stands = np.isinf(view.stands_until) & (view.states != _REVOKED)
    return stands if takes_part is None else stands & takes_part


def neighbours_by(query: Query, view: IndexView) -> tuple[Int32s, Float64s]:
    """Return each item's neighbours, and the seconds between them, as at the question's moment."""
    is_now = query.as_of is None and query.filter.is_empty
    there = there_by(query, view) if view.has_hidden and not is_now else None
    return (view.neighbours, view.neighbour_gaps) if there is None else view.relinked(there)


def superseded_by(as_of: datetime | None, view: IndexView, items: Int32s) -> Bools:
    """Return which of some items another had superseded at a moment, or now; one whose moment is not known, always."""
    is_superseded = view.states[items] == _SUPERSEDED
    if as_of is None or not is_superseded.any():
        return is_superseded
    valid_to = view.valid_to[items]
    return is_superseded & ((valid_to <= as_of.timestamp()) | np.isinf(valid_to))


_KINDS = frozenset((EdgeKind.SUPERSEDES, EdgeKind.LIKELY_SUPERSEDES, EdgeKind.CONTRADICTS))


class Standings:
    """Says of hits whether what they say still holds.

    Costs one read where a hit is a statement, another where what replaced it is no hit, and none elsewhere.

    Args:
        query: The question.
        view: The indexes.
        reader: A snapshot of the same moment.
        items: Reads episodes.
        seen: The numbers of what the question may see, rising: nothing else is named.
        heads: For statements that count as they were said, what represents them.
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
