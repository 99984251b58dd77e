"""What waits to become visible is hidden from filters, checks, exports and verification, and goes with what is forgotten."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from builders import damage, rows
from crash.checks import check_tables
from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.filters import Filter
from evolore.domain.health import FindingKind
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.ports import TextRole, Vectors

FIRST = "## Part 0\n\nMatter zero has words of its own."
LARGE = "\n\n".join(f"## Part {n}\n\n" + f"Matter {n} has words of its own. " * 9 for n in range(200))
WAITING = (
    "select e.id from episodes e left join documents d on d.id = e.document_id where e.version > ifnull(d.version, 0)"
)


class Stopping(HashingEmbedder):
    """Is killed at its third batch."""

    def __init__(self) -> None:
        super().__init__()
        self.left = 3

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return super().embed(texts, role=role)


def open_memory(store: Path, embedder: HashingEmbedder | None = None) -> Memory:
    settings = Settings(max_leaves_at_once=64)
    return Memory.open(store, namespace="n", embedder=embedder or HashingEmbedder(), settings=settings)


@pytest.fixture
def half_written(store_path: Path) -> Path:
    """Give a store with a document of which the second version is half-written, and half of a new one."""
    with open_memory(store_path) as memory:
        memory.add_text(FIRST, source="/a/large.md", tags=["kept"], media_type=MediaType.MARKDOWN)
        memory.remember("Words of a person.", speaker="Mika")
    for source in ("/a/large.md", "/a/new.md"):
        with open_memory(store_path, Stopping()) as memory, pytest.raises(KeyboardInterrupt):
            memory.add_text(LARGE, source=source, media_type=MediaType.MARKDOWN)
    assert len(rows(store_path, "select id from stagings")) == 2
    assert len(rows(store_path, WAITING)) > 100
    return store_path


def test_no_filter_lets_through_what_waits(half_written: Path) -> None:
    hidden = {id_ for (id_,) in rows(half_written, WAITING)}
    with open_memory(half_written) as memory, memory._context.store.read("n") as reader:
        for wanted in (Filter(tags=("kept",)), Filter(source="/a"), Filter(source="/a/large.md")):
            found = reader.matching(wanted)
            assert len(reader.episodes(sorted(found))) == 1
            assert not found & hidden
        assert reader.matching(Filter(source="/a/new.md")) == frozenset()
        assert memory.recall("matter", tags=["kept"], limit=500).searched == 1


def test_doctor_tells_what_waits_and_repair_clears_it(half_written: Path) -> None:
    with open_memory(half_written) as memory:
        kinds = {finding.kind for finding in memory.store.doctor().findings}
        assert kinds == {FindingKind.LEFTOVER}
        mended = memory.store.doctor(repair=True)
        assert mended.findings
        assert mended.is_whole
        assert memory.store.doctor().is_whole
        assert memory.store.verify().is_whole
        assert (memory.stats().documents, memory.stats().statements) == (1, 1)
    assert rows(half_written, WAITING) == rows(half_written, "select id from stagings") == []
    assert len(rows(half_written, "select id from payloads")) == 2


def test_repair_clears_what_waits_without_a_note_too(half_written: Path) -> None:
    damage(half_written, "delete from stagings")
    with open_memory(half_written) as memory:
        assert memory.store.doctor(repair=True).findings
        assert memory.store.doctor().is_whole
    assert rows(half_written, WAITING) == []
    assert len(rows(half_written, "select id from payloads")) == 2


def test_one_whose_parts_a_repair_cleared_writes_its_document_all_the_same(store_path: Path) -> None:
    class Meddling(Stopping):
        def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
            self.left -= 1
            if not self.left:
                with open_memory(store_path) as other:
                    assert other.store.doctor(repair=True).findings
            return HashingEmbedder.embed(self, texts, role=role)

    with open_memory(store_path, Meddling()) as memory:
        document = memory.add_text(LARGE, source="new.md", media_type=MediaType.MARKDOWN)
        assert document.version == 1
        assert memory.store.doctor().is_whole
    check_tables(store_path)


def test_an_export_holds_nothing_that_waits(half_written: Path, tmp_path: Path) -> None:
    hidden = {id_ for (id_,) in rows(half_written, WAITING)}
    target = BytesIO()
    with open_memory(half_written) as memory:
        memory.store.export(target)
        lines = [json.loads(line) for line in target.getvalue().splitlines()]
        assert not hidden & {str(line.get("id")) for line in lines}
        assert "stagings" not in {line.get("table") for line in lines}
        target.seek(0)
        with open_memory(tmp_path / "copy") as copy:
            copy.store.import_(target)
            assert copy.store.doctor().is_whole
            assert copy.list() == memory.list()


def test_events_are_verified_beside_what_waits(half_written: Path) -> None:
    with open_memory(half_written) as memory:
        assert memory.store.verify().is_whole


def test_forgetting_everything_empties_what_waits(half_written: Path) -> None:
    with open_memory(half_written) as memory:
        memory.forget(everything=True)
    for table in ("stagings", "episodes", "payloads", "vectors"):
        assert rows(half_written, f"select ns from {table}") == []


def test_forgetting_a_document_counts_and_erases_what_waits_of_it(half_written: Path) -> None:
    with open_memory(half_written) as memory:
        (document,) = memory.list().documents
        waiting = [id_ for (id_,) in rows(half_written, f"select id from episodes where document_id = '{document.id}'")]
        tried = memory.forget(document.id, dry_run=True)
        receipt = memory.forget(document.id)
        assert tried.episodes == receipt.episodes == len(waiting) > 50
        assert rows(half_written, f"select id from episodes where document_id = '{document.id}'") == []
        assert rows(half_written, "select source from stagings") == [("/a/new.md",)]
        assert memory.store.verify().is_whole
