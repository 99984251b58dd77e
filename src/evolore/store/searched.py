"""A namespace's vectors: every one at hand to be compared, and the nearest of many from a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.store.sketches import Sketches
from evolore.store.snapshot_keeping import Kept, Task
from evolore.store.vector_rows import VectorRows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    import numpy.typing as npt
    from sqlalchemy import Connection

    from evolore.store.settings import IndexSettings
    from evolore.store.snapshot_keeping import SnapshotKeeper
    from evolore.store.snapshots import Snapshot

    ReadVectors: TypeAlias = Callable[[Sequence[str]], npt.NDArray[np.float16]]

_BATCH = 8192
_MOST_OF = 4
"""Finding more than one in so many is slower than comparing all."""

_CANDIDATES = 1000
"""So many that differ least in their sketches hold the nearest."""

_SPARE = 3
"""Of the nearest, some no longer stand: so many times as many are looked for."""

_RESKETCHED = 2
"""How often as many items as its sketches' mean was taken of there may be until they are made anew: by then texts may differ."""

_SKETCHED = 1000
"""So many items a search's candidate are compared by their sketches: it finds more, in 6 ns an item to 6 µs."""


class SearchedVectors:
    """The vectors of a namespace's items, in the order of the items.

    Where there are many, a snapshot gives the nearest, and lends the vectors it holds: only the others are in memory,
    and are compared one by one. While there is no snapshot, all are: slower, and exact.

    Args:
        ns: The namespace's number.
        dimension: Length of every vector.
        settings: From how many on a snapshot is used, and when the next is built.
        keeper: Keeps the snapshots.
    """

    def __init__(self, ns: int, dimension: int, *, settings: IndexSettings, keeper: SnapshotKeeper) -> None:
        self._ns = ns
        self._dimension = dimension
        self._settings = settings
        self._keeper = keeper
        self._rows = VectorRows(dimension, half_above=settings.exact_up_to)
        self._payload_ids: list[str] = []
        self._snapshot: Snapshot | None = None
        self._outside = np.zeros(0, dtype=np.int32)
        self._stamp: tuple[int, ...] = ()
        self._sketches: Sketches | None = None  # made when they are asked for

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes, without what is mapped."""
        return self._rows.bytes_held + (0 if self._sketches is None else self._sketches.bytes_held)

    @property
    def has_snapshot(self) -> bool:
        """Whether the nearest come from a snapshot."""
        return self._snapshot is not None

    def append(self, payload_ids: Sequence[str], rows: npt.NDArray[np.float16]) -> None:
        """Add vectors of unit length behind the others, shape (rows, dimension)."""
        self._payload_ids.extend(payload_ids)
        self._rows.append(rows, self._slots_of(payload_ids))
        if self._sketches is not None:
            self._sketches.append(rows)
        self._number_from(len(self) - len(rows))

    def restore(
        self, payload_ids: Sequence[str], was_lent: npt.NDArray[np.bool_], read: ReadVectors, connection: Connection
    ) -> None:
        """Take in the vectors of items that are known already: from the snapshot, and what it lacks by ``read``.

        Args:
            payload_ids: Whose vectors, each once.
            was_lent: Whether a snapshot held each as it is, shape (payloads,); the others are read, and compared.
            read: Reads the vectors of some payloads, in their order.
            connection: A snapshot of the tables.
        """
        self._use(connection, self._keeper.stamp(self._ns))
        for start in range(0, len(payload_ids), _BATCH):
            some = payload_ids[start : start + _BATCH]
            slots = self._slots_of(some)
            lacking = np.flatnonzero((slots < 0) | ~was_lent[start : start + _BATCH])
            if not lacking.size:
                self._rows.append_lent(slots)
                continue
            rows = self._rows.lent_rows(slots)
            rows[lacking] = read([some[place] for place in lacking.tolist()])
            self._rows.append(rows, slots)
        self._payload_ids.extend(payload_ids)
        self._number()

    @property
    def is_lent(self) -> npt.NDArray[np.bool_]:
        """Whether the snapshot holds the vector of each item as it is, shape (items,)."""
        return self._rows.slots >= 0

    @property
    def payload_ids(self) -> Sequence[str]:
        """Whose vectors they are, in the order of the items."""
        return self._payload_ids

    def keep(self, kept: npt.NDArray[np.intp]) -> None:
        """Keep these, in this order, and drop the others."""
        self._rows.keep(kept)
        if self._sketches is not None:
            self._sketches.keep(kept)
        self._payload_ids = [self._payload_ids[number] for number in kept.tolist()]
        self._number()

    def similarities(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Give the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        return self._rows.similarities(vector)

    def similarities_of(self, vector: npt.NDArray[np.float32], items: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Give the cosine of some items with a unit vector, in their order."""
        return self._rows.similarities_of(vector, items)

    def rows_of(self, items: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Give the unit vectors of some items, shape (items, dimension), in their order."""
        return self._rows.rows_of(items)

    def nearest(self, vector: npt.NDArray[np.float32], *, count: int) -> npt.NDArray[np.int32] | None:
        """Give about the ``count`` nearest items, in no order; None where comparing all is the way."""
        if self._snapshot is None or count * _MOST_OF > len(self):
            return None
        tail = self._outside
        if tail.size > count:
            similarity = self._rows.similarities_of(vector, tail)
            tail = tail[np.argpartition(similarity, -count)[-count:]]
        return np.concatenate((self._snapshot.nearest(vector, count=count), tail))

    def candidates(self, vector: npt.NDArray[np.float32], *, count: int) -> npt.NDArray[np.int32] | None:
        """Give items among which are the ``count`` nearest, in no order; None where comparing all is the way."""
        if len(self) <= self._settings.exact_up_to:
            return None
        if self._snapshot is not None and len(self) > _SKETCHED * self._snapshot.expansion:
            return self.nearest(vector, count=_SPARE * count)
        if self._sketches is None or len(self) > _RESKETCHED * self._sketches.made_of:
            self._sketches = Sketches(self._rows.frozen())
        return self._sketches.candidates(vector, count=max(_CANDIDATES, count))

    def follow(self, connection: Connection) -> None:
        """Use the snapshot that is there, and have the next one built when it is due."""
        if len(self) <= self._settings.exact_up_to:
            if self._snapshot is not None:
                self._use(connection, ())
            return
        stamp = self._keeper.stamp(self._ns)
        if stamp != self._stamp or self._snapshot is None:
            self._use(connection, stamp)
        if self._is_due() and self._keeper.would_build(self._ns, Kept.VECTORS, len(self)):
            self._keeper.begin(self._task(connection))

    def _task(self, connection: Connection) -> Task:
        return Task(
            ns=self._ns,
            origin=self._keeper.origin(connection, self._ns),
            payload_ids=tuple(self._payload_ids),
            rows=self._rows.frozen(),
            extends=self._snapshot is not None and self._gone_from(self._snapshot) == 0,
        )

    def _is_due(self) -> bool:
        if self._snapshot is None:
            return True
        return self._outside.size + self._gone_from(self._snapshot) > self._settings.tail_share * len(self)

    def _gone_from(self, snapshot: Snapshot) -> int:
        return snapshot.count - (len(self) - self._outside.size)

    def _use(self, connection: Connection, stamp: tuple[int, ...]) -> None:
        """Use the snapshot that bears this stamp, or none."""
        snapshot = self._keeper.open(connection, self._ns) if stamp else None
        if snapshot is not None or self._snapshot is not None:
            self._snapshot = snapshot
            lent = self._no_rows() if snapshot is None else snapshot.rows
            self._rows.borrow(lent, self._slots_of(self._payload_ids))
            self._number()
        self._stamp = stamp

    def _slots_of(self, payload_ids: Sequence[str]) -> npt.NDArray[np.int64]:
        if self._snapshot is None:
            return np.full(len(payload_ids), -1, dtype=np.int64)
        return self._snapshot.slots_of(payload_ids)

    def _number(self) -> None:
        """Tell the snapshot which item each of its vectors is, and note which it does not hold."""
        if self._snapshot is not None:
            self._snapshot.number(self._rows.slots)
            self._outside = np.flatnonzero(self._rows.slots < 0).astype(np.int32)

    def _number_from(self, first: int) -> None:
        """Do the same for the items from a number on."""
        if self._snapshot is not None:
            slots = self._rows.slots[first:]
            self._snapshot.number_more(slots, first)
            self._outside = np.append(self._outside, (first + np.flatnonzero(slots < 0)).astype(np.int32))

    def _no_rows(self) -> npt.NDArray[np.float16]:
        return np.empty((0, self._dimension), dtype=np.float16)
