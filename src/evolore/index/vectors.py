"""Vectors of a namespace: exact search, rows held or mapped, and sketches of one bit a number."""

from __future__ import annotations

from dataclasses import dataclass

import numkong
import numpy as np
import numpy.typing as npt

from evolore.index.arrays import Column
from evolore.text.vectors import Bools, Float16s, Float32s, Int32s, Int64s, Intps

HALF_ABOVE = 10_000


class ExactVectors:
    """The vectors of a namespace's items, in the order of the items.

    Few are held as float32, which numpy multiplies fastest. Many are held as float16, as the tables hold them: half
    the memory, and half the time to read it, which is what a scan costs: 3.7 ms against 7.1 for 100,000 of 512.
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

    def append(self, rows: Float16s) -> None:
        """Add vectors of unit length behind the others, shape (rows, dimension)."""
        if self._half is None and len(self) + len(rows) > self._half_above:
            self._half = Column(np.float16, width=self._dimension)
            self._half.append(self._single.rows.astype(np.float16))
            self._single = Column(np.float32, width=self._dimension)
        if self._half is None:
            self._single.append(rows.astype(np.float32))
        else:
            self._half.append(rows)

    def keep(self, kept: Intps) -> None:
        """Keep these rows, in this order, and drop the others."""
        if self._half is None:
            self._single.keep(kept)
            return
        self._half.keep(kept)
        if len(kept) <= self._half_above:
            self._single.append(self._half.rows.astype(np.float32))
            self._half = None

    def similarities(self, vector: Float32s) -> Float32s:
        """Return the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        return self._single.rows @ vector if self._half is None else half_products(self._half.rows, vector)

    def similarities_of(self, vector: Float32s, items: Int32s) -> Float32s:
        """Return the cosine of some items with a unit vector, in their order."""
        if self._half is None:
            return self._single.rows[items] @ vector
        return half_products(self._half.rows[items], vector)

    def rows_of(self, items: npt.NDArray[np.integer]) -> Float32s:
        """Return the vectors of some items, shape (items, dimension), in their order."""
        return (self._single if self._half is None else self._half).rows[items].astype(np.float32)

    def half_rows(self) -> Float16s:
        """Return all rows as float16; what is done later does not change them."""
        return self._single.rows.astype(np.float16) if self._half is None else self._half.rows


def half_products(rows: Float16s, vector: Float32s) -> Float32s:
    """Multiply each row with a vector, shape (rows,); numpy would convert every row first: eighteen times as long."""
    if not len(rows):
        return np.zeros(0, dtype=np.float32)
    query = np.ascontiguousarray(vector[np.newaxis], dtype=np.float16)
    # Its own output type, float64, is what it is fast for.
    return np.asarray(numkong.cdist(query, rows, "dot"), dtype=np.float32).reshape(len(rows))


_BATCH = 4096
"""How many rows are moved at a time: few enough not to be felt in memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrozenRows:
    """Vectors at one moment; nothing changes them later."""

    lent: Float16s  #: Those of a snapshot, by slot, shape (slots, dimension).
    own: Float16s  #: The others, shape (others, dimension).
    #: For each item its slot or, counted on behind the slots, its place among the others, shape (items,).
    places: Int64s

    def __len__(self) -> int:
        return len(self.places)

    def take(self, items: Intps) -> Float16s:
        """Return the rows of some items, shape (items, dimension)."""
        places = self.places[items]
        is_lent = places < len(self.lent)
        rows = np.empty((len(items), self.own.shape[1]), dtype=np.float16)
        rows[is_lent] = self.lent[places[is_lent]]
        rows[~is_lent] = self.own[places[~is_lent] - len(self.lent)]
        return rows

    def products(self, vector: Float32s) -> Float32s:
        """Multiply each row with a vector, shape (items,)."""
        return np.concatenate((half_products(self.lent, vector), half_products(self.own, vector)))[self.places]


class VectorRows:
    """Vectors of unit length in the order of items.

    A row is taken from a snapshot only if it is there byte for byte: what was rewritten since is held here.
    """

    def __init__(self, dimension: int, *, half_above: int) -> None:
        self._dimension = dimension
        self._half_above = half_above
        self._own = ExactVectors(dimension, half_above=half_above)
        self._lent = np.empty((0, dimension), dtype=np.float16)
        self._slots = Column(np.int64)  # -1 - place for one that is held here

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def bytes_held(self) -> int:
        """How much memory it takes, without what is mapped."""
        return self._own.bytes_held + self._slots.bytes_held

    @property
    def slots(self) -> Int64s:
        """The slot of each item's row in the snapshot, below 0 where it has none, shape (items,)."""
        return self._slots.rows

    def append(self, rows: Float16s, slots: Int64s) -> None:
        """Add rows behind the others.

        Args:
            rows: Shape (rows, dimension).
            slots: Where the snapshot should hold each, -1 where it does not, shape (rows,).
        """
        is_lent = slots >= 0
        is_lent[is_lent] = (self._lent[slots[is_lent]].view(np.uint16) == rows[is_lent].view(np.uint16)).all(axis=1)
        own = np.flatnonzero(~is_lent)
        taken = slots.copy()
        taken[own] = -1 - len(self._own) - np.arange(own.size)
        self._own.append(rows[own])
        self._slots.append(taken)

    def lent_rows(self, slots: Int64s) -> Float16s:
        """Return the snapshot's rows at these slots, zeros for -1."""
        rows = np.zeros((len(slots), self._dimension), dtype=np.float16)
        rows[slots >= 0] = self._lent[slots[slots >= 0]]
        return rows

    def append_lent(self, slots: Int64s) -> None:
        """Add rows that only the snapshot holds."""
        self._slots.append(slots)

    def keep(self, kept: Intps) -> None:
        """Keep these rows, in this order, and drop the others."""
        self._slots.keep(kept)
        slots = self._slots.rows
        own = np.flatnonzero(slots < 0)
        self._own.keep(-1 - slots[own])
        slots[own] = -1 - np.arange(own.size)

    def borrow(self, lent: Float16s, slots: Int64s) -> None:
        """Use rows of another snapshot from now on.

        Args:
            lent: Its rows by slot, shape (slots, dimension); none for no snapshot.
            slots: Where it should hold the row of each item, -1 where it does not, shape (items,).
        """
        before = self.frozen()
        # Beside rows of float16 all are, so that an item's similarity does not depend on where its row lies.
        moved = VectorRows(self._dimension, half_above=0 if len(lent) else self._half_above)
        moved._lent = lent
        for start in range(0, len(before), _BATCH):
            some = np.arange(start, min(start + _BATCH, len(before)))
            moved.append(before.take(some), slots[some])
        self._own, self._lent, self._slots = moved._own, lent, moved._slots

    def frozen(self) -> FrozenRows:
        """Return all rows as they are now."""
        return FrozenRows(lent=self._lent, own=self._own.half_rows(), places=self._places(self._slots.rows))

    def similarities(self, vector: Float32s) -> Float32s:
        """Return the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        own = self._own.similarities(vector)
        if not len(self._lent):
            return own
        return np.concatenate((half_products(self._lent, vector), own))[self._places(self._slots.rows)]

    def similarities_of(self, vector: Float32s, items: Int32s) -> Float32s:
        """Return the cosine of some items with a unit vector, in their order."""
        slots = self._slots.rows[items]
        is_lent = slots >= 0
        found = np.empty(len(items), dtype=np.float32)
        found[is_lent] = half_products(self._lent[slots[is_lent]], vector)
        found[~is_lent] = self._own.similarities_of(vector, (-1 - slots[~is_lent]).astype(np.int32))
        return found

    def rows_of(self, items: Int32s) -> Float32s:
        """Return the vectors of some items, shape (items, dimension), in their order."""
        slots = self._slots.rows[items]
        is_lent = slots >= 0
        found = np.empty((len(items), self._dimension), dtype=np.float32)
        found[is_lent] = self._lent[slots[is_lent]]
        found[~is_lent] = self._own.rows_of(-1 - slots[~is_lent])
        return found

    def _places(self, slots: Int64s) -> Int64s:
        return np.where(slots >= 0, slots, len(self._lent) - 1 - slots)


_WORD = 64
_FIRST_ROWS = 1024
_GROWTH = 1.25
_SAMPLE = 500


_BLOCK = 8192
"""How many are counted at a time: few enough to stay in a processor's nearest memory."""


