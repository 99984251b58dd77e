"""Candidates: whose meaning to weigh where there are too many items to weigh all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.recall.best import at_the_top

if TYPE_CHECKING:
    import numpy.typing as npt

SAMPLE_SIZE = 512
"""Tells the spread of all similarities to 3 %, one standard error."""

_BEFORE_AND_AFTER = (1, 2)


def evenly(count: int) -> npt.NDArray[np.int32]:
    """Give the numbers of items that stand for all, evenly spaced, shape (at most ``SAMPLE_SIZE``,)."""
    size = min(SAMPLE_SIZE, count)
    return (np.arange(size) * count // max(size, 1)).astype(np.int32)


def candidates(
    word_scores: npt.NDArray[np.float32],
    nearest: npt.NDArray[np.int32],
    neighbours: npt.NDArray[np.int32],
    *,
    count: int,
) -> npt.NDArray[np.int32]:
    """Give the items to compare: the best by words, the nearest in meaning, a sample of all, and those next to them.

    An item that is neither is behind in both, so it is not missed among the first of a sum of both, but for sums of
    many middling parts.

    Args:
        word_scores: What words say for each item, shape (items,).
        nearest: The items nearest in meaning.
        neighbours: Links, -1 for none, shape (items, 4).
        count: How many of the best by words, at least 1.

    Returns:
        Item numbers, rising, each once.
    """
    is_chosen = np.zeros(word_scores.size + 1, dtype=np.bool_)  # the last takes the neighbour that is none
    is_chosen[_best(word_scores, count)] = True
    is_chosen[nearest] = True
    is_chosen[evenly(word_scores.size)] = True
    for column in _BEFORE_AND_AFTER:
        is_chosen[neighbours[np.flatnonzero(is_chosen[:-1]), column]] = True
    return np.flatnonzero(is_chosen[:-1]).astype(np.int32)


def _best(scores: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.intp]:
    """Give the places of the best, of those that tie with the last the first ones."""
    places = at_the_top(scores, count)
    if places.size <= count:
        return places
    ties = scores[places] == scores[places].min()
    better = places[~ties]
    return np.concatenate((better, places[ties][: count - better.size]))
