"""Parts of statements beside SQLAlchemy's own, and statements compiled once for a database's driver."""

from __future__ import annotations

import json
from collections import namedtuple
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol, TypeAlias, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.base import ReadOnlyColumnCollection, SyntaxExtension
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import KeyedColumnElement
from sqlalchemy.sql.expression import Delete, Update
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from evolore.ports import EmbeddingModel
from evolore.store.forms import as_it_is
from evolore.store.tables import HalfVector, parts_of

T = TypeVar("T")
Figures: TypeAlias = dict[tuple[str, str], tuple[object, object]]
"""Figures of namespaces by what they are called, each with what it was counted from."""
HERE = sa.bindparam("here", type_=sa.Integer)
"""The number of the namespace."""


class ReadRow(Protocol):
    """A row as it lies in the file, its columns by name: a bool is 0 or 1."""

    def __getattr__(self, name: str, /) -> Any: ...  # noqa: ANN401 - each has the type that was written


class Each(FunctionElement[str]):
    """What a parameter lists as JSON, one row each, in the column ``value``: texts, or rows of which ``part`` reads."""

    inherit_cache = True


class JsonPart(FunctionElement[Any]):
    """One value of a row in JSON, by its place from 0, and its type."""

    inherit_cache = False

    def __init__(self, row: sa.ColumnElement[Any], place: int, type_: TypeEngine[Any]) -> None:
        super().__init__(row)
        self.row, self.place, self.type = row, place, type_


class RowsOf(FunctionElement[str]):
    """All rows of a selection as one value: a JSON list of lists, empty where there is none."""

    inherit_cache = True
    type = sa.Text()


class Position(FunctionElement[int]):
    """Where a text first occurs in another, from 1; 0 where it does not. Takes the other, and the text."""

    inherit_cache = True
    type = sa.Integer()


class Ending(FunctionElement[str]):
    """The last characters of a text. Takes the text, and how many."""

    inherit_cache = True
    type = sa.Text()


class BytesOf(FunctionElement[bytes]):
    """A text's bytes in UTF-8, also of what is no text where a text belongs."""

    inherit_cache = True
    type = sa.LargeBinary()


class SizeOf(FunctionElement[int]):
    """How many bytes a vector takes as the store packs it."""

    inherit_cache = True
    type = sa.Integer()


class OnKey(SyntaxExtension, sa.ClauseElement):
    """What a row gets whose key is there already."""

    inherit_cache = False

    def __init__(self, key: Sequence[str], changes: dict[str, Any]) -> None:
        self.key, self.changes = key, changes

    def apply_to_insert(self, insert_stmt: sa.Insert) -> None:
        """Follow the values."""
        insert_stmt.apply_syntax_extension_point(lambda existing: [*existing, self], "post_values")


def write_as(dialect: str, forms: Mapping[type[FunctionElement[Any]], str]) -> None:
    """Set the form in which a database writes functions of ours; ``{}`` in it is the list of arguments."""
    for kind, form in forms.items():
        compiles(kind, dialect)(partial(_written, form))


