from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.episodes.settings import IntegrationSettings
from evolore.errors import InvalidValue, NamespaceNotFound, StoreDamaged, StoreFailed, StoreUnwritable
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store import sqlite as store_sqlite
from evolore.store.location import DATABASE


def opened(path: Path, settings: Settings | None = None) -> Memory:
    return Memory.open(path, namespace="support", embedder=HashingEmbedder(), settings=settings or Settings())


def names(folder: str | Path) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def test_a_backup_recalls_what_the_store_recalls(memory: Memory, tmp_path: Path) -> None:
    memory.add_text("# Wheels\n\nThe first wheel is red.\n", source="wheels")
    memory.remember("The red train leaves at nine.", speaker="Ann", session="s")
    made = memory.store.backup(tmp_path / "copies" / "monday")
    assert names(made.path) == [DATABASE]
    assert made.bytes == (tmp_path / "copies" / "monday" / DATABASE).stat().st_size
    with opened(tmp_path / "copies" / "monday") as copy:
        assert copy.recall("what is red?") == memory.recall("what is red?")
        assert copy.list() == memory.list()
        assert copy.store.verify() == memory.store.verify()
        copy.remember("Only the copy knows this.")
        assert copy.stats().statements == memory.stats().statements + 1


def test_a_backup_is_of_one_moment_while_a_thread_writes(memory: Memory, tmp_path: Path) -> None:
    for number in range(50):
        memory.remember(f"Before, number {number}.", session="talk")
    stop, wrote = Event(), Event()

    def write() -> None:
        number = 50
        while not stop.is_set():
            memory.remember(f"Meanwhile, number {number}.", session="talk")
            wrote.set()
            number += 1

    writer = Thread(target=write)
    writer.start()
    try:
        assert wrote.wait(30)
        for round_ in range(5):
            memory.store.backup(tmp_path / f"copy{round_}")
    finally:
        stop.set()
        writer.join()
    counts: list[int] = []
    for round_ in range(5):
        with opened(tmp_path / f"copy{round_}") as copy:
            said = copy.list(limit=1_000_000).statements
            assert [episode.position for episode in reversed(said)] == list(range(len(said)))
            assert copy.store.verify().is_whole
            assert copy.recall("number", limit=1_000_000).searched == len(said)
            counts.append(len(said))
    assert counts == sorted(counts)
    assert counts[0] > 50


def test_what_is_there_is_not_overwritten(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Something.")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("folder", "file", "link"):
        with pytest.raises(InvalidValue, match="is there already"):
            memory.store.backup(tmp_path / name)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"
    assert not names(tmp_path / "folder")


def test_there_must_be_a_store(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(NamespaceNotFound, match="There is no store"):
        memory.store.backup(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_place_that_cannot_be_written_is_named(memory: Memory, tmp_path: Path) -> None:
    memory.remember("Something.")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(StoreUnwritable, match="could not be made"):
        memory.store.backup(tmp_path / "file" / "copy")


@pytest.mark.parametrize(
    "error", [sqlite3.OperationalError("database or disk is full"), OSError(28, "No space left on device")]
)
def test_a_full_disk_leaves_nothing_behind(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    memory.remember("Something.")

    def fail(_path: Path) -> None:
        raise error

    monkeypatch.setattr(store_sqlite, "settle", fail)
    before = names(tmp_path)
    with pytest.raises(StoreFailed):
        memory.store.backup(tmp_path / "copy")
    assert names(tmp_path) == before


def test_a_broken_store_gives_no_backup(store_path: Path, tmp_path: Path) -> None:
    apart = Settings(integration=IntegrationSettings(enabled=False))  # what breaks are pages, whatever stands on them
    memory = opened(store_path, apart)
    memory.remember_many(Statement(text=f"Statement number {number} " + "is long. " * 20) for number in range(300))
    memory.close()
    with closing(sqlite3.connect(store_path / DATABASE)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)").close()
    whole = (store_path / DATABASE).read_bytes()
    (store_path / DATABASE).write_bytes(whole[: 4096 * 40] + b"\xa5" * 4096 * 10 + whole[4096 * 50 :])
    with pytest.raises(StoreDamaged, match=r"cannot be read whole|malformed"):
        memory.store.backup(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
