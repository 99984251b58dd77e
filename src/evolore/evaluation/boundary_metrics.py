"""How far two segmentations of one text are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy.typing as npt


def window_size(reference: Collection[int], units: int) -> int:
    """Give k: half the mean length of a reference segment, rounded half to even, at least 2.

    Args:
        reference: First unit of each segment but the first.
        units: How many units the text has.

    >>> window_size([5, 8], 12)
    2
    """
    return max(2, round(units / (len(reference) + 1) / 2))


def pk(reference: Collection[int], predicted: Collection[int], units: int) -> float:
    """Give Pk, 0–1: how often two units k apart are in one segment for one side only (Beeferman et al. 1999).

    Args:
        reference: First unit of each true segment but the first, in 1..units-1.
        predicted: The same, as predicted.
        units: How many units the text has.

    Returns:
        The share of the ``units - k`` windows on which the two disagree; 0 where there is no window.

    >>> pk([4], [], 8)
    0.3333333333333333
    """
    inside_reference, inside_predicted = _boundaries_in_windows(reference, predicted, units)
    return _share((inside_reference == 0) != (inside_predicted == 0))


def window_diff(reference: Collection[int], predicted: Collection[int], units: int) -> float:
    """Give WindowDiff, 0–1: how often a window of k holds another number of boundaries (Pevzner & Hearst 2002).

    Args:
        reference: First unit of each true segment but the first, in 1..units-1.
        predicted: The same, as predicted.
        units: How many units the text has.

    Returns:
        The share of the ``units - k`` windows on which the two disagree; 0 where there is no window.

    >>> window_diff([4], [3, 4], 8)
    0.3333333333333333
    """
    inside_reference, inside_predicted = _boundaries_in_windows(reference, predicted, units)
    return _share(inside_reference != inside_predicted)


def boundary_ratio(references: Sequence[Collection[int]], predictions: Sequence[Collection[int]]) -> float:
    """Give the predicted boundaries of a set for one true one: below 1 cuts too rarely, above too often."""
    return sum(map(len, predictions)) / max(1, sum(map(len, references)))


def _boundaries_in_windows(
    reference: Collection[int], predicted: Collection[int], units: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    size = window_size(reference, units)
    return _count_in_windows(reference, units, size), _count_in_windows(predicted, units, size)


def _count_in_windows(boundaries: Collection[int], units: int, size: int) -> npt.NDArray[np.int64]:
    """Count the boundaries in (i, i + size] for every i from 0 to units - size - 1."""
    marks = np.zeros(units, dtype=np.int64)
    marks[[boundary for boundary in boundaries if 0 < boundary < units]] = 1
    before = np.cumsum(marks)
    return before[size:] - before[: max(0, units - size)]


def _share(disagreements: npt.NDArray[np.bool_]) -> float:
    return float(disagreements.mean()) if disagreements.size else 0.0
