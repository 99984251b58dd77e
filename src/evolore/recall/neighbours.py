"""Neighbours: which items said one after the other belong to one matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_SECONDS_A_DAY = 86_400.0


def near_neighbours(
    neighbours: npt.NDArray[np.int32], gaps: npt.NDArray[np.float64], *, max_gap_days: float
) -> npt.NDArray[np.int32]:
    """Keep the links between items that lie close in time.

    Turns of one conversation speak for each other; notes that merely share a session's name, weeks apart, do not.

    Args:
        neighbours: Item numbers, -1 for none, shape (items, 4).
        gaps: Seconds between each item and its neighbours, at least 0, shape (items, 4).
        max_gap_days: How far apart two linked items may lie, at least 0.

    Returns:
        The same links, with -1 for those that reach too far; mutual links stay mutual.

    >>> links = np.array([[-1, -1, 1, -1], [-1, 0, -1, -1]], dtype=np.int32)
    >>> gaps = np.where(links >= 0, 90_000.0, 0.0)
    >>> near_neighbours(links, gaps, max_gap_days=1.0).max()
    np.int32(-1)
    """
    longest = max_gap_days * _SECONDS_A_DAY
    if gaps.max(initial=0.0) <= longest:
        return neighbours
    # Transposed, because the columns are what stands in one piece and is read in one piece.
    return np.where(longest >= gaps.T, neighbours.T, np.int32(-1)).T


def shares_lent(
    is_passage: npt.NDArray[np.bool_] | None, *, turn: float, passage: float
) -> float | npt.NDArray[np.float32]:
    """Give what part each item lends its neighbours: turns of a conversation lend more than passages of a document.

    Args:
        is_passage: Whether each item stands in a document, shape (items,); None where none does.
        turn: What turns lend.
        passage: What passages lend.

    Returns:
        One number where it is the same for all, else one for each, float32, shape (items,).
    """
    if is_passage is None or not is_passage.any():
        return turn
    return passage if is_passage.all() else np.where(is_passage, np.float32(passage), np.float32(turn))
