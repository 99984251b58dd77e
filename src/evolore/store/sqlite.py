"""The embedded store: one folder, one SQLite database, indexes derived from it."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from sqlalchemy import Connection, insert, select

from evolore.domain.checks import check_name
from evolore.errors import NamespaceNotFound, StoreDamaged, StoreFailed
from evolore.store import schema
from evolore.store.connection import open_engine, reading, truncate_log, writing
from evolore.store.index import NamespaceIndex
from evolore.store.reading import SqliteReader
from evolore.store.rows import timestamp
from evolore.store.tables import namespaces
from evolore.store.writing import SqliteWriter

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from sqlalchemy import Engine

    from evolore.ports import Clock, EmbeddingModel, IndexView

DATABASE = "evolore.db"


class SqliteStore:
    """A store in a folder of its own.

    Nothing is made on disk before the first write. Threads may share a store; processes each open their own.

    Args:
        folder: Where it lies, or will lie.
        model: The embedding model its vectors come from.
        clock: Where the time comes from.
    """

    def __init__(self, folder: Path, *, model: EmbeddingModel, clock: Clock) -> None:
        self.folder = folder
        self._model = model
        self._clock = clock
        self._lock = Lock()
        self._engine: Engine | None = None
        self._indexes: dict[int, NamespaceIndex] = {}

    @contextmanager
    def read(self, namespace: str) -> Generator[SqliteReader]:
        """Open a snapshot of one namespace.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
        """
        with reading(self._opened(namespace)) as connection:
            yield SqliteReader(connection, self._number(connection, namespace), name=namespace, model=self._model)

    @contextmanager
    def write(self, namespace: str) -> Generator[SqliteWriter]:
        """Open a transaction that commits on leaving and undoes everything on an exception.

        Raises:
            StoreBusy: Another process wrote for too long.
            StoreFailed: The disk did not do its part.
        """
        check_name(namespace, "namespace")
        engine = self._made()
        with writing(engine) as connection:
            writer = SqliteWriter(
                connection, self._number_or_new(connection, namespace), name=namespace, model=self._model
            )
            yield writer
        if writer.has_erased:
            truncate_log(engine)

    @contextmanager
    def index(self, namespace: str) -> Generator[IndexView]:
        """Open the indexes of one namespace, brought up to the last commit.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
        """
        with reading(self._opened(namespace)) as connection:
            ns = self._number(connection, namespace)
            with self._lock:
                index = self._indexes.setdefault(ns, NamespaceIndex(ns, self._model))
            with index.lock:
                index.refresh(connection)
                yield index.view()

    def close(self) -> None:
        """Let go of files and memory; using the store again opens it anew."""
        with self._lock:
            self._indexes.clear()
            if self._engine is not None:
                self._engine.dispose()
                self._engine = None

    def bytes_on_disk(self) -> int:
        """Give how much room the store's files take."""
        return sum(file.stat().st_size for file in self.folder.glob("*") if file.is_file())

    def _opened(self, namespace: str) -> Engine:
        """Give the engine of a store that exists."""
        check_name(namespace, "namespace")
        if not (self.folder / DATABASE).is_file():
            self._refuse_wrong_folder()
            raise NamespaceNotFound(
                f"There is no store at {self.folder} yet: add a document or remember something first, "
                "or name another store."
            )
        return self._made()

    def _made(self) -> Engine:
        """Give the engine, making the store where there is none."""
        with self._lock:
            if self._engine is None:
                self._refuse_wrong_folder()
                try:
                    self.folder.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise StoreFailed(
                        f"The folder {self.folder} could not be made: {error.strerror}. Name a place you may write to."
                    ) from error
                engine = open_engine(self.folder / DATABASE)
                try:
                    self._prepare(engine)
                except BaseException:
                    engine.dispose()
                    raise
                self._engine = engine
            return self._engine

    def _prepare(self, engine: Engine) -> None:
        with reading(engine) as connection:
            fresh = schema.is_empty(connection)
        if fresh:
            with writing(engine) as connection:
                if schema.is_empty(connection):
                    schema.create(connection, self._model)
        with reading(engine) as connection:
            schema.check(connection, self._model, self.folder)

    def _refuse_wrong_folder(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise StoreDamaged(f"{self.folder} is a file: a store is a folder; name another place.")

    def _number(self, connection: Connection, namespace: str) -> int:
        ns = connection.scalar(select(namespaces.c.ns).where(namespaces.c.name == namespace))
        if ns is not None:
            return ns
        known = tuple(connection.scalars(select(namespaces.c.name).order_by(namespaces.c.name).limit(5)))
        there = f" It holds {', '.join(map(repr, known))}." if known else ""
        raise NamespaceNotFound(
            f"Nothing was written to the namespace {namespace!r} of {self.folder} yet: check the name.{there}"
        )

    def _number_or_new(self, connection: Connection, namespace: str) -> int:
        ns = connection.scalar(select(namespaces.c.ns).where(namespaces.c.name == namespace))
        if ns is not None:
            return ns
        made = insert(namespaces).values(name=namespace, revision=0, log_seq=0, created_at=timestamp(self._clock.now()))
        return connection.execute(made.returning(namespaces.c.ns)).scalar_one()
