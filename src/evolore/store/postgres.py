"""PostgreSQL behind the seam: open and lock a schema of a server, write its dialect, interpret its failures.

Rows are the truth, as in a file. Who reads sees one moment (repeatable read). Who writes to a namespace counts its revision
first, and so holds its row: one writer a namespace, others of the same store go on beside it; what concerns the whole store
waits for all of them. What is derived lies in a folder of the process's own, which goes with it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, contextmanager, suppress
from copy import copy
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from tempfile import mkdtemp
from time import monotonic, sleep
from typing import Any, cast
from weakref import finalize

import numpy as np
import psycopg
from psycopg import sql
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo
from sqlalchemy import (
    Boolean,
    Connection,
    Engine,
    Float,
    Integer,
    LargeBinary,
    NullPool,
    QueuePool,
    String,
    Table,
    TableClause,
    create_engine,
    event,
    func,
    make_url,
    select,
)
from sqlalchemy.dialects.postgresql.base import PGCompiler, PGDDLCompiler, PGTypeCompiler, ischema_names
from sqlalchemy.dialects.postgresql.dml import OnConflictDoUpdate
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateColumn

from evolore.domain.health import Backup
from evolore.errors import (
    EvoloreError,
    InvalidSetting,
    InvalidValue,
    StoreBusy,
    StoreDamaged,
    StoreFailed,
    StoreUnwritable,
    StoreVersionError,
)
from evolore.store import database
from evolore.store.database import BUSY_TIMEOUT_SECONDS, NAMESPACE, WRITES, Database, FaultPoint, WriteTurn, reached
from evolore.store.folders import folder_beside, publish_folder, refuse_what_is_there
from evolore.store.location import FolderLocation, Location
from evolore.store.placements import placements
from evolore.store.schema import OWN_SCHEMA, SCHEMA_VERSION, version_of
from evolore.store.sql import BULK_INSERTS, BytesOf, Each, Ending, JsonPart, OnKey, Position, RowsOf, SizeOf, write_as
from evolore.store.tables import HalfVector, metadata, namespaces, settings

DEFAULT_SCHEMA = "evolore"
_STATEMENT_SECONDS = 600
_CONNECT_SECONDS = 10
_IN_SMALL_STORES = 256 * 2**20
"""In a store up to this many bytes the tables are written again when something was erased."""
_MOST_BYTES_OF_NAME = 63
_NAMED = sql.SQL("create policy own_namespace on {} using (name = current_setting('evolore.namespace', true))")
_NUMBERED = sql.SQL(
    "create policy own_namespace on {} using (ns = nullif(current_setting('evolore.ns', true), '')::int)"
)
"""Without a subquery: Citus takes none in a policy."""
_SERVED = {
    "served": sql.SQL("create policy served on {} using (true)"),
    "of_no_namespace": sql.SQL(
        "create policy of_no_namespace on {} as restrictive for select"
        " using (coalesce(current_setting('evolore.namespace', true), '') = '')"
    ),
}
"""Only a transaction of no namespace reads these tables; one of a namespace may empty replies that could quote what it erases."""


class PostgresLocation(Location):
    """A schema of a PostgreSQL database.

    Args:
        address: Such as ``postgresql://user@host/database``; ``?schema=team`` names the schema, by default ``evolore``, and
            ``?shards=64`` spreads the store over 64 more: ``team_00`` to ``team_63``.

    Attributes:
        schema: The schema; of a store with shards the one that holds the directory and what concerns the whole store.
    """

    def __init__(self, address: str) -> None:
        try:
            url = make_url(address)
        except (ArgumentError, ValueError) as error:
            raise InvalidSetting(f"The store's address cannot be read: {error}. {_FORM}") from None
        is_empty = re.search("[?&]shards=(&|$)", address)  # which is no part of the query then
        schema, shards = url.query.get("schema", DEFAULT_SCHEMA), url.query.get("shards", "" if is_empty else None)
        if shards is not None:
            if not isinstance(shards, str) or not re.fullmatch("[1-9][0-9]{0,2}", shards):
                raise InvalidSetting(f"shards is {shards!r}: write a whole number from 1 to 999, such as ?shards=64.")
            self.shards = int(shards)
        most = _MOST_BYTES_OF_NAME - len(_PART.format("", 999) if self.shards else "")
        if not isinstance(schema, str) or not 0 < len(schema.encode()) <= most or "\0" in schema:
            raise InvalidSetting(f"The store's schema is {schema!r}: use one name of up to {most} bytes.")
        self._url = url.set(drivername="postgresql+psycopg").difference_update_query(["schema", "shards"])
        self.schema = schema
        self._whole = self
        self._shared: dict[int, Engine] = {}  # by process: what the schemas of a store with shards connect by
        self._found: set[str] = set()  # schemas that hold a store
        self._folder = Path(mkdtemp(prefix="evolore-"))
        self._process = os.getpid()
        finalize(self, _remove, self._folder, self._process)

    def __str__(self) -> str:
        """Return the address without user, password and options."""
        host = self._url.host or self._url.query.get("host", "")
        port = f":{self._url.port}" if self._url.port else ""
        shards = f"&shards={self.shards}" if self.shards else ""
        return f"postgresql://{host}{port}/{self._url.database or ''}?schema={self.schema}{shards}"

    @property
    def schemas(self) -> tuple[str, ...]:
        """The schemas over which namespaces are spread, made or not."""
        return tuple(_PART.format(self.schema, number) for number in range(self.shards or 0))

    def part(self, schema: str) -> PostgresLocation:
        """Return the place of one of the schemas of a store with shards; all of them share connections."""
        if schema == self.schema:
            return self
        part = copy(self._whole)
        part.schema, part.shards = schema, 0
        return part

    def parts(self) -> tuple[PostgresLocation, ...]:
        """List the schemas that are made of it."""
        asked = "select schemaname from pg_catalog.pg_tables where tablename = 'namespaces' and schemaname = any(%s)"
        names = (self.schema, *self.schemas)
        with self._connected() as connection:
            found = {name for (name,) in connection.execute(asked, (list(names),))}
        return tuple(self.part(name) for name in names if name in found)

    @property
    def folder(self) -> Path:
        """A folder of this process's own; it goes with it."""
        if self._whole is not self:
            folder = self._whole.folder / self.schema
            folder.mkdir(exist_ok=True)
            return folder
        if self._process != os.getpid():  # forked: the parent's is the parent's
            self._folder, self._process = Path(mkdtemp(prefix="evolore-")), os.getpid()
            finalize(self, _remove, self._folder, self._process)
        return self._folder

    @property
    def can_be_written(self) -> bool:
        """True: the server reports when it is tried."""
        return True

    def is_there(self) -> bool:
        """Return whether the schema holds a table of a store; asked of the server until it does."""
        if self.schema not in self._found:
            with self._connected() as connection:
                asked = "select schemaname from pg_catalog.pg_tables where schemaname = %s and tablename = 'namespaces'"
                self._found.update(name for (name,) in connection.execute(asked, (self.schema,)))
        return self.schema in self._found

    def make(self) -> None:
        """Make the schema and the type of vectors; processes that do so at once wait for each other."""
        with self._connected() as connection, connection.transaction():
            connection.execute("select pg_advisory_xact_lock(%s)", (_number("make", self.schema),))
            connection.execute("set local citus.enable_schema_based_sharding = on")  # without Citus it sets nothing
            connection.execute(sql.SQL("create schema if not exists {}").format(sql.Identifier(self.schema)))
            with suppress(psycopg.errors.FeatureNotSupported, psycopg.errors.UndefinedFile), connection.transaction():
                connection.execute("create extension if not exists vector")
            if connection.execute("select to_regtype('halfvec')").fetchone() == (None,):
                raise StoreUnwritable(
                    f"The server of {self} lacks the type halfvec: install pgvector, 0.7 or newer, there."
                )

    def connect(self, *, read_only: bool) -> Database:
        """Open the schema."""
        return PostgresDatabase(self._engine(), self, is_read_only=read_only)

    def free_bytes(self) -> int | None:
        """None: the server's disk is its own."""
        return None

    def _engine(self) -> Engine:
        if self.shards is None:
            return self._new_engine()
        if (process := os.getpid()) not in self._shared:  # at first, and in a fork
            self._shared[process] = self._new_engine()
        return self._shared[process].execution_options(**{OWN_SCHEMA: self.schema})

    def _new_engine(self) -> Engine:
        engine = create_engine(
            self._url,
            pool_size=8,
            max_overflow=-1,
            pool_pre_ping=True,  # a server that was started again has closed what is kept
            pool_reset_on_return=None,  # _reset does it
            connect_args={
                "connect_timeout": _CONNECT_SECONDS,
                "cursor_factory": _BinaryCursor,
                "application_name": "evolore",
            },
        )
        event.listen(engine, "connect", self._prepare, insert=True)  # before the dialect asks for the schema
        event.listen(engine, "reset", _reset)
        return engine

    def _prepare(self, connection: psycopg.Connection[Any], _record: object) -> None:
        connection.autocommit = True
        connection.execute(
            "select set_config('evolore.path', current_setting('search_path'), false),"
            " set_config('statement_timeout', %s, false), set_config('lock_timeout', %s, false),"
            " set_config('citus.propagate_set_commands', 'local', false)",
            (f"{_STATEMENT_SECONDS}s", _milliseconds(BUSY_TIMEOUT_SECONDS)),
        )
        self.enter(connection, is_local=False)
        _register(connection)
        connection.autocommit = False

    def enter(self, connection: psycopg.Connection[Any], *, is_local: bool) -> None:
        """Find tables in this schema first: in the transaction, or from now on."""
        connection.execute(_PATH, (sql.Identifier(self.schema).as_string(connection), is_local))

    @contextmanager
    def _connected(self) -> Generator[psycopg.Connection[Any]]:
        engine = create_engine(self._url, poolclass=NullPool, connect_args={"connect_timeout": _CONNECT_SECONDS})
        try:
            connection = engine.raw_connection()
        except (DBAPIError, psycopg.Error) as error:
            raise explain(error, self) from error
        try:
            driver = connection.driver_connection
            assert isinstance(driver, psycopg.Connection)
            driver.autocommit = True
            yield driver
        except psycopg.Error as error:
            raise explain(error, self) from error
        finally:
            connection.close()


