"""The shapes that tell contexts and kinds of edges apart, also where no colour is seen."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    Point = tuple[float, float]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
COLOURS = 8
"""How many contexts have a colour and a shape of their own; from there on both begin anew, with another letter."""
_CORNERS: tuple[tuple[int, float, float], ...] = (
    (0, 0, 1.0),
    (4, 45, 1.16),
    (4, 0, 1.22),
    (6, 30, 1.08),
    (3, 0, 1.32),
    (5, 0, 1.12),
    (3, 180, 1.32),
    (8, 22.5, 1.06),
)
_ZIGZAG = 7.0
_SIDES = 3


def letter_of(number: int) -> str:
    """Give a context's letter: A to Z, then A2, B2 and so on."""
    turn, place = divmod(number, len(LETTERS))
    return LETTERS[place] + (str(turn + 1) if turn else "")


def glyph(context: int | None, radius: float) -> str:
    """Write the outline of a node as a path around 0: a circle for what stands alone."""
    corners, turn, stretch = _CORNERS[0] if context is None else _CORNERS[context % COLOURS]
    if not corners:
        return f"M{-radius:g} 0a{radius:g} {radius:g} 0 1 1 {2 * radius:g} 0a{radius:g} {radius:g} 0 1 1 {-2 * radius:g} 0z"
    angles = [math.radians(360 * corner / corners + turn - 90) for corner in range(corners)]
    drop = (
        radius * 0.16 * (1 if turn == 0 else -1) if corners == _SIDES else 0.0
    )  # a triangle's middle is not its centre
    points = [(radius * stretch * math.cos(angle), radius * stretch * math.sin(angle) + drop) for angle in angles]
    return _path(points) + "z"


def strand(start: Point, end: Point, *, bulge: float, is_zigzag: bool) -> str:
    """Write the path of an edge.

    Args:
        start: Where it begins.
        end: Where it ends.
        bulge: How far its middle stands off the straight line, in pixels.
        is_zigzag: Whether it goes there in steps to and fro.
    """
    length = math.dist(start, end) or 1.0
    across = (-(end[1] - start[1]) / length, (end[0] - start[0]) / length)
    if not is_zigzag:
        if not bulge:
            return _path([start, end])
        middle = tuple((start[axis] + end[axis]) / 2 + 2 * bulge * across[axis] for axis in (0, 1))
        return f"M{_at(start)}Q{_at((middle[0], middle[1]))} {_at(end)}"
    steps = max(4, round(length / _ZIGZAG))
    points = [start]
    for step in range(1, steps):
        share = step / steps
        off = (3.5 if step % 2 else -3.5) + bulge * 4 * share * (1 - share)
        points.append(
            (
                start[0] + (end[0] - start[0]) * share + off * across[0],
                start[1] + (end[1] - start[1]) * share + off * across[1],
            )
        )
    return _path([*points, end])


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(map(_at, points))


def _at(point: Point) -> str:
    return f"{round(point[0], 1):g} {round(point[1], 1):g}"
