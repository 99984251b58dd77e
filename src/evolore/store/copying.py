"""A store copied to any other place, table by table: from a folder to PostgreSQL, and back."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Float, LargeBinary, Table, delete, func, insert, select, tuple_

from evolore.domain.health import Copied
from evolore.errors import InvalidValue, StoreBusy, StoreFailed
from evolore.store import leftovers, schema
from evolore.store.database import Database, FaultPoint, WriteTurn, reached
from evolore.store.sql import Prepared
from evolore.store.tables import WHOLE_STORE, metadata, namespaces, settings

if TYPE_CHECKING:
    from evolore.ports import EmbeddingModel
    from evolore.store.location import Location
    from evolore.store.postgres import PostgresDatabase

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
    for place in (source_at, target):
        if place.shards is not None:
            raise InvalidValue(
                f"{place} is spread over schemas, and a copy or backup is of one: use pg_dump, or `evolore store export` for "
                "each namespace. A copy is spread afterwards, by `evolore store shards --make`. Nothing was changed."
            )
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
            digests = {table.name: _digest(table, _pages(reading, table)) for table in metadata.sorted_tables}
        with made.reading() as connection:
            found = {table.name: _digest(table, _pages(connection, table)) for table in metadata.sorted_tables}
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


def copy_namespace(
    connection: Connection, source: PostgresDatabase, target: PostgresDatabase, *, ns: int, model: EmbeddingModel
) -> tuple[int, str]:
    """Copy a namespace to another schema inside a transaction, and compare what is there then.

    Args:
        connection: The transaction, which keeps others from writing to the namespace.
        source: The schema it lies in.
        target: The schema it is to lie in.
        ns: Its number.
        model: The embedding model that both schemas must have.

    Returns:
        How many rows it has, and their digest.

    Raises:
        StoreBusy: One of the schemas is changing its embedding model.
        StoreFailed: What was written is not what was read.
    """
    for database in (target, source):
        database.enter(connection, ns)
        if schema.stored_model(connection) != model or schema.next_model(connection) is not None:
            raise StoreBusy("The store is changing its embedding model: move the namespace once `reembed` is done.")
    row = _row_of(connection, ns)
    target.enter(connection)
    del row["ns"]
    there = connection.execute(insert(namespaces).values(row).returning(namespaces.c.ns)).scalar_one()
    rows = 0

    def copied(table: Table) -> Generator[_Rows]:
        nonlocal rows
        source.enter(connection, ns)
        for page in _pages(connection, table, ns=ns):
            target.enter(connection, there)
            Prepared(insert(table)).run(connection, *({**one, "ns": there} for one in page))
            source.enter(connection, ns)
            rows += len(page)
            yield page

    read = {table.name: _digest(table, copied(table), without="ns") for table in _OF_NAMESPACES}
    reached(FaultPoint.NAMESPACE_COPIED)
    target.enter(connection, there)
    again = ((table, _pages(connection, table, ns=there)) for table in _OF_NAMESPACES)
    found = {table.name: _digest(table, pages, without="ns") for table, pages in again}
    wrong = sorted(name for name, digest in read.items() if found[name] != digest)
    if wrong or {**_row_of(connection, there), "ns": ns} != {**row, "ns": ns}:
        raise StoreFailed(
            f"The copy of the namespace differs in {', '.join(wrong) or 'its counters'}: nothing was moved."
        )
    return rows, sha256(json.dumps(read).encode()).hexdigest()


def delete_namespace(connection: Connection, source: PostgresDatabase, *, ns: int, event_id: str) -> None:
    """Delete a namespace from a schema; its rows are noted as erased, so that they leave the files too."""
    source.enter(connection, ns)
    for table in (*_OF_NAMESPACES, namespaces):
        connection.execute(delete(table).where(table.c.ns == ns))
    leftovers.note(connection, ns, event_id)


def _row_of(connection: Connection, ns: int) -> dict[str, Any]:
    return dict(connection.execute(select(namespaces).where(namespaces.c.ns == ns)).mappings().one())


_OF_NAMESPACES = tuple(table for table in metadata.sorted_tables if table not in WHOLE_STORE)


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


def _pages(
    connection: Connection, table: Table, *, after: Sequence[Any] | None = None, ns: int | None = None
) -> Generator[_Rows]:
    """Yield the rows, of one namespace or all, in the order of their keys, so many at a time."""
    key = tuple(table.primary_key.columns)
    while True:
        query = select(table).where(*_but_note(table)).order_by(*key).limit(_AT_ONCE)
        if ns is not None:
            query = query.where(table.c.ns == ns)
        if after is not None:
            query = query.where(tuple_(*key) > tuple_(*after))
        rows = [dict(row) for row in connection.execute(query).mappings()]
        if rows:
            yield rows
            after = tuple(rows[-1][one.name] for one in key)
        if len(rows) < _AT_ONCE:
            return


def _digest(table: Table, pages: Iterable[_Rows], *, without: str = "") -> str:
    """Return a hash of every value of a table but for a column; equal for equal rows in any database."""
    hashed = sha256()
    columns = [(column.name, column.type) for column in table.columns if column.name != without]
    for rows in pages:
        for row in rows:
            hashed.update(json.dumps([_plain(row[name], kind) for name, kind in columns]).encode())
    return hashed.hexdigest()


def _plain(value: Any, kind: object) -> Any:  # noqa: ANN401 - any value of a row
    if value is None:
        return None
    if isinstance(kind, LargeBinary):
        return bytes(value).hex()
    return float(value) if isinstance(kind, Float) else value
