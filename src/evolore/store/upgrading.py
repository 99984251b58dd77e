"""Back an older store up, compare its tables with those of this version, and add what is missing in one transaction."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Index, Table, func, inspect, select, text
from sqlalchemy.schema import CreateColumn, DropIndex

from evolore.domain.health import Upgrade, UpgradeStep
from evolore.errors import StoreFailed
from evolore.store import schema
from evolore.store.database import Database
from evolore.store.evolution_erasure import note_all_named
from evolore.store.location import Location
from evolore.store.tables import evolution_step_names, metadata, namespaces

_Part = Table | Column[Any] | Index
_ADDED_BYTES = 2**20
"""Tables and indexes that are added empty take less."""


def upgrade(database: Database, where: Location, *, backup: Path | bool, is_dry_run: bool = False) -> Upgrade:
    """Back a store up and add every table, column and index that it lacks; or report what would be added.

    Raises:
        StoreVersionError: A newer version wrote it, or what finds tokens, names or dates is of another.
        StoreFailed: The disk has no room.
        InvalidValue: The place of the backup is taken.
    """
    with database.reading() if is_dry_run else database.writing() as connection:  # only one process makes a backup
        old = schema.version_of(connection, where)
        schema.check_maker(connection, where)
        found = steps(connection)
        needed = (1 + (backup is not False)) * database.size_bytes(connection) + _ADDED_BYTES if found else 0
        copied = None
        if found and not is_dry_run:
            if (free := where.free_bytes()) is not None and free < needed:
                raise StoreFailed(
                    f"Upgrading {where} needs {needed:,} bytes of the disk, and {free:,} are free: make room, and "
                    "run it again. Nothing was changed."
                )
            target = (
                _free_name(where.folder.with_name(f"{where.folder.name}.schema-{old}")) if backup is True else backup
            )
            copied = database.back_up(target) if target else None
            _bring_up(database, connection)
    return Upgrade(
        is_dry_run=is_dry_run,
        old_schema=old,
        new_schema=schema.SCHEMA_VERSION,
        steps=found,
        needed_bytes=needed,
        backup=copied,
    )


def _free_name(target: Path) -> Path:
    names = chain([target], (target.with_name(f"{target.name}.{number}") for number in count(2)))
    return next(one for one in names if not os.path.lexists(one))


def _bring_up(database: Database, connection: Connection) -> None:
    parts = list(_missing(connection))
    for part in parts:
        if isinstance(part, Column):
            _add(connection, part)
            continue
        if isinstance(part, Index):
            connection.execute(DropIndex(part, if_exists=True))  # one of this name may be over other columns
        part.create(connection, checkfirst=False)
    if any(part is evolution_step_names for part in parts):
        for ns in connection.scalars(select(namespaces.c.ns)).all():
            note_all_named(connection, ns)
    connection.execute(text("update alembic_version set version_num = :now"), {"now": schema.SCHEMA_VERSION})
    database.lay_out(connection)


def steps(connection: Connection) -> tuple[UpgradeStep, ...]:
    """Return what an upgrade would add, and to how many rows."""
    return tuple(_step(connection, part) for part in _missing(connection))


def _missing(connection: Connection) -> Iterator[_Part]:
    found, ours = inspect(connection), schema.own_schema(connection)
    there = set(found.get_table_names(ours))
    for table in metadata.sorted_tables:
        if table.name not in there:
            yield table
            continue
        columns = {one["name"] for one in found.get_columns(table.name, ours)}
        yield from (column for column in table.columns if column.name not in columns)
        indexes = {one["name"]: one["column_names"] for one in found.get_indexes(table.name, ours)}
        wanted = sorted(table.indexes, key=lambda one: str(one.name))
        yield from (one for one in wanted if indexes.get(one.name) != one.columns.keys())


def _step(connection: Connection, part: _Part) -> UpgradeStep:
    if isinstance(part, Table):
        return UpgradeStep(table=part.name, adds="table", name=part.name, rows=0)
    assert part.table is not None
    rows = connection.scalar(select(func.count()).select_from(part.table)) or 0
    return UpgradeStep(
        table=part.table.name, adds="index" if isinstance(part, Index) else "column", name=str(part.name), rows=rows
    )


def _add(connection: Connection, column: Column[Any]) -> None:
    written = str(CreateColumn(column).compile(dialect=connection.dialect))
    if not column.nullable and column.server_default is None:
        written += " DEFAULT 0"  # a counter, of what the older version did not have
    table = connection.dialect.identifier_preparer.format_table(column.table)
    connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {written}")
