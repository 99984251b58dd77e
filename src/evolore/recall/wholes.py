"""Wholes: sessions and documents as hits. One ranks where its best episode does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.citation import GAP, Level
from evolore.domain.episode import Episode
from evolore.domain.query import Hit, Whole, likeliest
from evolore.text.vectors import Float32s, Int32s

if TYPE_CHECKING:
    from evolore.recall.evidence import Evidence
    from evolore.recall.hits import FoundHits
    from evolore.recall.ranking import Ranking
    from evolore.recall.reader import RecallReader

MOST_FOUND = 10
"""At most so many episodes of a session or document are named as what was found in it."""

_MOST_CHARACTERS = 4000
"""How long the text of a session or document may be; of a longer one, what was found in it is given."""

_LEAST_SHARE = 0.5
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

    Args:
        order: Item numbers, best first.
        groups: The group of every item, shape (items,).
    """
    _, places = np.unique(groups[order], return_index=True)
    return order[np.sort(places)]


def best_within(members: Int32s, score: Float32s) -> Int32s:
    """Return the items of a group that answer about as well as its best one, best first, ties by number.

    Args:
        members: The group's items, rising; at least one.
        score: Of every item.
    """
    ranked = members[np.argsort(-score[members], kind="stable")][:MOST_FOUND]
    best = float(score[ranked[0]])
    return ranked[: max(1, int(np.count_nonzero(score[ranked] >= _LEAST_SHARE * best)))] if best > 0 else ranked[:1]


def as_many_as_fit(pieces: Iterable[WholePiece], *, most: int) -> tuple[WholePiece, ...]:
    """Choose pieces, the most wanted first, as long as they have at most ``most`` characters; the first in any case.

    One that is too long is passed over, because a shorter one may still fit.

    Args:
        pieces: May name one place several times; it is taken once.
        most: How many characters.

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
    most: int = _MOST_CHARACTERS  #: How many characters the text of one may have.

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
            pieces = as_many_as_fit(self._wanted(members, best), most=self.most)
        text = join_pieces(pieces, between="" if self.level is Level.DOCUMENT else "\n")
        whole = Whole(
            level=self.level, name=name, text=text, is_complete=is_complete, episodes=members.size, found=found
        )
        return replace(found[0], whole=whole, likelihood=likeliest(found))

    def _all(self, members: Int32s, best: Episode) -> tuple[WholePiece, ...] | None:
        """Read a session or document; None where it is too long, of which no more than that is read."""
        if best.document_id is not None:
            document = self.reader.document(best.document_id)
            if document is None or document.characters > self.most:
                return None
        pieces: list[WholePiece] = []
        left = self.most
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
