"""How a SQLite file is opened, and what its failures mean to the caller."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError

from evolore.errors import StoreBusy, StoreDamaged, StoreFailed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Generator
    from pathlib import Path

BUSY_TIMEOUT_SECONDS = 30.0
_WRITE = "evolore_write"


def open_engine(path: Path) -> Engine:
    """Open the database file in WAL mode, with transactions begun by us alone.

    A write transaction takes the write lock at its beginning, so that it never fails half-way for a lock. Commits
    survive a crash of the process; the last ones may be lost when power fails (``synchronous=NORMAL``). Deleted
    content is overwritten with zeros (``secure_delete``).
    """
    engine = create_engine(
        f"sqlite+pysqlite:///{path}",
        connect_args={"timeout": BUSY_TIMEOUT_SECONDS, "isolation_level": None, "check_same_thread": False},
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITE, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def reading(engine: Engine) -> Generator[Connection]:
    """Open a snapshot: what is read inside is of one moment."""
    with _explained(engine), engine.begin() as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Generator[Connection]:
    """Open a transaction that holds the write lock from its start; an exception undoes it."""
    with _explained(engine), engine.execution_options(**{_WRITE: True}).begin() as connection:
        yield connection


@contextmanager
def _explained(engine: Engine) -> Generator[None]:
    where = engine.url.database
    try:
        yield
    except OperationalError as error:
        reason = str(error.orig)
        if "locked" in reason or "busy" in reason:
            raise StoreBusy(
                f"Another process has been writing to {where} for {BUSY_TIMEOUT_SECONDS:.0f} seconds: try again."
            ) from error
        raise StoreFailed(
            f"The store {where} could not be used: {reason}. Check that the folder exists, is writable and that the "
            "disk has room; nothing of this call was written."
        ) from error
    except DatabaseError as error:
        raise StoreDamaged(
            f"{where} is not a readable Evolore store: {error.orig}. Restore it from a backup, or name another store."
        ) from error


def truncate_log(engine: Engine) -> None:
    """Fold the write-ahead log into the database file and empty it, so that erased bytes do not linger there."""
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
