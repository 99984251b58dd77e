"""Contexts: which episodes around one hang together without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.episodes import EdgeKind
from evolore.text.linkage import groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    from evolore.domain.episodes import Edge

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

    Args:
        ids: The episodes, each once.
        edges: What joins them; other ends and kinds without content are left out.

    Returns:
        Groups of at least two, the largest first, ties by the first id; ids in the order given. What is in none of them
        stands alone.
    """
    near = _nearness(ids, edges)
    joined = np.flatnonzero((near - np.eye(len(ids)) > _JOINED).any(axis=1))
    found: dict[int, list[str]] = {}
    for place, group in zip(joined.tolist(), groups(near[np.ix_(joined, joined)]).tolist(), strict=True):
        found.setdefault(group, []).append(ids[place])
    return tuple(sorted(map(tuple, found.values()), key=lambda group: (-len(group), group[0])))


def _nearness(ids: Sequence[str], edges: Iterable[Edge]) -> npt.NDArray[np.float64]:
    """Give the strength of the strongest path between each two: symmetric, 1 on the diagonal."""
    places = {id_: place for place, id_ in enumerate(ids)}
    near = np.eye(len(ids))
    for edge in edges:
        ends = places.get(edge.source_id), places.get(edge.target_id)
        if edge.kind in CONTENT_KINDS and ends[0] is not None and ends[1] is not None:
            strength = edge.weight * CONTENT_KINDS[edge.kind]
            near[ends] = near[ends[::-1]] = max(near[ends], strength)
    for via in range(len(ids)):
        near = np.maximum(near, np.outer(near[:, via], near[via, :]))
    return np.round(near, _DIGITS)
