"""One file knows SQLite, one PostgreSQL; everything else of the store speaks to whatever database is behind the seam."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.dialects import mysql
from sqlalchemy.exc import CompileError

import evolore
from evolore.store.sql import INDEX_HINTS, Prepared, RowsOf, among, as_json, as_json_rows, listed, new_row, part, upsert
from evolore.store.sqlite import open_database
from evolore.store.tables import metadata, settings

PACKAGE = Path(evolore.__file__).parent
ADAPTERS = {PACKAGE / "store" / "sqlite.py", PACKAGE / "store" / "postgres.py"}
OF_SQLITE = re.compile(
    r"\bsqlite3\b|sqlalchemy\.dialects|\bsqlite_|sqlite\+|\bpragma[ _]\w|\bjson_(each|extract|array|group_array)\b|on_conflict"
    r"|\bINDEXED BY \{|prefix_with\(.OR |\b(INSERT|UPDATE) OR |\browid\b|\bvacuum\b|\bwal_checkpoint\b|\bdriver_connection\.execute\b",
    re.IGNORECASE,
)


def test_one_file_for_each_database_names_the_dialect_and_the_driver() -> None:
    naming = {path for path in PACKAGE.rglob("*.py") if OF_SQLITE.search(path.read_text(encoding="utf-8"))}
    assert naming == ADAPTERS


def test_one_file_chooses_the_database() -> None:
    importing = {
        path.name for path in PACKAGE.rglob("*.py") if "evolore.store.sqlite" in path.read_text(encoding="utf-8")
    }
    assert importing == {"location.py"}


def test_a_statement_is_written_once_for_a_dialect(tmp_path: Path) -> None:
    database = open_database(tmp_path / "some.db")
    asked = Prepared(select(settings.c.value).where(settings.c.name.in_(among("names"))))
    with database.writing() as connection:
        metadata.create_all(connection)
        assert asked.scalars(connection, {"names": as_json(["a"])}) == []
        assert asked.compiled_for(connection.dialect) is asked.compiled_for(database.engine.dialect)
    database.close()


def test_a_database_that_does_not_say_how_it_writes_a_part_is_refused_it() -> None:
    asked = Prepared(select(settings.c.value).where(settings.c.name.in_(among("names"))))
    with pytest.raises(CompileError, match="Each"):
        asked.compiled_for(mysql.dialect())
    assert "mysql" not in INDEX_HINTS


def test_a_row_whose_key_is_there_is_changed(tmp_path: Path) -> None:
    database = open_database(tmp_path / "some.db")
    put = Prepared(upsert(settings, {"value": settings.c.value + new_row(settings).value}))
    with database.writing() as connection:
        metadata.create_all(connection)
        put.run(connection, {"name": "a", "value": "1"}, {"name": "b", "value": "2"}, {"name": "a", "value": "3"})
        connection.execute(upsert(settings, {"value": "5"}).values(name="b", value="4"))
        connection.execute(upsert(settings, {"value": "7"}).values(name="b", value="6"))
        rows = connection.execute(select(settings).order_by(settings.c.name)).all()
    assert [tuple(row) for row in rows] == [("a", "13"), ("b", "7")]
    database.close()


def test_rows_go_in_as_one_parameter_and_come_out_as_one_value(tmp_path: Path) -> None:
    database = open_database(tmp_path / "some.db")
    rows = listed("rows")
    read = Prepared(select(RowsOf(part(rows.c.value, 1), part(rows.c.value, 0))))
    with database.writing() as connection:
        assert read.scalars(connection, {"rows": as_json_rows([])}) == ["[]"]
        (found,) = read.scalars(connection, {"rows": as_json_rows([("a", "ä"), ("it's", None)])})
    assert found == '[["ä","a"],[null,"it\'s"]]'
    database.close()
