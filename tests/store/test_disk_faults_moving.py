"""Disks that are full or fail while large documents are staged, and namespaces exported, imported and backed up."""

from __future__ import annotations

import io
import resource
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from builders import exported
from crash.checks import check_tables
from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.domain.health import FindingKind
from evolore.errors import StoreFailed
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from store.test_disk_faults import bytes_left, pages_left

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

SETTINGS = Settings(max_leaves_at_once=64)
STEP = 4096
LARGE = "\n\n".join(f"Part {number}\n\n" + f"Matter {number} has its own words. " * 25 for number in range(150))
LIMITS = {"full": (pages_left, 19), "broken": (bytes_left, 90 * STEP + 1000)}
"""By how much what is left grows from one attempt to the next."""


def opened(store: Path, namespace: str = "crash") -> Memory:
    return Memory.open(store, namespace=namespace, embedder=HashingEmbedder(), settings=SETTINGS)


def add_large(memory: Memory) -> None:
    memory.add_text(LARGE, source="large.md")


def change_large(memory: Memory) -> None:
    memory.add_text(LARGE.replace("own", "new"), source="old.md")


@pytest.fixture
def prepared(store_path: Path) -> Path:
    with opened(store_path) as memory:
        memory.remember_many(Statement(text=f"Before, number {number}.") for number in range(9))
        memory.add_text(LARGE[:30_000], source="old.md")
    return store_path


@contextmanager
def largest_file(size: int) -> Generator[None]:
    """Let no file of the process grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("limit", ["full", pytest.param("broken", marks=pytest.mark.long)])
@pytest.mark.parametrize("verb", [add_large, pytest.param(change_large, marks=pytest.mark.long)])
def test_of_a_large_document_whose_nth_write_fails_nothing_is_seen(
    prepared: Path, verb: Callable[[Memory], None], limit: str
) -> None:
    limited, step = LIMITS[limit]
    failed = 0
    with opened(prepared) as memory:
        before = exported(memory)
    for left in range(0, 1000 * step, step):
        with opened(prepared) as memory:
            try:
                with limited(memory, prepared, left):
                    verb(memory)
            except StoreFailed as error:
                assert "try again" in str(error)  # noqa: PT017 - that it fails is not sure, and how is
            else:
                break
            failed += 1
            check_tables(prepared)
            assert exported(memory) == before
            assert {finding.kind for finding in memory.store.doctor().findings} <= {FindingKind.LEFTOVER}
    assert failed > 2
    with opened(prepared) as memory:
        assert exported(memory) != before
        assert memory.store.doctor().findings == ()


@pytest.mark.parametrize("limit", [pytest.param("full", marks=pytest.mark.long), "broken"])
def test_an_import_whose_nth_write_fails_leaves_nothing(prepared: Path, tmp_path: Path, limit: str) -> None:
    limited, step = LIMITS[limit]
    with opened(prepared) as memory:
        content = exported(memory)
    target, failed = tmp_path / "other", 0
    with opened(target, "elsewhere") as other:
        other.remember("Something, so that there is a store.")
    for left in range(0, 1000 * step, step // 5):
        with opened(target) as memory:
            try:
                with limited(memory, target, left):
                    memory.store.import_(io.BytesIO(content))
            except StoreFailed as error:
                assert "try again" in str(error)  # noqa: PT017 - likewise
            else:
                break
            failed += 1
            check_tables(target)
            assert memory.stats().events == 0
    assert failed > 2
    with opened(target) as memory:
        assert exported(memory) == content


@pytest.mark.parametrize("verb", ["export", "backup"])
def test_a_copy_whose_nth_write_fails_leaves_nothing(prepared: Path, tmp_path: Path, verb: str) -> None:
    place = tmp_path / "copies"
    place.mkdir()
    failed = 0
    with opened(prepared) as memory:
        copies: dict[str, Callable[[], object]] = {
            "export": lambda: memory.store.export(place / "copy"),
            "backup": lambda: memory.store.backup(place / "copy"),
        }
        before = exported(memory)
        for size in range(0, 1000 * STEP, 5 * STEP + 1000):
            try:
                with largest_file(size):
                    copies[verb]()
            except StoreFailed as error:
                assert "try again" in str(error)  # noqa: PT017 - likewise
            else:
                break
            failed += 1
            assert list(place.iterdir()) == []
            assert exported(memory) == before
    assert failed > 2
    assert [path.name for path in place.iterdir()] == ["copy"]


class FullStream(io.BytesIO):
    """A stream to a disk that has room for so many bytes."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room

    def write(self, content: object) -> int:
        if self.tell() >= self._room:
            raise OSError(28, "No space left on device")
        return super().write(content)  # pyright: ignore[reportArgumentType]


def test_a_stream_that_takes_no_more_is_said_so(prepared: Path) -> None:
    with opened(prepared) as memory:
        for room in range(0, len(exported(memory)), 7000):
            with pytest.raises(StoreFailed, match="No space left on device"):
                memory.store.export(FullStream(room))