def _reset(connection: psycopg.Connection[Any], _record: object, _state: object) -> None:
    """End what a connection has open when it is given back; one that broke has nothing, and is found out by the next."""
    if not connection.closed:
        connection.rollback()


_PART = "{}_{:02}"
_PATH = "select set_config('search_path', %s || ', ' || current_setting('evolore.path'), %s)"
_FORM = "It is of the form postgresql://user@host:5432/database?schema=evolore; a password is best left to PGPASSWORD or ~/.pgpass."


def _remove(folder: Path, process: int) -> None:
    if process == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)


def _milliseconds(seconds: float) -> str:
    return f"{max(1, int(1000 * seconds))}ms"


def _number(*words: str) -> int:
    """Return the number of a lock."""
    return int.from_bytes(sha256("\0".join(("evolore", *words)).encode()).digest()[:8], "big", signed=True)


_LOCKS = {
    WriteTurn.STORE: sql.SQL("select pg_advisory_xact_lock(%s)"),
    WriteTurn.NAMESPACE: sql.SQL("select pg_advisory_xact_lock_shared(%s)"),
    WriteTurn.SERVICE: sql.SQL("select pg_advisory_xact_lock(%s)"),
}


def _driver_of(connection: Connection) -> psycopg.Connection[Any]:
    return cast("psycopg.Connection[Any]", connection.connection.driver_connection)


