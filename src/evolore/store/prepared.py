"""Statements that are compiled once and handed to the driver as they are: for what every single write does."""

from __future__ import annotations

import json
from collections import namedtuple
from typing import TYPE_CHECKING, Any, Protocol, cast

from sqlalchemy import Insert, Integer, Select, Text, bindparam, func, literal_column, select
from sqlalchemy.dialects import sqlite

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

    from sqlalchemy import ColumnElement, Connection, Executable
    from sqlalchemy.sql.expression import Delete, Update

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
    """Write what ``among`` reads."""
    return json.dumps(list(values))


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

    def __init__(self, statement: Insert | Update | Delete | Select[*tuple[Any, ...]], *columns: str) -> None:
        compiled = statement.compile(dialect=_DIALECT, column_keys=columns or None)
        unset = {name: None for name, bind in compiled.binds.items() if bind.required}
        whole = compiled.construct_expanded_state(unset)  # lists of constants are written out
        self._sql = whole.statement
        required = unset.keys() - _optional(statement)
        self._defaults = {name: value for name, value in whole.parameters.items() if name not in required}
        self._names: list[str] = list(whole.positiontup or ())
        self._columns = tuple(statement.selected_columns.keys()) if isinstance(statement, Select) else ()
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
