"""Arrays by what they hold; vectors of texts once the centre of their language is the origin; and sorting by average linkage."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Float16s = npt.NDArray[np.float16]
Float32s = npt.NDArray[np.float32]
Float64s = npt.NDArray[np.float64]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Intps = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
Vectors = Float32s
Floats = Float64s

_LEAST_LENGTH = 1e-6
_LARGEST_EXPONENT = 60.0


def unit(vectors: npt.NDArray[np.floating]) -> Vectors:
    """Make vectors of unit length; one of no length keeps it."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, _LEAST_LENGTH), dtype=np.float32)


def centred(vectors: Vectors, centre: Vectors) -> Vectors:
    """Move vectors so that a centre lies at the origin, and make them of unit length again.

    Args:
        vectors: Unit vectors, shape (n, dimension).
        centre: What is common to them, shape (dimension,), or of each, shape (n, dimension).
    """
    return unit(np.asarray(vectors - centre, dtype=np.float32))


def logistic(log_odds: npt.ArrayLike) -> Floats:
    """Return probabilities for log-odds, in their shape.

    >>> logistic([0.0, 1000.0]).tolist()
    [0.5, 1.0]
    """
    exponents = np.clip(np.asarray(log_odds, dtype=np.float64), -_LARGEST_EXPONENT, _LARGEST_EXPONENT)
    return np.asarray(1.0 / (1.0 + np.exp(-exponents)), dtype=np.float64)


Labels = Int64s

_SAME = 0.5
_SEVERAL = 2


def groups(probabilities: Floats) -> Labels:
    """Group items by average linkage at a probability of one matter above 0.5; single ones go where they fit best.

    Args:
        probabilities: Of every pair, shape (n, n), symmetric.

    Returns:
        A number from 0 for each item, in the order of the first item of each group; shape (n,).

    >>> groups(np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]])).tolist()
    [0, 0, 0]
    >>> near, far = np.full((2, 2), 0.9), np.full((2, 2), 0.1)
    >>> groups(np.block([[near, far], [far, near]])).tolist()
    [0, 0, 1, 1]
    """
    return _absorb_single(average_linkage(probabilities), np.asarray(probabilities, dtype=np.float64))


def average_linkage(probabilities: Floats) -> Labels:
    """Group items by average linkage at a probability of one matter above 0.5; single ones stay alone.

    Args:
        probabilities: Of every pair, shape (n, n), symmetric.

    Returns:
        As ``groups`` does.

    >>> average_linkage(np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]])).tolist()
    [0, 0, 1]
    """
    return agglomerate(np.asarray(probabilities - _SAME, dtype=np.float64), linkage=1.0)


def agglomerate(bonds: Floats, *, linkage: float) -> Labels:
    """Join the two groups with the largest ``sum of bonds / (pairs between)^linkage`` while one is above 0."""
    count = len(bonds)
    labels = np.arange(count)
    sums, sizes = bonds.astype(np.float64).copy(), np.ones(count)
    np.fill_diagonal(sums, 0.0)
    alive = np.ones(count, dtype=bool)
    for _ in range(count - 1):
        strengths = np.round(sums / np.outer(sizes, sizes) ** linkage, 9)
        strengths[~(alive[:, None] & alive & ~np.eye(count, dtype=bool))] = -np.inf
        one, other = sorted(divmod(int(strengths.argmax()), count))
        if strengths[one, other] <= 0.0:
            break
        sums[one] += sums[other]
        sums[:, one] += sums[:, other]
        sizes[one] += sizes[other]
        alive[other] = False
        labels[labels == other] = one
    return numbered(labels)


def mean_of(values: Floats, chosen: npt.NDArray[np.bool_]) -> float:
    """Return the mean of the values that are chosen."""
    return float(values[chosen].mean())


def numbered(labels: Labels) -> Labels:
    """Number groups from 0 in the order of their first item."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]


def _absorb_single(labels: Labels, strengths: Floats) -> Labels:
    """Put each group of one where its mean strength is largest, the strongest first, if there is a larger group."""
    labels = labels.copy()
    while True:
        sizes = np.bincount(labels)
        larger = [int(group) for group in np.flatnonzero(sizes >= _SEVERAL)]
        single = [int(item) for item in np.flatnonzero(sizes[labels] == 1)]
        if not larger or not single:
            return numbered(labels)
        pairs = [
            (round(mean_of(strengths[item], labels == group), 9), -item, -group) for item in single for group in larger
        ]
        _, item, group = max(pairs)
        labels[-item] = -group
