"""SQLite behind the seam: open, lock, copy and rewrite a file, write its dialect, interpret its failures."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from sqlite3 import OperationalError as SqliteOperationalError
from sqlite3 import connect as connect_sqlite
from time import monotonic, sleep
from typing import Any, cast

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy import create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.sqlite.base import SQLiteCompiler
from sqlalchemy.dialects.sqlite.dml import OnConflictDoUpdate
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateTable

from evolore.domain.health import Backup
from evolore.errors import EvoloreError, StoreBusy, StoreDamaged, StoreFailed, StoreUnwritable
from evolore.store import database
from evolore.store.database import BUSY_TIMEOUT_SECONDS, WRITES, Database, FaultPoint, reached
from evolore.store.folders import folder_beside, publish_folder, refuse_what_is_there, settle
from evolore.store.sql import INDEX_HINTS, BytesOf, Each, Ending, JsonPart, OnKey, Position, RowsOf, SizeOf, write_as
from evolore.store.tables import metadata

_WAIT_SECONDS = 0.01
_LOCK_SECONDS = 0.02
"""So long a lock is tried for: its last holder may have taken its file away just now."""


class SqliteDatabase(Database):
    """A SQLite file in WAL mode, with transactions begun by us alone.

    A write transaction takes the write lock at its beginning, so that it never fails half-way for a lock. Commits
    survive a crash of the process; the last ones may be lost when power fails (``synchronous=NORMAL``). Deleted
    content is overwritten with zeros (``secure_delete``).
    """

    def __init__(self, engine: sa.Engine, path: Path | None, *, is_read_only: bool = False) -> None:
        super().__init__(engine)
        self._path = path or Path(":memory:")
        self._is_read_only = is_read_only

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the database's file and of its write-ahead log."""
        return (self._path.name, f"{self._path.name}-wal")

    def begin(self, connection: sa.Connection) -> None:
        """Begin a snapshot, or a transaction that holds the write lock from its start."""
        writes = WRITES in connection.get_execution_options()
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN").close()

    def explain(self, error: Exception) -> EvoloreError:
        """Return what a failure means to the caller."""
        return _meaning(error, self._path)

    @contextmanager
    def alone(self, name: str) -> Generator[bool]:
        """Hold a lock among processes, if it is free; its file is there only while somebody holds it."""
        with alone_at(self._path.with_name(f"{name}.lock")) as is_alone:
            yield is_alone

    def compact(self, *, timeout_seconds: float | None = None) -> tuple[str, ...]:
        """Rewrite the database file and empty the write-ahead log.

        SQLite overwrites what is deleted, but where it has moved rows between pages it leaves copies in unused space;
        only writing the file again drops those. Costs time in proportion to the store, and as much free disk again.
        """
        waits = database.COMPACT_TIMEOUT_SECONDS if timeout_seconds is None else timeout_seconds
        with self.engine.connect() as connection:
            driver = connection.connection.driver_connection
            assert driver is not None
            driver.execute(f"PRAGMA busy_timeout = {int(1000 * waits)}").close()
            try:
                driver.execute("VACUUM").close()
                reached(FaultPoint.REWRITTEN)
                (is_blocked, _, _) = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except SqliteOperationalError:
                return self.files
            finally:
                driver.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_TIMEOUT_SECONDS)}").close()
            reached(FaultPoint.SCRUBBED)
            return self.files if is_blocked else ()

    def back_up(self, target: Path) -> Backup:
        """Copy the file into a new folder, which appears whole or not at all.

        The copy is of the moment it begins at: SQLite reads one snapshot, and those who write meanwhile do not wait.
        What is derived is left out; the copy makes it again.
        """
        return _back_up(self._path, target, is_read_only=self._is_read_only)

    def size_bytes(self, connection: sa.Connection) -> int:
        """Return how long the file is."""
        pages, size = (int(connection.exec_driver_sql(f"pragma {one}").scalar_one()) for one in _SIZES)
        return pages * size

    def has_unused_space(self, connection: sa.Connection) -> bool:
        """Return whether pages of the file are free."""
        unused: int = connection.exec_driver_sql("pragma freelist_count").scalar_one()
        return unused > 0

    def broken(self, connection: sa.Connection) -> tuple[str, ...]:
        """Return what SQLite finds wrong with the file."""
        told = tuple(str(row[0]) for row in connection.exec_driver_sql("pragma integrity_check").fetchmany(100))
        return () if told == ("ok",) else told

    def misstored(
        self, connection: sa.Connection, tables: Iterable[sa.Table] | None = None
    ) -> Generator[tuple[str, str, tuple[str, ...]]]:
        """Yield each column with values of another class than its own: SQLite writes what it is given."""
        for table in metadata.sorted_tables if tables is None else tables:
            yield from _misstored(connection, table)


_SIZES = ("page_count", "page_size")


def open_database(path: Path, *, read_only: bool = False) -> SqliteDatabase:
    """Open a file, making it where there is none, or one to be read alone where nothing can be written either."""
    return SqliteDatabase((_read_only_engine if read_only else _engine)(path), path, is_read_only=read_only)


