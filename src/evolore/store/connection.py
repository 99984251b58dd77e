"""How a SQLite file is opened, and what its failures mean to the caller."""

from __future__ import annotations

from contextlib import contextmanager
from sqlite3 import DatabaseError as SqliteDatabaseError
from sqlite3 import IntegrityError as SqliteIntegrityError
from sqlite3 import OperationalError as SqliteOperationalError
from time import monotonic, sleep
from typing import TYPE_CHECKING

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError

from evolore.errors import StoreBusy, StoreDamaged, StoreFailed, StoreUnwritable
from evolore.store.faults import FaultPoint, reached

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Generator
    from pathlib import Path

BUSY_TIMEOUT_SECONDS = 30.0
SCRUB_TIMEOUT_SECONDS = 5.0
_WAIT_SECONDS = 0.01
_WRITE = "evolore_write"


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
    where = engine.url.database
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
                f"The store {where} cannot be opened for writing: {reason}. Name a folder you may write to."
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
