"""Where the nodes of a graph are drawn: near what they are joined to, and never over each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Points = npt.NDArray[np.float64]

_IDEAL = 170.0
"""How long an edge of full weight wants to be."""
_WIDTH_TO_HEIGHT = 1.45
_GRAVITY = 0.05
_CLEAR = 45.0
"""How far nodes keep from lines that go by."""
_MANY_LINES = 400
"""Of more lines nothing can keep away, and trying takes seconds."""
_STEPS = 240
_FIRST_STRIDE = 60.0
_GAP = 12.0
_ROUNDS = 400
_SPREAD = 1.06
_ROOM = 2.3
"""How much larger than its boxes the whole may be before they are pushed apart."""


@dataclass(frozen=True, slots=True)
class Link:
    """Two nodes that are drawn near each other.

    Args:
        first: The place of one.
        second: The place of the other.
        weight: How strongly, 0–1.
    """

    first: int
    second: int
    weight: float


def lay_out(sizes: Points, links: Sequence[Link], groups: Sequence[int | None], distances: Sequence[int]) -> Points:
    """Place boxes so that no two overlap; the same input gives the same places.

    Springs pull what is linked, everything pushes everything else away, and groups keep together.

    Args:
        sizes: Width and height of each box, (n, 2), in pixels; the first box is the centre.
        links: What is drawn near each other.
        groups: The group of each box; None for none.
        distances: How many edges each is away from the centre.

    Returns:
        The middle of each box, (n, 2), rounded to a tenth; the centre's is near 0.
    """
    if len(sizes) == 0:
        return np.zeros((0, 2))
    places = _first_places(groups, distances)
    forces = _Forces(len(sizes), links, groups)
    for step in range(_STEPS):
        push = forces.at(places)
        if step > _STEPS // 2 and len(links) <= _MANY_LINES:  # before, nodes must be able to pass through lines
            push += forces.off_lines(places)
        length = np.maximum(np.hypot(push[:, 0], push[:, 1]), 1e-9)
        stride = _FIRST_STRIDE * (1 - step / _STEPS) ** 1.5 + 0.5
        push *= (np.minimum(length, stride) / length)[:, None]
        push[0] = 0.0
        places = places + push
    places[:, 0] *= _WIDTH_TO_HEIGHT
    return np.round(_apart(_denser(places, sizes), sizes), 1)


def _denser(places: Points, sizes: Points) -> Points:
    """Draw everything nearer together where there is more room than the boxes need."""
    width, height = np.ptp(places, axis=0) + sizes.mean(axis=0)
    needed = _ROOM * float(np.prod(sizes + _GAP, axis=1).sum())
    return places * min(1.0, float(np.sqrt(needed / (width * height))))


def _first_places(groups: Sequence[int | None], distances: Sequence[int]) -> Points:
    """Put the centre in the middle and the others on rings, each group side by side."""
    order = sorted(range(1, len(groups)), key=lambda node: (groups[node] is None, groups[node] or 0, node))
    places = np.zeros((len(groups), 2))
    for turn, node in enumerate(order):
        angle = 2 * np.pi * turn / max(1, len(order)) - np.pi / 2
        radius = _IDEAL * (distances[node] + 0.15 * (turn % 3))
        places[node] = radius * np.cos(angle), radius * np.sin(angle)
    return places


class _Forces:
    """What moves the nodes.

    Args:
        count: How many there are.
        links: What pulls two together.
        groups: The group of each.
    """

    def __init__(self, count: int, links: Sequence[Link], groups: Sequence[int | None]) -> None:
        self._ends = np.array([(link.first, link.second) for link in links], dtype=np.intp).reshape(-1, 2)
        numbered = np.arange(count)[:, None]
        self._is_end = (numbered == self._ends[:, 0]) | (numbered == self._ends[:, 1])
        self._pull = np.zeros((count, count))
        for link in links:
            ends = link.first, link.second
            self._pull[ends] = self._pull[ends[::-1]] = max(self._pull[ends], 0.35 + 0.65 * link.weight)
        for place, group in enumerate(groups):
            if group is not None:  # its context holds it; pulled to the centre as well, it would lie over the others
                self._pull[0, place] *= 0.6
                self._pull[place, 0] *= 0.6
        numbers = np.array([-1 - place if group is None else group for place, group in enumerate(groups)])
        self._same = (numbers[:, None] == numbers[None, :]).astype(np.float64)
        np.fill_diagonal(self._same, 0.0)

    def at(self, places: Points) -> Points:
        """Give where each node is pushed, (n, 2)."""
        away = places[:, None, :] - places[None, :, :]
        distance = np.maximum(np.hypot(away[..., 0], away[..., 1]), 1.0)
        repel = _IDEAL**2 / distance**2 * np.where(self._same > 0, 0.7, 1.15)
        attract = self._pull * distance / _IDEAL + 0.12 * self._same * distance / _IDEAL
        gravity = -_GRAVITY * places
        return 12.0 * ((repel - attract)[..., None] * away / distance[..., None]).sum(axis=1) + gravity

    def off_lines(self, places: Points) -> Points:
        """Give where nodes are pushed by the lines that would run through them, (n, 2)."""
        start, along = places[self._ends[:, 0]], places[self._ends[:, 1]] - places[self._ends[:, 0]]
        length = np.maximum((along**2).sum(axis=1), 1.0)
        reach = places[:, None, :] - start[None, :, :]
        share = np.clip((reach * along).sum(axis=2) / length, 0.0, 1.0)
        off = reach - share[..., None] * along
        distance = np.maximum(np.hypot(off[..., 0], off[..., 1]), 1e-6)
        push = np.where(self._is_end, 0.0, np.maximum(0.0, _CLEAR - distance))
        return 0.5 * (push[..., None] * off / distance[..., None]).sum(axis=1)


def overlaps(places: Points, sizes: Points, *, gap: float = 0.0) -> npt.NDArray[np.bool_]:
    """Tell which boxes overlap, (n, n), or come nearer to each other than ``gap`` on both axes."""
    depth = _depth(places, sizes, gap)
    return (depth > 0).all(axis=2) & ~np.eye(len(places), dtype=np.bool_)


def _depth(places: Points, sizes: Points, gap: float) -> npt.NDArray[np.float64]:
    """Give how far each two boxes reach into each other along both axes, (n, n, 2); negative where they do not."""
    between = np.abs(places[:, None, :] - places[None, :, :])
    return (sizes[:, None, :] + sizes[None, :, :]) / 2 + gap - between


def _apart(places: Points, sizes: Points) -> Points:
    """Push boxes out of each other, each pair along the axis that takes less; where there is no room, make some."""
    places = places + np.arange(len(places))[:, None] * np.array([1e-3, 1.7e-3])  # no two in one place
    while True:
        for _ in range(_ROUNDS):
            hit = overlaps(places, sizes, gap=_GAP)
            if not hit.any():
                return places
            places = places + _separation(places, sizes, hit)
        places = places * _SPREAD


def _separation(places: Points, sizes: Points, hit: npt.NDArray[np.bool_]) -> Points:
    depth = _depth(places, sizes, _GAP)
    between = places[:, None, :] - places[None, :, :]
    numbers = np.arange(len(places))
    is_later = (numbers[:, None] > numbers[None, :])[..., None]  # where two are level, the later one goes on
    side = np.where((between > 0) | ((between == 0) & is_later), 1.0, -1.0)
    is_across = depth[..., 0] <= depth[..., 1]
    axis = np.stack([is_across, ~is_across], axis=2)
    push = np.where(hit[..., None] & axis, side * (depth / 2 + 0.1), 0.0)
    most = np.abs(push).max(axis=1)
    total = push.sum(axis=1)
    return np.clip(total, -most, most)
