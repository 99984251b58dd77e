"""``graph``: the neighbourhood of an episode, read level by level along its strongest edges, and its contexts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

import numpy as np
import numpy.typing as npt

from evolore.domain.checks import check_time, checked_word
from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeState
from evolore.domain.graph import AskedAbout, EpisodeContext, Neighbour, Neighbourhood
from evolore.domain.outcome import QUERY_EDGES
from evolore.errors import InvalidValue, NotFound
from evolore.flows.browse import resolve
from evolore.flows.context import Context
from evolore.store.reading import StoreReader
from evolore.text.vectors import groups

MAX_DEPTH = 3
MAX_LIMIT = 200
_EDGES_AN_EPISODE, _EDGES_A_NODE = 40, 4
"""How many edges are read at most: for each episode whose edges are asked for, and for each that may be shown."""
_QUESTIONS = 10
_LOOKED_UP = 100
"""How many episodes are read at a time while there is room."""


def neighbourhood(
    context: Context,
    item_id: str,
    *,
    depth: int = 1,
    limit: int = 60,
    as_of: datetime | None = None,
    kinds: Iterable[EdgeKind | str] | None = None,
) -> Neighbourhood:
    """Return the neighbourhood of the episode that an id, or the beginning of one, names.

    Each level is read in one round trip, or two where what is hidden may matter, and one more finds the edges among the
    last. Contradictions, supersessions, members and branches come first, then the strongest edges, ties by id.
    """
    _check_range(depth, "depth", MAX_DEPTH)
    _check_range(limit, "limit", MAX_LIMIT)
    check_time(as_of=as_of)
    wanted = None if kinds is None else frozenset(checked_word(EdgeKind, kind, "kinds") for kind in kinds)
    with context.store.read(context.namespace) as reader:
        search = _Search(reader, _centre(reader, item_id, as_of), as_of=as_of, kinds=wanted, limit=limit)
        for distance in range(1, depth + 1):
            search.step(distance)
        search.look_around()
        return search.result(depth)


def _check_range(value: int, name: str, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
        raise InvalidValue(f"{name} is {value!r}: use a whole number from 1 to {most}.")


def _centre(reader: StoreReader, item_id: str, as_of: datetime | None) -> Episode:
    whole_id = resolve(reader, item_id)
    for episode in reader.episodes([whole_id]):
        if as_of is not None and _time(episode) > as_of:
            raise NotFound(
                f"{episode.id} was not there at {as_of.isoformat()}: it is of {_time(episode).isoformat()}. Ask as of "
                "then or later."
            )
        return episode
    raise NotFound(
        f"{item_id!r} is a document: name one of its passages, whose ids `evolore outline tree {whole_id} --json` lists, or a statement."
    )


def _time(episode: Episode) -> datetime:
    return episode.occurred_at or episode.recorded_at


def _was_there(episode: Episode, as_of: datetime | None) -> bool:
    if as_of is None or episode.state is EpisodeState.REVOKED:
        return episode.stands
    return _time(episode) <= as_of and (episode.stands_until is None or as_of < episode.stands_until)


class _Search:
    """A neighbourhood while it grows; its centre is shown even if hidden."""

    def __init__(
        self,
        reader: StoreReader,
        centre: Episode,
        *,
        as_of: datetime | None,
        kinds: frozenset[EdgeKind] | None,
        limit: int,
    ) -> None:
        self._reader, self._as_of, self._kinds, self._limit = reader, as_of, kinds, limit
        self._nodes = {centre.id: Neighbour(episode=centre, distance=0)}
        self._edges: dict[tuple[str, str, EdgeKind], Edge] = {}
        self._absent: set[str] = set()
        self._frontier = [centre.id]
        self._truncated = False

    def step(self, distance: int) -> None:
        """Find the nodes one edge further away."""
        room = self._limit - len(self._nodes)
        there: dict[str, Episode] = {}
        order = self._candidates(self._read(self._frontier))
        for start in range(0, len(order), _LOOKED_UP):
            there |= self._there(order[start : start + _LOOKED_UP])
            if len(there) > room:
                break
        self._truncated |= len(there) > room
        self._frontier = list(there)[:room]
        self._nodes |= {id_: Neighbour(episode=there[id_], distance=distance) for id_ in self._frontier}

    def _there(self, ids: Sequence[str]) -> dict[str, Episode]:
        """Return those that are there at the moment that is shown, in the order asked."""
        found = {one.id: one for one in self._reader.episodes(ids) if _was_there(one, self._as_of)}
        self._absent.update(set(ids) - found.keys())
        return found

    def look_around(self) -> None:
        """Find the edges among the last nodes found, how many lead on from them, and who contradicts them."""
        edges = self._read(self._frontier)
        self._there(self._candidates(edge for edge in edges if edge.kind is EdgeKind.CONTRADICTS))

    def result(self, depth: int) -> Neighbourhood:
        """Return what was found."""
        ids = list(self._nodes)
        centre = ids[0]
        edges = edges_between({id_: node.episode for id_, node in self._nodes.items()}, self._edges.values())
        contexts = _contexts(centre, ids, edges)
        of_node = {id_: one.number for one in contexts for id_ in one.ids}
        members = self._reader.members(ids)
        return Neighbourhood(
            centre=centre,
            nodes=tuple(
                replace(
                    node,
                    episode=self._as_it_was(node.episode),
                    context=of_node.get(id_),
                    members=members.get(id_, ()),
                    further=self._further(id_),
                )
                for id_, node in self._nodes.items()
            ),
            edges=edges,
            contexts=contexts,
            conflicts=self._conflicts(edges),
            depth=depth,
            as_of=self._as_of,
            truncated=self._truncated,
            questions=tuple(self._asked_about(centre)),
        )

    def _asked_about(self, centre: str) -> Iterator[AskedAbout]:
        """Yield the questions whose edges to the centre are in the graph, as far as they were asked by the moment shown."""
        edges = (edge for edge in self._edges.values() if edge.target_id == centre and edge.kind in QUERY_EDGES)
        for edge in islice(strongest(edges), _QUESTIONS):
            asked = self._reader.query(edge.source_id)
            if asked is not None and (self._as_of is None or asked.asked_at <= self._as_of):
                yield AskedAbout(query_id=asked.id, text=asked.text, kind=edge.kind, weight=edge.weight)

    def _read(self, ids: Sequence[str]) -> tuple[Edge, ...]:
        if not ids:
            return ()
        most = _EDGES_AN_EPISODE * len(ids) + _EDGES_A_NODE * self._limit
        # What was visible at an earlier moment may be hidden now; and what represents a merged statement hides it.
        hidden = self._as_of is not None or any(not _was_there(self._nodes[id_].episode, None) for id_ in ids)
        found = self._reader.edges_around(ids, kinds=self._kinds, hidden=hidden, limit=most)
        self._truncated |= len(found) >= most
        if hidden and (self._kinds is None or EdgeKind.SEQUENCE in self._kinds):
            # The neighbour of a visible one may be hidden; the next visible one is asked for separately.
            found += self._reader.edges_around(ids, kinds={EdgeKind.SEQUENCE}, hidden=False, limit=most)
        self._edges.update({(edge.source_id, edge.target_id, edge.kind): edge for edge in found})
        return found

    def _candidates(self, edges: Iterable[Edge]) -> list[str]:
        """Return the ends that are no nodes yet, the most strongly joined first."""
        ends = (id_ for edge in strongest(edges) for id_ in (edge.source_id, edge.target_id))
        return [id_ for id_ in dict.fromkeys(ends) if id_ not in self._nodes and id_ not in self._absent]

    def _as_it_was(self, episode: Episode) -> Episode:
        """Return an episode in its state at the moment that is shown."""
        if self._as_of is None:
            return episode
        has_ended = episode.valid_to is not None and episode.valid_to <= self._as_of
        is_early = episode.state is EpisodeState.SUPERSEDED and not has_ended
        is_alone = episode.state is EpisodeState.CONFLICT_PENDING and not self._is_contradicted(episode.id)
        return replace(episode, state=EpisodeState.ACTIVE) if is_early or is_alone else episode

    def _is_contradicted(self, id_: str) -> bool:
        """Return whether somebody contradicts an episode by now; yes where that was not to be read."""
        if self._kinds is not None and EdgeKind.CONTRADICTS not in self._kinds:
            return True
        return any(
            kind is EdgeKind.CONTRADICTS and id_ in {source, target} and not {source, target} & self._absent
            for source, target, kind in self._edges
        )

    def _further(self, id_: str) -> int:
        outside = {
            other
            for source, target, _ in self._edges
            if id_ in {source, target}
            for other in (source, target)
            if other not in self._nodes and other not in self._absent
        }
        return len(outside)

    def _conflicts(self, edges: Iterable[Edge]) -> tuple[tuple[str, str], ...]:
        def age(id_: str) -> tuple[datetime, str]:
            return _time(self._nodes[id_].episode), id_

        pairs = (
            sorted((edge.source_id, edge.target_id), key=age) for edge in edges if edge.kind is EdgeKind.CONTRADICTS
        )
        is_open = EpisodeState.CONFLICT_PENDING
        return tuple(
            dict.fromkeys(
                (older, newer)
                for older, newer in pairs
                if {self._nodes[older].episode.state, self._nodes[newer].episode.state} == {is_open}
            )
        )


def _contexts(centre: str, ids: Sequence[str], edges: Sequence[Edge]) -> tuple[EpisodeContext, ...]:
    others = [id_ for id_ in ids if id_ != centre]
    weight_in: dict[str, float] = dict.fromkeys(others, 0.0)
    inside: dict[str, float] = dict.fromkeys(others, 0.0)
    groups = contexts_of(others, edges)
    of_node = {id_: number for number, group in enumerate(groups) for id_ in group}
    for edge in edges:
        weight = edge.weight * CONTENT_KINDS.get(edge.kind, 0.0)
        ends = [id_ for id_ in (edge.source_id, edge.target_id) if id_ != centre]
        if len(ends) == 1:
            weight_in[ends[0]] += weight
        elif of_node.get(ends[0], -1) == of_node.get(ends[1], -2):
            for id_ in ends:
                inside[id_] += weight
    total = sum(weight_in.values()) or 1.0
    return tuple(
        EpisodeContext(
            number=number,
            ids=tuple(sorted(group, key=lambda id_: (-round(inside[id_], 4), others.index(id_)))),
            share=round(sum(weight_in[id_] for id_ in group) / total, 4),
        )
        for number, group in enumerate(groups)
    )


CONTENT_KINDS: Mapping[EdgeKind, float] = {
    EdgeKind.SEMANTIC: 1.0,
    EdgeKind.ECHO: 1.0,
    EdgeKind.SEQUENCE: 0.8,
    EdgeKind.BRANCH: 0.5,
}
"""How much an edge's weight says that its ends are of one matter.

