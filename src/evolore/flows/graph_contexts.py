"""Contexts: which episodes around one hang together without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.episodes import EdgeKind

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

    Two are as near as the strongest path between them: the product of its edges' weights, 0–1. Groups are joined while
    the mean nearness of their pairs is above 0.5, the nearest first, ties by order. What is left over and near to
    anything by more than that goes where it is nearest on average.

    Args:
        ids: The episodes, each once.
        edges: What joins them; other ends and kinds without content are left out.

    Returns:
        Groups of at least two, the largest first, ties by the first id; ids in the order given. What is in none of them
        stands alone.
    """
    near = _nearness(ids, edges)
    groups = _absorbed(_linked(near), near)
    named = [tuple(ids[place] for place in sorted(group)) for group in groups if len(group) > 1]
    return tuple(sorted(named, key=lambda group: (-len(group), group[0])))


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


def _linked(near: npt.NDArray[np.float64]) -> list[list[int]]:
    """Join groups by average linkage, the nearest pair first."""
    groups = [[place] for place in range(len(near))]
    sums = near.copy()
    while len(groups) > 1:
        sizes = np.array([len(group) for group in groups], dtype=np.float64)
        means = np.round(sums / np.outer(sizes, sizes), _DIGITS)
        np.fill_diagonal(means, -1.0)
        first, second = divmod(int(means.argmax()), len(groups))
        if means[first, second] <= _JOINED:
            break
        groups[first] = sorted(groups[first] + groups.pop(second))
        sums[first] += sums[second]
        sums[:, first] += sums[:, second]
        sums = np.delete(np.delete(sums, second, axis=0), second, axis=1)
    return groups


def _absorbed(groups: list[list[int]], near: npt.NDArray[np.float64]) -> list[list[int]]:
    """Put what stands alone into the group that is nearest on average, if it has to do with anything."""
    larger = [list(group) for group in groups if len(group) > 1]
    for (place,) in (group for group in groups if len(group) == 1):
        if larger and np.delete(near[place], place).max() > _JOINED:
            means = [round(float(near[place, group].mean()), _DIGITS) for group in larger]
            larger[means.index(max(means))].append(place)
    return larger
