"""A store copied to any other place, table by table: from a folder to PostgreSQL, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Float, LargeBinary, Table, delete, func, insert, select, tuple_

from evolore.domain.health import Copied
from evolore.errors import InvalidValue, StoreFailed
from evolore.store import schema
from evolore.store.database import Database, WriteTurn
from evolore.store.sql import Prepared
from evolore.store.tables import metadata, namespaces, settings

if TYPE_CHECKING:
    from evolore.store.location import Location

_AT_ONCE = 2000
_Rows = list[dict[str, Any]]


def copy_store(
    source: Database, source_at: Location, target: Location, *, progress: Callable[[int, int], None] | None = None
) -> Copied:
    """Copy every row of a store to a place where none is, or where a copy of the same was begun.

    The copy is of one moment. Rows are written in the order of their keys, so that a copy that was cut off goes on behind
    the last one; it cannot be opened until both digests agree.

    Args:
        source: The store's database.
        source_at: Where it lies.
        target: Where the copy is to lie.
        progress: Receives after each part how many rows are copied, and how many there are.

    Raises:
        InvalidValue: Something else is at the target.
        StoreFailed: What was written is not what was read; it cannot be opened.
    """
    target.make()
    made = target.connect(read_only=False)
    try:
        with source.reading() as reading:
            schema.check_version(reading, source_at)
            numbered = ((table, select(func.count()).select_from(table)) for table in metadata.sorted_tables)
            counts = {table: reading.scalar(rows.where(*_but_note(table))) or 0 for table, rows in numbered}
            state = _state(reading)
            _begin(made, target, state)
            done, total = 0, sum(counts.values())
            for table in metadata.sorted_tables:
                for rows in _pages(reading, table, after=_last(made, table)):
                    with made.writing(WriteTurn.STORE) as writing:
                        Prepared(insert(table)).run(writing, *rows)
                    done += len(rows)
                    if progress is not None:
                        progress(done, total)
            digests = {table.name: _digest(reading, table) for table in metadata.sorted_tables}
        with made.reading() as connection:
            found = {table.name: _digest(connection, table) for table in metadata.sorted_tables}
        wrong = sorted(name for name, digest in digests.items() if found[name] != digest)
        if wrong:
            raise StoreFailed(
                f"The copy at {target} differs from {source_at} in {', '.join(wrong)}: empty the place, and copy again."
            )
        with made.writing(WriteTurn.STORE) as writing:
            writing.execute(delete(settings).where(settings.c.name == schema.COPYING))
            made.number_on(writing)
        with made.reading() as connection:
            size = made.size_bytes(connection)
    finally:
        made.close()
    return Copied(place=str(target), rows=total, bytes=size, sha256=sha256(json.dumps(digests).encode()).hexdigest())


def _begin(made: Database, target: Location, state: str) -> None:
    """Make the tables, or refuse what is not the beginning of this copy."""
    with made.writing(WriteTurn.STORE) as connection:
        if schema.is_empty(connection):
            schema.make_tables(connection)
            made.lay_out(connection)
            connection.execute(insert(settings).values(name=schema.COPYING, value=state))
            return
        begun = connection.scalar(select(settings.c.value).where(settings.c.name == schema.COPYING))
        if begun is None:
            raise InvalidValue(
                f"There is a store at {target} already: name a place where nothing is; nothing was overwritten."
            )
        if begun != state:
            raise InvalidValue(
                f"At {target} lies the beginning of a copy of another store, or of an older state of this one: empty the "
                "place, or name another."
            )


def _state(connection: Connection) -> str:
    """Return a digest unique to a state of the store: each write counts its namespace's revision and ends its chain of events."""
    ends = select(namespaces.c.ns, namespaces.c.created_at, namespaces.c.revision, namespaces.c.event_hash)
    rows = [list(row) for row in connection.execute(ends.order_by(namespaces.c.ns))]
    return sha256(json.dumps(rows).encode()).hexdigest()


def _but_note(table: Table) -> tuple[Any, ...]:
    return (table.c.name != schema.COPYING,) if table is settings else ()


def _last(made: Database, table: Table) -> Sequence[Any] | None:
    """Return the key of the last row that was copied."""
    key = tuple(table.primary_key.columns)
    with made.reading() as connection:
        query = select(*key).where(*_but_note(table)).order_by(*(one.desc() for one in key)).limit(1)
        row = connection.execute(query).first()
        return None if row is None else tuple(row)


def _pages(connection: Connection, table: Table, *, after: Sequence[Any] | None = None) -> Generator[_Rows]:
    """Yield the rows in the order of their keys, so many at a time."""
    key = tuple(table.primary_key.columns)
    while True:
        query = select(table).where(*_but_note(table)).order_by(*key).limit(_AT_ONCE)
        if after is not None:
            query = query.where(tuple_(*key) > tuple_(*after))
        rows = [dict(row) for row in connection.execute(query).mappings()]
        if rows:
            yield rows
            after = tuple(rows[-1][one.name] for one in key)
        if len(rows) < _AT_ONCE:
            return


def _digest(connection: Connection, table: Table) -> str:
    """Return a hash of every value of a table; equal for equal rows in any database."""
    hashed = sha256()
    columns = [(column.name, column.type) for column in table.columns]
    for rows in _pages(connection, table):
        for row in rows:
            hashed.update(json.dumps([_plain(row[name], kind) for name, kind in columns]).encode())
    return hashed.hexdigest()


def _plain(value: Any, kind: object) -> Any:  # noqa: ANN401 - any value of a row
    if value is None:
        return None
    if isinstance(kind, LargeBinary):
        return bytes(value).hex()
    return float(value) if isinstance(kind, Float) else value
