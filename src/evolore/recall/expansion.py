"""Hits seen from above: documents and sessions that come back whole, and chunks above what was hit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from evolore.domain.citation import GAP, Level
from evolore.domain.document import Span
from evolore.domain.episode import Episode
from evolore.domain.outline import OutlineCode
from evolore.domain.query import Expansion, Hit, Whole, likeliest
from evolore.ports import IndexView
from evolore.recall.evidence import Evidence
from evolore.recall.hits import FoundHits
from evolore.recall.ranking import Ranking, Term
from evolore.recall.reader import RecallReader
from evolore.text.vectors import Float32s, Int32s

MOST_FOUND = 10
"""At most so many episodes of a session or document are named as what was found in it."""

_MOST_WHOLE_CHARACTERS = 4000
"""How long the text of a session or document may be; of a longer one, what was found in it is given."""

_LEAST_WHOLE_SHARE = 0.5
"""An episode that scores less than this part of the best one beside it is not what was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholePiece:
    """An episode's part of the text of its session or document."""

    place: int  #: Its place among the others, from 0.
    text: str  #: What it says.


def first_of_each(order: Int32s, groups: Int32s) -> Int32s:
    """Return the best item of each group, best first.

    A group has its best item's score and rank, and nothing for having more of them: adding half of the second best
    costs recall of documents, most where they have many passages, and a soft maximum changes little or costs as well
    (``benchmarks/levels.py``).
    """
    _, places = np.unique(groups[order], return_index=True)
    return order[np.sort(places)]


def best_within(members: Int32s, score: Float32s) -> Int32s:
    """Return the items of a group that answer about as well as its best one, best first, ties by number."""
    ranked = members[np.argsort(-score[members], kind="stable")][:MOST_FOUND]
    best = float(score[ranked[0]])
    return (
        ranked[: max(1, int(np.count_nonzero(score[ranked] >= _LEAST_WHOLE_SHARE * best)))] if best > 0 else ranked[:1]
    )


def as_many_as_fit(pieces: Iterable[WholePiece], *, most: int) -> tuple[WholePiece, ...]:
    """Choose pieces, the most wanted first, as long as they have at most ``most`` characters; the first in any case.

    One that is too long is passed over, because a shorter one may still fit.

    Returns:
        In the order of their places.
    """
    taken: dict[int, WholePiece] = {}
    left = most
    for piece in pieces:
        if piece.place not in taken and (len(piece.text) <= left or not taken):
            taken[piece.place] = piece
            left -= len(piece.text)
    return tuple(sorted(taken.values(), key=lambda piece: piece.place))


def join_pieces(pieces: Sequence[WholePiece], *, between: str) -> str:
    """Write pieces one after the other, with ``[…]`` on a line of its own where places are left out between them."""
    parts: list[str] = []
    before: WholePiece | None = None
    for piece in pieces:
        if before is not None:
            parts.append(between if piece.place == before.place + 1 else f"\n{GAP}\n")
        parts.append(piece.text)
        before = piece
    return "".join(parts)


_MORE = 4
"""How many times as far the ranking is read when it held too few sessions or documents."""

