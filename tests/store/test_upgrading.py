"""A store of every shape that a version ever wrote is upgraded whole, or refused and left as it is."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, event

from builders import damage, rows
from evolore.config import Settings
from evolore.domain.health import Upgrade
from evolore.errors import InvalidValue, NamespaceNotFound, StoreFailed, StoreUnwritable, StoreVersionError
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store import schema, upgrading
from evolore.store.location import FolderLocation
from evolore.store.sqlite import open_database
from evolore.store.tables import metadata
from once import MAKE_TABLES
from store.test_older_stores import opened, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable

STORES = Path(__file__).parents[1] / "data" / "stores"
UPGRADED = sorted((*STORES.glob("*.tar.gz"), *STORES.glob("shapes/*.tar.gz")))
REFUSED = sorted(STORES.glob("refused/*.tar.gz"))
OLD = STORES / "0003.tar.gz"
KILLS = 12
TEAM = "select ns from namespaces where name = 'team'"


@pytest.fixture(autouse=True)
def _really(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "make_tables", MAKE_TABLES)


def dumped(store: Path) -> list[str]:
    with closing(sqlite3.connect(store / "evolore.db")) as connection:
        return list(connection.iterdump())


def held(store: Path) -> dict[str, tuple[str, list[tuple[Any, ...]]]]:
    """Return of each table its columns, as a list to select, and its rows."""
    found: dict[str, tuple[str, list[tuple[Any, ...]]]] = {}
    for (table,) in rows(store, "select name from sqlite_master where type = 'table' and name <> 'alembic_version'"):
        columns = ", ".join(f'"{name}"' for _, name, *_ in rows(store, f"pragma table_info({table})"))
        found[table] = columns, rows(store, f"select {columns} from {table} order by {columns}")
    return found


def upgrade(store: Path, *, backup: Path | bool = False, dry_run: bool = False) -> Upgrade:
    with closing(opened(store)) as memory:
        return memory.store.upgrade(backup=backup, dry_run=dry_run)


@pytest.mark.parametrize("archive", UPGRADED, ids=lambda path: path.name)
def test_every_row_of_an_older_store_is_there_after_the_upgrade(archive: Path, tmp_path: Path) -> None:
    store = unpacked(archive, tmp_path / "store")
    before = held(store)
    done = upgrade(store)
    assert (done.old_schema, done.new_schema) == (archive.name[:4], schema.SCHEMA_VERSION)
    assert done.steps
    for table, (columns, old) in before.items():
        assert rows(store, f"select {columns} from {table} order by {columns}") == old, table
    assert upgrade(store).steps == ()
    database = open_database(store / "evolore.db")
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    database.close()


@pytest.mark.parametrize("archive", UPGRADED, ids=lambda path: path.name)
def test_an_upgraded_store_answers_as_before_and_goes_on(archive: Path, tmp_path: Path) -> None:
    store = unpacked(archive, tmp_path / "store")
    asked = rows(store, f"select count(*) from queries where ns = ({TEAM})") if "queries" in held(store) else [(0,)]
    upgrade(store)
    with closing(opened(store)) as memory:
        assert "refunds.md" in {one.source for one in memory.list().documents}
        assert "10 business days" in memory.answer("How long do refunds take?", record=False).text
        assert any("Postgres" in hit.text for hit in memory.recall("Which Postgres?", record=False).hits)
        assert memory.history("refunds.md")
        assert [(len(memory.questions.list()),)] == asked
        assert memory.store.verify().is_whole
        assert memory.store.doctor(repair=True).is_whole
        assert not memory.store.doctor().findings
        memory.remember("It goes on.")
        memory.answer("What goes on?")
        memory.forget("refunds.md")
        assert memory.store.doctor().is_whole
        assert memory.store.verify().is_whole


@pytest.mark.parametrize("archive", REFUSED, ids=lambda path: path.name)
def test_a_store_of_the_first_days_is_refused_and_stays_as_it_is(archive: Path, tmp_path: Path) -> None:
    store = unpacked(archive, tmp_path / "store")
    before = dumped(store)
    with pytest.raises(StoreVersionError, match="export with that and import into a new store"):
        upgrade(store, backup=True)
    with pytest.raises(StoreVersionError), closing(opened(store)) as memory:
        memory.list()
    assert dumped(store) == before
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_a_dry_run_tells_what_is_added_and_changes_nothing(tmp_path: Path) -> None:
    store = unpacked(STORES / "0002.tar.gz", tmp_path / "store")
    before = (store / "evolore.db").read_bytes()
    told = upgrade(store, backup=True, dry_run=True)
    assert (told.is_dry_run, told.backup) == (True, None)
    assert (store / "evolore.db").read_bytes() == before
    assert not (tmp_path / "store.schema-0002").exists()
    assert {(step.adds, step.name) for step in told.steps} == {
        ("table", "facts"),
        ("index", "feedback_in_effect"),
        ("table", "evolution_step_names"),
        ("column", "leaves_sha256"),
    }
    ((feedback,),) = rows(store, "select count(*) from feedback")
    assert [step.rows for step in told.steps if step.table == "feedback"] == [feedback]
    with closing(opened(store)) as memory:
        done = memory.store.upgrade()
        after = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
        assert after - len(before) <= done.needed_bytes == told.needed_bytes
    assert done.steps == told.steps


def test_the_backup_holds_the_old_store_and_opens(tmp_path: Path) -> None:
    store = unpacked(OLD, tmp_path / "store")
    before = dumped(store)
    done = upgrade(store, backup=True)
    assert done.backup is not None
    assert done.backup.path == str(tmp_path / "store.schema-0003")
    assert dumped(Path(done.backup.path)) == before
    assert upgrade(Path(done.backup.path)).old_schema == "0003"


@pytest.mark.parametrize("archive", UPGRADED, ids=lambda path: path.name)
def test_opening_for_writing_makes_a_backup_first(archive: Path, tmp_path: Path) -> None:
    store = unpacked(archive, tmp_path / "store")
    before, name = dumped(store), f"store.schema-{archive.name[:4]}"
    for _ in range(2):
        with closing(opened(store)) as memory:
            memory.remember("It goes on.")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["store", name]
    assert dumped(tmp_path / name) == before


def test_what_was_backed_up_before_is_not_written_over_when_it_is_opened(tmp_path: Path) -> None:
    store = unpacked(OLD, tmp_path / "store")
    before = dumped(store)
    (tmp_path / "store.schema-0003").write_text("of last year")
    with closing(opened(store)) as memory:
        memory.list()
    assert (tmp_path / "store.schema-0003").read_text() == "of last year"
    assert dumped(tmp_path / "store.schema-0003.2") == before


def test_without_room_for_a_backup_an_older_store_is_not_opened_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = unpacked(OLD, tmp_path / "store")
    before = dumped(store)
    monkeypatch.setattr(FolderLocation, "free_bytes", Mock(return_value=1000))
    with pytest.raises(StoreFailed, match="1,000 are free"), closing(opened(store)) as memory:
        memory.list()
    assert dumped(store) == before
    assert [one.name for one in tmp_path.iterdir()] == ["store"]


def test_of_many_who_open_an_older_store_one_makes_the_backup(tmp_path: Path) -> None:
    store = unpacked(OLD, tmp_path / "store")
    before = dumped(store)

    def use(number: int) -> None:
        with closing(opened(store)) as memory:
            memory.remember(f"It goes on {number}.")

    with ThreadPoolExecutor(4) as many:
        list(many.map(use, range(4)))
    assert sorted(one.name for one in tmp_path.iterdir()) == ["store", "store.schema-0003"]
    assert dumped(tmp_path / "store.schema-0003") == before


def test_a_backup_whose_place_is_taken_stops_the_upgrade(tmp_path: Path) -> None:
    store = unpacked(OLD, tmp_path / "store")
    before = dumped(store)
    with pytest.raises(InvalidValue, match="is there already"):
        upgrade(store, backup=tmp_path)
    assert dumped(store) == before


def test_an_upgrade_is_refused_where_it_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NamespaceNotFound):
        upgrade(tmp_path / "none")
    store = unpacked(OLD, tmp_path / "store")
    before = dumped(store)
    with pytest.raises(StoreUnwritable), closing(opened(store, read_only=True)) as memory:
        memory.store.upgrade()
    with monkeypatch.context() as patch:
        patch.setattr(FolderLocation, "free_bytes", Mock(return_value=1000))
        with pytest.raises(StoreFailed, match="1,000 are free"):
            upgrade(store)
    assert dumped(store) == before
    damage(store, "update alembic_version set version_num = '9999'")
    with pytest.raises(StoreVersionError, match="or a newer one"):
        upgrade(store)


def test_a_store_that_an_earlier_upgrade_left_short_is_completed(tmp_path: Path) -> None:
    store = unpacked(STORES / "shapes" / "0002-first.tar.gz", tmp_path / "store")
    damage(store, "update alembic_version set version_num = '0005'")
    assert any(step.name == "schedules" for step in upgrade(store).steps)
    with closing(opened(store)) as memory:
        memory.store.doctor(repair=True)
        assert memory.store.doctor().is_whole


def killed_at(number: int, act: Callable[[], object]) -> bool:
    """Do something in a child that kills itself before its n-th statement; return whether it came so far."""
    child = os.fork()
    if child == 0:
        statements = count(1)

        def listen(*_: object) -> None:
            if next(statements) == number:
                os.kill(os.getpid(), signal.SIGKILL)

        event.listen(Engine, "before_cursor_execute", listen)
        event.listen(Engine, "commit", listen)
        with suppress(BaseException):
            act()
            os._exit(0)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    assert status in (0, signal.SIGKILL)
    return status != 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a child is forked")
@pytest.mark.parametrize("archive", [STORES / "0001.tar.gz", OLD], ids=lambda path: path.name)
def test_a_kill_during_the_upgrade_leaves_the_old_store_whole(archive: Path, tmp_path: Path) -> None:
    whole = unpacked(archive, tmp_path / "whole")
    before = dumped(whole)
    statements: list[object] = []

    def listen(*_: object) -> None:
        statements.append(None)

    fresh = shutil.copytree(whole, tmp_path / "fresh")
    event.listen(Engine, "before_cursor_execute", listen)
    event.listen(Engine, "commit", listen)
    upgrade(fresh)
    event.remove(Engine, "before_cursor_execute", listen)
    event.remove(Engine, "commit", listen)
    after = dumped(fresh)
    killed = 0
    for number in sorted({1 + place * (len(statements) - 1) // (KILLS - 1) for place in range(KILLS)}):
        store = shutil.copytree(whole, tmp_path / str(number))
        killed += killed_at(number, lambda store=store: upgrade(store))
        assert dumped(store) in (before, after), number
        upgrade(store)
        assert dumped(store) == after
    assert killed >= KILLS - 1


def test_a_new_store_lacks_nothing(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "new", embedder=HashingEmbedder(16), settings=Settings()) as memory:
        memory.remember("It is new.")
        done = memory.store.upgrade()
    assert (done.steps, done.needed_bytes, done.backup) == ((), 0, None)
    database = open_database(tmp_path / "new" / "evolore.db")
    with database.reading() as connection:
        assert upgrading.steps(connection) == ()
    database.close()