def _engine(path: Path) -> sa.Engine:
    engine = create_engine(
        sa.URL.create("sqlite+pysqlite", database=str(path)),
        connect_args={"timeout": BUSY_TIMEOUT_SECONDS, "isolation_level": None, "check_same_thread": False},
        max_overflow=-1,  # a thread that waits for the write lock must not keep others from reading
    )
    event.listen(engine, "connect", _prepare)
    return engine


def _read_only_engine(path: Path) -> sa.Engine:
    # Connections are not kept: one that ignores the log must not outlive the beginning of a log elsewhere.
    return create_engine("sqlite+pysqlite://", creator=partial(connect_read_only, path), poolclass=sa.NullPool)


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Connect to a database file without writing beside it.

    SQLite reads a file with a write-ahead log through a second file, which it cannot make where nothing can be written.
    Where there is no log, the file is whole without it, and is read as one that does not change.

    Raises:
        sqlite3.OperationalError: It cannot be read; also where a log was left that only a process that may write can
            take in.
    """
    address = f"{path.absolute().as_uri()}?mode=ro"
    try:
        return _tried(address)
    except SqliteOperationalError as error:
        log = path.with_name(f"{path.name}-wal")
        if "unable to open" not in str(error) or (log.exists() and log.stat().st_size):
            raise
    return _tried(f"{address}&immutable=1")


def has_foreign_log(path: Path) -> bool:
    """Return whether the log beside a file is of another store, which would take the place of what the file holds.

    Then the file alone has a namespace that both together have not. Nothing is written or taken in.
    """
    log = path.with_name(f"{path.name}-wal")
    if not (log.exists() and log.stat().st_size):
        return False
    found: list[set[object]] = []
    with suppress(sqlite3.Error):  # who opens it says what is wrong
        for ending in ("?mode=ro&immutable=1", "?mode=ro"):
            with closing(_tried(f"{path.absolute().as_uri()}{ending}")) as connection:
                found.append(set(connection.execute("select ns, name, created_at from namespaces")))
    return len(found) > 1 and not found[0] <= found[1]


def _tried(address: str) -> sqlite3.Connection:
    connection = connect_sqlite(
        address, uri=True, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        for statement in ("PRAGMA temp_store=MEMORY", "SELECT 1 FROM sqlite_master"):
            connection.execute(statement).close()
    except BaseException:  # on any error, the connection must not stay open; it is raised again
        connection.close()
        raise
    return connection


def open_nothing() -> SqliteDatabase:
    """Open what represents a store that is not there: every table, and no row; it is read alone, and lies in memory."""
    made = [str(CreateTable(table).compile(dialect=sqlite.dialect())) for table in metadata.sorted_tables]
    script = ";\n".join(made)

    def connect() -> sqlite3.Connection:
        connection = connect_sqlite(":memory:", isolation_level=None, check_same_thread=False)
        connection.executescript(script).close()
        return connection

    engine = create_engine("sqlite+pysqlite://", creator=connect, poolclass=sa.QueuePool, max_overflow=-1)
    return SqliteDatabase(engine, None)


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    _use_write_ahead_log(connection)
    for pragma in ("synchronous=NORMAL", "secure_delete=ON", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}").close()


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Change the journal, which SQLite refuses at once, without waiting, while another process does the same."""
    last = monotonic() + BUSY_TIMEOUT_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").close()
        except SqliteOperationalError as error:
            if "locked" not in str(error) or monotonic() > last:
                raise
            sleep(_WAIT_SECONDS)
        else:
            return


def _meaning(error: Exception, where: Path) -> EvoloreError:
    # SQLAlchemy wraps what SQLite said in the statement and its parameters.
    reason = str(error.orig if isinstance(error, DatabaseError) else error)
    if isinstance(error, OperationalError | SqliteOperationalError):
        return _unusable(reason, where)
    if isinstance(error, IntegrityError | sqlite3.IntegrityError):
        return StoreDamaged(
            f"The rows of {where} contradict each other: {reason}. `evolore store doctor --repair` mends what can be; "
            "nothing of this call was written."
        )
    return StoreDamaged(
        f"{where} is not a readable Evolore store: {reason}. Restore it from a backup, or name another store."
    )


def _unusable(reason: str, where: Path) -> EvoloreError:
    if "locked" in reason or "busy" in reason:
        return StoreBusy(
            f"Another process has been writing to {where} for {BUSY_TIMEOUT_SECONDS:.0f} seconds: try again."
        )
    if "readonly" in reason or "unable to open" in reason:
        return StoreUnwritable(
            f"The store {where} cannot be opened for writing: {reason}. Name a folder you may write to, or open it "
            "to be read alone (`read_only`); one that was not closed has to be opened for writing once before that."
        )
    if "no such" in reason:
        return StoreDamaged(f"{where} lacks what a store has: {reason}. Restore it from a backup.")
    return StoreFailed(
        f"The store {where} could not be used: {reason}. Check that the disk has room and works, and try again; "
        "nothing of this call was written."
    )


