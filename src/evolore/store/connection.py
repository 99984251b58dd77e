"""How a SQLite file is opened, and what its failures mean to the caller."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from sqlite3 import DatabaseError as SqliteDatabaseError
from sqlite3 import IntegrityError as SqliteIntegrityError
from sqlite3 import OperationalError as SqliteOperationalError
from sqlite3 import connect as connect_sqlite
from time import monotonic, sleep
from typing import TYPE_CHECKING

from sqlalchemy import URL, Connection, Engine, NullPool, QueuePool, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError
from sqlalchemy.schema import CreateTable

from evolore.errors import StoreBusy, StoreDamaged, StoreFailed, StoreUnwritable
from evolore.store.faults import FaultPoint, reached

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Generator
    from pathlib import Path

    from sqlalchemy import MetaData

BUSY_TIMEOUT_SECONDS = 30.0
SCRUB_TIMEOUT_SECONDS = 5.0
_WAIT_SECONDS = 0.01
_WRITE = "evolore_write"
_FILE = "evolore_file"


def open_engine(path: Path) -> Engine:
    """Open the database file in WAL mode, with transactions begun by us alone.

    A write transaction takes the write lock at its beginning, so that it never fails half-way for a lock. Commits
    survive a crash of the process; the last ones may be lost when power fails (``synchronous=NORMAL``). Deleted
    content is overwritten with zeros (``secure_delete``).
    """
    engine = create_engine(
        URL.create("sqlite+pysqlite", database=str(path)),
        connect_args={"timeout": BUSY_TIMEOUT_SECONDS, "isolation_level": None, "check_same_thread": False},
        max_overflow=-1,  # a thread that waits for the write lock must not keep others from reading
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def read_only_engine(path: Path) -> Engine:
    """Open the database file to be read alone, also where nothing can be written."""
    # Connections are not kept: one that ignores the log must not outlive the beginning of a log elsewhere.
    engine = create_engine("sqlite+pysqlite://", creator=partial(connect_read_only, path), poolclass=NullPool)
    engine = engine.execution_options(**{_FILE: str(path)})
    event.listen(engine, "begin", _begin)
    return engine


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Connect to a database file without writing beside it.

    SQLite reads a file with a write-ahead log through a second file, which it cannot make where nothing can be written.
    Where there is no log, the file is whole without it, and is read as one that nobody changes.

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


def _tried(address: str) -> sqlite3.Connection:
    connection = connect_sqlite(
        address, uri=True, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
    )
    try:
        for statement in ("PRAGMA temp_store=MEMORY", "SELECT 1 FROM sqlite_master"):
            connection.execute(statement).close()
    except BaseException:  # whatever it was, the connection must not stay open; it is raised again
        connection.close()
        raise
    return connection


def nothing_engine(tables: MetaData) -> Engine:
    """Open what stands for a store that is not there: every table, and no row; it is read alone, and lies in memory."""
    made = [str(CreateTable(table).compile(dialect=sqlite.dialect())) for table in tables.sorted_tables]
    script = ";\n".join(made)

    def connect() -> sqlite3.Connection:
        connection = connect_sqlite(":memory:", isolation_level=None, check_same_thread=False)
        connection.executescript(script).close()
        return connection

    engine = create_engine("sqlite+pysqlite://", creator=connect, poolclass=QueuePool, max_overflow=-1)
    event.listen(engine, "begin", _begin)
    return engine


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


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITE, False)
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.execute("BEGIN IMMEDIATE" if writes else "BEGIN").close()


@contextmanager
def reading(engine: Engine) -> Generator[Connection]:
    """Open a snapshot: what is read inside is of one moment."""
    with _explained(engine), engine.begin() as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Generator[Connection]:
    """Open a transaction that holds the write lock from its start; an exception undoes it."""
    # An option of the connection and not of the engine: that would make a second engine for each transaction.
    with _explained(engine), engine.connect() as connection, connection.execution_options(**{_WRITE: True}).begin():
        reached(FaultPoint.BEGUN)
        yield connection
        reached(FaultPoint.COMMITTING)
    reached(FaultPoint.COMMITTED)


@contextmanager
def _explained(engine: Engine) -> Generator[None]:
    where = engine.url.database or engine.get_execution_options().get(_FILE)
    try:
        yield
    except (OperationalError, SqliteOperationalError) as error:
        reason = _reason(error)
        if "locked" in reason or "busy" in reason:
            raise StoreBusy(
                f"Another process has been writing to {where} for {BUSY_TIMEOUT_SECONDS:.0f} seconds: try again."
            ) from error
        if "readonly" in reason or "unable to open" in reason:
            raise StoreUnwritable(
                f"The store {where} cannot be opened for writing: {reason}. Name a folder you may write to, or open it "
                "to be read alone (`read_only`); one that was not closed has to be opened for writing once before that."
            ) from error
        if "no such" in reason:
            raise StoreDamaged(f"{where} lacks what a store has: {reason}. Restore it from a backup.") from error
        raise StoreFailed(
            f"The store {where} could not be used: {reason}. Check that the disk has room and works, and try again; "
            "nothing of this call was written."
        ) from error
    except (IntegrityError, SqliteIntegrityError) as error:
        raise StoreDamaged(
            f"The rows of {where} contradict each other: {_reason(error)}. `evolore doctor --repair` mends what can be; "
            "nothing of this call was written."
        ) from error
    except (DatabaseError, SqliteDatabaseError) as error:
        raise StoreDamaged(
            f"{where} is not a readable Evolore store: {_reason(error)}. Restore it from a backup, or name another store."
        ) from error


def _reason(error: Exception) -> str:
    """Give what SQLite said, also where SQLAlchemy wraps it in the statement and its parameters."""
    return str(error.orig if isinstance(error, DatabaseError) else error)


def scrub(engine: Engine, *, timeout_seconds: float = SCRUB_TIMEOUT_SECONDS) -> bool:
    """Rewrite the database file and empty the write-ahead log, so that no copy of erased bytes lingers.

    SQLite overwrites what is deleted, but where it has moved rows between pages it leaves copies in unused space; only
    writing the file anew drops those. Costs time in proportion to the store, and as much free disk again.

    Args:
        engine: The database's.
        timeout_seconds: How long to wait for others.

    Returns:
        Whether it succeeded; not while another connection reads an older state or writes, or the disk is full.
    """
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute(f"PRAGMA busy_timeout = {int(1000 * timeout_seconds)}").close()
        try:
            driver.execute("VACUUM").close()
            reached(FaultPoint.REWRITTEN)
            (is_blocked, _, _) = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except SqliteOperationalError:
            return False
        finally:
            driver.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_TIMEOUT_SECONDS)}").close()
        reached(FaultPoint.SCRUBBED)
        return not is_blocked
