"""The nearest of many questions: few are compared one by one, of many the signs of their vectors first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.store.columns import Column

if TYPE_CHECKING:
    import numpy.typing as npt

EXACT_UP_TO = 2048
RESCORED = 128
_CENTRED_FROM = 50
_WORD = 64
_SAMPLED = 4096
_REPACK = 2.0
"""How often as many as when the signs were taken last there may be until they are taken anew, about their new mean."""


class QuestionVectors:
    """Vectors of unit length, numbered from 0 without gaps.

    Up to ``exact_up_to`` of them are compared with a question one by one, as float32. Of more, the signs of what they
    differ in from their mean are compared first, 64 at a time, and the nearest by these are compared as they are, held
    as float16. 100,000 of 512 dimensions take 109 MB.

    Args:
        dimension: Length of every vector.
        exact_up_to: Up to how many are compared one by one.
    """

    def __init__(self, dimension: int, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._dimension = dimension
        self._exact_up_to = exact_up_to
        self._rows = Column(np.float16, width=dimension)
        self._single: Column[np.float32] | None = Column(np.float32, width=dimension)
        self._words = [Column(np.uint64) for _ in range(-(-dimension // _WORD))]
        self._centre = np.zeros(dimension, dtype=np.float32)
        self._packed_at = 0

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        single = 0 if self._single is None else self._single.bytes_held
        return self._rows.bytes_held + single + sum(word.bytes_held for word in self._words)

    @property
    def centre(self) -> npt.NDArray[np.float32] | None:
        """Their mean, or that of most of them, shape (dimension,); None for fewer than 50."""
        if len(self) < _CENTRED_FROM:
            return None
        return self._centre if self._single is None else self._single.rows.mean(axis=0, dtype=np.float32)

    def rows_of(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Give some of them, shape (numbers, dimension), in their order."""
        return self._rows.rows[numbers].astype(np.float32)

    def append(self, rows: npt.NDArray[np.float16]) -> None:
        """Add vectors behind the others, shape (rows, dimension)."""
        self._rows.append(rows)
        if self._single is not None and len(self) <= self._exact_up_to:
            self._single.append(rows.astype(np.float32))
            return
        self._single = None
        if len(self) > _REPACK * self._packed_at:
            self._pack()
        else:
            self._append_signs(rows)

    def move_last(self, number: int) -> None:
        """Let the last vector take the place of another, which goes."""
        for column in (self._rows, *([self._single] if self._single is not None else self._words)):
            column.move_last(number)

    def nearest(
        self, vector: npt.NDArray[np.float32], *, count: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Give about the ``count`` nearest to a unit vector and their cosines, the nearest first, then by number."""
        if self._single is not None:
            numbers, cosines = np.arange(len(self), dtype=np.int32), self._single.rows @ vector
        else:
            numbers = self._near_by_sign(vector, max(RESCORED, 2 * count))
            cosines = self._rows.rows[numbers].astype(np.float32) @ vector
        if numbers.size > 4 * count:
            least = np.partition(cosines, numbers.size - count)[numbers.size - count]
            few = np.flatnonzero(cosines >= least)
            numbers, cosines = numbers[few], cosines[few]
        order = np.lexsort((numbers, -cosines))[:count]
        return numbers[order], cosines[order]

    def _near_by_sign(self, vector: npt.NDArray[np.float32], count: int) -> npt.NDArray[np.int32]:
        """Give at least so many whose signs differ least from those of a vector, in the order of their numbers."""
        signs = self._signs(vector[np.newaxis])[:, 0]
        apart = np.zeros(len(self), dtype=np.uint16)
        for column, own in zip(self._words, signs, strict=True):
            apart += np.bitwise_count(column.rows ^ own)
        most = _estimated_rank(apart, count)
        near = np.flatnonzero(apart <= most)
        while near.size < min(count, len(self)):
            most += max(1, self._dimension // 64)
            near = np.flatnonzero(apart <= most)
        if near.size > 2 * count:  # without this, ties at a distance that many have would all be compared
            near = np.sort(near[np.argsort(apart[near], kind="stable")[: 2 * count]])
        return near.astype(np.int32)

    def _pack(self) -> None:
        """Take the signs of all anew, about their mean."""
        self._packed_at = len(self)
        self._centre = self._rows.rows.mean(axis=0, dtype=np.float32)
        self._words = [Column(np.uint64) for _ in self._words]
        for start in range(0, len(self), _SAMPLED):
            self._append_signs(self._rows.rows[start : start + _SAMPLED])

    def _append_signs(self, rows: npt.NDArray[np.float16]) -> None:
        for column, signs in zip(self._words, self._signs(rows.astype(np.float32)), strict=True):
            column.append(signs)

    def _signs(self, rows: npt.NDArray[np.float32]) -> npt.NDArray[np.uint64]:
        """Give which components lie above their mean, shape (words, rows)."""
        bits = np.zeros((len(rows), len(self._words) * _WORD), dtype=np.bool_)
        bits[:, : self._dimension] = rows > self._centre
        return np.ascontiguousarray(np.packbits(bits, axis=1).view(np.uint64).T)


def _estimated_rank(values: npt.NDArray[np.uint16], count: int) -> int:
    """Give a value that about ``count`` of some do not exceed, from a sample of them."""
    step = max(1, values.size // _SAMPLED)
    sample = values[::step]
    place = min(sample.size - 1, -(-count // step))
    return int(np.partition(sample, place)[place])