@contextmanager
def alone_at(path: Path) -> Generator[bool]:
    """Hold one of many locks among processes, if it is free; its file is there only while somebody holds it."""
    lock = FileLock(path, timeout=_LOCK_SECONDS, poll_interval=_LOCK_SECONDS / 4, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        yield False
        return
    except OSError:  # where no file can be made, processes cannot be distinguished
        yield True
        return
    try:
        yield True
    finally:
        with suppress(OSError):
            path.unlink()
        lock.release()


def _back_up(database: Path, target: Path, *, is_read_only: bool) -> Backup:
    refuse_what_is_there(target)
    with folder_beside(target) as folder:
        copy = folder / database.name
        try:
            _copy(
                connect_read_only(database) if is_read_only else sqlite3.connect(database, isolation_level=None), copy
            )
            settle(copy)
            size = copy.stat().st_size
            publish_folder(folder, target)
        except sqlite3.OperationalError as error:
            raise StoreFailed(
                f"{database} could not be copied to {target}: {error}. Check that the disk has room and works, and "
                "try again; nothing was left there."
            ) from error
        except sqlite3.DatabaseError as error:
            raise StoreDamaged(
                f"{database} cannot be read whole: {error}. `evolore store doctor` says more; nothing was left at {target}."
            ) from error
        except OSError as error:
            raise StoreFailed(
                f"The copy could not be put at {target}: {error.strerror}. Check the place, and try again."
            ) from error
    return Backup(path=str(target), bytes=size)


def _copy(database: sqlite3.Connection, copy: Path) -> None:
    with closing(database) as source, closing(sqlite3.connect(copy)) as made:
        # In one step: between steps, SQLite begins again whenever another process has written.
        source.backup(made, pages=-1)
        made.execute("pragma journal_mode=delete").close()
        (verdict,) = made.execute("pragma quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


_CLASSES = (
    (sa.String, ("text",)),
    (sa.Boolean, ("integer",)),
    (sa.Integer, ("integer",)),
    (sa.Float, ("real", "integer")),
    (sa.LargeBinary, ("blob",)),
)
_MOST = 100
"""So many rows of a table are examined further; a table with more is judged by its first ones."""


def _misstored(connection: sa.Connection, table: sa.Table) -> Generator[tuple[str, str, tuple[str, ...]]]:
    classes = [f'typeof("{column.name}")' for column in table.columns]
    wrong = " or ".join(
        f"{written} not in {_classes(column)!r}" for written, column in zip(classes, table.columns, strict=True)
    )
    query = f'select rowid, {", ".join(classes)} from "{table.name}" where {wrong} limit {_MOST}'  # noqa: S608 - our own names
    rows = cast("list[tuple[Any, ...]]", connection.exec_driver_sql(query).fetchall())
    for place, column in enumerate(table.columns, start=1):
        broken = [row[0] for row in rows if row[place] not in _classes(column)]
        if broken:
            yield table.name, column.name, tuple(_named(connection, table, number) for number in broken)


def _classes(column: sa.Column[Any]) -> tuple[str, ...]:
    classes = next(classes for kind, classes in _CLASSES if isinstance(column.type, kind))
    return (*classes, "null" if column.nullable else "")


def _named(connection: sa.Connection, table: sa.Table, number: int) -> str:
    """Name a row by its number in the file and, where it has one, its id."""
    if "id" not in table.columns:
        return f"row {number}"
    id_ = connection.exec_driver_sql(f'select hex("id") from "{table.name}" where rowid = ?', (number,)).scalar()  # noqa: S608 - our own name
    return f"row {number} ({bytes.fromhex(id_ or '').decode('utf-8', 'backslashreplace')})"


INDEX_HINTS["sqlite"] = "INDEXED BY {}"


write_as(
    "sqlite",
    {
        Each: "json_each{}",
        RowsOf: "json_group_array(json(json_array{}))",
        Position: "instr{}",
        BytesOf: "CAST({} AS BLOB)",
        SizeOf: "length{}",
    },
)


@compiles(JsonPart, "sqlite")
def _write_part(element: JsonPart, compiler: SQLiteCompiler, **options: Any) -> str:  # noqa: ANN401 - likewise
    return f"json_extract({compiler.process(element.row, **options)}, '$[{element.place}]')"


@compiles(Ending, "sqlite")
def _write_ending(element: Ending, compiler: SQLiteCompiler, **options: Any) -> str:  # noqa: ANN401 - likewise
    text, count = (compiler.process(one, **options) for one in element.clauses)
    return f"substr({text}, -{count})"


@compiles(OnKey, "sqlite")
def _write_on_key(element: OnKey, compiler: SQLiteCompiler, **options: Any) -> str:  # noqa: ANN401 - likewise
    conflict = OnConflictDoUpdate(element.key, set_=element.changes)
    return compiler.visit_on_conflict_do_update(conflict, **options)  # pyright: ignore[reportUnknownMemberType] - untyped there