_READ_AT_ONCE = 64
_BESIDE = (1, 2)
"""Columns of the neighbours: the one before, the one after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wholes:
    """Gathers the hits of a question into the sessions or documents they are in."""

    found: FoundHits  #: The ranked items.
    evidence: Evidence  #: What is known of them.
    reader: RecallReader  #: Where episodes are read.
    level: Level  #: Sessions or documents.

    def first(self, count: int) -> tuple[Hit, ...]:
        """Return that many sessions or documents, best first, or all where there are fewer.

        A statement in no session comes back as itself, where sessions are asked for. Statements are left
        out where documents are asked for, and passages where sessions are.
        """
        ranked = count
        while True:
            ranking = self.found.ranking_to(ranked)
            items: list[int] = first_of_each(ranking.order[:ranked], self.evidence.groups).tolist()
            ids = self.found.items.ids(items)
            in_documents = self.reader.depths(ids)
            wanted = self.level is Level.DOCUMENT
            heads = [item for item, id_ in zip(items, ids, strict=True) if (id_ in in_documents) is wanted]
            if len(heads) >= count or ranking.order.size < ranked:
                break
            ranked *= _MORE
        return tuple(replace(self._hit(ranking, head), rank=rank) for rank, head in enumerate(heads[:count], start=1))

    def _hit(self, ranking: Ranking, head: int) -> Hit:
        members = np.flatnonzero(self.evidence.groups == self.evidence.groups[head]).astype(np.int32)
        best = best_within(members, ranking.score).tolist()
        found = self.found.hits(ranking, [head, *(item for item in best if item != head)])
        name = found[0].episode.document_id or found[0].episode.session
        if name is None:
            return found[0]
        pieces = self._all(members, found[0].episode)
        is_complete = pieces is not None
        if pieces is None:
            pieces = as_many_as_fit(self._wanted(members, best), most=_MOST_WHOLE_CHARACTERS)
        text = join_pieces(pieces, between="" if self.level is Level.DOCUMENT else "\n")
        whole = Whole(
            level=self.level, name=name, text=text, is_complete=is_complete, episodes=members.size, found=found
        )
        return replace(found[0], whole=whole, likelihood=likeliest(found))

    def _all(self, members: Int32s, best: Episode) -> tuple[WholePiece, ...] | None:
        """Read a session or document; None where it is too long, of which no more than that is read."""
        if best.document_id is not None:
            document = self.reader.document(best.document_id)
            if document is None or document.characters > _MOST_WHOLE_CHARACTERS:
                return None
        pieces: list[WholePiece] = []
        left = _MOST_WHOLE_CHARACTERS
        for start in range(0, members.size, _READ_AT_ONCE):
            read = self._pieces(members, members[start : start + _READ_AT_ONCE].tolist())
            left -= sum(len(piece.text) for piece in read)
            if left < 0:
                return None
            pieces += read
        return tuple(sorted(pieces, key=lambda piece: piece.place))

    def _wanted(self, members: Int32s, best: Sequence[int]) -> Iterator[WholePiece]:
        """Yield what was found, best first, then what is next to it."""
        beside = self.evidence.neighbours[list(best)][:, _BESIDE].ravel()
        yield from self._pieces(members, best)
        yield from self._pieces(members, beside[beside >= 0].tolist())

    def _pieces(self, members: Int32s, items: Sequence[int]) -> list[WholePiece]:
        episodes = self.found.items.episodes(items)
        if self.level is Level.DOCUMENT:  # its passages may have been taken in in another order
            return [WholePiece(place=episode.position, text=episode.text) for episode in episodes]
        places: list[int] = np.searchsorted(members, items).tolist()
        return [WholePiece(place=place, text=_line(one)) for place, one in zip(places, episodes, strict=True)]


def _line(episode: Episode) -> str:
    return f"{episode.speaker}: {episode.text}" if episode.speaker else episode.text


DEPTH_WEIGHT = 0.07
"""What a passage gains when it is at the depth that was asked for, in the unit of scores; half of it one level off, a
third two off."""

_LEAST_SIBLINGS = 2
_LEAST_SHARE = 0.5
_MOST_CHARACTERS = 2000
"""Siblings come back as the chunk above them where so many of them were hit, they make up so much of it, and it is no longer
than this; ``benchmarks/expansion.py`` compares values."""

Node: TypeAlias = tuple[str, tuple[int, ...]]
"""A document and the parts of a code in it; no parts for the document as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """The place of a hit."""

    node: Node
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Hits that come back as one."""

    members: tuple[int, ...]  #: Places of the hits in the ranking, rising; at least one.
    node: Node | None = None  #: What comes back instead of them; None for a hit that comes back as itself.


def within_reach(score: Float32s, *, count: int, bonus: float) -> Int32s:
    """Return the items that a bonus from 0 to ``bonus`` could bring among the first ``count``, by number.

    An item behind the last of them by more than the bonus stays behind it, even with the whole bonus.
    """
    if count >= score.size:
        return np.arange(score.size, dtype=np.int32)
    return np.flatnonzero(score >= np.partition(score, -count)[-count] - np.float32(bonus)).astype(np.int32)


def prefer_depth(ranking: Ranking, items: Int32s, depths: Int32s, *, depth: int, weight: float) -> Ranking:
    """Rank items again, those first that are as deep in their documents as was asked for.

    An item at depth d gains ``weight / (1 + |d - depth|)``: all of it at that depth, half a level off, a third two off.
    Added and not multiplied, as every term is; a statement is in no document and gains nothing.
    """
    gains = np.where(depths > 0, np.float32(weight) / (1 + np.abs(depths - depth)), np.float32(0)).astype(np.float32)
    gain = np.zeros_like(ranking.score)
    gain[items] = gains
    score = ranking.score + gain
    order = items[np.argsort(-score[items], kind="stable")]
    return replace(ranking, order=order, score=score, terms={**ranking.terms, Term.DEPTH: gain})


def shared_ancestors(leaves: Iterable[Leaf | None]) -> frozenset[Node]:
    """Return the nodes above at least two of these: those that could come back instead of them."""
    above: defaultdict[Node, int] = defaultdict(int)
    for leaf in leaves:
        if leaf is not None:
            document, parts = leaf.node
            for end in range(len(parts)):
                above[document, parts[:end]] += 1
    return frozenset(node for node, count in above.items() if count > 1)


def fold(leaves: Sequence[Leaf | None], spans: Mapping[Node, Span]) -> tuple[Fold, ...]:
    """Put hits that are siblings in their outline together, from the deepest level up.

    Siblings are folded where at least two of them were hit, their parent has at most 2000 characters, and hits make
    up at least half of it. A parent that comes back counts as a
    hit among its own siblings. What else was hit below it is folded with them, so that no text comes back twice.

    Laws: every hit is a member of exactly one fold; no fold lies inside another; the order of the folds is that of
    their best members, so the documents keep the order they had.
    """
    members: dict[Node, list[int]] = {}
    alone: list[Fold] = []
    for place, leaf in enumerate(leaves):
        if leaf is None:
            alone.append(Fold(members=(place,)))
        else:
            members[leaf.node] = [place]
    single = set(members)
    sizes = {place: leaf.characters for place, leaf in enumerate(leaves) if leaf is not None}
    for depth in range(max((len(parts) for _, parts in members), default=0), 0, -1):
        for parent in _parents(members, depth, least=_LEAST_SIBLINGS):
            below = [node for node in members if node[0] == parent[0] and node[1][: depth - 1] == parent[1]]
            hits = [place for node in below for place in members[node]]
            if _is_worth(spans.get(parent), sum(sizes[place] for place in hits)):
                for node in below:
                    del members[node]
                members[parent] = hits
    kept = (
        Fold(members=tuple(sorted(places)), node=None if node in single else node) for node, places in members.items()
    )
    return tuple(sorted((*alone, *kept), key=lambda one: one.members[0]))


def _parents(members: Iterable[Node], depth: int, *, least: int) -> list[Node]:
    """Return the nodes of which at least so many children are among those at a depth."""
    children: defaultdict[Node, int] = defaultdict(int)
    for document, parts in members:
        if len(parts) == depth:
            children[document, parts[:-1]] += 1
    return [node for node, count in children.items() if count >= least]


def _is_worth(span: Span | None, hit_characters: int) -> bool:
    return span is not None and _LEAST_SHARE * len(span) <= hit_characters and len(span) <= _MOST_CHARACTERS


def by_depth(
    ranking: Ranking, depth: int, *, count: int, ids_of: Callable[[Sequence[int]], Sequence[str]], reader: RecallReader
) -> Ranking:
    """Rank again by how deep items are; only those that could be among the first ``count`` are looked up."""
    items = within_reach(ranking.score, count=count, bonus=DEPTH_WEIGHT)
    ids = ids_of(items.tolist())
    depths = reader.depths(ids)
    found = np.array([depths.get(id_, 0) for id_ in ids], dtype=np.int32)
    return prefer_depth(ranking, items, found, depth=depth, weight=DEPTH_WEIGHT)


class Expander:
    """Puts hits that are siblings together into the chunk above them.

    Args:
        reader: Where outlines and texts are read.
        is_seen: Returns whether the question may see an episode; None where it sees all. A chunk that holds another is
            never returned.
        fits: Returns whether a text is short enough to be returned; None where every text is.
    """

    def __init__(
        self, reader: RecallReader, *, is_seen: Callable[[str], bool] | None, fits: Callable[[str], bool] | None = None
    ) -> None:
        self._reader = reader
        self._is_seen = is_seen
        self._fits = fits
        self._known: dict[Node, Expansion | None] = {}

    def expand(self, first: Callable[[int], tuple[Hit, ...]], *, limit: int) -> tuple[Hit, ...]:
        """Return ``limit`` hits, where there are as many, folding those that would have been shown.

        The next hits move up into the places that become free, and are folded in their turn.
        """
        count = limit
        while True:
            hits = first(count)
            leaves = [_leaf(hit.episode) for hit in hits]
            self._learn(shared_ancestors(leaves) - self._known.keys())
            folds = fold(leaves, {node: wider.span for node, wider in self._known.items() if wider is not None})
            if len(folds) >= limit or len(hits) < count:
                break
            count += limit - len(folds)
        return tuple(self._hit(one, hits, rank) for rank, one in enumerate(folds, start=1))

    def _hit(self, one: Fold, hits: Sequence[Hit], rank: int) -> Hit:
        best = replace(hits[one.members[0]], rank=rank)
        wider = self._known[one.node] if one.node else None
        if wider is None:
            return best
        _, text = self._reader.passage(best.episode.document_id or "", wider.span)
        folded = tuple(hits[place] for place in one.members)
        return replace(best, expansion=replace(wider, text=text, folded=folded), likelihood=likeliest(folded))

    def _learn(self, nodes: Iterable[Node]) -> None:
        of_document: defaultdict[str, list[tuple[int, ...]]] = defaultdict(list)
        for document_id, parts in nodes:
            of_document[document_id].append(parts)
        for document_id, asked in of_document.items():
            self._known.update(((document_id, parts), None) for parts in asked)
            found = [
                Expansion(outline=chunk.outline, span=chunk.span, heading_path=chunk.heading_path)
                for chunk in self._reader.chunks_at(document_id, [OutlineCode(parts) for parts in asked if parts])
            ]
            document = self._reader.document(document_id) if () in asked else None
            if document is not None:
                found.append(Expansion(outline=None, span=Span(0, document.characters)))
            for wider in found:
                parts = wider.outline.parts if wider.outline else ()
                self._known[document_id, parts] = wider if self._may_show(document_id, wider.span) else None

    def _may_show(self, document_id: str, span: Span) -> bool:
        if len(span) > _MOST_CHARACTERS:
            return False
        if self._is_seen is None and self._fits is None:
            return True
        ids, text = self._reader.passage(document_id, span)
        is_seen = self._is_seen is None or all(map(self._is_seen, ids))
        return is_seen and (self._fits is None or self._fits(text))


def _leaf(episode: Episode) -> Leaf | None:
    if episode.document_id is None or episode.outline is None or episode.span is None:
        return None
    return Leaf(node=(episode.document_id, episode.outline.parts), characters=len(episode.span))


def seen_among(view: IndexView, numbers: Sequence[int]) -> Callable[[str], bool] | None:
    """Return a check of whether an episode is among these items; None where all are."""
    if len(numbers) == len(view.episode_ids):
        return None
    return frozenset(view.episode_ids[number] for number in numbers).__contains__
