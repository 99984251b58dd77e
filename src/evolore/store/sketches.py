"""Sketches of vectors, one bit a number: which are near, hardly any missed, in a hundredth of the memory read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.store.vector_rows import FrozenRows

_WORD = 64
_FIRST_ROWS = 1024
_GROWTH = 1.25
_SAMPLE = 500
_BATCH = 4096
_BLOCK = 8192
"""How many are counted at a time: few enough to stay in a processor's nearest memory."""


class Sketches:
    """Whether each number of each vector lies above the mean of that number; what differs in few bits is near.

    Two vectors at an angle of α differ in about α / π of their bits (Charikar 2002). Of 20,000 real texts, 1,000
    candidates held all of a cosine above 0.6 and 99.9 % of the 16 nearest. Counting takes 6 ns an item, 64 bytes each.

    The mean is that of the vectors it was made of (``made_of`` of them); what is appended later is compared with it too.

    Args:
        rows: The vectors, in the order of the items.
    """

    def __init__(self, rows: FrozenRows) -> None:
        some = np.linspace(0, len(rows) - 1, min(_SAMPLE, len(rows))).astype(np.intp)
        self._mean = _ordered(rows.take(some).astype(np.float32).mean(axis=0).astype(np.float16))
        words = -(-self._mean.size // _WORD)
        self._room = np.empty((words, max(_FIRST_ROWS, len(rows))), dtype=np.uint64)
        self._count = 0
        self.made_of = len(rows)
        for start in range(0, len(rows), _BATCH):
            self.append(rows.take(np.arange(start, min(start + _BATCH, len(rows)))))

    def __len__(self) -> int:
        return self._count

    @property
    def bytes_held(self) -> int:
        """How much memory they take."""
        return self._room.nbytes

    def append(self, rows: npt.NDArray[np.float16]) -> None:
        """Add vectors behind the others, shape (rows, dimension)."""
        needed = self._count + len(rows)
        if needed > self._room.shape[1]:
            grown = np.empty((len(self._room), int(needed * _GROWTH)), dtype=np.uint64)
            grown[:, : self._count] = self._room[:, : self._count]
            self._room = grown
        self._room[:, self._count : needed] = self._bits(rows).T
        self._count = needed

    def keep(self, kept: npt.NDArray[np.intp]) -> None:
        """Keep these items, in this order, and drop the others."""
        self._room = self._room.take(kept, axis=1)
        self._count = len(kept)

    def candidates(self, vector: npt.NDArray[np.float32], *, count: int) -> npt.NDArray[np.int32]:
        """Give the numbers of the ``count`` items that differ least from a vector, and of all that equal the last."""
        own = self._bits(vector[np.newaxis].astype(np.float16)).T
        differing = np.empty(self._count, dtype=np.uint16)
        for start in range(0, self._count, _BLOCK):
            block = slice(start, min(start + _BLOCK, self._count))
            counts = np.bitwise_count(self._room[:, block] ^ own)
            np.add.reduce(counts, axis=0, dtype=np.uint16, out=differing[block])
        reached = np.cumsum(np.bincount(differing, minlength=1))
        return np.flatnonzero(differing <= np.searchsorted(reached, min(count, self._count))).astype(np.int32)

    def _bits(self, rows: npt.NDArray[np.float16]) -> npt.NDArray[np.uint64]:
        """Give the sketch of each vector, shape (rows, words)."""
        packed = np.packbits(_ordered(rows) > self._mean, axis=1)
        whole = np.zeros((len(rows), len(self._room) * _WORD // 8), dtype=np.uint8)
        whole[:, : packed.shape[1]] = packed
        return whole.view(np.uint64)


def _ordered(rows: npt.NDArray[np.float16]) -> npt.NDArray[np.int16]:
    """Give whole numbers in the order of the numbers: comparing those of 16 bits is slow."""
    bits = np.ascontiguousarray(rows).view(np.int16)
    return bits ^ ((bits >> 15) & 0x7FFF)
