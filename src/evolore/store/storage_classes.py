"""What SQLite stores of a value: it takes any class in any column, so a flipped bit makes bytes of a text, unseen."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

from sqlalchemy import Boolean, Float, Integer, LargeBinary, String, Text

from evolore.errors import EvoloreError, StoreDamaged
from evolore.store.table_metadata import metadata

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from sqlalchemy import Column, Connection, Dialect, Table

_CLASSES = (
    (String, ("text",)),
    (Boolean, ("integer",)),
    (Integer, ("integer",)),
    (Float, ("real", "integer")),
    (LargeBinary, ("blob",)),
)
_MOST = 100
"""So many rows of a table are looked at further; a table with more of them is told by its first ones."""


class _ReadsText(Protocol):
    def __call__(self, value: Any) -> str | None: ...  # noqa: ANN401 - whatever a broken file holds


def _only_text(where: str) -> _ReadsText:
    def read(value: Any) -> str | None:  # noqa: ANN401 - whatever a broken file holds
        if value is None or type(value) is str:
            return value
        raise StoreDamaged(
            f"The column {where} of the store holds {type(value).__name__} where text belongs: `evolore doctor` names "
            "the row; restore the store from a backup."
        )

    return read


class StoredString(String):
    """A short text that is refused where it is none."""

    cache_ok: ClassVar[bool] = True

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    def result_processor(self, dialect: Dialect, coltype: object) -> _ReadsText:  # noqa: ARG002 - as it is called
        """Give what reads a value of a row."""
        return _only_text(self.where)


class StoredText(Text):
    """A long text that is refused where it is none."""

    cache_ok: ClassVar[bool] = True

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    def result_processor(self, dialect: Dialect, coltype: object) -> _ReadsText:  # noqa: ARG002 - as it is called
        """Give what reads a value of a row."""
        return _only_text(self.where)


def check_texts() -> None:
    """Have every column of texts refuse, on reading, what is no text."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            where = f"{table.name}.{column.name}"
            if type(column.type) is Text:
                column.type = StoredText(where)
            elif type(column.type) is String:
                column.type = StoredString(where)


def misstored(
    connection: Connection, tables: Iterable[Table] | None = None
) -> Generator[tuple[str, str, tuple[str, ...]]]:
    """Give each column with values of another class than its own: table, column, and the first rows of them."""
    for table in metadata.sorted_tables if tables is None else tables:
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


def _classes(column: Column[Any]) -> tuple[str, ...]:
    classes = next(classes for kind, classes in _CLASSES if isinstance(column.type, kind))
    return (*classes, "null" if column.nullable else "")


def _named(connection: Connection, table: Table, number: int) -> str:
    """Name a row by its number in the file and, where it has one, its id."""
    if "id" not in table.columns:
        return f"row {number}"
    id_ = connection.exec_driver_sql(f'select hex("id") from "{table.name}" where rowid = ?', (number,)).scalar()  # noqa: S608 - our own name
    return f"row {number} ({bytes.fromhex(id_ or '').decode('utf-8', 'backslashreplace')})"


@contextmanager
def telling_of_misstored(connection: Connection) -> Generator[None]:
    """Look for broken rows where what reads or computes with them fails, and say where they lie.

    Raises:
        StoreDamaged: A column holds what does not belong there.
    """
    try:
        yield
    except EvoloreError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        for table, column, rows in misstored(connection):
            raise StoreDamaged(
                f"The column {table}.{column} of the store holds what does not belong there, in {rows[0]}"
                f"{f' and {len(rows) - 1} more' if len(rows) > 1 else ''}: restore the store from a backup."
            ) from error
        raise