class PostgresDatabase(Database):
    """One schema of a PostgreSQL database."""

    def __init__(self, engine: Engine, where: PostgresLocation, *, is_read_only: bool = False) -> None:
        super().__init__(engine)
        self._where = where
        self._is_read_only = is_read_only
        store, service = _number("store", where.schema), _number("service", where.schema)
        self._numbers = {WriteTurn.STORE: (store,), WriteTurn.NAMESPACE: (store,), WriteTurn.SERVICE: (service,)}

    @property
    def files(self) -> tuple[str, ...]:
        """What represents them: the tables' own files are the server's."""
        return (f"the server's files of the schema {self._where.schema}",)

    def begin(self, connection: Connection) -> None:
        """Begin a snapshot, or a transaction that waits for its turn."""
        options = connection.get_execution_options()
        turn = options.get(WRITES)
        driver = _driver_of(connection)
        if turn is None:
            driver.isolation_level, driver.read_only = psycopg.IsolationLevel.REPEATABLE_READ, True
        else:
            driver.isolation_level, driver.read_only = psycopg.IsolationLevel.READ_COMMITTED, self._is_read_only
        if self._where.shards is not None:
            self._where.enter(driver, is_local=True)
        if NAMESPACE in options and self._is_walled:
            driver.execute(sql.SQL("set local evolore.namespace = {}").format(options[NAMESPACE]))
            own = driver.execute("select ns from namespaces where name = %s", (options[NAMESPACE],)).fetchone()
            if own is not None:
                self.show(connection, own[0])
        if turn is not None:
            driver.execute(_LOCKS[turn], self._numbers[turn])

    def show(self, connection: Connection, ns: int) -> None:
        """Show a walled role the rows of a namespace until the transaction ends: by SET, which Citus passes on."""
        if self._is_walled:
            _driver_of(connection).execute(sql.SQL("set local evolore.ns = {}").format(ns))

    def enter(self, connection: Connection, ns: int = 0) -> None:
        """Go on in this schema with a transaction of another one of the store, in which a namespace has this number."""
        driver = _driver_of(connection)
        self._where.enter(driver, is_local=True)
        driver.execute(_LOCKS[WriteTurn.NAMESPACE], self._numbers[WriteTurn.NAMESPACE])
        self.show(connection, ns)

    def node(self, connection: Connection) -> str | None:
        """Return the node of a Citus cluster that holds the schema; None without Citus."""
        asked = "select nodename || ':' || nodeport from citus_shards where table_name = 'namespaces'::regclass"
        return connection.exec_driver_sql(asked).scalar() if self._is_spread else None

    @cached_property
    def _is_walled(self) -> bool:
        """Whether the server shows the role only what is of the namespace it names."""
        with self._driver() as driver:
            told = driver.execute("select row_security_active('namespaces')").fetchone()
            return bool(told and told[0])

    @cached_property
    def _is_spread(self) -> bool:
        """Whether Citus keeps the schema on one of its nodes."""
        asked = "select 1 from pg_catalog.pg_dist_schema s join pg_catalog.pg_namespace n on n.oid = s.schemaid where nspname = %s"
        with self._driver() as driver:
            known = driver.execute("select to_regclass('pg_catalog.pg_dist_schema')").fetchone()
            return known != (None,) and driver.execute(asked, (self._where.schema,)).fetchone() is not None

    @property
    def _size(self) -> str:
        return _SIZE.replace("pg_", "citus_", 1) if self._is_spread else _SIZE

    @contextmanager
    def _driver(self) -> Generator[psycopg.Connection[Any]]:
        """Return a connection in which each statement is its own transaction."""
        try:
            with closing(self.engine.raw_connection()) as connection:
                driver = cast("psycopg.Connection[Any]", connection.driver_connection)
                driver.autocommit = True
                self._where.enter(driver, is_local=False)
                try:
                    yield driver
                finally:
                    if not driver.closed:
                        driver.autocommit = False
        except (DBAPIError, psycopg.Error) as error:
            raise explain(error, self._where) from error

    def lay_out(self, connection: Connection) -> None:
        """Build the second wall, and record over how many schemas the store is spread."""
        driver, tables = _driver_of(connection), [table for table in metadata.sorted_tables if table is not settings]
        shards = self._where.shards
        if shards is not None:
            driver.execute(_SPREAD, (str(shards),))
        if shards:
            driver.execute(_DIRECTORY)
            driver.execute(_PLACED, (self._where.schema,))
            tables.append(placements)
        for table in tables:
            name = sql.Identifier(table.name)
            driver.execute(sql.SQL("alter table {} enable row level security").format(name))
            is_named = table in (namespaces, placements)
            own = {"own_namespace": _NAMED if is_named else _NUMBERED}
            for called, policy in (own if is_named or "ns" in table.columns else _SERVED).items():
                driver.execute(sql.SQL("drop policy if exists {} on {}").format(sql.Identifier(called), name))
                driver.execute(policy.format(name))

    def number_on(self, connection: Connection) -> None:
        """Set the sequence of the namespaces' numbers."""
        following = (connection.scalar(select(func.max(namespaces.c.ns))) or 0) + 1
        connection.exec_driver_sql(_NUMBER_ON, (following,))

    def explain(self, error: Exception) -> EvoloreError:
        """Return what a failure means to the caller."""
        return explain(error, self._where)

    @contextmanager
    def alone(self, name: str) -> Generator[bool]:
        """Hold a lock of the server, if it is free; it ends with the connection."""
        number = _number("alone", self._where.schema, name)
        with self._driver() as driver:
            told = driver.execute("select pg_try_advisory_lock(%s)", (number,)).fetchone()
            is_alone = bool(told and told[0])
            try:
                yield is_alone
            finally:
                if is_alone and not driver.closed:
                    driver.execute("select pg_advisory_unlock(%s)", (number,))

    def compact(self, *, timeout_seconds: float | None = None) -> tuple[str, ...]:
        """Remove dead rows from the tables' files: a small store's are written again, a large one's space is freed.

        Returns:
            The tables whose files may still hold erased bytes. The server's write-ahead log and its backups keep what they
            hold as long as the server's keeper has them do.
        """
        waits = database.COMPACT_TIMEOUT_SECONDS if timeout_seconds is None else timeout_seconds
        with self._driver() as driver:
            size = driver.execute(self._size.encode(), (self._where.schema,)).fetchone()
            is_small = size is not None and int(size[0]) <= _IN_SMALL_STORES
            if self._is_spread:
                driver.execute(_HEAR_NODES)
            try:
                left = _write_anew(driver, waits, is_spread=self._is_spread) if is_small else _free(driver, waits)
                reached(FaultPoint.REWRITTEN)
            finally:
                if not driver.closed:
                    driver.execute(_LOCK_TIMEOUT, (_milliseconds(BUSY_TIMEOUT_SECONDS),))
                    driver.execute("reset client_min_messages")
        reached(FaultPoint.SCRUBBED)
        return self._named(left)

    def _named(self, left: Mapping[str, bool]) -> tuple[str, ...]:
        """Name the files of some tables, each with whether the role may not clean it."""
        if not left:
            return ()
        refused = [table for table, is_refused in left.items() if is_refused]
        files = self.files[0] if len(left) == len(metadata.tables) else f"the server's files of {self._listed(left)}"
        if not refused:
            return (files,)
        which = "which" if len(refused) == len(left) else f"of which {self._listed(refused)}"
        return (f"{files}, {which} the role may not clean",)

    def _listed(self, tables: Iterable[str]) -> str:
        return ", ".join(f"{self._where.schema}.{table}" for table in tables)

    def back_up(self, target: Path) -> Backup:
        """Copy the store into a new folder, where it is a store like any other."""
        from evolore.store.copying import copy_store  # noqa: PLC0415 - a recall need not pay for it

        refuse_what_is_there(target)
        with self.reading() as connection:
            if version_of(connection, self._where) != SCHEMA_VERSION:
                raise StoreVersionError(
                    f"{self._where} has an older schema, whose rows no folder of this version can take: make a backup with "
                    "`pg_dump --schema` and run `evolore store upgrade --no-backup`. Nothing was changed."
                )
        with folder_beside(target) as folder:
            copied = copy_store(self, self._where, FolderLocation(folder))
            publish_folder(folder, target)
        return Backup(path=str(target), bytes=copied.bytes)

    def close(self) -> None:
        """Close its connections, unless other schemas of the store use them just now."""
        if self._where.shards is None or not cast("QueuePool", self.engine.pool).checkedout():
            super().close()

    def size_bytes(self, connection: Connection) -> int:
        """Return how much the tables and their indexes take."""
        return int(connection.exec_driver_sql(self._size, (self._where.schema,)).scalar_one())

    def has_unused_space(self, connection: Connection) -> bool:
        """Return whether a tenth of the rows is dead."""
        told = connection.exec_driver_sql(_DEAD, (self._where.schema,)).one()
        return int(told[0]) * 10 > int(told[1])

    def broken(self, connection: Connection) -> tuple[str, ...]:
        """Return nothing: the server looks after its files."""
        del connection
        return ()

    def misstored(
        self, connection: Connection, tables: Iterable[Table] | None = None
    ) -> Iterable[tuple[str, str, tuple[str, ...]]]:
        """Return nothing: the server takes no value of another type."""
        del connection, tables
        return ()


