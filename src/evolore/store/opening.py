"""Resources of a store open in one process: folder, database, indexes, snapshots, and its threads' turns."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from evolore.errors import NamespaceNotFound, StoreBusy, StoreUnwritable, TryAgain
from evolore.index.namespace_index import NamespaceIndex, OpenIndexes
from evolore.index.settings import IndexSettings
from evolore.index.snapshots import Kept, alone
from evolore.index.vector_search import SnapshotKeeper
from evolore.ports import EmbeddingModel
from evolore.store import leftovers, schema
from evolore.store.database import BUSY_TIMEOUT_SECONDS, Database
from evolore.store.events import IdSource
from evolore.store.index_rows import StoreFeed
from evolore.store.location import FolderLocation, Location
from evolore.store.schema import refuse_other_model

ERASING_LOCK = "erasing.lock"


class OpenStore:
    """A store's files as one process uses them; opened at the first use, and again after ``close`` and in a fork.

    Threads may share it.

    Args:
        where: Where the store lies, or will lie: a folder, or another place.
        model: The embedding model its vectors come from.
        indexes: How much memory the indexes take.
        read_only: Whether nothing of it is to be written.

    Attributes:
        ids: Where new ids come from.
        snapshots: The files beside the database.
        indexes: The namespaces' indexes that are in memory.
        on_erased: Called for each namespace of which something was erased, before that is forgotten.
        names: What the namespaces are called that this process has used: a server may show no other than the one named.
    """

    def __init__(
        self, where: Path | Location, *, model: EmbeddingModel, indexes: IndexSettings, read_only: bool = False
    ) -> None:
        self._where = where if isinstance(where, Location) else FolderLocation(where)
        self._read_only, self._model, self._index_settings = read_only, model, indexes
        self._process = os.getpid()
        self._database: Database | None = None
        self._lock = Lock()
        self._write_lock = Lock()
        self.ids = IdSource()
        self.on_erased: Callable[[], None] = lambda: None
        self.names: dict[int, str] = {}
        self.snapshots = self._new_keeper()
        self.indexes = self._no_indexes()

    @property
    def where(self) -> Location:
        """Where the store lies, or will lie."""
        return self._where

    @property
    def folder(self) -> Path:
        """Where this process keeps what it derives."""
        return self._where.folder

    @property
    def is_read_only(self) -> bool:
        """Whether nothing of it can be written: so it was asked for, or its folder does not allow it."""
        return self._read_only or not self._where.can_be_written

    def refuse_read_only(self) -> None:
        """Refuse to write where nothing of the store can be."""
        if self.is_read_only:
            why = "was opened to be read alone" if self._read_only else "lies where nothing can be written"
            raise StoreUnwritable(f"The store {self._where} {why}: open one that you may write to.")

    def database(self) -> Database:
        """Return the database, making the store where there is none.

        Raises:
            StoreDamaged: What is there is not a store.
            StoreUnwritable: It cannot be made or written.
            StoreVersionError: Another version of Evolore wrote it.
            EmbedderMismatch: Its vectors come from another model.
        """
        self._leave_parent_process()
        with self._lock:
            is_open = self._database is not None
            if self._database is None:
                self._database = self._opened()
            database = self._database
        if not is_open and not self.is_read_only:
            self._finish_erasures()
        return database

    def _opened(self) -> Database:
        is_there = self.is_there()
        if self.is_read_only:
            self.refuse_missing()
            database = self._connected()
            with database.reading() as connection:
                schema.check(connection, self._model, self._where)
            return database
        if not is_there:
            self._where.make()
        database = self._connected()
        try:
            schema.prepare(database, self._model, self._where)
        except BaseException:  # on any error, the connection must not stay open; it is raised again
            database.close()
            raise
        return database

    def _connected(self) -> Database:
        """Open the database as it is, without checking it."""
        return self._where.connect(read_only=self.is_read_only)

    def existing_database(self) -> Database:
        """Return the database of a store that exists."""
        self.refuse_missing()
        return self.database()

    def refuse_missing(self) -> None:
        """Refuse to go on where there is no store, so that reading makes none."""
        if not self.is_there():
            raise NamespaceNotFound(
                f"There is no store at {self._where} yet: add a document or remember something first, "
                "or name another store."
            )

    def is_there(self) -> bool:
        """Return whether there is a store, or only a place for one.

        Raises:
            StoreDamaged: It is a file, or a folder that holds other things.
            StoreUnwritable: The folder cannot be reached.
        """
        return self._where.is_there()

    @contextmanager
    def of_any_model(self) -> Generator[Database]:
        """Open the database of a store that exists, with vectors of any model."""
        self._leave_parent_process()
        self.refuse_missing()
        with self.unchecked() as database:
            with database.reading() as connection:
                schema.check_version(connection, self._where)
            yield database

    @contextmanager
    def unchecked(self, *, read_only: bool = False) -> Generator[Database]:
        """Open a database that is there, without checking it."""
        database = self._where.connect(read_only=read_only or self.is_read_only)
        try:
            yield database
        finally:
            database.close()

    @contextmanager
    def taking_turns(self) -> Generator[None]:
        """Make the threads of this process write one after the other, without a connection while they wait."""
        if not self._write_lock.acquire(timeout=BUSY_TIMEOUT_SECONDS):
            raise StoreBusy(
                f"Other threads have been writing to {self._where} for {BUSY_TIMEOUT_SECONDS:.0f} seconds: try again."
            )
        try:
            yield
        finally:
            self._write_lock.release()

    def take_out_erased(self, *, timeout_seconds: float | None = None) -> tuple[str, ...]:
        """Remove what was erased, now or before, from every file; return those that may still hold some of it."""
        return leftovers.take_out(
            self.database(),
            self.snapshots,
            self._renew_items,
            taking_turns=self.taking_turns,
            timeout_seconds=timeout_seconds,
        )

    def close(self) -> None:
        """Release files and memory; the next use of the store opens it again."""
        self._leave_parent_process()
        self.snapshots.stop()
        with self._lock:
            self.indexes.clear()
            if self._database is not None:
                self._database.close()
                self._database = None

    def _finish_erasures(self) -> None:
        """Clear the copies that a process left which was killed while it erased, unless one is at it."""
        with self.database().reading() as connection:
            if not leftovers.noted(connection):
                return
        # Without the right to write, or room, reading goes on as it can.
        with suppress(OSError, TryAgain, StoreUnwritable), alone(self.folder / ERASING_LOCK) as is_alone:
            if is_alone:
                self.take_out_erased(timeout_seconds=0.0)

    def _renew_items(self, ns: int) -> None:
        """Write the file of a namespace's items again, or do without it."""
        self.on_erased()
        self.snapshots.path(ns, Kept.QUESTIONS).unlink(missing_ok=True)  # made again by the next reader
        place = self.snapshots.path(ns, Kept.ITEMS)
        if not place.exists():
            return
        is_renewed = False
        try:
            reading = self.database().reading(self.names.get(ns))
            with suppress(OSError, TryAgain), self.indexes.using(ns) as index, reading as connection:
                feed = StoreFeed(connection, ns, self._model)
                index.refresh(feed)
                is_renewed = index.save(feed)
        finally:
            if not is_renewed:
                place.unlink(missing_ok=True)

    def _leave_parent_process(self) -> None:
        """Start again in a forked process: neither connections nor held locks may be shared with the parent."""
        if self._process == os.getpid():
            return
        if self._database is not None:
            self._database.leave_to_parent()
        self._lock, self._write_lock, self.ids = Lock(), Lock(), IdSource()
        self._database, self._process = None, os.getpid()
        self.snapshots, self.indexes = self._new_keeper(), self._no_indexes()

    def _new_keeper(self) -> SnapshotKeeper:
        return SnapshotKeeper(
            self.folder, self._model, writing=self._writing_snapshots, may_build=lambda: not self.is_read_only
        )

    @contextmanager
    def _writing_snapshots(self, ns: int) -> Generator[StoreFeed]:
        with self.database().writing(namespace=self.names.get(ns)) as connection:
            refuse_other_model(connection, self._model, self._where)  # the snapshot would be useless
            yield StoreFeed(connection, ns, self._model)

    def _no_indexes(self) -> OpenIndexes:
        def make(ns: int) -> NamespaceIndex:
            return NamespaceIndex(ns, self._model.dimension, settings=self._index_settings, keeper=self.snapshots)

        return OpenIndexes(make, memory_bytes=self._index_settings.memory_bytes)
