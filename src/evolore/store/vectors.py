"""Exact vector search over one namespace: a matrix that grows, and one product a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

_FIRST_ROWS = 64


class ExactVectors:
    """The vectors of a namespace's items, in the order of the items.

    Appending costs O(dimension), amortised; comparing O(items · dimension) in one product; memory is four bytes a
    number. Right for tens of thousands of items.

    Args:
        dimension: Length of every vector.
    """

    def __init__(self, dimension: int) -> None:
        self._rows: npt.NDArray[np.float32] = np.empty((_FIRST_ROWS, dimension), dtype=np.float32)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def append(self, vector: npt.NDArray[np.float32]) -> None:
        """Add one vector of unit length behind the others."""
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._rows[self._count] = vector
        self._count += 1

    def keep(self, rows: npt.NDArray[np.intp]) -> None:
        """Keep these rows, in this order, and drop the others."""
        kept = self._rows[rows]
        self._rows = kept if len(kept) else np.empty((_FIRST_ROWS, self._rows.shape[1]), dtype=np.float32)
        self._count = len(rows)

    def similarities(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Give the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        return self._rows[: self._count] @ vector