class Sketches:
    """Whether each number of each vector lies above the mean of that number; what differs in few bits is near.

    Two vectors at an angle of α differ in about α / π of their bits (Charikar 2002). Of 20,000 real texts, 1,000
    candidates held all of a cosine above 0.6 and 99.9 % of the 16 nearest. Counting takes 6 ns an item, 64 bytes each.

    The mean is that of the vectors it was made of (``made_of`` of them); what is appended later is compared with it too.
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

    def append(self, rows: Float16s) -> None:
        """Add vectors behind the others, shape (rows, dimension)."""
        needed = self._count + len(rows)
        if needed > self._room.shape[1]:
            grown = np.empty((len(self._room), int(needed * _GROWTH)), dtype=np.uint64)
            grown[:, : self._count] = self._room[:, : self._count]
            self._room = grown
        self._room[:, self._count : needed] = self._bits(rows).T
        self._count = needed

    def keep(self, kept: Intps) -> None:
        """Keep these items, in this order, and drop the others."""
        self._room = self._room.take(kept, axis=1)
        self._count = len(kept)

    def move_last(self, number: int) -> None:
        """Move the last item to the place of another, which is removed."""
        self._count -= 1
        self._room[:, number] = self._room[:, self._count]

    def candidates(
        self, vector: Float32s, *, count: int, among: Bools | None = None, most: int | None = None
    ) -> Int32s:
        """Return the numbers of the ``count`` items that differ least from a vector, and of all that equal the last."""
        own = self._bits(vector[np.newaxis].astype(np.float16)).T
        differing = np.empty(self._count, dtype=np.uint16)
        for start in range(0, self._count, _BLOCK):
            block = slice(start, min(start + _BLOCK, self._count))
            np.add.reduce(np.bitwise_count(self._room[:, block] ^ own), axis=0, dtype=np.uint16, out=differing[block])
        numbers = np.arange(self._count, dtype=np.int32) if among is None else np.flatnonzero(among).astype(np.int32)
        differing = differing if among is None else differing[numbers]
        reached = np.cumsum(np.bincount(differing, minlength=1))
        found = np.flatnonzero(differing <= np.searchsorted(reached, min(count, numbers.size)))
        if most is not None and found.size > most:
            found = np.sort(found[np.argsort(differing[found], kind="stable")[:most]])
        return numbers[found]

    def _bits(self, rows: Float16s) -> npt.NDArray[np.uint64]:
        """Return the sketch of each vector, shape (rows, words)."""
        packed = np.packbits(_ordered(rows) > self._mean, axis=1)
        whole = np.zeros((len(rows), len(self._room) * _WORD // 8), dtype=np.uint8)
        whole[:, : packed.shape[1]] = packed
        return whole.view(np.uint64)


def _ordered(rows: Float16s) -> npt.NDArray[np.int16]:
    """Return whole numbers in the order of the numbers: comparing those of 16 bits is slow."""
    bits = np.ascontiguousarray(rows).view(np.int16)
    return bits ^ ((bits >> 15) & 0x7FFF)
