from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from evolore.errors import StoreBusy, StoreFailed
from evolore.store import connection
from evolore.store.connection import open_engine, reading, scrub, writing

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Engine


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(tmp_path / "x.db")
    with writing(engine) as made:
        made.execute(text("create table notes (words text)"))
    yield engine
    engine.dispose()


def count(engine: Engine) -> int | None:
    with reading(engine) as snapshot:
        return snapshot.scalar(text("select count(*) from notes"))


def test_a_snapshot_does_not_see_what_is_committed_after_it(engine: Engine) -> None:
    with reading(engine) as snapshot:
        before = snapshot.scalar(text("select count(*) from notes"))
        with writing(engine) as writer:
            writer.execute(text("insert into notes values ('x')"))
        assert snapshot.scalar(text("select count(*) from notes")) == before == 0
    assert count(engine) == 1


def test_a_store_that_others_write_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    monkeypatch.setattr(connection, "BUSY_TIMEOUT_SECONDS", 0.05)
    hasty = open_engine(tmp_path / "x.db")
    with writing(engine), pytest.raises(StoreBusy, match="try again"), writing(hasty):
        pass
    with writing(hasty) as writer:
        writer.execute(text("insert into notes values ('x')"))
    hasty.dispose()


def test_a_full_disk_is_said_so_and_nothing_is_written(engine: Engine) -> None:
    def fill() -> None:
        with writing(engine) as writer:
            writer.execute(text("pragma max_page_count = 3"))
            for _ in range(50):
                writer.execute(text("insert into notes values (:words)"), {"words": "x" * 4000})

    with pytest.raises(StoreFailed, match=r"disk is full.*nothing of this call was written"):
        fill()
    assert count(engine) == 0


def test_the_log_is_folded_in_and_emptied(tmp_path: Path, engine: Engine) -> None:
    with writing(engine) as writer:
        writer.execute(text("insert into notes values ('x')"))
    assert (tmp_path / "x.db-wal").stat().st_size > 0
    assert scrub(engine)
    assert (tmp_path / "x.db-wal").stat().st_size == 0
    assert count(engine) == 1


def test_a_log_that_others_read_is_said_to_linger(no_patience: None, engine: Engine) -> None:
    with writing(engine) as writer:
        writer.execute(text("insert into notes values ('x')"))
    with reading(engine) as snapshot:
        assert snapshot.scalar(text("select count(*) from notes")) == 1
        with writing(engine) as writer:
            writer.execute(text("delete from notes"))
        assert not scrub(engine)
    assert scrub(engine)
    with writing(engine):
        assert not scrub(engine)


def test_deleted_words_are_overwritten(tmp_path: Path, engine: Engine) -> None:
    with writing(engine) as writer:
        writer.execute(text("insert into notes values ('xylophone')"))
    scrub(engine)
    assert b"xylophone" in (tmp_path / "x.db").read_bytes()
    with writing(engine) as writer:
        writer.execute(text("delete from notes"))
    scrub(engine)
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

    monkeypatch.setattr(connection, "sleep", let_go)
    engine = open_engine(path)
    with closing(maker):
        assert count(engine) == 0
    assert len(waits) == 3
    engine.dispose()
