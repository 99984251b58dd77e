"""The nearest of many questions: few are compared one by one, of many the signs of their vectors first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from evolore.index.arrays import Column, bytes_of
from evolore.index.vectors import half_products

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.index.arrays import Arrays

EXACT_UP_TO = 8192
_CENTRED_FROM = 50
_CENTRED_UP_TO = 1024
_RESCORED_NUMBERS = 128 * 512
"""How many components are compared as they are: of short vectors, whose signs tell less, more vectors."""

_WORD = 64
_SAMPLED = 4096
_SIEVED = 8
_LEAST_WORDS = 2
_REPACK = 2.0
"""How often as many as when the signs were taken last there may be until they are taken anew, about their new mean."""


class QuestionVectors:
    """Vectors of unit length, numbered from 0 without gaps.

    They are held as float16. Up to ``exact_up_to`` of them are compared with a question one by one. Of more, the signs of
    what they differ in from their mean are compared first, 64 at a time, and only the nearest by these as they are: 100,000 of 512 dimensions take 110 to
    135 MB.

    Args:
        dimension: Length of every vector.
        exact_up_to: Up to how many are compared one by one.
    """

    def __init__(self, dimension: int, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._dimension = dimension
        self._exact_up_to = exact_up_to
        self._rows = Column(np.float16, width=dimension)
        self._words = [Column(np.uint64) for _ in range(-(-dimension // _WORD))]
        self._centre = np.zeros(dimension, dtype=np.float32)
        self._packed_at = 0

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return bytes_of(self._rows, *self._words)

    @property
    def centre(self) -> npt.NDArray[np.float32] | None:
        """Their mean, or that of most of them, shape (dimension,); None for fewer than 50."""
        if len(self) < _CENTRED_FROM:
            return None
        return self._centre if self._packed_at else self._rows.rows[:_CENTRED_UP_TO].mean(axis=0, dtype=np.float32)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Return all it knows, as arrays that nothing changes later."""
        words = {f"word {place}": word.rows.copy() for place, word in enumerate(self._words)}
        return words | {
            "rows": self._rows.rows.copy(),
            "centre": self._centre,
            "packed_at": np.array([self._packed_at], dtype=np.int64),
        }

    @classmethod
    def restored(cls, state: Arrays, dimension: int, *, exact_up_to: int = EXACT_UP_TO) -> Self:
        """Make one of what another's ``state`` gave."""
        made = cls(dimension, exact_up_to=exact_up_to)
        made._rows.append(state["rows"].reshape(-1, dimension))
        for place, word in enumerate(made._words):
            word.append(state[f"word {place}"])
        made._centre, made._packed_at = state["centre"], int(state["packed_at"][0])
        return made

    def rows_of(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Return some of them, shape (numbers, dimension), in their order."""
        return self._rows.rows[numbers].astype(np.float32)

    def append(self, rows: npt.NDArray[np.float16]) -> None:
        """Add vectors behind the others, shape (rows, dimension)."""
        self._rows.append(rows)
        if len(self) <= self._exact_up_to and not self._packed_at:
            return
        if len(self) > _REPACK * self._packed_at:
            self._pack()
        else:
            self._append_signs(rows)

    def move_last(self, number: int) -> None:
        """Move the last vector to the place of another, which is removed."""
        for column in (self._rows, *(self._words if self._packed_at else ())):
            column.move_last(number)

    def nearest(
        self, vector: npt.NDArray[np.float32], *, count: int, among: npt.NDArray[np.bool_] | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return about the ``count`` nearest to a unit vector and their cosines, the nearest first, then by number.

        Args:
            vector: Of unit length, shape (dimension,).
            count: How many.
            among: Which may be given, shape (vectors,); None for all.
        """
        some = None if among is None else np.flatnonzero(among).astype(np.int32)
        if self._packed_at:
            numbers = self._near_by_sign(vector, max(_RESCORED_NUMBERS // self._dimension, 2 * count), some)
            cosines = half_products(self._rows.rows[numbers], vector)
        elif some is None:
            numbers, cosines = np.arange(len(self), dtype=np.int32), half_products(self._rows.rows, vector)
        else:
            numbers, cosines = some, half_products(self._rows.rows[some], vector)
        if numbers.size > 4 * count:
            least = np.partition(cosines, numbers.size - count)[numbers.size - count]
            few = np.flatnonzero(cosines >= least)
            numbers, cosines = numbers[few], cosines[few]
        order = np.lexsort((numbers, -cosines))[:count]
        return numbers[order], cosines[order]

    def _near_by_sign(
        self, vector: npt.NDArray[np.float32], count: int, some: npt.NDArray[np.int32] | None = None
    ) -> npt.NDArray[np.int32]:
        """Return about so many whose signs differ least from those of a vector, by half of the signs and then by all."""
        signs = self._signs(vector[np.newaxis])[:, 0]
        if some is None:
            return _least_apart([column.rows for column in self._words], signs, count)
        return some[_least_apart([column.rows[some] for column in self._words], signs, count)]

    def _pack(self) -> None:
        """Rebuild the signs of all vectors, about their mean."""
        self._packed_at = len(self)
        self._centre = self._rows.rows.mean(axis=0, dtype=np.float32)
        self._words = [Column(np.uint64) for _ in self._words]
        for start in range(0, len(self), _SAMPLED):
            self._append_signs(self._rows.rows[start : start + _SAMPLED])

    def _append_signs(self, rows: npt.NDArray[np.float16]) -> None:
        for column, signs in zip(self._words, self._signs(rows.astype(np.float32)), strict=True):
            column.append(signs)

    def _signs(self, rows: npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
        """Return which components lie above their mean, shape (words, rows)."""
        bits = np.zeros((len(rows), len(self._words) * _WORD), dtype=np.bool_)
        bits[:, : self._dimension] = rows > self._centre
        return np.ascontiguousarray(np.packbits(bits, axis=1).view(np.uint64).T)


def _least_apart(
    columns: Sequence[npt.NDArray[np.uint64]], signs: npt.NDArray[np.uint64], count: int
) -> npt.NDArray[np.int32]:
    """Return where about so many rows stand that differ least from some signs."""
    half = max(_LEAST_WORDS, len(columns) // 2)
    if half >= len(columns):
        return _least(_apart(columns, signs), count).astype(np.int32)
    few = _least(_apart(columns[:half], signs), _SIEVED * count)
    near = few[_least(_apart([column[few] for column in columns], signs), count)]
    return near.astype(np.int32)


def _apart(columns: Sequence[npt.NDArray[np.uint64]], signs: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint16]:
    """Count how many signs of each row differ from some, shape (rows,)."""
    apart = np.zeros(len(columns[0]), dtype=np.uint16)
    for column, own in zip(columns, signs, strict=False):
        apart += np.bitwise_count(column ^ own)
    return apart


def _least(values: npt.NDArray[np.uint16], count: int) -> npt.NDArray[np.intp]:
    """Return where the least of some values stand, between so many and twice as many, in their order.

    What bounds them is taken from a sample: to order all would take as long as all else.
    """
    if values.size <= count:
        return np.arange(values.size)
    step = max(1, values.size // _SAMPLED)
    sample = values[::step]
    place = min(sample.size - 1, -(-count // step))
    most = int(np.partition(sample, place)[place])
    found = np.flatnonzero(values <= most)
    while found.size < count:
        most += 1
        found = np.flatnonzero(values <= most)
    if found.size > 2 * count:  # many are as far: of those, the first
        found = np.sort(found[np.argsort(values[found], kind="stable")[: 2 * count]])
    return found
