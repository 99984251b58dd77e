"""The seam between the store and a database: all differences between databases are here, and only here.

Tables, statements and rows are the same for all of them. A statement is built once, of SQLAlchemy's and of ``sql``'s parts,
and written in the database's dialect when it first runs there. How another process's write is noticed needs nothing of the
database: each write counts its namespace's revision, which every snapshot reads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, Table, event
from sqlalchemy.exc import DatabaseError

from evolore.domain.health import Backup
from evolore.errors import EvoloreError, StoreDamaged


class FaultPoint(StrEnum):
    """Where a write can be stopped, about in the order they are passed."""

    BEGUN = "begun"
    PAYLOADS_WRITTEN = "payloads_written"
    EPISODES_WRITTEN = "episodes_written"
    STAGED = "staged"
    VERSION_VISIBLE = "version_visible"
    STEPS_WRITTEN = "steps_written"
    PROMOTION_WRITTEN = "promotion_written"
    PUBLISHING = "publishing"
    ROWS_ERASED = "rows_erased"
    INDEX_LOGGED = "index_logged"
    EVENTS_APPENDED = "events_appended"
    NAMESPACE_COPIED = "namespace_copied"
    NAMESPACE_PLACED = "namespace_placed"
    COMMITTING = "committing"
    COMMITTED = "committed"
    REWRITTEN = "rewritten"
    SCRUBBED = "scrubbed"


listeners: Final[list[Callable[[FaultPoint], None]]] = []
"""Receives each point that is reached; empty but in a test's worker."""


def reached(point: FaultPoint) -> None:
    """Notify the listeners, if any, that a point is reached."""
    for listen in listeners:
        listen(point)


class WriteTurn(StrEnum):
    """Who else may write meanwhile, where the database lets several write at once."""

    STORE = "store"
    """None, except for what a server keeps."""
    NAMESPACE = "namespace"
    """Those who write to other namespaces; the row of one's own is changed first, and so held."""
    SERVICE = "service"
    """Those who write to namespaces: it is about what a server keeps, or the chat model's spend and replies."""


BUSY_TIMEOUT_SECONDS = 30.0
COMPACT_TIMEOUT_SECONDS = 5.0
WRITES = "evolore_writes"
"""The option of a connection whose transaction writes: its turn."""
NAMESPACE = "evolore_namespace"
"""The option of a connection whose transaction is about one namespace: its name."""


class Database(ABC):
    """One SQL database, as a process has it open; its threads may share it.

    An adapter also says how it writes what ``sql`` adds to SQLAlchemy: lists and rows as one parameter, rows as one
    value, and a row that is inserted or updated.

    Args:
        engine: Where its connections come from; it begins no transaction by itself.

    Attributes:
        engine: As above.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        event.listen(engine, "begin", self.begin)

    @property
    @abstractmethod
    def files(self) -> tuple[str, ...]:
        """The names of the files in which erased bytes can linger until ``compact`` has run."""

    @abstractmethod
    def begin(self, connection: Connection) -> None:
        """Begin a snapshot; or, where the connection has the option ``WRITES``, a transaction that holds its turn."""

    def lay_out(self, connection: Connection) -> None:  # noqa: B027 - most databases have nothing to add
        """Add to tables that were made or changed just now what this database has beside them."""

    def show(self, connection: Connection, ns: int) -> None:  # noqa: B027 - likewise
        """Show the transaction the rows of a namespace that it made, where a wall hides them."""

    def number_on(self, connection: Connection) -> None:  # noqa: B027 - likewise
        """Number new namespaces behind those that were copied."""

    @abstractmethod
    def explain(self, error: Exception) -> EvoloreError:
        """Return what a failure, the driver's or SQLAlchemy's around it, means to the caller."""

    @abstractmethod
    def alone(self, name: str) -> AbstractContextManager[bool]:
        """Hold one of many locks among processes, if it is free; it ends with its process."""

    @abstractmethod
    def compact(self, *, timeout_seconds: float | None = None) -> tuple[str, ...]:
        """Write the database again, so that no copy of erased bytes lingers and unused space is given back.

        Args:
            timeout_seconds: How long to wait for others; by default ``COMPACT_TIMEOUT_SECONDS``.

        Returns:
            The files that may still hold erased bytes: others read an older state or write, the disk is full, or a right
            is missing. None where it succeeded.
        """

    @abstractmethod
    def back_up(self, target: Path) -> Backup:
        """Copy the database as it is at one moment into a new folder, which appears whole or not at all.

        Raises:
            InvalidValue: The target is there already.
            StoreUnwritable: The folder cannot be made.
            StoreFailed: The disk did not do its part.
            StoreDamaged: The database cannot be read whole.
        """

    @abstractmethod
    def size_bytes(self, connection: Connection) -> int:
        """Return how much of the disk it takes."""

    @abstractmethod
    def has_unused_space(self, connection: Connection) -> bool:
        """Return whether ``compact`` would free space."""

    @abstractmethod
    def broken(self, connection: Connection) -> tuple[str, ...]:
        """Return what the database finds wrong with how it lies on the disk; at most a hundred things."""

    @abstractmethod
    def misstored(
        self, connection: Connection, tables: Iterable[Table] | None = None
    ) -> Iterable[tuple[str, str, tuple[str, ...]]]:
        """Return each column with values of another class than its own: table, column, and the first rows of them."""

    @contextmanager
    def reading(self, namespace: str | None = None) -> Generator[Connection]:
        """Open a snapshot: what is read inside is of one moment."""
        about = {} if namespace is None else {NAMESPACE: namespace}
        with self._explaining(), self.engine.connect() as connection, connection.execution_options(**about).begin():
            yield connection

    @contextmanager
    def writing(self, turn: WriteTurn = WriteTurn.STORE, *, namespace: str | None = None) -> Generator[Connection]:
        """Open a transaction; an exception undoes it.

        Args:
            turn: Who else may write meanwhile; with a database-wide lock, none.
            namespace: The one that is written to, where it is one alone.
        """
        about = {WRITES: turn} if namespace is None else {WRITES: turn, NAMESPACE: namespace}
        # An option of the connection and not of the engine: that would make a second engine for each transaction.
        with self._explaining(), self.engine.connect() as connection, connection.execution_options(**about).begin():
            reached(FaultPoint.BEGUN)
            yield connection
            reached(FaultPoint.COMMITTING)
        reached(FaultPoint.COMMITTED)

    @contextmanager
    def telling_of_misstored(self, connection: Connection) -> Generator[None]:
        """Look for broken rows where what reads or computes with them fails, and say where they lie."""
        try:
            yield
        except EvoloreError:
            raise
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            for table, column, rows in self.misstored(connection):
                raise StoreDamaged(
                    f"The column {table}.{column} of the store holds what does not belong there, in {rows[0]}"
                    f"{f' and {len(rows) - 1} more' if len(rows) > 1 else ''}: restore the store from a backup."
                ) from error
            for found in self.broken(connection):  # an index may hold what its table does not
                raise StoreDamaged(
                    f"The database finds itself broken: {found}: restore the store from a backup."
                ) from error
            raise

    def close(self) -> None:
        """Close its connections."""
        self.engine.dispose()

    def leave_to_parent(self) -> None:
        """Release its connections in a forked process without closing them: they are the parent's."""
        self.engine.dispose(close=False)

    @contextmanager
    def _explaining(self) -> Generator[None]:
        try:
            yield
        except (DatabaseError, self.engine.dialect.loaded_dbapi.DatabaseError) as error:
            raise self.explain(error) from error
