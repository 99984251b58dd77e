"""Statements that are compiled once and handed to the driver as they are, and where rows are read."""

from __future__ import annotations

import json
from collections import namedtuple
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from sqlalchemy import CompoundSelect, Insert, Integer, Select, Text, bindparam, func, literal_column, select
from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Executable, TableValuedAlias
    from sqlalchemy.sql.expression import Delete, Update

    from evolore.ports import EmbeddingModel

_DIALECT = sqlite.dialect()

HERE = bindparam("here", type_=Integer)
"""The number of the namespace."""


class ReadRow(Protocol):
    """A row as it lies in the file, its columns by name: a bool is 0 or 1."""

    def __getattr__(self, name: str, /) -> Any: ...  # noqa: ANN401 - each has the type that was written


def among(name: str) -> Select[str]:
    """Select what a parameter lists: one parameter, however many there are, so the statement stays the same."""
    return select(func.json_each(bindparam(name, type_=Text)).table_valued("value").c.value)


def as_json(values: Iterable[str]) -> str:
    """Write what ``among`` reads, and ``listed`` of single values."""
    return json.dumps(list(values))


def listed(name: str) -> TableValuedAlias:
    """Give what a parameter lists as a table with the column ``value``.

    What is joined to it as an outer join is looked up for one after the other, whatever the database thinks of it.
    """
    return func.json_each(bindparam(name, type_=Text)).table_valued("value", name=name)


def part(row: ColumnElement[Any], place: int) -> ColumnElement[Any]:
    """Give one value of a row that ``as_json_rows`` wrote."""
    return func.json_extract(row, literal_column(f"'$[{place}]'"))


def as_json_rows(rows: Iterable[Sequence[str | int | None]]) -> str:
    """Write rows of values, of which ``listed`` gives one after the other and ``part`` the values."""
    return json.dumps([list(row) for row in rows])


def written_out(value: str) -> ColumnElement[str]:
    """Give one of our own words as a constant of a statement."""
    return literal_column(f"'{value}'")


class Prepared:
    """A statement whose parameters are given by name.

    Running it costs 2–5 µs; building a statement anew costs 100, and executing one that SQLAlchemy has in its cache 25.
    A remembered statement runs thirty. Values go to SQLite as they are: numbers, texts, bytes, bools and None.

    Args:
        statement: An insert takes every column of its table, and what a row lacks is null; an update sets the columns
            given. Of all others no parameter may be left out.
        columns: What an update sets besides what stands in it.

    Raises:
        TypeError: When it is run, where a parameter is left out.
    """

    def __init__(
        self,
        statement: Insert | Update | Delete | Select[*tuple[Any, ...]] | CompoundSelect[*tuple[Any, ...]],
        *columns: str,
    ) -> None:
        compiled = statement.compile(dialect=_DIALECT, column_keys=columns or None)
        unset = {name: None for name, bind in compiled.binds.items() if bind.required}
        whole = compiled.construct_expanded_state(unset)  # lists of constants are written out
        self._sql = whole.statement
        required = unset.keys() - _optional(statement)
        self._defaults = {name: value for name, value in whole.parameters.items() if name not in required}
        self._names: list[str] = list(whole.positiontup or ())
        self._columns = (
            tuple(statement.selected_columns.keys()) if isinstance(statement, Select | CompoundSelect) else ()
        )
        self._row = _maker_of_rows(self._columns)

    def run(self, connection: Connection, *rows: Mapping[str, Any]) -> None:
        """Run it once for each of some parameters."""
        _driver(connection).executemany(self._sql, [self._values(row) for row in rows]).close()

    def first(self, connection: Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Run it and give the first row of what it selects or returns; None where there is none."""
        rows = _driver(connection).execute(self._sql, self._values(values)).fetchall()
        return rows[0] if rows else None

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run it and give what it selects or returns."""
        return _driver(connection).execute(self._sql, self._values(values)).fetchall()

    def rows(self, connection: Connection, values: Mapping[str, Any]) -> list[ReadRow]:
        """Run it and give what it selects, the columns by name."""
        return [self._row(row) for row in _driver(connection).execute(self._sql, self._values(values)).fetchall()]

    def mappings(self, connection: Connection, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run it and give what it selects, each row as a mapping."""
        rows = _driver(connection).execute(self._sql, self._values(values)).fetchall()
        return [dict(zip(self._columns, row, strict=True)) for row in rows]

    def scalars(self, connection: Connection, values: Mapping[str, Any]) -> list[Any]:
        """Run it and give the one column that it selects."""
        return [value for (value,) in _driver(connection).execute(self._sql, self._values(values)).fetchall()]

    def batches(self, connection: Connection, values: Mapping[str, Any], *, size: int) -> Generator[list[ReadRow]]:
        """Run it and give what it selects, so many rows at a time."""
        cursor = _driver(connection).execute(self._sql, self._values(values))
        try:
            while rows := cursor.fetchmany(size):
                yield [self._row(row) for row in rows]
        finally:
            cursor.close()

    def _values(self, given: Mapping[str, Any]) -> Sequence[Any]:
        defaults = self._defaults
        try:
            return [given[name] if name in given else defaults[name] for name in self._names]
        except KeyError as error:
            raise TypeError(f"The statement lacks its parameter {error}: give all it names. {self._sql}") from None


def _optional(statement: Executable) -> frozenset[str]:
    """Give the parameters that a row may lack."""
    if isinstance(statement, Insert) and statement.select is None:
        return frozenset(statement.table.columns.keys())
    return frozenset()


def _maker_of_rows(columns: Sequence[str]) -> Callable[[Sequence[Any]], ReadRow]:
    made = namedtuple("Row", columns, rename=True)  # noqa: PYI024 # pyright: ignore[reportUntypedNamedTuple] - its columns are known here only
    return cast("Callable[[Sequence[Any]], ReadRow]", made._make)


def _driver(connection: Connection) -> sqlite3.Connection:
    driver = connection.connection.driver_connection
    assert driver is not None
    return driver


class Place(Protocol):
    """One namespace that is read; a ``Batch`` is one too."""

    @property
    def connection(self) -> Connection:
        """The open transaction or snapshot."""
        ...

    @property
    def ns(self) -> int:
        """The namespace's number."""
        ...

    @property
    def model_id(self) -> str:
        """The store's embedding model."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One namespace at one moment, of which nothing is written.

    Args:
        connection: The open snapshot.
        ns: The namespace's number.
        model_id: The store's embedding model.
    """

    connection: Connection
    ns: int
    model_id: str


class Opened:
    """One namespace at one moment, as the parts of a reader share it.

    Args:
        connection: An open transaction.
        ns: The namespace's number.
        name: The namespace's name.
        model: The store's embedding model.
        revision: How many writes were committed to it, with the one that is open.
    """

    def __init__(self, connection: Connection, ns: int, *, name: str, model: EmbeddingModel, revision: int) -> None:
        self._revision = revision
        self._connection = connection
        self._ns = ns
        self._name = name
        self._model = model
