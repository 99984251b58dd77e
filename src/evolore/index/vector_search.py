"""A namespace's vectors: every one at hand to be compared, the nearest of many from a snapshot, and who builds those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

import numpy as np

from evolore.index import snapshots
from evolore.index.arrays import ItemsFile, read_items, write_items
from evolore.index.vectors import FrozenRows, Sketches, VectorRows
from evolore.text.vectors import Bools, Float16s, Float32s, Int32s, Int64s, Intps

if TYPE_CHECKING:
    from usearch.index import Index

    from evolore.index.feed import Feed
    from evolore.index.settings import IndexSettings
    from evolore.ports import EmbeddingModel

_BATCH = 8192
_MOST_OF = 4
"""Finding more than one in so many is slower than comparing all."""

_CANDIDATES = 1000
"""So many that differ least in their sketches hold the nearest."""

_SPARE = 3
"""Some of the nearest are no longer current, so this many times as many are searched."""

_RESKETCHED = 2
"""Sketches are remade once there are so many times as many items as their mean was taken of: texts may differ then."""

_SKETCHED = 1000
"""So many items a search's candidate are compared by their sketches: it finds more, in 6 ns an item to 6 µs."""


class SearchedVectors:
    """The vectors of a namespace's items, in the order of the items.

    Where there are many, a snapshot finds the nearest, and lends the vectors it holds: only the others are in memory,
    and are compared one by one. While there is no snapshot, all are: slower, and exact.
    """

    def __init__(self, ns: int, dimension: int, *, settings: IndexSettings, keeper: SnapshotKeeper) -> None:
        self._ns = ns
        self._dimension = dimension
        self._settings = settings
        self._keeper = keeper
        self._rows = VectorRows(dimension, half_above=settings.exact_up_to)
        self._payload_ids: list[str] = []
        self._snapshot: snapshots.Snapshot | None = None
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

    def append(self, payload_ids: Sequence[str], rows: Float16s) -> None:
        """Add vectors of unit length behind the others, shape (rows, dimension)."""
        self._payload_ids.extend(payload_ids)
        self._rows.append(rows, self._slots_of(payload_ids))
        if self._sketches is not None:
            self._sketches.append(rows)
        if self._snapshot is not None:
            first = len(self) - len(rows)
            slots = self._rows.slots[first:]
            self._snapshot.number_more(slots, first)
            self._outside = np.append(self._outside, (first + np.flatnonzero(slots < 0)).astype(np.int32))

    def restore(self, payload_ids: Sequence[str], was_lent: Bools, feed: Feed) -> None:
        """Add the vectors of items that are known already: from the snapshot, and what it lacks from the feed.

        Args:
            payload_ids: Whose vectors, each once.
            was_lent: Whether a snapshot held each as it is, shape (payloads,); the others are read, and compared.
            feed: The namespace at one moment.
        """
        self._use(feed, self._keeper.stamp(self._ns))
        for start in range(0, len(payload_ids), _BATCH):
            some = payload_ids[start : start + _BATCH]
            slots = self._slots_of(some)
            lacking = np.flatnonzero((slots < 0) | ~was_lent[start : start + _BATCH])
            if not lacking.size:
                self._rows.append_lent(slots)
                continue
            rows = self._rows.lent_rows(slots)
            rows[lacking] = feed.vectors([some[place] for place in lacking.tolist()])
            self._rows.append(rows, slots)
        self._payload_ids.extend(payload_ids)
        self._number()

    @property
    def is_lent(self) -> Bools:
        """Whether the snapshot holds the vector of each item as it is, shape (items,)."""
        return self._rows.slots >= 0

    @property
    def payload_ids(self) -> Sequence[str]:
        """Whose vectors they are, in the order of the items."""
        return self._payload_ids

    def keep(self, kept: Intps) -> None:
        """Keep these, in this order, and drop the others."""
        self._rows.keep(kept)
        if self._sketches is not None:
            self._sketches.keep(kept)
        self._payload_ids = [self._payload_ids[number] for number in kept.tolist()]
        self._number()

    def similarities(self, vector: Float32s) -> Float32s:
        """Return the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        return self._rows.similarities(vector)

    def similarities_of(self, vector: Float32s, items: Int32s) -> Float32s:
        """Return the cosine of some items with a unit vector, in their order."""
        return self._rows.similarities_of(vector, items)

    def rows_of(self, items: Int32s) -> Float32s:
        """Return the unit vectors of some items, shape (items, dimension), in their order."""
        return self._rows.rows_of(items)

    def nearest(self, vector: Float32s, *, count: int) -> Int32s | None:
        """Return about the ``count`` nearest items, in no order; None where comparing all is the way."""
        if self._snapshot is None or count * _MOST_OF > len(self):
            return None
        tail = self._outside
        if tail.size > count:
            tail = tail[np.argpartition(self._rows.similarities_of(vector, tail), -count)[-count:]]
        return np.concatenate((self._snapshot.nearest(vector, count=count), tail))

    def candidates(self, vector: Float32s, *, count: int) -> Int32s | None:
        """Return items among which are the ``count`` nearest, in no order; None where comparing all is the way."""
        if len(self) <= self._settings.exact_up_to:
            return None
        if self._snapshot is not None and len(self) > _SKETCHED * self._snapshot.expansion:
            return self.nearest(vector, count=_SPARE * count)
        if self._sketches is None or len(self) > _RESKETCHED * self._sketches.made_of:
            self._sketches = Sketches(self._rows.frozen())
        return self._sketches.candidates(vector, count=max(_CANDIDATES, count))

    def follow(self, feed: Feed) -> None:
        """Use the snapshot that is there, and have the next one built when it is due."""
        if len(self) <= self._settings.exact_up_to:
            if self._snapshot is not None:
                self._use(feed, ())
            return
        stamp = self._keeper.stamp(self._ns)
        if stamp != self._stamp or self._snapshot is None:
            self._use(feed, stamp)
        if self._is_due() and self._keeper.would_build(self._ns, snapshots.Kept.VECTORS, len(self)):
            self._keeper.begin(self._task(feed))

    def _task(self, feed: Feed) -> BuildTask:
        return BuildTask(
            ns=self._ns,
            origin=self._keeper.origin(feed),
            payload_ids=tuple(self._payload_ids),
            rows=self._rows.frozen(),
            extends=self._snapshot is not None and self._gone_from(self._snapshot) == 0,
        )

    def _is_due(self) -> bool:
        if self._snapshot is None:
            return True
        return self._outside.size + self._gone_from(self._snapshot) > self._settings.tail_share * len(self)

    def _gone_from(self, snapshot: snapshots.Snapshot) -> int:
        return snapshot.count - (len(self) - self._outside.size)

    def _use(self, feed: Feed, stamp: tuple[int, ...]) -> None:
        """Use the snapshot that bears this stamp, or none."""
        snapshot = self._keeper.open(feed) if stamp else None
        if snapshot is not None or self._snapshot is not None:
            self._snapshot = snapshot
            lent = np.empty((0, self._dimension), dtype=np.float16) if snapshot is None else snapshot.rows
            self._rows.borrow(lent, self._slots_of(self._payload_ids))
            self._number()
        self._stamp = stamp

    def _slots_of(self, payload_ids: Sequence[str]) -> Int64s:
        if self._snapshot is None:
            return np.full(len(payload_ids), -1, dtype=np.int64)
        return self._snapshot.slots_of(payload_ids)

    def _number(self) -> None:
        """Record in the snapshot which item each of its vectors belongs to, and here which items it does not hold."""
        if self._snapshot is not None:
            self._snapshot.number(self._rows.slots)
            self._outside = np.flatnonzero(self._rows.slots < 0).astype(np.int32)


LOCK = "snapshots.lock"
_BEGUN = (".new", ".clean")
_PAUSE_SECONDS = 0.2
_PIECE = 256
"""How many vectors are added between two looks at whether to stop: about a tenth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildTask:
    """A snapshot to be built."""

    ns: int  #: The namespace's number.
    origin: snapshots.Origin  #: What it is made from.
    payload_ids: tuple[str, ...]  #: Whose vectors they are.
    rows: FrozenRows  #: The vectors, in the same order; read-only.
    extends: bool  #: Whether the snapshot that is there is taken over, so that only vectors it lacks are added.