_SPREAD = "insert into settings values ('shards', %s) on conflict (name) do update set value = excluded.value"
_DIRECTORY = 'create table if not exists placements (name text collate "C" primary key, schema text not null)'
_PLACED = "insert into placements select name, %s from namespaces on conflict do nothing"
"""Namespaces that lie in the first schema, as before it had shards."""
_NUMBER_ON = "select setval(pg_get_serial_sequence('namespaces', 'ns'), %s, false)"
_HEAR_NODES = (
    "select set_config('client_min_messages', 'debug1', false), set_config('citus.worker_min_messages', 'info', false)"
)
_LOCK_TIMEOUT = sql.SQL("select set_config('lock_timeout', %s, false)")
_WRITE_ANEW, _FREE = sql.SQL("vacuum (full, verbose, analyze) {}"), sql.SQL("vacuum (analyze) {}")
_AGAIN_SECONDS = 0.05
"""So long after the first time tables are rewritten once more; twice as long after each further one."""
_LEAST_PATIENCE_SECONDS = 0.1
"""So long a table's lock is waited for though the time for all of them is over: who reads it now is soon done."""


def _free(driver: psycopg.Connection[Any], waits: float) -> dict[str, bool]:
    """Free the space of dead rows for the next ones; return every table, as their bytes stay until then."""
    left = dict.fromkeys(metadata.tables, False)
    driver.execute(_LOCK_TIMEOUT, (_milliseconds(waits),))
    with suppress(psycopg.Error):
        for table in left:
            driver.execute(_FREE.format(sql.Identifier(table)))
    return left


