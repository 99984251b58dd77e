from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from evolore.errors import StoreBusy, StoreFailed
from evolore.store import sqlite
from evolore.store.sqlite import open_database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evolore.store.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "x.db")
    with database.writing() as made:
        made.execute(text("create table notes (words text)"))
    yield database
    database.close()


def count(database: Database) -> int | None:
    with database.reading() as snapshot:
        return snapshot.scalar(text("select count(*) from notes"))


def test_a_snapshot_does_not_see_what_is_committed_after_it(database: Database) -> None:
    with database.reading() as snapshot:
        before = snapshot.scalar(text("select count(*) from notes"))
        with database.writing() as writer:
            writer.execute(text("insert into notes values ('x')"))
        assert snapshot.scalar(text("select count(*) from notes")) == before == 0
    assert count(database) == 1


def test_a_store_that_others_write_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database: Database) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_SECONDS", 0.05)
    hasty = open_database(tmp_path / "x.db")
    with database.writing(), pytest.raises(StoreBusy, match="try again"), hasty.writing():
        pass
    with hasty.writing() as writer:
        writer.execute(text("insert into notes values ('x')"))
    hasty.close()


def test_a_full_disk_is_said_so_and_nothing_is_written(database: Database) -> None:
    def fill() -> None:
        with database.writing() as writer:
            writer.execute(text("pragma max_page_count = 3"))
            for _ in range(50):
                writer.execute(text("insert into notes values (:words)"), {"words": "x" * 4000})

    with pytest.raises(StoreFailed, match=r"disk is full.*nothing of this call was written"):
        fill()
    assert count(database) == 0


def test_the_log_is_folded_in_and_emptied(tmp_path: Path, database: Database) -> None:
    with database.writing() as writer:
        writer.execute(text("insert into notes values ('x')"))
    assert (tmp_path / "x.db-wal").stat().st_size > 0
    assert database.compact() == ()
    assert (tmp_path / "x.db-wal").stat().st_size == 0
    assert count(database) == 1


def test_a_log_that_others_read_is_said_to_linger(no_patience: None, database: Database) -> None:
    with database.writing() as writer:
        writer.execute(text("insert into notes values ('x')"))
    with database.reading() as snapshot:
        assert snapshot.scalar(text("select count(*) from notes")) == 1
        with database.writing() as writer:
            writer.execute(text("delete from notes"))
        assert database.compact() == database.files
    assert database.compact() == ()
    with database.writing():
        assert database.compact() == database.files


def test_deleted_words_are_overwritten(tmp_path: Path, database: Database) -> None:
    with database.writing() as writer:
        writer.execute(text("insert into notes values ('xylophone')"))
    database.compact()
    assert b"xylophone" in (tmp_path / "x.db").read_bytes()
    with database.writing() as writer:
        writer.execute(text("delete from notes"))
    database.compact()
    assert b"xylophone" not in (tmp_path / "x.db").read_bytes()


def test_a_file_that_others_are_just_making_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new.db"
    maker = sqlite3.connect(path, isolation_level=None)
    maker.execute("create table notes (words text)")
    maker.execute("begin immediate")
    waits: list[float] = []

    def let_go(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            maker.execute("commit")

    monkeypatch.setattr(sqlite, "sleep", let_go)
    database = open_database(path)
    with closing(maker):
        assert count(database) == 0
    assert len(waits) == 3
    database.close()
