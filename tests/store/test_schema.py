from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import PrimaryKeyConstraint, create_engine, text

from evolore.models.offline import HashingEmbedder
from evolore.store import schema
from evolore.store.sqlite import open_database
from evolore.store.tables import WHOLE_STORE, metadata
from once import MAKE_TABLES, Tables

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def made_by(path: Path, make: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(schema, "make_tables", make)
    database = open_database(path)
    with database.writing() as connection:
        schema.create(connection, HashingEmbedder().model)
    with database.engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        dumped = list(driver.iterdump())
    database.close()
    return dumped


def test_the_tables_that_tests_write_from_notes_are_those_of_a_new_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = Tables()
    first, second = (made_by(tmp_path / name, noted.make, monkeypatch) for name in ("first.db", "second.db"))
    assert first == second == made_by(tmp_path / "real.db", MAKE_TABLES, monkeypatch)
    assert any("alembic_version" in line and "INSERT" in line for line in second)


def test_every_namespaced_table_is_keyed_by_namespace_first() -> None:
    whole_store = {table.name for table in WHOLE_STORE}
    assert whole_store >= {"settings", "namespaces", "api_keys"}
    for table in metadata.tables.values():
        assert isinstance(table.primary_key, PrimaryKeyConstraint)
        assert not table.foreign_keys
        if table.name not in whole_store:
            assert next(iter(table.primary_key.columns)).name == "ns", table.name


def test_texts_and_vectors_lie_where_they_can_be_erased() -> None:
    assert {"salt", "text", "tokens", "names", "periods"} <= set(metadata.tables["payloads"].columns.keys())
    assert "text" not in metadata.tables["episodes"].columns
    assert "text" not in metadata.tables["events"].columns


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    database = open_database(tmp_path / "x.db")
    with database.writing() as connection:
        schema.create(connection, HashingEmbedder().model)

    def write_and_stop() -> None:
        with database.writing() as connection:
            connection.execute(text("delete from settings"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_stop()
    with database.engine.connect() as connection:
        assert connection.scalar(text("select count(*) from settings")) == 5
    database.close()


def test_sqlite_of_the_machine_is_new_enough() -> None:
    with create_engine("sqlite://").connect() as connection:
        version = connection.scalar(text("select sqlite_version()"))
        assert tuple(map(int, str(version).split("."))) >= (3, 35, 0)