def _write_anew(driver: psycopg.Connection[Any], waits: float, *, is_spread: bool) -> dict[str, bool]:
    """Rewrite the tables' files until the time is over; return those that may still hold dead rows, and if the role may not clean them."""
    last, pause = monotonic() + waits, _AGAIN_SECONDS
    left = dict.fromkeys(metadata.tables, False)
    while waiting := [table for table, is_refused in left.items() if not is_refused]:
        for table in waiting:
            patience = max(last - monotonic(), min(waits, _LEAST_PATIENCE_SECONDS))
            driver.execute(_LOCK_TIMEOUT, (_milliseconds(patience),))
            try:
                kept = _rewrite(driver, table, is_spread=is_spread)
            except psycopg.errors.LockNotAvailable:
                continue
            except psycopg.Error:
                return left
            if kept == 0:
                del left[table]
            else:
                left[table] = kept is None
        if monotonic() + pause > last:
            break
        sleep(pause)
        pause *= 2
    return left


def _rewrite(driver: psycopg.Connection[Any], table: str, *, is_spread: bool) -> int | None:
    """Write a table's files again; return how many dead rows it keeps, None where the role may not do so.

    The server skips what the role may not clean, with a warning and no error; and it keeps rows that any older snapshot in
    the database may see, even one that never looks at the table. Only its report of the rewriting says that neither was so.
    Of a table on another node, Citus passes that report on for debugging, the detail in the message's second line.
    """
    details: list[str] = []

    def hear(told: psycopg.errors.Diagnostic) -> None:
        is_passed_on = told.severity_nonlocalized != "INFO"
        detail = (told.message_primary or "").partition("\n")[2] if is_passed_on else told.message_detail
        if detail and is_passed_on == is_spread:
            details.append(detail)

    driver.add_notice_handler(hear)
    try:
        driver.execute(_WRITE_ANEW.format(sql.Identifier(table)))
    finally:
        driver.remove_notice_handler(hear)
    # "0 dead row versions cannot be removed yet.", in the server's language: the count comes first in each.
    found = re.search(r"\d+", details[0]) if details else None
    return int(found[0]) if found else None