def _written(form: str, element: FunctionElement[Any], compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - SQLAlchemy's own
    return form.format(compiler.process(element.clause_expr, **options))


INDEX_HINTS: dict[str, str] = {}
"""How to name the index by which to find a table's rows, by dialect; a dialect not named chooses itself."""


BULK_INSERTS: dict[str, Callable[[Any, sa.TableClause, Iterable[Mapping[str, Any]]], bool]] = {}
"""How a database takes many rows of a table at once, by its dialect; where it is not named, or takes none, they are inserted."""

_BULK = 32
"""From so many rows on."""


def among(name: str) -> sa.Select[str]:
    """Select what a parameter lists: one parameter, however many there are, so the statement stays the same."""
    return sa.select(Each(sa.bindparam(name, type_=sa.Text)).table_valued("value").c.value)


def as_json(values: Iterable[str]) -> str:
    """Write what ``among`` reads, and ``listed`` of single values."""
    return json.dumps(list(values))


def listed(name: str) -> sa.TableValuedAlias:
    """Return what a parameter lists as a table with the column ``value``.

    What is joined to it as an outer join is looked up for one after the other, regardless of the database's plan.
    """
    return Each(sa.bindparam(name, type_=sa.Text)).table_valued("value", name=name)


def part(row: sa.ColumnElement[Any], place: int, type_: TypeEngine[Any] | None = None) -> sa.ColumnElement[Any]:
    """Return one value of a row that ``as_json_rows`` wrote, by default a text."""
    return JsonPart(row, place, type_ or sa.String())


def upsert(table: sa.Table, changes: Mapping[str, Any]) -> sa.Insert:
    """Insert a row; where its key is there already, change that row instead; ``new_row`` names the values of the new one."""
    return sa.insert(table).ext(OnKey(table.primary_key.columns.keys(), dict(changes)))


def new_row(table: sa.Table) -> ReadOnlyColumnCollection[str, KeyedColumnElement[Any]]:
    """Return the values of the row that ``upsert`` was to insert."""
    return sa.alias(table, name="excluded").columns


def as_json_rows(rows: Iterable[Sequence[str | int | None]]) -> str:
    """Write rows of values, of which ``listed`` yields one after the other and ``part`` the values."""
    return json.dumps([list(row) for row in rows])


def written_out(value: str) -> sa.ColumnElement[str]:
    """Return one of our own words as a constant of a statement."""
    return sa.literal_column(f"'{value}'")


class Prepared:
    """A statement whose parameters are given by name.

    It is compiled when it first runs on a dialect, and kept for that. Running it costs 2–5 µs; building one again
    costs 100, and executing one that SQLAlchemy has in its cache 25. A remembered statement runs thirty. Values go to the
    driver as they are: numbers, texts, bytes, bools and None.

    Args:
        statement: An insert takes every column of its table, and what a row lacks is null; an update sets the columns
            given. Of all others no parameter may be left out.
        columns: What an update sets besides what is in it.
        by_index: Of a select, a table and the index that its rows are to be found by, where the database takes a hint.
    """

    def __init__(
        self,
        statement: sa.Insert | Update | Delete | sa.Select[*tuple[Any, ...]] | sa.CompoundSelect[*tuple[Any, ...]],
        *columns: str,
        by_index: tuple[sa.Table, str] | None = None,
    ) -> None:
        self._statement, self._set, self._by_index = statement, columns, by_index
        self._compiled: dict[str, Compiled] = {}

    def run(self, connection: sa.Connection, *rows: Mapping[str, Any]) -> None:
        """Run it once for each of some parameters."""
        compiled = self.compiled_for(connection.dialect)
        driver = connection.connection.driver_connection
        assert driver is not None
        insert_all = BULK_INSERTS.get(connection.dialect.name) if len(rows) >= _BULK and self._is_plain_insert else None
        if insert_all is not None and insert_all(driver, cast("sa.Insert", self._statement).table, rows):
            return
        cursor: DBAPICursor = driver.cursor()
        cursor.executemany(compiled.sql, [compiled.values(row) for row in rows])
        cursor.close()

    def first(self, connection: sa.Connection, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """Run it and return the first row of what it selects or returns; None where there is none."""
        rows = self.all(connection, values)
        return rows[0] if rows else None

    def all(self, connection: sa.Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run it and return what it selects or returns."""
        return cast("list[tuple[Any, ...]]", self._executed(connection, values).fetchall())

    def rows(self, connection: sa.Connection, values: Mapping[str, Any]) -> list[ReadRow]:
        """Run it and return what it selects, the columns by name."""
        make = self._make_row
        return [make(row) for row in self._executed(connection, values).fetchall()]

    def mappings(self, connection: sa.Connection, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Run it and return what it selects, each row as a mapping."""
        columns = self._columns
        return [dict(zip(columns, row, strict=True)) for row in self._executed(connection, values).fetchall()]

    def scalars(self, connection: sa.Connection, values: Mapping[str, Any]) -> list[Any]:
        """Run it and return the one column that it selects."""
        return [value for (value,) in self._executed(connection, values).fetchall()]

    def batches(self, connection: sa.Connection, values: Mapping[str, Any], *, size: int) -> Generator[list[ReadRow]]:
        """Run it and yield what it selects, so many rows at a time."""
        make = self._make_row
        cursor = self._executed(connection, values)
        try:
            while rows := cursor.fetchmany(size):
                yield [make(row) for row in rows]
        finally:
            cursor.close()

    def compiled_for(self, dialect: sa.Dialect) -> Compiled:
        """Return it as it is written in a dialect."""
        found = self._compiled.get(dialect.name)
        if found is None:  # two threads may compile it at once, to the same
            found = self._compiled[dialect.name] = Compiled(self._hinted(dialect), dialect, self._set)
        return found

    def _hinted(self, dialect: sa.Dialect) -> sa.Insert | Update | Delete | sa.Select[Any] | sa.CompoundSelect[Any]:
        if self._by_index is None or dialect.name not in INDEX_HINTS or not isinstance(self._statement, sa.Select):
            return self._statement
        table, index = self._by_index
        return self._statement.with_hint(table, INDEX_HINTS[dialect.name].format(index), dialect.name)

    def _executed(self, connection: sa.Connection, values: Mapping[str, Any]) -> DBAPICursor:
        compiled = self._compiled.get(connection.dialect.name) or self.compiled_for(connection.dialect)
        driver = connection.connection.driver_connection
        assert driver is not None
        cursor: DBAPICursor = driver.cursor()
        cursor.execute(compiled.sql, compiled.values(values))
        return cursor

    @cached_property
    def _is_plain_insert(self) -> bool:
        statement = self._statement
        return isinstance(statement, sa.Insert) and statement.compare(sa.insert(statement.table))

    @cached_property
    def _columns(self) -> Sequence[str]:
        return (
            self._statement.selected_columns.keys()
            if isinstance(self._statement, sa.Select | sa.CompoundSelect)
            else ()
        )

    @cached_property
    def _make_row(self) -> Callable[[Sequence[Any]], ReadRow]:
        return _maker_of_rows(self._columns)


class Compiled:
    """A statement as one dialect writes it."""

    __slots__ = ("_defaults", "_made", "_names", "_takes_names", "sql")

    def __init__(
        self,
        statement: sa.Insert | Update | Delete | sa.Select[Any] | sa.CompoundSelect[Any],
        dialect: sa.Dialect,
        columns: Sequence[str],
    ) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=columns or None)
        unset = {name: None for name, bind in compiled.binds.items() if bind.required}
        whole = compiled.construct_expanded_state(unset)  # lists of constants are written out
        self.sql = whole.statement
        required = unset.keys() - _optional(statement)
        self._defaults = {name: value for name, value in whole.parameters.items() if name not in required}
        self._takes_names = whole.positiontup is None
        self._names: Sequence[str] = whole.positiontup or tuple(whole.parameters)
        make = HalfVector.makers.get(dialect.name)
        self._made = {name: make for name, bind in compiled.binds.items() if make and isinstance(bind.type, HalfVector)}

    def values(self, given: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a list or names, as the driver takes them
        """Return the parameters as the driver takes them."""
        defaults = self._defaults
        try:
            values = [given[name] if name in given else defaults[name] for name in self._names]
        except KeyError as error:
            raise TypeError(f"The statement lacks its parameter {error}: pass all it names. {self.sql}") from None
        if self._made:
            values = [self._made.get(name, as_it_is)(value) for name, value in zip(self._names, values, strict=True)]
        return dict(zip(self._names, values, strict=True)) if self._takes_names else values


def _optional(statement: sa.Executable) -> frozenset[str]:
    """Return the parameters that a row may lack."""
    if isinstance(statement, sa.Insert) and statement.select is None:
        return frozenset(statement.table.columns.keys())
    return frozenset()


def _maker_of_rows(columns: Sequence[str]) -> Callable[[Sequence[Any]], ReadRow]:
    made = namedtuple("Row", columns, rename=True)  # noqa: PYI024 # pyright: ignore[reportUntypedNamedTuple] - its columns are known here only
    return cast("Callable[[Sequence[Any]], ReadRow]", made._make)


class Space(Protocol):
    """One namespace that is read; a ``Batch`` is one too."""

    @property
    def connection(self) -> sa.Connection:
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


def delete_rows(place: Space, table: sa.Table, ids: Collection[str]) -> None:
    """Delete the rows of a table that have some ids, after all that are parts of them."""
    if ids:
        _delete_named(place, table.c.id, among("ids"), {"ids": as_json(sorted(ids))})


def _delete_named(place: Space, key: sa.Column[str], named: sa.Select[str], values: Mapping[str, str]) -> None:
    table = key.table
    for part in parts_of(table):
        owners = named if key.name == "id" else sa.select(table.c.id).where(table.c.ns == place.ns, key.in_(named))
        _delete_named(place, part, owners, values)
    place.connection.execute(sa.delete(table).where(table.c.ns == place.ns, key.in_(named)), values)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceSnapshot:
    """One namespace at one moment, of which nothing is written."""

    connection: sa.Connection  #: The open snapshot.
    ns: int  #: The namespace's number.
    model_id: str  #: The store's embedding model.


class Opened:
    """One namespace at one moment, as the parts of a reader share it; ``revision`` counts the committed writes and the open one.

    ``figures`` are what earlier readers counted; a writer has none, since what it counts may still change.
    """

    figures: Figures | None = None

    def __init__(self, connection: sa.Connection, ns: int, *, name: str, model: EmbeddingModel, revision: int) -> None:
        self._revision, self._connection, self._ns, self._name = revision, connection, ns, name
        self._model = model

    def _counted(self, name: str, count: Callable[..., T], *how: object) -> T:
        """Return a figure as it was counted last, unless something was written since."""
        figures, key = {} if self.figures is None else self.figures, (self._revision, how)
        known = figures.get((self._name, name))
        if known is None or known[0] != key:
            known = figures[self._name, name] = key, count(*how)
        return cast("T", known[1])

    def _count(self, table: sa.Table, *conditions: sa.ColumnElement[bool]) -> int:
        counted = sa.select(sa.func.count()).select_from(table).where(table.c.ns == self._ns, *conditions)
        return self._connection.execute(counted).scalar_one()

    def _beginning(self, table: sa.Table, prefix: str) -> tuple[str, ...]:
        """List up to two ids of a table that begin with ``prefix``."""
        begin = (table.c.ns == self._ns, table.c.id >= prefix, table.c.id < prefix + "~")
        return tuple(self._connection.scalars(sa.select(table.c.id).where(*begin).order_by(table.c.id).limit(2)))