Conversations wander, so being next to each other says less than being alike; and parts of one split were parted because
they are of two matters, so that alone never joins them.
"""
_JOINED = 0.5
_DIGITS = 4


def contexts_of(ids: Sequence[str], edges: Iterable[Edge]) -> tuple[tuple[str, ...], ...]:
    """Group episodes by what they have to do with each other.

    Two are as near as the strongest path between them: the product of its edges' weights, 0–1. What is nearer to
    something than 0.5 is grouped by average linkage, as the neighbours of an episode are that may be split.

    Returns:
        Groups of at least two, the largest first, ties by the first id; ids in the order given. What is in no group
        is on its own.
    """
    near = _nearness(ids, edges)
    joined = np.flatnonzero((near - np.eye(len(ids)) > _JOINED).any(axis=1))
    found: dict[int, list[str]] = {}
    for place, group in zip(joined.tolist(), groups(near[np.ix_(joined, joined)]).tolist(), strict=True):
        found.setdefault(group, []).append(ids[place])
    return tuple(sorted(map(tuple, found.values()), key=lambda group: (-len(group), group[0])))


def _nearness(ids: Sequence[str], edges: Iterable[Edge]) -> npt.NDArray[np.float64]:
    """Return the strength of the strongest path between each two: symmetric, 1 on the diagonal."""
    places = {id_: place for place, id_ in enumerate(ids)}
    near = np.eye(len(ids))
    for edge in edges:
        ends = places.get(edge.source_id), places.get(edge.target_id)
        if edge.kind in CONTENT_KINDS and ends[0] is not None and ends[1] is not None:
            near[ends] = near[ends[::-1]] = max(near[ends], edge.weight * CONTENT_KINDS[edge.kind])
    for via in range(len(ids)):
        near = np.maximum(near, np.outer(near[:, via], near[via, :]))
    return np.round(near, _DIGITS)


_ALWAYS_FIRST = frozenset(
    {EdgeKind.CONTRADICTS, EdgeKind.SUPERSEDES, EdgeKind.LIKELY_SUPERSEDES, EdgeKind.MEMBER, EdgeKind.BRANCH}
)


def strongest(edges: Iterable[Edge]) -> list[Edge]:
    """Order edges: contradictions, supersessions, members and branches first, then by weight, ties by ends and kind."""
    return sorted(
        edges,
        key=lambda edge: (
            edge.kind not in _ALWAYS_FIRST,
            -round(edge.weight, _DIGITS),
            edge.source_id,
            edge.target_id,
            edge.kind.value,
        ),
    )


def edges_between(episodes: Mapping[str, Episode], edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Return the edges with both ends among some episodes, the strongest first.

    Of several that lead on from one, or on to one, in a session, only that to the next turn is given. What was merged
    does not also follow, by its place, on what holds it.
    """
    inside = [edge for edge in strongest(edges) if {edge.source_id, edge.target_id} <= episodes.keys()]
    held = {frozenset({edge.source_id, edge.target_id}) for edge in inside if edge.kind is EdgeKind.MEMBER}
    turns = [
        edge
        for edge in inside
        if edge.kind is EdgeKind.SEQUENCE and frozenset({edge.source_id, edge.target_id}) not in held
    ]

    def place(id_: str) -> tuple[int, str]:
        return episodes[id_].position, id_

    next_to: dict[str, str] = {}
    last_before: dict[str, str] = {}
    for edge in turns:
        source, target = edge.source_id, edge.target_id
        next_to[source] = min(next_to.get(source, target), target, key=place)
        last_before[target] = max(last_before.get(target, source), source, key=place)
    kept = {
        (edge.source_id, edge.target_id)
        for edge in turns
        if next_to[edge.source_id] == edge.target_id and last_before[edge.target_id] == edge.source_id
    }
    return tuple(
        edge for edge in inside if edge.kind is not EdgeKind.SEQUENCE or (edge.source_id, edge.target_id) in kept
    )