_SIZE = (
    "select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_catalog.pg_class c"
    " join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = %s and c.relkind = 'r'"
)
_DEAD = "select coalesce(sum(n_dead_tup), 0), coalesce(sum(n_live_tup), 0) from pg_catalog.pg_stat_user_tables where schemaname = %s"


_MEANINGS: Mapping[str, tuple[type[EvoloreError], str]] = {
    "55P03 57014 40P01 40001 53300": (StoreBusy, "Others have been using {where} for too long: {reason}. Try again."),
    "23": (
        StoreDamaged,
        "The rows of {where} contradict each other: {reason}. `evolore store doctor --repair` mends what can be.",
    ),
    "25006 42501": (
        StoreUnwritable,
        "The role may not do this in {where}: {reason}. Grant it the right, or name another role.",
    ),
    "28 3D": (StoreUnwritable, "The server of {where} refuses the login: {reason}. Check user, password and database."),
    "42P01 42703 3F000 42704": (StoreDamaged, "{where} lacks what a store has: {reason}. Restore it from a backup."),
    "22021 22P05": (
        InvalidValue,
        "The server of {where} cannot store a character of this text: {reason}. Take it out.",
    ),
    "XX001 XX002": (StoreDamaged, "The server finds {where} broken: {reason}. Restore it from a backup."),
    "57P 08": (
        StoreFailed,
        "The server of {where} does not answer: {reason}. Nothing of this call is half written; try again.",
    ),
}
"""What codes of the server, or beginnings of them, mean to the caller; the first that fits holds."""
_FAILED = "The store {where} could not be used: {reason}. Check the server, and try again; nothing of this call is half written."


