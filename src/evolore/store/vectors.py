"""Exact vector search over one namespace: a matrix that grows, and one product a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numkong
import numpy as np

from evolore.store.columns import Column

if TYPE_CHECKING:
    import numpy.typing as npt

HALF_ABOVE = 10_000


class ExactVectors:
    """The vectors of a namespace's items, in the order of the items.

    Few are held as float32, which numpy multiplies fastest. Many are held as float16, as the tables hold them: half
    the memory, and half the time to read it, which is what a scan costs: 3.7 ms against 7.1 for 100,000 of 512.

    Args:
        dimension: Length of every vector.
        half_above: How many vectors are held as float32 at the most, at least 0.
    """

    def __init__(self, dimension: int, *, half_above: int = HALF_ABOVE) -> None:
        self._dimension = dimension
        self._half_above = half_above
        self._single = Column(np.float32, width=dimension)
        self._half: Column[np.float16] | None = None

    def __len__(self) -> int:
        return len(self._single if self._half is None else self._half)

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return self._single.bytes_held if self._half is None else self._half.bytes_held

    def append(self, rows: npt.NDArray[np.float16]) -> None:
        """Add vectors of unit length behind the others, shape (rows, dimension)."""
        if self._half is None and len(self) + len(rows) > self._half_above:
            self._half = Column(np.float16, width=self._dimension)
            self._half.append(self._single.rows.astype(np.float16))
            self._single = Column(np.float32, width=self._dimension)
        if self._half is None:
            self._single.append(rows.astype(np.float32))
        else:
            self._half.append(rows)

    def keep(self, kept: npt.NDArray[np.intp]) -> None:
        """Keep these rows, in this order, and drop the others."""
        if self._half is None:
            self._single.keep(kept)
            return
        self._half.keep(kept)
        if len(kept) <= self._half_above:
            self._single.append(self._half.rows.astype(np.float32))
            self._half = None

    def similarities(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Give the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        return self._single.rows @ vector if self._half is None else half_products(self._half.rows, vector)

    def similarities_of(self, vector: npt.NDArray[np.float32], items: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Give the cosine of some items with a unit vector, in their order."""
        if self._half is None:
            return self._single.rows[items] @ vector
        return half_products(self._half.rows[items], vector)

    def rows_of(self, items: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Give the vectors of some items, in their order, shape (items, dimension)."""
        rows = self._single.rows if self._half is None else self._half.rows
        return rows[items].astype(np.float32)

    def half_rows(self) -> npt.NDArray[np.float16]:
        """Give all rows as float16; what is done later does not change them."""
        return self._single.rows.astype(np.float16) if self._half is None else self._half.rows


def half_products(rows: npt.NDArray[np.float16], vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Multiply each row with a vector, shape (rows,); numpy would convert every row first: eighteen times as long."""
    if not len(rows):
        return np.zeros(0, dtype=np.float32)
    query = np.ascontiguousarray(vector[np.newaxis], dtype=np.float16)
    # Its own output type, float64, is what it is fast for.
    return np.asarray(numkong.cdist(query, rows, "dot"), dtype=np.float32).reshape(len(rows))
