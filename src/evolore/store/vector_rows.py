"""Vectors of items, in their order: those a mapped snapshot holds are read there, the others are held in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.store.columns import Column
from evolore.store.vectors import ExactVectors, half_products

if TYPE_CHECKING:
    import numpy.typing as npt

_BATCH = 4096
"""How many rows are moved at a time: few enough not to be felt in memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FrozenRows:
    """Vectors at one moment; nothing changes them later.

    Args:
        lent: Those of a snapshot, by slot, shape (slots, dimension).
        own: The others, shape (others, dimension).
        places: For each item its slot or, counted on behind the slots, its place among the others, shape (items,).
    """

    lent: npt.NDArray[np.float16]
    own: npt.NDArray[np.float16]
    places: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.places)

    def take(self, items: npt.NDArray[np.intp]) -> npt.NDArray[np.float16]:
        """Give the rows of some items, shape (items, dimension)."""
        places = self.places[items]
        is_lent = places < len(self.lent)
        rows = np.empty((len(items), self.own.shape[1]), dtype=np.float16)
        rows[is_lent] = self.lent[places[is_lent]]
        rows[~is_lent] = self.own[places[~is_lent] - len(self.lent)]
        return rows

    def products(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Multiply each row with a vector, shape (items,)."""
        return np.concatenate((half_products(self.lent, vector), half_products(self.own, vector)))[self.places]


class VectorRows:
    """Vectors of unit length in the order of items.

    A row is taken from a snapshot only if it is there byte for byte: what was written anew since is held here.

    Args:
        dimension: Length of every vector.
        half_above: How many are held as float32 at the most, at least 0.
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
    def slots(self) -> npt.NDArray[np.int64]:
        """The slot of each item's row in the snapshot, below 0 where it has none, shape (items,)."""
        return self._slots.rows

    def append(self, rows: npt.NDArray[np.float16], slots: npt.NDArray[np.int64]) -> None:
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

    def lent_rows(self, slots: npt.NDArray[np.int64]) -> npt.NDArray[np.float16]:
        """Give the snapshot's rows at these slots, zeros for -1."""
        rows = np.zeros((len(slots), self._dimension), dtype=np.float16)
        rows[slots >= 0] = self._lent[slots[slots >= 0]]
        return rows

    def append_lent(self, slots: npt.NDArray[np.int64]) -> None:
        """Add rows that only the snapshot holds."""
        self._slots.append(slots)

    def keep(self, kept: npt.NDArray[np.intp]) -> None:
        """Keep these rows, in this order, and drop the others."""
        self._slots.keep(kept)
        slots = self._slots.rows
        own = np.flatnonzero(slots < 0)
        self._own.keep(-1 - slots[own])
        slots[own] = -1 - np.arange(own.size)

    def borrow(self, lent: npt.NDArray[np.float16], slots: npt.NDArray[np.int64]) -> None:
        """Take rows from another snapshot from now on.

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
        """Give all rows as they are now."""
        return FrozenRows(lent=self._lent, own=self._own.half_rows(), places=self._places(self._slots.rows))

    def similarities(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Give the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        own = self._own.similarities(vector)
        if not len(self._lent):
            return own
        return np.concatenate((half_products(self._lent, vector), own))[self._places(self._slots.rows)]

    def similarities_of(self, vector: npt.NDArray[np.float32], items: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Give the cosine of some items with a unit vector, in their order."""
        slots = self._slots.rows[items]
        is_lent = slots >= 0
        found = np.empty(len(items), dtype=np.float32)
        found[is_lent] = half_products(self._lent[slots[is_lent]], vector)
        found[~is_lent] = self._own.similarities_of(vector, (-1 - slots[~is_lent]).astype(np.int32))
        return found

    def rows_of(self, items: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Give the vectors of some items, in their order, shape (items, dimension)."""
        slots = self._slots.rows[items]
        is_lent = slots >= 0
        found = np.empty((len(items), self._dimension), dtype=np.float32)
        found[is_lent] = self._lent[slots[is_lent]]
        found[~is_lent] = self._own.rows_of((-1 - slots[~is_lent]).astype(np.int32))
        return found

    def _places(self, slots: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.where(slots >= 0, slots, len(self._lent) - 1 - slots)
