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


def shortness(lengths: npt.NDArray[np.float32], short_words: float) -> npt.NDArray[np.float32]:
    """Give how much of what its neighbours lend an item takes: all while it is short, the less the longer it is.

    ``min(1, short_words / length)``. A line of a chat is understood by the lines around it; a page speaks for itself.

    Args:
        lengths: How many words each item holds, shape (items,).
        short_words: Up to how many an item is short, above 0.

    >>> shortness(np.array([10, 400]), 100.0).tolist()
    [1.0, 0.25]
    """
    return np.minimum(1.0, short_words / np.maximum(lengths, 1)).astype(np.float32)


def shares_taken(
    is_passage: npt.NDArray[np.bool_] | None,
    short: npt.NDArray[np.float32] | None,
    *,
    turn: float,
    passage: float,
) -> npt.NDArray[np.float32] | float:
    """Give what part of its neighbours' evidence each item takes: turns of a conversation more than passages.

    Args:
        is_passage: Whether each item stands in a document, shape (items,); None where none does.
        short: From ``shortness``, shape (items,); None where all are short.
        turn: What a short turn takes.
        passage: What a short passage takes.

    Returns:
        One number where it is the same for all, else one for each, float32, shape (items,).
    """
    shares = turn if is_passage is None else np.where(is_passage, np.float32(passage), np.float32(turn))
    return shares if short is None else np.asarray(shares * short, dtype=np.float32)
