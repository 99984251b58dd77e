"""How close together the vectors of a segment's units lie: the optional second ingredient of its cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from evolore.ports.embedding import TextRole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evolore.ports.embedding import Embedder

    ReadTexts: TypeAlias = "Callable[[int, int], list[str]]"
    """Gives the texts of the units from one to another."""

_BATCH = 256
LONGEST_EMBEDDED = 1000
"""Characters of a unit that are embedded; what a model makes of more is an average of everything."""


@dataclass(slots=True)
class UnitVectors:
    """The vectors of a document's units, made when a block of them is cut, and not kept.

    Args:
        embedder: What makes them.
        texts: Gives the units' texts.
    """

    embedder: Embedder
    texts: ReadTexts
    _last: tuple[tuple[int, int], npt.NDArray[np.float32]] | None = field(default=None, init=False)

    def between(self, start: int, end: int) -> npt.NDArray[np.float32]:
        """Give the vectors of the units from ``start`` to ``end``; those asked for last are remembered."""
        if self._last is None or self._last[0] != (start, end):
            self._last = ((start, end), np.concatenate(list(self._batches(self.texts(start, end)))))
        return self._last[1]

    def _batches(self, texts: list[str]) -> Iterator[npt.NDArray[np.float32]]:
        for first in range(0, len(texts), _BATCH):
            batch = [text[:LONGEST_EMBEDDED] for text in texts[first : first + _BATCH]]
            yield self.embedder.embed(batch, role=TextRole.PASSAGE)


def cohesion_costs(
    vectors: npt.NDArray[np.float32], *, band: int, weight: float, prior_units: float
) -> npt.NDArray[np.float64]:
    """Give what the vectors of every segment of at most ``band`` units cost.

    A segment's vectors are written as points of a Gaussian around a mean of its own, which itself lies around the mean
    of all, with ``weight = 1 / (2 · variance within)`` and ``prior_units = variance within / variance between``. Up to
    what is the same for every division, and to a constant for each segment, that takes

        ``-weight · |Σ (x - mean)|² / (units + prior_units)`` nats.

    Args:
        vectors: Unit vectors of n units; shape (n, dimension).
        band: The longest segment, in units, at least 1.
        weight: Nats for a squared distance of 1; at least 0.
        prior_units: How many units the mean of all counts for; at least 0.

    Returns:
        Nats, shape (n, band): row i, column k for the units i to i + k, at most up to the last.
    """
    count = len(vectors)
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    sums = np.concatenate([np.zeros((1, centred.shape[1])), np.cumsum(centred, axis=0)])
    squares = np.einsum("ij,ij->i", sums, sums)
    starts = np.arange(count)[:, None]
    ends = np.minimum(starts + 1 + np.arange(band), count)
    products = (sums @ sums.T)[starts, ends]
    lengths = squares[ends] + squares[:-1, None] - 2.0 * products
    return -weight * lengths / (ends - starts + prior_units)
