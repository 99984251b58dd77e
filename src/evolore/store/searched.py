"""A namespace's vectors: every one at hand to be compared, and the nearest of many from a snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.store.columns import Column
from evolore.store.snapshot_keeping import Task
from evolore.store.vectors import ExactVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from sqlalchemy import Connection

    from evolore.store.settings import IndexSettings
    from evolore.store.snapshot_keeping import SnapshotKeeper
    from evolore.store.snapshots import Snapshot

_MOST_OF = 4
"""Finding more than one in so many is slower than comparing all."""


class SearchedVectors:
    """The vectors of a namespace's items, in the order of the items.

    Where there are many, a snapshot gives the nearest, and those behind its watermark are compared one by one. While
    there is no snapshot, all are: slower, and exact.

    Args:
        ns: The namespace's number.
        dimension: Length of every vector.
        settings: From how many on a snapshot is used, and when the next is built.
        keeper: Keeps the snapshots.
    """

    def __init__(self, ns: int, dimension: int, *, settings: IndexSettings, keeper: SnapshotKeeper) -> None:
        self._ns = ns
        self._settings = settings
        self._keeper = keeper
        self._exact = ExactVectors(dimension, half_above=settings.exact_up_to)
        self._payload_ids: list[str] = []
        self._is_held = Column(np.bool_)
        self._snapshot: Snapshot | None = None
        self._stamp: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self._exact)

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes, without what is mapped."""
        return self._exact.bytes_held

    @property
    def has_snapshot(self) -> bool:
        """Whether the nearest come from a snapshot."""
        return self._snapshot is not None

    def append(self, payload_ids: Sequence[str], rows: npt.NDArray[np.float16]) -> None:
        """Add vectors of unit length behind the others, shape (rows, dimension)."""
        first = len(self)
        self._exact.append(rows)
        self._payload_ids.extend(payload_ids)
        self._is_held.append(self._place(payload_ids, first))

    def keep(self, kept: npt.NDArray[np.intp]) -> None:
        """Keep these, in this order, and drop the others."""
        self._exact.keep(kept)
        self._payload_ids = [self._payload_ids[number] for number in kept.tolist()]
        self._place_all()

    def similarities(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Give the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        return self._exact.similarities(vector)

    def similarities_of(self, vector: npt.NDArray[np.float32], items: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Give the cosine of some items with a unit vector, in their order."""
        return self._exact.similarities_of(vector, items)

    def nearest(self, vector: npt.NDArray[np.float32], *, count: int) -> npt.NDArray[np.int32] | None:
        """Give about the ``count`` nearest items, in no order; None where comparing all is the way."""
        if self._snapshot is None or count * _MOST_OF > len(self):
            return None
        tail = np.flatnonzero(~self._is_held.rows).astype(np.int32)
        if tail.size > count:
            similarity = self._exact.similarities_of(vector, tail)
            tail = tail[np.argpartition(similarity, -count)[-count:]]
        return np.concatenate((self._snapshot.nearest(vector, count=count), tail))

    def follow(self, connection: Connection) -> None:
        """Use the snapshot that is there, and have the next one built when it is due."""
        if len(self) <= self._settings.exact_up_to:
            self._snapshot, self._stamp = None, ()
            return
        stamp = self._keeper.stamp(self._ns)
        if stamp != self._stamp or self._snapshot is None:
            self._snapshot = self._keeper.open(connection, self._ns) if stamp else None
            self._stamp = stamp
            self._place_all()
        if self._is_due() and self._keeper.would_build(self._ns, len(self)):
            self._keeper.begin(self._task(connection))

    def _task(self, connection: Connection) -> Task:
        return Task(
            ns=self._ns,
            origin=self._keeper.origin(connection, self._ns),
            payload_ids=tuple(self._payload_ids),
            rows=self._exact.half_rows(),
            extends=self._snapshot is not None and self._gone_from(self._snapshot) == 0,
        )

    def _is_due(self) -> bool:
        if self._snapshot is None:
            return True
        outside = len(self) - int(self._is_held.rows.sum())
        return outside + self._gone_from(self._snapshot) > self._settings.tail_share * len(self)

    def _gone_from(self, snapshot: Snapshot) -> int:
        return snapshot.count - int(self._is_held.rows.sum())

    def _place_all(self) -> None:
        self._is_held = Column(np.bool_)
        self._is_held.append(self._place(self._payload_ids, 0))

    def _place(self, payload_ids: Sequence[str], first: int) -> npt.NDArray[np.bool_]:
        if self._snapshot is None:
            return np.zeros(len(payload_ids), dtype=np.bool_)
        return self._snapshot.place(payload_ids, first=first)
