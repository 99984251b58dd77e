from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import bindparam, delete, insert, select, update

from evolore.errors import StoreDamaged, StoreFailed
from evolore.store.sql import Prepared, among, as_json
from evolore.store.sqlite import open_database
from evolore.store.tables import metadata, queries, settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evolore.store.database import Database

INSERT = Prepared(insert(settings))
VALUE = Prepared(select(settings.c.value).where(settings.c.name == bindparam("called")))
CHANGE = Prepared(update(settings).where(settings.c.name == bindparam("called")), "value")
APPEND = Prepared(
    update(settings)
    .where(settings.c.name == bindparam("called"))
    .values(value=settings.c.value + "!")
    .returning(settings.c.value)
)

LISTED = Prepared(select(settings).where(settings.c.name.in_(among("names"))).order_by(settings.c.name))
CONSTANT = Prepared(
    select(settings.c.value)
    .where(settings.c.name.in_(("a", "c")), settings.c.value > bindparam("above"))
    .order_by(settings.c.value)
)
DROP = Prepared(delete(settings).where(settings.c.name == bindparam("called")))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "some.db")
    with opened.writing() as connection:
        metadata.create_all(connection)
    yield opened
    opened.close()


def test_rows_are_written_changed_and_read_by_name(database: Database) -> None:
    with database.writing() as connection:
        INSERT.run(connection, {"name": "a", "value": "1"}, {"value": "2", "name": "b"})
        CHANGE.run(connection, {"called": "a", "value": "3"})
    with database.reading() as connection:
        found = [VALUE.first(connection, {"called": name}) for name in ("a", "b", "c")]
    assert found == [("3",), ("2",), None]


def test_what_stands_in_the_statement_needs_no_parameter(database: Database) -> None:
    with database.writing() as connection:
        INSERT.run(connection, {"name": "a", "value": "1"})
        assert APPEND.first(connection, {"called": "a"}) == ("1!",)
        assert APPEND.first(connection, {"called": "none"}) is None


@pytest.mark.parametrize("names", [(), ("c",), ("c", "none", "a"), ("it's", 'a "quoted" name')])
def test_a_list_is_one_parameter(database: Database, names: tuple[str, ...]) -> None:
    known = ("a", "b", "c", "it's", 'a "quoted" name')
    with database.writing() as connection:
        INSERT.run(connection, *({"name": name, "value": name.upper()} for name in known))
    wanted = sorted({*names} & {*known})
    given = {"names": as_json(names)}
    with database.reading() as connection:
        assert [(row.name, row.value) for row in LISTED.rows(connection, given)] == [(n, n.upper()) for n in wanted]
        assert LISTED.mappings(connection, given) == [{"name": name, "value": name.upper()} for name in wanted]


def test_constants_that_a_statement_lists_need_no_parameter(database: Database) -> None:
    with database.writing() as connection:
        INSERT.run(connection, *({"name": name, "value": str(place)} for place, name in enumerate("abc")))
        assert CONSTANT.scalars(connection, {"above": ""}) == ["0", "2"]
        assert CONSTANT.scalars(connection, {"above": "1"}) == ["2"]
        DROP.run(connection, {"called": "a"}, {"called": "b"})
        assert CONSTANT.scalars(connection, {"above": ""}) == ["2"]


def test_many_rows_come_in_batches(database: Database) -> None:
    names = [f"name {place}" for place in range(7)]
    with database.writing() as connection:
        INSERT.run(connection, *({"name": name, "value": ""} for name in names))
    with database.reading() as connection:
        found = list(LISTED.batches(connection, {"names": as_json(names)}, size=3))
    assert [[row.name for row in rows] for rows in found] == [names[:3], names[3:6], names[6:]]


def test_an_exception_undoes_what_was_run(database: Database) -> None:
    def fail() -> None:
        with database.writing() as connection:
            INSERT.run(connection, {"name": "a", "value": "1"})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with database.reading() as connection:
        assert VALUE.first(connection, {"called": "a"}) is None


def test_a_column_that_must_not_be_null_is_not_left_out(database: Database) -> None:
    with pytest.raises(StoreDamaged, match="value"), database.writing() as connection:
        INSERT.run(connection, {"name": "a"})


@pytest.mark.parametrize(
    ("failure", "meaning"),
    [
        (sqlite3.OperationalError("disk I/O error"), StoreFailed),
        (sqlite3.DatabaseError("file is not a database"), StoreDamaged),
    ],
)
def test_what_the_driver_raises_is_explained_likewise(
    database: Database, failure: sqlite3.Error, meaning: type[Exception]
) -> None:
    with pytest.raises(meaning, match=str(failure)), database.reading():
        raise failure


@pytest.mark.parametrize("given", [{}, {"called": "a"}, {"value": "3"}])
def test_a_parameter_that_is_forgotten_is_not_taken_for_null(database: Database, given: dict[str, str]) -> None:
    with database.writing() as connection:
        INSERT.run(connection, {"name": "a", "value": "1"})
        with pytest.raises(TypeError, match="lacks its parameter"):
            CHANGE.run(connection, given)
    with database.reading() as connection:
        assert VALUE.first(connection, {"called": "a"}) == ("1",)
        for statement in (VALUE, LISTED, CONSTANT):
            with pytest.raises(TypeError, match="lacks its parameter"):
                statement.all(connection, {"another": "a"})


def test_a_column_that_may_be_null_may_be_left_out_of_a_row(database: Database) -> None:
    asked = Prepared(insert(queries))
    row = {"ns": 1, "id": "a", "intent": "b", "language": "en", "outcome": "c", "is_stated": False}
    with database.writing() as connection:
        asked.run(connection, {**row, "asked_at": "d", "recorded_at": "d", "touched_seq": 0})
    with database.reading() as connection:
        assert Prepared(select(queries.c.principal)).all(connection, {}) == [(None,)]