def explain(error: Exception, where: object) -> EvoloreError:
    """Return what a failure of the driver, or SQLAlchemy's around it, means to the caller."""
    told = error.orig if isinstance(error, DBAPIError) else error
    reason = (str(told).splitlines() or [type(told).__name__])[0]
    code = getattr(told, "sqlstate", None) or "08"  # none was given: the connection is what failed
    for codes, (kind, message) in _MEANINGS.items():
        if code.startswith(tuple(codes.split())):
            return kind(message.format(where=where, reason=reason))
    return StoreFailed(_FAILED.format(where=where, reason=reason))


class _BinaryCursor(psycopg.Cursor[Any]):
    """A cursor that is answered in binary: numbers exactly, bytes as they are."""

    def __init__(self, connection: psycopg.Connection[Any], **options: Any) -> None:  # noqa: ANN401 - passed on
        super().__init__(connection, **options)
        self.format = Format.BINARY


class _Half(bytes):
    """A vector as the store packs it, on its way to the server."""

    __slots__ = ()


class _HalfDumper(Dumper):
    """Writes a vector as pgvector takes it: its length, and float16 in network order."""

    format = Format.BINARY

    def dump(self, obj: bytes) -> bytes:
        """Write one."""
        return (len(obj) // 2).to_bytes(2, "big") + b"\0\0" + np.frombuffer(obj, dtype="<f2").astype(">f2").tobytes()


class _HalfLoader(Loader):
    """Reads a vector as the store packs it."""

    format = Format.BINARY

    def load(self, data: bytes | bytearray | memoryview) -> bytes:
        """Read one."""
        return np.frombuffer(data, dtype=">f2", offset=4).astype("<f2").tobytes()


class _HalfTextLoader(Loader):
    """Reads a vector that comes as text, as from a cursor of the server's."""

    def load(self, data: bytes | bytearray | memoryview) -> bytes:
        """Read one."""
        return np.array(json.loads(bytes(data)), dtype="<f2").tobytes()


_NUMBERS = 22
"""The server's number of the type `int2vector`, in which its catalogue says what an index is over."""


class _NumbersLoader(Loader):
    """Reads a list of numbers of the server's catalogue, as SQLAlchemy expects it."""

    format = Format.BINARY

    def load(self, data: bytes | bytearray | memoryview) -> str:
        """Read one."""
        return " ".join(map(str, np.frombuffer(data, dtype=">i2", offset=20)[2::3]))


def _register(connection: psycopg.Connection[Any]) -> None:
    """Teach a connection the types of the catalogue, and of vectors where the server has it."""
    connection.adapters.register_loader(_NUMBERS, _NumbersLoader)
    info = TypeInfo.fetch(connection, "halfvec")
    if info is None:  # the store is not made yet
        return
    info.register(connection)
    dumper = type("HalfDumper", (_HalfDumper,), {"oid": info.oid})
    connection.adapters.register_dumper(_Half, dumper)
    connection.adapters.register_loader(info.oid, _HalfLoader)
    connection.adapters.register_loader(info.oid, _HalfTextLoader)


HalfVector.makers["postgresql"] = _Half
cast("dict[str, Any]", ischema_names)["halfvec"] = HalfVector

_COPIED_AS: tuple[tuple[type[Any], str, type], ...] = (
    (HalfVector, "halfvec", _Half),
    (LargeBinary, "bytea", bytes),
    (Boolean, "bool", bool),
    (Integer, "int4", int),
    (Float, "float8", float),
    (String, "text", str),
)


def _copy(driver: psycopg.Connection[Any], table: TableClause, rows: Iterable[Mapping[str, Any]]) -> bool:
    """Write rows by COPY, a column that a row lacks as null; False where row-level security does not allow it."""
    if driver.execute("select row_security_active(%s::text)", (table.name,)).fetchone() == (True,):
        return False
    columns = table.columns.values()
    named = sql.SQL(", ").join(sql.Identifier(column.name) for column in columns)
    statement = sql.SQL("copy {} ({}) from stdin (format binary)").format(sql.Identifier(table.name), named)
    copied = [next(one for one in _COPIED_AS if isinstance(column.type, one[0])) for column in columns]
    made = [(column.name, make) for column, (_, _, make) in zip(columns, copied, strict=True)]
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types([name for _, name, _ in copied])
        for row in rows:
            copy.write_row([None if (value := row.get(name)) is None else make(value) for name, make in made])
    return True


BULK_INSERTS["postgresql"] = _copy


@compiles(HalfVector, "postgresql")
def _write_half_vector(_element: HalfVector, _compiler: PGTypeCompiler, **_options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own
    return "halfvec"


@compiles(CreateColumn, "postgresql")
def _write_column(element: CreateColumn, compiler: PGDDLCompiler, **options: Any) -> str | None:  # noqa: ANN401 - ditto
    """Write a column so that its texts are compared by bytes, as in a file, in any language of the database."""
    written: str | None = compiler.visit_create_column(element, **options)  # pyright: ignore[reportUnknownMemberType] - untyped there
    if not isinstance(element.element.type, String) or not written:
        return written
    kind = compiler.dialect.type_compiler_instance.process(element.element.type)
    return written.replace(f" {kind}", f' {kind} COLLATE "C"', 1)


write_as(
    "postgresql",
    {
        Each: "json_array_elements_text({}::json)",
        RowsOf: "coalesce(json_agg(json_build_array{}), '[]')::text",
        Position: "strpos{}",
        Ending: "right{}",
        BytesOf: "convert_to({}, 'UTF8')",
        SizeOf: "(2 * vector_dims{})",
    },
)


@compiles(JsonPart, "postgresql")
def _write_part(element: JsonPart, compiler: PGCompiler, **options: Any) -> str:  # noqa: ANN401 - likewise
    row = compiler.process(element.row, **options)
    written = compiler.dialect.type_compiler_instance.process(element.type)
    return f"CAST(({row}::json ->> {element.place}) AS {written})"


@compiles(OnKey, "postgresql")
def _write_on_key(element: OnKey, compiler: PGCompiler, **options: Any) -> str:  # noqa: ANN401 - likewise
    conflict = OnConflictDoUpdate(index_elements=element.key, set_=element.changes)
    return compiler.visit_on_conflict_do_update(conflict, **options)  # pyright: ignore[reportUnknownMemberType] - untyped there
