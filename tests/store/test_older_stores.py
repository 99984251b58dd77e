from __future__ import annotations

import tarfile
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from builders import rows
from evolore.config import Settings
from evolore.errors import StoreVersionError
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store import schema
from evolore.store.sqlite import open_database
from evolore.store.tables import metadata
from once import MAKE_TABLES

ARCHIVES = sorted((Path(__file__).parents[1] / "data" / "stores").glob("*.tar.gz"))


@pytest.fixture(autouse=True)
def _really(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the migrations themselves, which other tests make once and write from notes."""
    monkeypatch.setattr(schema, "make_tables", MAKE_TABLES)


def unpacked(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as held:
        (member,) = held.getmembers()
        read = held.extractfile(member)
        assert read is not None
        folder.mkdir()
        (folder / "evolore.db").write_bytes(read.read())
    return folder


def opened(store: Path, *, read_only: bool = False, namespace: str = "team") -> Memory:
    return Memory.open(
        store, namespace=namespace, embedder=HashingEmbedder(16), settings=Settings(), read_only=read_only or None
    )


def test_there_is_a_store_of_every_older_schema() -> None:
    assert [one.name.removesuffix(".tar.gz") for one in ARCHIVES] == sorted(schema.OLDER)


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name)
def test_a_store_of_an_older_schema_is_brought_up_and_loses_nothing(archive: Path, tmp_path: Path) -> None:
    store = unpacked(archive, tmp_path / "store")
    with closing(opened(store)) as memory:
        document_ids = [one.id for one in memory.list().documents if one.source == "refunds.md"]
        assert {one.source for one in memory.list().documents} >= {"refunds.md", "henkin.md"}
        assert "10 business days" in memory.answer("How long do refunds take?", record=False).text
        assert memory.recall("Which Postgres?", record=False).hits
        assert all(
            one.is_repaired for one in memory.store.doctor(repair=True).findings
        )  # estimates of an older version
        assert not memory.store.doctor().findings
        assert memory.store.verify().is_whole
        assert memory.evolution.feedback("refunds.md")[0].comment == "Right."
        memory.add_text("# 返金\n\n返金には5営業日かかります。\n", source="henkin.md", title="返金")
        memory.forget(document_ids[0])
    with closing(opened(store)) as memory:
        assert {one.source for one in memory.list().documents} == {"henkin.md"}


def test_what_older_jobs_rest_on_takes_their_steps_with_it(tmp_path: Path) -> None:
    store = unpacked(ARCHIVES[2], tmp_path / "store")
    with closing(opened(store, namespace="jobs")) as memory:
        (job,) = memory.evolution.jobs()
        assert job.candidates
        memory.forget(document="news.md")
        assert memory.evolution.show(job.id).candidates == ()
        memory.store.doctor(repair=True)  # of an earlier version, it holds no other written forms
        assert not memory.store.doctor().findings


def test_a_document_that_an_older_version_left_half_written_begins_anew(tmp_path: Path) -> None:
    store = unpacked(ARCHIVES[3], tmp_path / "store")
    readings = (f"2026-03-02 09:{n // 60:02}:{n % 60:02} pump {n % 7} reads {n * 37 % 101} bar." for n in range(2200))
    settings = Settings(max_leaves_at_once=64)
    with Memory.open(store, namespace="half", embedder=HashingEmbedder(16), settings=settings) as memory:
        assert memory.list().documents == ()
        assert len(rows(store, "select id from episodes where document_id is not null and version = 1")) > 64
        document = memory.add_text("\n".join(readings), source="pumps.log")
        assert rows(store, "select id from stagings") == []
        assert (
            len(rows(store, f"select id from episodes where document_id = '{document.id}'")) == document.episode_count
        )


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name)
def test_a_store_that_was_brought_up_has_the_tables_of_a_new_one(archive: Path, tmp_path: Path) -> None:
    store = unpacked(archive, tmp_path / "store")
    with closing(opened(store)) as memory:
        memory.list()
    database = open_database(store / "evolore.db")
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    database.close()


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name)
def test_a_store_of_an_older_schema_is_not_changed_by_who_only_reads(archive: Path, tmp_path: Path) -> None:
    store = unpacked(archive, tmp_path / "store")
    before = (store / "evolore.db").read_bytes()
    with (
        pytest.raises(StoreVersionError, match="open it once for writing"),
        closing(opened(store, read_only=True)) as memory,
    ):
        memory.list()
    assert (store / "evolore.db").read_bytes() == before
