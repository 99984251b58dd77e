"""The nearest of many questions: few are compared one by one, of many their sketches first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from evolore.index.arrays import Column
from evolore.index.vectors import FrozenRows, Sketches, half_products
from evolore.text.vectors import Bools, Float16s, Float32s, Int32s

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.index.arrays import Arrays

EXACT_UP_TO = 8192
_CENTRED_FROM = 50
_CENTRED_UP_TO = 1024
_RESCORED_NUMBERS = 128 * 512
"""How many components are compared as they are: of short vectors, whose sketches show less, more vectors."""

_RESKETCHED = 2
"""Sketches are remade, about the new mean, once there are this many times as many vectors as they were made of."""


class QuestionVectors:
    """Vectors of unit length, numbered from 0 without gaps.

    They are held as float16. Up to ``exact_up_to`` of them are compared with a question one by one. Of more, their
    sketches are compared first, and only the nearest by these as they are: 100,000 of 512 dimensions take 110 to 135 MB.

    Args:
        dimension: Length of every vector.
        exact_up_to: Up to how many are compared one by one.
    """

    def __init__(self, dimension: int, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._dimension = dimension
        self._exact_up_to = exact_up_to
        self._rows = Column(np.float16, width=dimension)
        self._sketches: Sketches | None = None  # made when they are asked for
        self._centre: tuple[int, Float32s] | None = None  # of how many, and what

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return self._rows.bytes_held + (0 if self._sketches is None else self._sketches.bytes_held)

    @property
    def centre(self) -> Float32s | None:
        """The mean of some of them, from the first to the last, shape (dimension,); None for fewer than 50."""
        if len(self) < _CENTRED_FROM:
            return None
        if self._centre is None or self._centre[0] != len(self):
            some = self._rows.rows[:: -(-len(self) // _CENTRED_UP_TO)]
            self._centre = len(self), some.mean(axis=0, dtype=np.float32)
        return self._centre[1]

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return all it knows, as arrays that nothing changes later."""
        return {"rows": self._rows.rows.copy()}

    @classmethod
    def restored(cls, state: Arrays, dimension: int) -> Self:
        """Make one from another's ``state``."""
        made = cls(dimension)
        made._rows.append(state["rows"].reshape(-1, dimension))
        return made

    def rows_of(self, numbers: Int32s) -> Float32s:
        """Return some of them, shape (numbers, dimension), in their order."""
        return self._rows.rows[numbers].astype(np.float32)

    def append(self, rows: Float16s) -> None:
        """Add vectors behind the others, shape (rows, dimension)."""
        self._rows.append(rows)
        if self._sketches is not None:
            self._sketches.append(rows)

    def move_last(self, number: int) -> None:
        """Move the last vector to the place of another, which is removed."""
        self._rows.move_last(number)
        if self._sketches is not None:
            self._sketches.move_last(number)

    def nearest(self, vector: Float32s, *, count: int, among: Bools | None = None) -> tuple[Int32s, Float32s]:
        """Return about the ``count`` nearest to a unit vector and their cosines, the nearest first, then by number.

        Args:
            vector: Of unit length, shape (dimension,).
            count: How many.
            among: Which may be given, shape (vectors,); None for all.
        """
        if len(self) > self._exact_up_to:
            numbers = self._near_by_sketch(vector, max(_RESCORED_NUMBERS // self._dimension, 2 * count), among)
            cosines = half_products(self._rows.rows[numbers], vector)
        elif among is None:
            numbers, cosines = np.arange(len(self), dtype=np.int32), half_products(self._rows.rows, vector)
        else:
            numbers = np.flatnonzero(among).astype(np.int32)
            cosines = half_products(self._rows.rows[numbers], vector)
        if numbers.size > 4 * count:
            least = np.partition(cosines, numbers.size - count)[numbers.size - count]
            few = np.flatnonzero(cosines >= least)
            numbers, cosines = numbers[few], cosines[few]
        order = np.lexsort((numbers, -cosines))[:count]
        return numbers[order], cosines[order]

    def _near_by_sketch(self, vector: Float32s, count: int, among: Bools | None) -> Int32s:
        """Return about so many whose sketches differ least from that of a vector."""
        if self._sketches is None or len(self) > _RESKETCHED * self._sketches.made_of:
            none = self._rows.rows[:0]
            self._sketches = Sketches(FrozenRows(lent=none, own=self._rows.rows, places=np.arange(len(self))))
        return self._sketches.candidates(vector, count=count, among=among, most=2 * count)
