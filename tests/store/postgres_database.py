"""PostgreSQL behind the seam, as far as it takes to try the seam: no backup, no proof that erased bytes are gone."""

from __future__ import annotations

from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NoReturn

from sqlalchemy import NullPool, create_engine, make_url, text
from sqlalchemy.dialects.postgresql.dml import OnConflictDoUpdate
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.compiler import compiles

from evolore.errors import EvoloreError, StoreBusy, StoreDamaged, StoreFailed
from evolore.store.database import WRITES, Database, FaultPoint, reached
from evolore.store.sql import Each, Ending, OnKey, Part, Position, RowsOf

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path

    from sqlalchemy import Connection, Table
    from sqlalchemy.dialects.postgresql.base import PGCompiler

    from evolore.domain.health import Backup

# One schema a store. Who writes holds a lock of it; who reads sees one moment.
_READ = "set transaction isolation level repeatable read, read only"
_WRITE = "set local lock_timeout = '30s'; select pg_advisory_xact_lock({})"


class PostgresDatabase(Database):
    """One schema of a PostgreSQL database.

    Args:
        address: The database's.
        path: Where a file would lie; the schema is named after it.
    """

    def __init__(self, address: str, path: Path) -> None:
        self.schema = schema_of(path)
        self._where = path
        self._lock = int(self.schema[2:14], 16)
        with create_engine(address, isolation_level="AUTOCOMMIT", poolclass=NullPool).connect() as connection:
            connection.execute(text(f"create schema if not exists {self.schema}"))
        url = make_url(address).update_query_dict({"options": f"-csearch_path={self.schema}"})
        super().__init__(create_engine(url, pool_size=2, max_overflow=-1))

    @property
    def files(self) -> tuple[str, ...]:
        """None that are ours."""
        return ()

    def begin(self, connection: Connection) -> None:
        writes = connection.get_execution_options().get(WRITES, False)
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute(_WRITE.format(self._lock) if writes else _READ)

    def explain(self, error: Exception) -> EvoloreError:
        reason = str(getattr(error, "orig", error)).splitlines()[0]
        if "lock timeout" in reason:
            return StoreBusy(f"Others have been writing to {self._where} for too long: try again.")
        if isinstance(error, IntegrityError) or "constraint" in reason:
            return StoreDamaged(f"The rows of {self._where} contradict each other: {reason}.")
        return StoreFailed(f"The store {self._where} could not be used: {reason}.")

    @contextmanager
    def alone(self, name: str) -> Generator[bool]:
        key = int(sha256(f"{self.schema} {name}".encode()).hexdigest()[:12], 16)
        with self.engine.connect() as connection:
            is_alone = bool(connection.exec_driver_sql(f"select pg_try_advisory_lock({key})").scalar_one())
            try:
                yield is_alone
            finally:
                if is_alone:
                    connection.exec_driver_sql(f"select pg_advisory_unlock({key})")

    def compact(self, *, timeout_seconds: float | None = None) -> bool:
        del timeout_seconds
        reached(FaultPoint.REWRITTEN)
        reached(FaultPoint.SCRUBBED)
        return True

    def back_up(self, target: Path) -> Backup:
        del target
        _refuse("back_up")

    def size_bytes(self, connection: Connection) -> int:
        return int(connection.exec_driver_sql("select pg_database_size(current_database())").scalar_one())

    def has_unused_space(self, connection: Connection) -> bool:
        del connection
        return False

    def broken(self, connection: Connection) -> tuple[str, ...]:
        del connection
        return ()

    def misstored(
        self, connection: Connection, tables: Iterable[Table] | None = None
    ) -> Iterable[tuple[str, str, tuple[str, ...]]]:
        del connection, tables
        return ()


def schema_of(path: Path) -> str:
    """Name the schema of a store."""
    return f"s_{sha256(str(path.absolute()).encode()).hexdigest()[:24]}"


def _refuse(what: str) -> NoReturn:
    raise NotImplementedError(f"{what} is the adapter's to come")


@compiles(Each, "postgresql")
def _write_each(element: Each, compiler: PGCompiler, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own
    return f"json_array_elements_text({compiler.process(element.clause_expr, **options)}::json)"


@compiles(Part, "postgresql")
def _write_part(element: Part, compiler: PGCompiler, **options: Any) -> str:  # noqa: ANN401 - likewise
    row = compiler.process(element.row, **options)
    written = compiler.dialect.type_compiler_instance.process(element.type)
    return f"CAST(({row}::json ->> {element.place}) AS {written})"


@compiles(RowsOf, "postgresql")
def _write_rows(element: RowsOf, compiler: PGCompiler, **options: Any) -> str:  # noqa: ANN401 - likewise
    return f"coalesce(json_agg(json_build_array{compiler.process(element.clause_expr, **options)}), '[]')::text"


@compiles(Position, "postgresql")
def _write_position(element: Position, compiler: PGCompiler, **options: Any) -> str:  # noqa: ANN401 - likewise
    return f"strpos{compiler.process(element.clause_expr, **options)}"


@compiles(Ending, "postgresql")
def _write_ending(element: Ending, compiler: PGCompiler, **options: Any) -> str:  # noqa: ANN401 - likewise
    return f"right{compiler.process(element.clause_expr, **options)}"


@compiles(OnKey, "postgresql")
def _write_on_key(element: OnKey, compiler: PGCompiler, **options: Any) -> str:  # noqa: ANN401 - likewise
    conflict = OnConflictDoUpdate(index_elements=element.key, set_=element.changes)
    return compiler.visit_on_conflict_do_update(conflict, **options)  # pyright: ignore[reportUnknownMemberType] - untyped there
