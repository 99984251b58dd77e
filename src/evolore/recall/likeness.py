"""Likeness: what a vague question means, told by what answers it best so far.

A question that tells of a feeling or a situation shares few words with anything, and its vector lies far from all.
Items that resemble the best few of a first ranking tend to belong to them: one step along the edges of meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_UNIT = 0.07
"""How far apart in score two items lie of which one counts for a third of the other."""

_SHORTEST = 1e-3
"""A vector no longer than this has no direction to speak of."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Centre:
    """What all items have in common, taken out before they are compared.

    Every vector of a memory shares a direction: the language, the habits of the embedder, what everybody talks about.

    Args:
        mean: Of the vectors of some items that stand for all, shape (dimension,).
        similarity: Product of each item's vector with it, NaN for items that are not compared, shape (items,).
    """

    mean: npt.NDArray[np.float32]
    similarity: npt.NDArray[np.float32]

    def distances(self) -> npt.NDArray[np.float32]:
        """Give how far each item's vector lies from the mean, shape (items,)."""
        squares = 1.0 - 2.0 * self.similarity + float(self.mean @ self.mean)
        return np.sqrt(np.maximum(squares, np.float32(_SHORTEST**2)))

    def centred(self, vector: npt.NDArray[np.float32], products: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Give the cosine of each item with a vector, both seen from the mean.

        Args:
            vector: Shape (dimension,).
            products: Of it with each item's vector, shape (items,).
        """
        length = max(float(np.linalg.norm(vector - self.mean)), _SHORTEST)
        offset = float(vector @ self.mean) - float(self.mean @ self.mean)
        return ((products - self.similarity - np.float32(offset)) / (self.distances() * np.float32(length))).astype(
            np.float32
        )


def blended(
    plain: npt.NDArray[np.float32], centred: npt.NDArray[np.float32], *, share: float
) -> npt.NDArray[np.float32]:
    """Mix two readings of similarity on one scale; NaN stays where an item was not compared.

    Args:
        plain: Cosines, shape (items,).
        centred: Cosines seen from the mean, shape (items,).
        share: Part of the second, 0–1.
    """
    return np.asarray((1.0 - share) * plain + share * centred, dtype=np.float32)


def shares_of(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Give how much each of the best counts, by how far it is behind the first; they sum to 1.

    Args:
        scores: Of the best items, at least one, shape (best,).
    """
    weights = np.exp((scores - scores.max()) / _UNIT)
    return (weights / weights.sum()).astype(np.float32)


def common_ground(
    rows: npt.NDArray[np.float32], shares: npt.NDArray[np.float32], *, centre: Centre
) -> npt.NDArray[np.float32]:
    """Give the mean of some items' directions from the centre, shape (dimension,).

    Args:
        rows: Their unit vectors, shape (best, dimension).
        shares: How much each counts, shape (best,).
        centre: What all items have in common.
    """
    apart = rows - centre.mean
    lengths = np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), _SHORTEST)
    return (shares @ (apart / lengths)).astype(np.float32)


def likeness(
    products: npt.NDArray[np.float32],
    ground: npt.NDArray[np.float32],
    *,
    centre: Centre,
    best: npt.NDArray[np.int32],
    shares: npt.NDArray[np.float32],
) -> npt.NDArray[np.float32]:
    """Give how much each item is like the best others, as a cosine above the mean; 0 for items that were not compared.

    Args:
        products: Of ``ground`` with each item's vector, NaN for items that were not compared, shape (items,).
        ground: From ``common_ground``.
        centre: What all items have in common.
        best: The items it was made of; none of them counts as like itself.
        shares: How much each of them counted.
    """
    values = (products - np.float32(ground @ centre.mean)) / centre.distances()
    values[best] -= shares
    known = ~np.isnan(values)
    found = np.zeros_like(values)
    found[known] = values[known] - np.float32(values[known].mean(dtype=np.float64))
    return found
