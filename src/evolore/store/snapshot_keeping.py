"""Who builds snapshots, when, and how nothing that was erased stays in them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection, select

from evolore.store.file_lock import alone
from evolore.store.items_file import read_items, write_items
from evolore.store.snapshot_file import NO_ID, Origin, copy_without, publish, read_snapshot, seal
from evolore.store.snapshots import Snapshot, needed_expansion, new_index
from evolore.store.tables import index_log, namespaces, vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from usearch.index import Index

    from evolore.ports import EmbeddingModel
    from evolore.store.items_file import ItemsFile
    from evolore.store.vector_rows import FrozenRows

LOCK = "snapshots.lock"
_BEGUN = (".new", ".clean")
_PAUSE_SECONDS = 0.2
_PIECE = 256
"""How many vectors are added between two looks at whether to stop: about a tenth of a second."""


class Kept(Enum):
    """What is kept in a file."""

    VECTORS = "vectors"
    ITEMS = "items"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A snapshot to be built.

    Args:
        ns: The namespace's number.
        origin: What it is made from.
        payload_ids: Whose vectors they are.
        rows: The vectors, in the same order; nobody changes them.
        extends: Whether the snapshot that is there is taken over, so that only vectors it lacks are added.
    """

    ns: int
    origin: Origin
    payload_ids: tuple[str, ...]
    rows: FrozenRows
    extends: bool


