from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import PrimaryKeyConstraint, create_engine, text

from evolore.models.offline import HashingEmbedder
from evolore.store import schema
from evolore.store.connection import open_engine, writing
from evolore.store.tables import metadata

if TYPE_CHECKING:
    from pathlib import Path


def test_migrations_make_the_tables_as_they_are_defined(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "x.db")
    with writing(engine) as connection:
        schema.create(connection, HashingEmbedder().model)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    engine.dispose()


def test_every_namespaced_table_is_keyed_by_namespace_first() -> None:
    whole_store = {"settings", "namespaces"}
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
    engine = open_engine(tmp_path / "x.db")
    with writing(engine) as connection:
        schema.create(connection, HashingEmbedder().model)

    def write_and_stop() -> None:
        with writing(engine) as connection:
            connection.execute(text("delete from settings"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_and_stop()
    with engine.connect() as connection:
        assert connection.scalar(text("select count(*) from settings")) == 5
    engine.dispose()


def test_sqlite_of_the_machine_is_new_enough() -> None:
    with create_engine("sqlite://").connect() as connection:
        version = connection.scalar(text("select sqlite_version()"))
        assert tuple(map(int, str(version).split("."))) >= (3, 35, 0)
