"""Prepared statements that give many rows, and lists as one parameter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Integer, Select, bindparam, func, literal_column, select

from evolore.store.prepared import Prepared

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection

HERE = bindparam("here", type_=Integer)
"""The number of the namespace."""


class PreparedRead(Prepared):
    """A prepared selection of any number of rows."""

    def all(self, connection: Connection, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run it and give the rows of what it selects."""
        return _driver(connection).execute(self._sql, self._values(values)).fetchall()


def among(name: str) -> Select[str]:
    """Select what a parameter lists as JSON: however many there are, the statement stays the same."""
    return select(func.json_each(bindparam(name)).table_valued("value").c.value)


def as_json(ids: Iterable[str]) -> str:
    """Write ids as ``among`` reads them."""
    return json.dumps(list(ids))


def written_out(value: str) -> ColumnElement[str]:
    """Give one of our own words as a constant of a statement."""
    return literal_column(f"'{value}'")


def _driver(connection: Connection) -> sqlite3.Connection:
    driver = connection.connection.driver_connection
    assert driver is not None
    return driver
