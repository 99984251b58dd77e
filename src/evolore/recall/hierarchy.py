"""Hierarchy: what the outline of documents says about hits, and which of them come back as the chunk above them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evolore.recall.ranking import Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from evolore.domain.knowledge import Span
    from evolore.recall.ranking import Ranking
    from evolore.recall.settings import RecallSettings

Node: TypeAlias = tuple[str, tuple[int, ...]]
"""A document and the parts of a code in it; no parts for the document as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """Where a hit stands.

    Args:
        node: Its document and code.
        characters: How long it is.
    """

    node: Node
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Hits that come back as one.

    Args:
        members: Places of the hits in the ranking, rising; at least one.
        node: What comes back in their stead; None for a hit that stands for itself.
    """

    members: tuple[int, ...]
    node: Node | None = None


def within_reach(score: npt.NDArray[np.float32], *, count: int, bonus: float) -> npt.NDArray[np.int32]:
    """Give the items that a bonus from 0 to ``bonus`` could bring among the first ``count``, by number.

    An item behind the last of them by more than the bonus stays behind it, whatever each of them gains.
    """
    if count >= score.size:
        return np.arange(score.size, dtype=np.int32)
    return np.flatnonzero(score >= np.partition(score, -count)[-count] - np.float32(bonus)).astype(np.int32)


def prefer_depth(
    ranking: Ranking, items: npt.NDArray[np.int32], depths: npt.NDArray[np.int32], *, depth: int, weight: float
) -> Ranking:
    """Rank items anew, those first that stand as deep in their documents as was asked for.

    An item at depth d gains ``weight / (1 + |d - depth|)``: all of it at that depth, half a level off, a third two off.
    Added and not multiplied, as every term is; a statement stands in no document and gains nothing.

    Args:
        ranking: Without regard to depth.
        items: Which items to rank; the others are left behind them all.
        depths: How deep each of them stands, 0 for a statement, shape as ``items``.
        depth: The depth asked for, at least 1.
        weight: In the unit of scores, at least 0.
    """
    gains = np.where(depths > 0, np.float32(weight) / (1 + np.abs(depths - depth)), np.float32(0)).astype(np.float32)
    gain = np.zeros_like(ranking.score)
    gain[items] = gains
    score = ranking.score + gain
    order = items[np.argsort(-score[items], kind="stable")]
    return replace(ranking, order=order, score=score, terms={**ranking.terms, Term.DEPTH: gain})


def shared_ancestors(leaves: Iterable[Leaf | None]) -> frozenset[Node]:
    """Give what stands above at least two of these: what could come back in their stead."""
    above: defaultdict[Node, int] = defaultdict(int)
    for leaf in leaves:
        if leaf is not None:
            document, parts = leaf.node
            for end in range(len(parts)):
                above[document, parts[:end]] += 1
    return frozenset(node for node, count in above.items() if count > 1)


def fold(leaves: Sequence[Leaf | None], spans: Mapping[Node, Span], *, settings: RecallSettings) -> tuple[Fold, ...]:
    """Put hits that are siblings in their outline together, from the deepest level up.

    Siblings are folded where at least ``expand_siblings`` of them were hit, their parent has at most
    ``expand_max_characters``, and hits make up at least ``expand_share`` of it. A parent that comes back counts as a
    hit among its own siblings. What else was hit below it is folded with them, so that no text comes back twice.

    Laws: every hit is a member of exactly one fold; no fold lies inside another; the order of the folds is that of
    their best members, so the documents stand in the order they had.

    Args:
        leaves: The hits, best first; None for one that stands in no document.
        spans: Of the nodes that may come back.
        settings: When hits are folded.
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
        for parent in _parents(members, depth, least=settings.expand_siblings):
            below = [node for node in members if node[0] == parent[0] and node[1][: depth - 1] == parent[1]]
            hits = [place for node in below for place in members[node]]
            if _is_worth(spans.get(parent), sum(sizes[place] for place in hits), settings):
                for node in below:
                    del members[node]
                members[parent] = hits
    kept = (
        Fold(members=tuple(sorted(places)), node=None if node in single else node) for node, places in members.items()
    )
    return tuple(sorted((*alone, *kept), key=lambda one: one.members[0]))


def _parents(members: Iterable[Node], depth: int, *, least: int) -> list[Node]:
    """Give the nodes of which at least so many children are among those at a depth."""
    children: defaultdict[Node, int] = defaultdict(int)
    for document, parts in members:
        if len(parts) == depth:
            children[document, parts[:-1]] += 1
    return [node for node, count in children.items() if count >= least]


def _is_worth(span: Span | None, hit_characters: int, settings: RecallSettings) -> bool:
    if span is None or len(span) > settings.expand_max_characters:
        return False
    return hit_characters >= settings.expand_share * len(span)
