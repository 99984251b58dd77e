"""Rows of different lengths that grow: what each item has some of."""

from __future__ import annotations

from typing import Generic

import numpy as np
import numpy.typing as npt

from evolore.store.columns import Column, Number


class Ragged(Generic[Number]):
    """Rows of numbers, one after the other in one piece of memory; 8 bytes a row beside them.

    Args:
        dtype: The type of a number.
        width: How many numbers a value of a row is; 0 for plain numbers.
    """

    def __init__(self, dtype: type[Number], *, width: int = 0) -> None:
        self._starts = Column(np.int64)
        self._starts.append(np.zeros(1, dtype=np.int64))
        self._values = Column(dtype, width=width)

    def __len__(self) -> int:
        return len(self._starts) - 1

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Where each row begins, and the end of the last, shape (rows + 1,)."""
        return self._starts.rows

    @property
    def values(self) -> npt.NDArray[Number]:
        """The values of all rows."""
        return self._values.rows

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return self._starts.bytes_held + self._values.bytes_held

    def append(self, lengths: npt.NDArray[np.int64], values: npt.NDArray[Number]) -> None:
        """Add rows behind the others: amortised, a copy of them alone.

        Args:
            lengths: How many values each has, shape (rows,).
            values: Those of all of them, one after the other.
        """
        self._starts.append(np.cumsum(lengths) + self.starts[-1])
        self._values.append(values)

    def take(self, rows: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.int64], npt.NDArray[Number]]:
        """Give some rows: where each begins, and the end of the last, and their values."""
        begins = self.starts[rows]
        lengths = self.starts[rows + 1] - begins
        return starts_of(lengths), self.values[places_in(begins, lengths)]

    def keep(self, kept: npt.NDArray[np.intp]) -> None:
        """Keep these rows, in this order, and drop the others."""
        begins = self.starts[kept]
        lengths = self.starts[kept + 1] - begins
        self._values.keep(places_in(begins, lengths))
        self._starts.keep(np.zeros(1, dtype=np.intp))
        self._starts.append(np.cumsum(lengths))


def starts_of(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Give where rows of these lengths begin, and the end of the last, shape (rows + 1,)."""
    starts = np.zeros(lengths.size + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def places_in(begins: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """Give the places of all values of some rows, row after row.

    >>> places_in(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    starts = starts_of(lengths)
    return np.repeat(begins - starts[:-1], lengths) + np.arange(starts[-1], dtype=np.intp)
