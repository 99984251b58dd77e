"""How a SQLite file is opened, locked and copied, and what its failures mean to the caller."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, contextmanager, suppress
from enum import StrEnum
from functools import partial
from pathlib import Path
from sqlite3 import DatabaseError as SqliteDatabaseError
from sqlite3 import IntegrityError as SqliteIntegrityError
from sqlite3 import OperationalError as SqliteOperationalError
from sqlite3 import connect as connect_sqlite
from tempfile import mkdtemp
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from sqlalchemy import URL, Connection, Engine, NullPool, QueuePool, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError
from sqlalchemy.schema import CreateTable

from evolore.domain.health import Backup
from evolore.errors import InvalidValue, StoreBusy, StoreDamaged, StoreFailed, StoreUnwritable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from sqlalchemy import MetaData


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
    COMMITTING = "committing"
    COMMITTED = "committed"
    REWRITTEN = "rewritten"
    SCRUBBED = "scrubbed"


listeners: Final[list[Callable[[FaultPoint], None]]] = []
"""What is told of each point that is reached; empty but in a test's worker."""


def reached(point: FaultPoint) -> None:
    """Tell the listeners, if any, that a point is reached."""
    for listen in listeners:
        listen(point)


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
            f"The rows of {where} contradict each other: {_reason(error)}. `evolore store doctor --repair` mends what can be; "
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


@contextmanager
def alone_at(path: Path) -> Generator[bool]:
    """Hold one of many locks among processes, if nobody else does; its file is there only while somebody holds it."""
    try:
        lock = _locked(path)
    except (ImportError, OSError):  # not on Windows, nor where no file can be made: there nobody can be told apart
        yield True
        return
    if lock is None:
        yield False
        return
    try:
        yield True
    finally:
        with suppress(OSError):
            path.unlink()
        os.close(lock)


def _locked(path: Path) -> int | None:
    """Open a file and lock it; None where another holds it."""
    from fcntl import LOCK_EX, LOCK_NB, flock  # noqa: PLC0415 - likewise

    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return None
        if _is_the_file(lock, path):
            return lock
        os.close(lock)  # who held it before has just taken the file away, and the next may have made another


def _is_the_file(lock: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except OSError:
        return False


def back_up(database: Path, target: Path, *, read_only: bool = False) -> Backup:
    """Copy a database into a new folder, which appears whole or not at all.

    The copy is of the moment it begins at: SQLite reads one snapshot, and those who write meanwhile do not wait. What
    is derived is left out; the copy makes it anew.

    Args:
        database: The database's file.
        target: The folder to make; its parents are made too.
        read_only: Whether the database lies where nothing can be written.

    Raises:
        InvalidValue: The target is there already.
        StoreUnwritable: The folder cannot be made.
        StoreFailed: The disk did not do its part.
        StoreDamaged: The database cannot be read whole.
    """
    if os.path.lexists(target):
        raise InvalidValue(f"{target} is there already: name a place where nothing is; nothing was overwritten.")
    with _beside(target) as folder:
        copy = folder / database.name
        try:
            _copy(connect_read_only(database) if read_only else sqlite3.connect(database, isolation_level=None), copy)
            _settle(copy)
            _settle(folder)
            size = copy.stat().st_size
            folder.rename(target)
            _settle(target.parent)
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


@contextmanager
def _beside(target: Path) -> Generator[Path]:
    """Make a folder on the target's disk, and take it away again where it was not renamed."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        around = Path(mkdtemp(prefix=f".{target.name[:100]}.", suffix=".unfinished", dir=target.parent))
    except OSError as error:
        raise StoreUnwritable(
            f"A folder beside {target} could not be made: {error.strerror}. Name a place you may write to."
        ) from error
    try:
        folder = around / "copy"
        folder.mkdir()  # unlike the one around it, it has the usual permissions
        yield folder
    finally:
        shutil.rmtree(around, ignore_errors=True)


def _copy(database: sqlite3.Connection, copy: Path) -> None:
    with closing(database) as source, closing(sqlite3.connect(copy)) as made:
        # In one step: between steps, SQLite begins anew whenever another process has written.
        source.backup(made, pages=-1)
        made.execute("pragma journal_mode=delete").close()
        (verdict,) = made.execute("pragma quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


def _settle(path: Path) -> None:
    """Have the disk hold a file or folder before going on."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