class SnapshotKeeper:
    """Keeps one store's snapshots: opens them, builds them in a thread of its own, takes erased vectors out.

    One process builds at a time, with one thread, because usearch's result depends on the order of insertion. What
    is moved to its place, and what is rewritten after an erasure, is looked through inside a write transaction: a
    vector erased before is not in it, and one erased after is taken out by the eraser.
    """

    def __init__(
        self,
        folder: Path,
        model: EmbeddingModel,
        *,
        writing: Callable[[int], AbstractContextManager[Feed]],
        may_build: Callable[[], bool] = lambda: True,
    ) -> None:
        self._may_build = may_build
        self._folder = folder
        self._model = model
        self._writing = writing
        self._lock = Lock()
        self._stopping = Event()
        self._thread: Thread | None = None
        self._failed: dict[tuple[int, snapshots.Kept], tuple[int, Exception]] = {}
        self._built = (0, 0)
        self._saved: dict[tuple[int, snapshots.Kept], tuple[tuple[int, ...], int]] = {}

    def path(self, ns: int, kept: snapshots.Kept = snapshots.Kept.VECTORS) -> Path:
        """Return the place of a file of a namespace."""
        return self._folder / f"{kept.value}-{ns}.snapshot"

    def origin(self, feed: Feed) -> snapshots.Origin:
        """Return what a namespace's snapshot must have been made from."""
        return snapshots.Origin(namespace=feed.identity, model=self._model.id, dimension=self._model.dimension)

    def stamp(self, ns: int) -> tuple[int, ...]:
        """Return what distinguishes one state of a namespace's snapshot from another; nothing where there is none."""
        return _stamp(self.path(ns))

    def open(self, feed: Feed) -> snapshots.Snapshot | None:
        """Map a namespace's snapshot; None where there is none that can be trusted."""
        return snapshots.Snapshot.open(self.path(feed.ns), self.origin(feed))

    def read(self, kept: snapshots.Kept, feed: Feed) -> ItemsFile | None:
        """Read a file of a namespace; None where there is none that can be trusted."""
        place = self.path(feed.ns, kept)
        if not place.exists():
            return None  # most namespaces are small: do not even ask the database
        found = read_items(place, self.origin(feed))
        if found is not None:
            self._saved[feed.ns, kept] = (_stamp(place), found.watermark)
        return found

    def open_items(self, feed: Feed) -> ItemsFile | None:
        """Read the file of a namespace's items; None where there is none that can be trusted, or one the log does not reach."""
        found = self.read(snapshots.Kept.ITEMS, feed)
        return found if found is not None and feed.begins() <= found.watermark <= feed.last_given() else None

    def saved_at(self, kept: snapshots.Kept, ns: int) -> int | None:
        """Return the watermark of a file of a namespace; None where there is none that this process knows."""
        stamp, watermark = self._saved.get((ns, kept), ((), 0))
        return watermark if stamp and stamp == _stamp(self.path(ns, kept)) else None

    def begin_writing(
        self,
        kept: snapshots.Kept,
        ns: int,
        origin: snapshots.Origin,
        content: ItemsFile,
        *,
        stands: Callable[[ItemsFile, Feed], bool],
    ) -> None:
        """Start writing a file of a namespace in the background, if it would."""
        self._begin(ns, kept, content.watermark, lambda: self.write(kept, ns, origin, content, stands=stands))

    def write(
        self,
        kept: snapshots.Kept,
        ns: int,
        origin: snapshots.Origin,
        content: ItemsFile,
        *,
        stands: Callable[[ItemsFile, Feed], bool],
    ) -> bool:
        """Write a file of a namespace and move it to its place.

        ``stands`` returns, while nothing writes, whether nothing of it was erased since it was taken: erased data must be in no
        file that is published later.

        Returns:
            Whether it was written.

        Raises:
            OSError: There is no room, or no right to write.
        """
        place = self.path(ns, kept)
        with snapshots.alone(self._folder / LOCK) as is_alone:
            if not is_alone:
                return False
            written = place.with_suffix(".new")
            try:
                write_items(written, origin, content)
                with self._writing(ns) as feed:
                    if not stands(content, feed):
                        return False
                    snapshots.publish(written, place)
                    self._saved[ns, kept] = (_stamp(place), content.watermark)
            finally:
                written.unlink(missing_ok=True)
        return True

    def would_build(self, ns: int, kept: snapshots.Kept, size: int) -> bool:
        """Return whether it would build: not while it builds or stops, nor what just failed at the same size."""
        is_busy = self._thread is not None and self._thread.is_alive()
        failed_at, _ = self._failed.get((ns, kept), (None, None))
        return not (is_busy or self._stopping.is_set() or failed_at == size) and self._may_build()

    def failure(self, ns: int) -> Exception | None:
        """Return why a file of a namespace could not be built; None where none failed."""
        return next((error for (failed, _), (_, error) in self._failed.items() if failed == ns), None)

    def forget_failures(self, ns: int) -> None:
        """Try what failed again."""
        for kept in snapshots.Kept:
            self._failed.pop((ns, kept), None)

    def begin(self, task: BuildTask) -> None:
        """Start building in the background, if it would build."""
        self._begin(task.ns, snapshots.Kept.VECTORS, len(task.payload_ids), lambda: self.build(task))

    def _begin(self, ns: int, kept: snapshots.Kept, size: int, work: Callable[[], object]) -> None:
        with self._lock:
            if self.would_build(ns, kept, size):
                run = lambda: self._work_or_note(ns, kept, size, work)  # noqa: E731 - a thread's target
                self._thread = Thread(target=run, name="evolore-snapshot", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Stop what is being built and wait until it has stopped."""
        self._stopping.set()
        self.wait()
        self._stopping.clear()

    def wait(self, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Wait until nothing is being built, and return how many vectors of how many are in."""
        thread = self._thread
        while thread is not None and thread.is_alive():
            thread.join(timeout=None if progress is None else _PAUSE_SECONDS)
            if progress is not None:
                progress(*self._built)

    def build(self, task: BuildTask) -> bool:
        """Build a snapshot and move it to its place.

        Returns:
            Whether it was: not when another process builds, or when asked to stop.

        Raises:
            OSError: There is no room, or no right to write.
        """
        with snapshots.alone(self._folder / LOCK) as is_alone:
            if not is_alone:
                return False
            written = self.path(task.ns).with_suffix(".new")
            try:
                index, payload_ids = self._index(task)
                if self._stopping.is_set():
                    return False
                index.save(written)
                snapshots.seal(
                    written, task.origin, payload_ids, expansion=snapshots.needed_expansion(index, task.rows)
                )
                with self._writing(task.ns) as feed:
                    if self._clean(feed, written):
                        snapshots.publish(written, self.path(task.ns))
            finally:
                written.unlink(missing_ok=True)
            return True

    def take_out_erased(self, ns: int) -> None:
        """Rewrite a namespace's snapshot without the vectors that are in no table any more, if there is one."""
        # What a killed process left half-written.
        begun = [self.path(ns, kept).with_suffix(end) for kept in snapshots.Kept for end in _BEGUN]
        if any(path.exists() for path in begun):
            with snapshots.alone(self._folder / LOCK) as is_alone, self._writing(ns):
                for path in begun if is_alone else ():  # the builder checks what it publishes
                    path.unlink(missing_ok=True)
        place = self.path(ns)
        if not place.exists():
            return
        with self._writing(ns) as feed:
            try:
                is_clean = self._clean(feed, place)
            except OSError:  # no room for the copy: better no snapshot than one that remembers
                is_clean = False
            if not is_clean:
                place.unlink(missing_ok=True)

    def _clean(self, feed: Feed, path: Path) -> bool:
        """Overwrite erased vectors in a snapshot; False where it cannot be trusted or rewritten."""
        origin = self.origin(feed)
        found = snapshots.read_snapshot(path, origin)
        if found is None:
            return False
        present = {snapshots.NO_ID, *feed.payload_ids()}
        erased = [slot for slot, id_ in enumerate(found.payload_ids) if id_ not in present]
        if not erased:
            return True
        copied = path.with_suffix(".clean")
        try:
            is_copied = snapshots.copy_without(path, copied, origin, erased)
            if is_copied:
                snapshots.publish(copied, path)
        finally:
            copied.unlink(missing_ok=True)
        return is_copied

    def _index(self, task: BuildTask) -> tuple[Index, list[str]]:
        """Put the vectors into an index, some of them if asked to stop; return it and whose they are."""
        index = snapshots.new_index(task.origin.dimension)
        payload_ids: list[str] = []
        before = snapshots.read_snapshot(self.path(task.ns), task.origin) if task.extends else None
        if before is not None:
            index.load(before.index)
            payload_ids.extend(before.payload_ids)
        held = set(payload_ids)
        fresh = [row for row, id_ in enumerate(task.payload_ids) if id_ not in held]
        for start in range(0, len(fresh), _PIECE):
            if self._stopping.is_set():
                break
            rows = fresh[start : start + _PIECE]
            slots = np.arange(len(payload_ids), len(payload_ids) + len(rows), dtype=np.uint64)
            self._built = (start, len(fresh))
            index.add(slots, task.rows.take(np.array(rows)), threads=1)
            payload_ids.extend(task.payload_ids[row] for row in rows)
        return index, payload_ids

    def _work_or_note(self, ns: int, kept: snapshots.Kept, size: int, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the edge of a thread: recall works on without a snapshot
            self._failed[ns, kept] = (size, error)


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns
