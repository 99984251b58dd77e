"""The write-ahead log beside the database: cut off it is as a crash leaves it, of another store it is found out."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from crash.checks import check_indexes, check_tables
from evolore.config import Settings
from evolore.domain.health import FindingKind
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

COUNT, FEW = 60, 20


def opened(store: Path) -> Memory:
    return Memory.open(store, namespace="crash", embedder=HashingEmbedder(), settings=Settings())


def left_by_a_crash(store: Path, word: str, count: int = COUNT) -> Path:
    """Write with a process that ends without closing: its log stays beside the database."""
    child = os.fork()
    if child == 0:
        memory = opened(store)
        for number in range(count):
            memory.remember(f"{word} number {number}. " * 10)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert (store / "evolore.db-wal").stat().st_size > 0
    return store


def test_a_log_that_is_cut_off_leaves_the_commits_before(tmp_path: Path) -> None:
    store = left_by_a_crash(tmp_path / "store", "Apple", FEW)
    whole = (store / "evolore.db-wal").read_bytes()
    held: list[int] = []
    for size in (len(whole), len(whole) // 10, len(whole) // 100, 33, 0):
        copy = tmp_path / f"{size}"
        shutil.copytree(store, copy)
        (copy / "evolore.db-wal").write_bytes(whole[:size])
        (copy / "evolore.db-shm").unlink()
        check_tables(copy)
        with opened(copy) as memory:
            said = sorted(item.id for item in memory.list(limit=FEW).statements)
            held.append(len(said))
            assert memory.store.verify().is_whole
            assert memory.store.doctor().findings == ()
            check_indexes(memory, copy)
    assert held == sorted(held, reverse=True)
    assert held[0] == FEW > held[-1]


@pytest.mark.parametrize("is_folded", [pytest.param(True, marks=pytest.mark.long), False])
def test_a_log_of_another_store_is_found_out(tmp_path: Path, *, is_folded: bool) -> None:
    store, other = (left_by_a_crash(tmp_path / word, word) for word in ("Apple", "Pear"))
    if is_folded:
        with opened(store) as memory:
            assert memory.store.doctor().findings == ()  # the control
        assert not (store / "evolore.db-wal").exists()
    shutil.copy(other / "evolore.db-wal", store / "evolore.db-wal")
    with opened(store) as memory:
        found = memory.store.doctor(repair=True)
    assert FindingKind.UNREADABLE in {finding.kind for finding in found.findings}
    assert not any(finding.is_repaired for finding in found.findings)


@pytest.mark.parametrize("count", [1, 8])
def test_a_log_that_holds_all_of_another_store_is_told_and_not_taken_in(tmp_path: Path, count: int) -> None:
    store, other = (left_by_a_crash(tmp_path / word, word, count) for word in ("Apple", "Pear"))
    with opened(store) as memory:
        assert memory.store.doctor().findings == ()  # the control: its own log is taken in
        assert len(memory.list(limit=count).statements) == count
    own = (store / "evolore.db").read_bytes()
    shutil.copy(other / "evolore.db-wal", store / "evolore.db-wal")
    with opened(store) as memory:
        (found,) = memory.store.doctor(repair=True).findings
    assert found.kind is FindingKind.UNREADABLE
    assert "evolore.db-wal is the log of another store" in found.reason
    assert (store / "evolore.db").read_bytes() == own
    (store / "evolore.db-wal").unlink()
    with opened(store) as memory:
        assert memory.store.doctor().findings == ()
        assert all("Apple" in one.text for one in memory.list(limit=count).statements)