class SnapshotKeeper:
    """Keeps one store's snapshots: opens them, builds them in a thread of its own, takes erased vectors out.

    One process builds at a time, with one thread, because usearch's result depends on the order of insertion. What
    is moved to its place, and what is rewritten after an erasure, is looked through inside a write transaction: a
    vector erased before is not in it, and one erased after is taken out by whoever erases.

    Args:
        folder: The store's folder.
        model: The store's embedding model.
        writing: Opens a write transaction.
        may_build: Tells whether anything can be written beside the database.
    """

    def __init__(
        self,
        folder: Path,
        model: EmbeddingModel,
        *,
        writing: Callable[[], AbstractContextManager[Connection]],
        may_build: Callable[[], bool] = lambda: True,
    ) -> None:
        self._may_build = may_build
        self._folder = folder
        self._model = model
        self._writing = writing
        self._lock = Lock()
        self._stopping = Event()
        self._thread: Thread | None = None
        self._failed: dict[tuple[int, Kept], tuple[int, Exception]] = {}
        self._built = (0, 0)
        self._saved: dict[int, tuple[tuple[int, ...], int]] = {}

    def path(self, ns: int) -> Path:
        """Give the place of a namespace's snapshot."""
        return self._folder / f"vectors-{ns}.snapshot"

    def origin(self, connection: Connection, ns: int) -> Origin:
        """Say what a namespace's snapshot must have been made from."""
        made = connection.scalar(select(namespaces.c.created_at).where(namespaces.c.ns == ns))
        return Origin(namespace=f"{ns} {made}", model=self._model.id, dimension=self._model.dimension)

    def stamp(self, ns: int) -> tuple[int, ...]:
        """Tell one state of a namespace's snapshot from another; nothing where there is none."""
        return _stamp(self.path(ns))

    def open(self, connection: Connection, ns: int) -> Snapshot | None:
        """Map a namespace's snapshot; None where there is none that can be trusted."""
        return Snapshot.open(self.path(ns), self.origin(connection, ns))

    def items_path(self, ns: int) -> Path:
        """Give the place of the file of a namespace's items."""
        return self._folder / f"items-{ns}.snapshot"

    def open_items(self, connection: Connection, ns: int) -> ItemsFile | None:
        """Read the file of a namespace's items; None where there is none that can be trusted, or one ahead of the log."""
        if not self.items_path(ns).exists():
            return None  # most namespaces are small: do not even ask the database
        found = read_items(self.items_path(ns), self.origin(connection, ns))
        end = connection.scalar(select(namespaces.c.log_seq).where(namespaces.c.ns == ns)) or 0
        if found is None or found.watermark > end:
            return None
        self._saved[ns] = (_stamp(self.items_path(ns)), found.watermark)
        return found

    def saved_items(self, ns: int) -> int | None:
        """Give the watermark of the file of a namespace's items; None where there is none that this process knows."""
        stamp, watermark = self._saved.get(ns, ((), 0))
        return watermark if stamp and stamp == _stamp(self.items_path(ns)) else None

    def begin_items(self, ns: int, origin: Origin, content: ItemsFile) -> None:
        """Start writing the file of a namespace's items in the background, if it would."""
        self._begin(ns, Kept.ITEMS, content.watermark, lambda: self.save_items(ns, origin, content))

    def save_items(self, ns: int, origin: Origin, content: ItemsFile) -> bool:
        """Write the file of a namespace's items and move it to its place.

        Returns:
            Whether it was: not where something left the indexes since, which must be in no file written later.

        Raises:
            OSError: There is no room, or no right to write.
        """
        place = self.items_path(ns)
        with alone(self._folder / LOCK) as is_alone:
            if not is_alone:
                return False
            written = place.with_suffix(".new")
            try:
                write_items(written, origin, content)
                with self._writing() as connection:
                    left = select(index_log.c.seq).where(
                        index_log.c.ns == ns, index_log.c.seq > content.watermark, index_log.c.present.is_(False)
                    )
                    if connection.scalar(left.limit(1)) is not None:
                        return False
                    publish(written, place)
                    self._saved[ns] = (_stamp(place), content.watermark)
            finally:
                written.unlink(missing_ok=True)
        return True

    def would_build(self, ns: int, kept: Kept, size: int) -> bool:
        """Tell whether it would build: not while it builds or stops, nor what just failed at the same size."""
        is_busy = self._thread is not None and self._thread.is_alive()
        failed_at, _ = self._failed.get((ns, kept), (None, None))
        return not (is_busy or self._stopping.is_set() or failed_at == size) and self._may_build()

    def failure(self, ns: int) -> Exception | None:
        """Give why a file of a namespace could not be built; None where none failed."""
        return next((error for (failed, _), (_, error) in self._failed.items() if failed == ns), None)

    def forget_failures(self, ns: int) -> None:
        """Try what failed again."""
        for kept in Kept:
            self._failed.pop((ns, kept), None)

    def begin(self, task: Task) -> None:
        """Start building in the background, if it would build."""
        self._begin(task.ns, Kept.VECTORS, len(task.payload_ids), lambda: self.build(task))

    def _begin(self, ns: int, kept: Kept, size: int, work: Callable[[], object]) -> None:
        with self._lock:
            if self.would_build(ns, kept, size):
                run = lambda: self._work_or_note(ns, kept, size, work)  # noqa: E731 - a thread's target
                self._thread = Thread(target=run, name="evolore-snapshot", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Give up what is being built and wait until it is."""
        self._stopping.set()
        self.wait()
        self._stopping.clear()

    def wait(self, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Wait until nothing is being built, and tell how many vectors of how many are in."""
        thread = self._thread
        while thread is not None and thread.is_alive():
            thread.join(timeout=None if progress is None else _PAUSE_SECONDS)
            if progress is not None:
                progress(*self._built)

    def build(self, task: Task) -> bool:
        """Build a snapshot and move it to its place.

        Returns:
            Whether it was: not when another process builds, or when told to stop.

        Raises:
            OSError: There is no room, or no right to write.
        """
        with alone(self._folder / LOCK) as is_alone:
            if not is_alone:
                return False
            written = self.path(task.ns).with_suffix(".new")
            try:
                index, payload_ids = self._index(task)
                if self._stopping.is_set():
                    return False
                index.save(written)
                seal(written, task.origin, payload_ids, expansion=needed_expansion(index, task.rows))
                self._publish(task.ns, task.origin, written)
            finally:
                written.unlink(missing_ok=True)
            return True

    def take_out_erased(self, ns: int) -> None:
        """Rewrite a namespace's snapshot without the vectors that are in no table any more, if there is one."""
        self._remove_leftovers(ns)
        place = self.path(ns)
        if not place.exists():
            return
        with self._writing() as connection:
            try:
                is_clean = self._clean(connection, ns, self.origin(connection, ns), place)
            except OSError:  # no room for the copy: better no snapshot than one that remembers
                is_clean = False
            if not is_clean:
                place.unlink(missing_ok=True)

    def _remove_leftovers(self, ns: int) -> None:
        """Delete what a killed process left half-written."""
        begun = [path.with_suffix(end) for path in (self.path(ns), self.items_path(ns)) for end in _BEGUN]
        if any(path.exists() for path in begun):
            with alone(self._folder / LOCK) as is_alone, self._writing():
                for path in begun if is_alone else ():  # whoever builds looks through what it publishes
                    path.unlink(missing_ok=True)

    def _publish(self, ns: int, origin: Origin, written: Path) -> None:
        with self._writing() as connection:
            if self._clean(connection, ns, origin, written):
                publish(written, self.path(ns))

    def _clean(self, connection: Connection, ns: int, origin: Origin, path: Path) -> bool:
        """Overwrite erased vectors in a snapshot; False where it cannot be trusted or rewritten."""
        found = read_snapshot(path, origin)
        if found is None:
            return False
        here = (vectors.c.ns == ns, vectors.c.model_id == self._model.id)
        present = {NO_ID, *connection.scalars(select(vectors.c.payload_id).where(*here))}
        erased = [slot for slot, id_ in enumerate(found.payload_ids) if id_ not in present]
        if not erased:
            return True
        copied = path.with_suffix(".clean")
        try:
            is_copied = copy_without(path, copied, origin, erased)
            if is_copied:
                publish(copied, path)
        finally:
            copied.unlink(missing_ok=True)
        return is_copied

    def _index(self, task: Task) -> tuple[Index, list[str]]:
        """Put the vectors into an index, some of them where it is told to stop; give it and whose they are."""
        index = new_index(task.origin.dimension)
        payload_ids: list[str] = []
        before = read_snapshot(self.path(task.ns), task.origin) if task.extends else None
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

    def _work_or_note(self, ns: int, kept: Kept, size: int, work: Callable[[], object]) -> None:
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
