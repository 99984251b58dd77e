"""Arrays that grow: rows appended at a cost that does not depend on how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

Number = TypeVar("Number", bound=np.generic)
_FIRST_ROWS = 64
_GROWTH = 1.25
"""Less than doubling: a namespace's largest array stands mostly full, and memory is what is short."""


class Columns(Generic[Number]):
    """Columns of one type and length, each in one piece of memory.

    Args:
        dtype: The type of a number.
        count: How many columns there are.
    """

    def __init__(self, dtype: type[Number], count: int) -> None:
        self._room: npt.NDArray[Number] = np.empty((count, 0), dtype=dtype)
        self._count = 0

    @property
    def columns(self) -> npt.NDArray[Number]:
        """The columns, without a copy, shape (columns, rows); changed and outdated by what is appended or kept later."""
        return self._room[:, : self._count]

    @property
    def bytes_held(self) -> int:
        """How much memory they take."""
        return self._room.nbytes

    def append(self, columns: npt.NDArray[Number]) -> None:
        """Add rows behind the others, shape (columns, rows): amortised, a copy of them alone."""
        needed = self._count + columns.shape[1]
        if needed > self._room.shape[1]:
            room = max(_FIRST_ROWS, needed, int(needed * _GROWTH))
            grown = np.empty((len(self._room), room), dtype=self._room.dtype)
            grown[:, : self._count] = self.columns
            self._room = grown
        self._room[:, self._count : needed] = columns
        self._count = needed

    def keep(self, kept: npt.NDArray[np.intp]) -> None:
        """Keep these rows, in this order, and drop the others."""
        self._room = self.columns.take(kept, axis=1)
        self._count = len(kept)


class Column(Generic[Number]):
    """Rows of one type in one piece of memory.

    Args:
        dtype: The type of a number.
        width: How many numbers a row has; 0 for plain numbers.
    """

    def __init__(self, dtype: type[Number], *, width: int = 0) -> None:
        self._shape = (width,) if width else ()
        self._room: npt.NDArray[Number] = np.empty((0, *self._shape), dtype=dtype)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> npt.NDArray[Number]:
        """The rows, without a copy; changed and outdated by what is appended or kept later."""
        return self._room[: self._count]

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return self._room.nbytes

    def append(self, rows: npt.NDArray[Number]) -> None:
        """Add rows behind the others: amortised, a copy of them alone."""
        needed = self._count + len(rows)
        if needed > len(self._room):
            grown = np.empty((max(_FIRST_ROWS, needed, int(needed * _GROWTH)), *self._shape), dtype=self._room.dtype)
            grown[: self._count] = self.rows
            self._room = grown
        self._room[self._count : needed] = rows
        self._count = needed

    def move_last(self, place: int) -> None:
        """Let the last row take the place of another, which goes."""
        self._count -= 1
        self._room[place] = self._room[self._count]

    def keep(self, kept: npt.NDArray[np.intp]) -> None:
        """Keep these rows, in this order, and drop the others."""
        self._room = self.rows[kept]
        self._count = len(kept)
