"""Disks that are full or fail: each verb is run against a store whose n-th write fails, for n = 0, 1, 2 … until none does.

Two real failures, of SQLite's own making: a page that may not be had (``PRAGMA max_page_count``: the disk is full) and
a write the system refuses (``RLIMIT_FSIZE``: an I/O error in the middle of a file, at a page's boundary or inside one).
"""

from __future__ import annotations

import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import event

from builders import rows
from crash.checks import check_indexes, check_tables
from evolore.domain.episode import Statement
from evolore.errors import StoreFailed
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from sqlalchemy import Connection


PAGE = 4096
TABLES = ("documents", "versions", "chunks", "episodes", "payloads", "vectors", "review_items", "events", "index_log")
PARTS = [f"Part {number}\n\n" + f"Matter {number} has words of its own. " * 25 for number in range(8)]


def remember(memory: Memory) -> None:
    memory.remember_many(Statement(text=f"The garden holds {number} trees. " * 20, session="s") for number in range(8))


def add(memory: Memory) -> None:
    memory.add_text("\n\n".join(reversed(PARTS)), source="new.md")


def change(memory: Memory) -> None:
    memory.add_text("\n\n".join([*PARTS[:4], "Quite another matter. " * 40, *PARTS[5:]]), source="old.md")


def forget(memory: Memory) -> None:
    memory.forget(memory.list().documents[0].id)


@pytest.fixture
def prepared(store_path: Path) -> Path:
    with Memory.open(store_path, namespace="crash", embedder=HashingEmbedder()) as memory:
        memory.remember_many(Statement(text=f"Before, number {number}.") for number in range(9))
        memory.add_text("\n\n".join(PARTS), source="old.md")
    return store_path


def contents(store: Path) -> dict[str, list[tuple[object, ...]]]:
    return {table: rows(store, f"select * from {table} order by 1, 2, 3") for table in TABLES}


@contextmanager
def pages_left(memory: Memory, store: Path, count: int) -> Generator[None]:
    """Let the database grow by so many pages and no more."""
    most = rows(store, "pragma page_count")[0][0] + count

    def bound(connection: Connection) -> None:
        connection.exec_driver_sql(f"pragma max_page_count = {most}")

    engine = memory._context.store._open.database().engine
    event.listen(engine, "begin", bound)
    try:
        yield
    finally:
        memory.close()  # the bound is the connection's


@contextmanager
def bytes_left(memory: Memory, store: Path, count: int) -> Generator[None]:
    """Let every file of the process grow up to so many bytes behind the write-ahead log's present end."""
    engine = memory._context.store._open.database().engine

    def spill(connection: Connection) -> None:
        connection.exec_driver_sql("pragma cache_size = 5")  # so that pages are written before the commit too

    event.listen(engine, "begin", spill)
    memory._context.store.namespaces()
    wal = store / "evolore.db-wal"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (wal.stat().st_size + count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        memory.close()


LIMITS = {
    "full": (pages_left, range(200)),
    "broken": (bytes_left, range(0, 400 * PAGE, 3 * PAGE + 1000)[:: tried(2, long=1)]),
}


def attempt(memory: Memory, verb: Callable[[Memory], None]) -> str | None:
    """Do it; give what the error says where the disk kept it from being done."""
    try:
        verb(memory)
    except StoreFailed as error:
        return str(error)
    return None


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("verb", [remember, add, change])
def test_a_verb_whose_nth_write_fails_leaves_nothing(
    prepared: Path, verb: Callable[[Memory], None], limit: str
) -> None:
    limited, steps = LIMITS[limit]
    before = contents(prepared)
    complaints: list[str] = []
    for step in steps:
        with Memory.open(prepared, namespace="crash", embedder=HashingEmbedder()) as memory:
            with limited(memory, prepared, step):
                complaint = attempt(memory, verb)
            check_tables(prepared)
            check_indexes(memory, prepared)
        if complaint is None:
            break
        complaints.append(complaint)
        assert contents(prepared) == before
    assert len(complaints) > 2
    assert all("Check that the disk has room and works, and try again" in complaint for complaint in complaints)
    assert contents(prepared) != before


def test_a_forget_whose_nth_write_fails_is_whole_or_nothing(prepared: Path) -> None:
    before = contents(prepared)
    outcomes: list[str] = []
    for step in LIMITS["broken"][1]:
        with Memory.open(prepared, namespace="crash", embedder=HashingEmbedder()) as memory:
            try:
                with bytes_left(memory, prepared, step):
                    document = memory.list().documents[0]
                    receipt = memory.forget(document.id)
            except StoreFailed:
                outcomes.append("failed")
                assert contents(prepared) == before
                continue
            outcomes.append("lingers" if receipt.lingering_in else "done")
            assert not memory.list().documents
            check_tables(prepared)
            check_indexes(memory, prepared)
            if receipt.lingering_in:
                memory.add_text("\n\n".join(PARTS), source="old.md")
                before = contents(prepared)
                continue
            break
    assert set(outcomes) == {"failed", "lingers", "done"}


def test_a_store_that_cannot_be_made_for_want_of_room_can_be_made_later(store_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Memory.open(store_path, namespace="crash", embedder=HashingEmbedder()) as memory:
        for most in range(0, 60_000, 5000):
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
            try:
                with pytest.raises(StoreFailed, match="try again"):
                    memory.remember("Words.")
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        memory.remember("Words.")
        assert memory.stats().statements == 1
    check_tables(store_path)
