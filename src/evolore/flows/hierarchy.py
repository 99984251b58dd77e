"""Depth and expansion: what ``recall`` asks the store about the outlines its hits stand in."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.answers import Expansion, Hit
from evolore.domain.knowledge import Span
from evolore.domain.outline import OutlineCode
from evolore.recall.hierarchy import Leaf, fold, prefer_depth, shared_ancestors, within_reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from evolore.domain.episodes import Episode
    from evolore.ports import IndexView, StoreReader
    from evolore.recall.hierarchy import Fold, Node
    from evolore.recall.ranking import Ranking
    from evolore.recall.settings import RecallSettings


def by_depth(
    ranking: Ranking,
    depth: int,
    *,
    count: int,
    ids_of: Callable[[Sequence[int]], Sequence[str]],
    reader: StoreReader,
    settings: RecallSettings,
) -> Ranking:
    """Rank anew by how deep items stand; only those that could be among the first ``count`` are looked up."""
    items = within_reach(ranking.score, count=count, bonus=settings.depth_weight)
    ids = ids_of(items.tolist())
    depths = reader.depths(ids)
    found = np.array([depths.get(id_, 0) for id_ in ids], dtype=np.int32)
    return prefer_depth(ranking, items, found, depth=depth, weight=settings.depth_weight)


class Expander:
    """Puts hits that are siblings together into the chunk above them.

    Args:
        reader: Where outlines and texts are read.
        settings: When hits are folded.
        is_seen: Tells whether the question may see an episode; None where it sees all. A chunk that holds another is
            never given back.
        fits: Tells whether a text is short enough to be given back; None where every text is.
    """

    def __init__(
        self,
        reader: StoreReader,
        *,
        settings: RecallSettings,
        is_seen: Callable[[str], bool] | None,
        fits: Callable[[str], bool] | None = None,
    ) -> None:
        self._reader = reader
        self._settings = settings
        self._is_seen = is_seen
        self._fits = fits
        self._known: dict[Node, Expansion | None] = {}

    def expand(self, first: Callable[[int], tuple[Hit, ...]], *, limit: int) -> tuple[Hit, ...]:
        """Give ``limit`` hits, where there are as many, folding those that would have been shown.

        The next hits move up into the places that become free, and are folded in their turn.

        Args:
            first: Gives that many hits, best first, or all where there are fewer.
            limit: How many to give at the most.
        """
        count = limit
        while True:
            hits = first(count)
            folds = self._folds(hits)
            if len(folds) >= limit or len(hits) < count:
                break
            count += limit - len(folds)
        return tuple(self._hit(one, hits, rank) for rank, one in enumerate(folds, start=1))

    def _folds(self, hits: Sequence[Hit]) -> tuple[Fold, ...]:
        leaves = [_leaf(hit.episode) for hit in hits]
        self._learn(shared_ancestors(leaves) - self._known.keys())
        spans = {node: wider.span for node, wider in self._known.items() if wider is not None}
        return fold(leaves, spans, settings=self._settings)

    def _hit(self, one: Fold, hits: Sequence[Hit], rank: int) -> Hit:
        best = replace(hits[one.members[0]], rank=rank)
        wider = self._known[one.node] if one.node else None
        if wider is None:
            return best
        _, text = self._reader.passage(best.episode.document_id or "", wider.span)
        folded = tuple(hits[place] for place in one.members)
        return replace(best, expansion=replace(wider, text=text, folded=folded))

    def _learn(self, nodes: Iterable[Node]) -> None:
        of_document: defaultdict[str, list[tuple[int, ...]]] = defaultdict(list)
        for document_id, parts in nodes:
            of_document[document_id].append(parts)
        for document_id, asked in of_document.items():
            self._known.update(((document_id, parts), None) for parts in asked)
            for wider in self._wider(document_id, asked):
                parts = wider.outline.parts if wider.outline else ()
                self._known[document_id, parts] = wider if self._may_show(document_id, wider.span) else None

    def _wider(self, document_id: str, asked: Sequence[tuple[int, ...]]) -> list[Expansion]:
        codes = [OutlineCode(parts) for parts in asked if parts]
        found = [
            Expansion(outline=chunk.outline, span=chunk.span, heading_path=chunk.heading_path)
            for chunk in self._reader.chunks_at(document_id, codes)
        ]
        document = self._reader.document(document_id) if () in asked else None
        if document is not None:
            found.append(Expansion(outline=None, span=Span(0, document.characters)))
        return found

    def _may_show(self, document_id: str, span: Span) -> bool:
        if len(span) > self._settings.expand_max_characters:
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
    """Give what tells whether an episode is among these items; None where all are."""
    if len(numbers) == len(view.episode_ids):
        return None
    return frozenset(view.episode_ids[number] for number in numbers).__contains__
