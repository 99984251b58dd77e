"""Large documents are written in parts and become visible whole."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from builders import rows
from crash.checks import check_indexes, check_staged, check_tables
from evolore.chunking.settings import ChunkSettings
from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.errors import NotFound
from evolore.flows.add import AddOutcome
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from evolore.domain.document import Document
    from evolore.ports import TextRole, Vectors

SECTIONS = [f"## Part {number}\n\n" + f"Matter {number} has words of its own. " * 9 for number in range(200)]
LARGE = "\n\n".join(SECTIONS)
SMALL = ChunkSettings(target_size=300)  # enough leaves for several transactions, whatever the default is
CHANGED = "\n\n".join([*SECTIONS[:90], *(f"## New {n}\n\n" + f"Zebra {n} runs here. " * 18 for n in range(180))])


class Watched(HashingEmbedder):
    """Calls back before its n-th batch of passages."""

    def __init__(self, calls: dict[int, Callable[[], None]]) -> None:
        super().__init__()
        self.calls = calls
        self.batches: list[int] = []

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.batches.append(len(texts))
        self.calls.pop(len(self.batches), lambda: None)()
        return super().embed(texts, role=role)


def open_memory(store: Path, calls: dict[int, Callable[[], None]] | None = None, *, most: int = 64) -> Memory:
    return Memory.open(
        store,
        namespace="crash",
        embedder=Watched(calls or {}),
        settings=Settings(chunking=SMALL, max_leaves_at_once=most),
    )


def add(memory: Memory, text: str = LARGE) -> Document:
    return memory.add_text(text, source="large.md", media_type=MediaType.MARKDOWN)


def staged(store: Path) -> int:
    hidden = "select e.id from episodes e left join documents d on d.id = e.document_id where e.version > ifnull(d.version, 0)"
    return len(rows(store, hidden))


def whole(memory: Memory, document: Document) -> str:
    leaves = [node for node in memory.outline.tree(document.id).nodes if node.episode_id]
    return "".join(memory.outline.chunk_text(document.id, node.chunk.outline) for node in leaves)


def stop() -> None:
    raise KeyboardInterrupt


@pytest.fixture
def half_written(store_path: Path) -> Path:
    """Give a store with one document of which a stop left a second version half-written, and half of a new one."""
    with open_memory(store_path, {4: stop}) as memory:
        add(memory, SECTIONS[0])
        with pytest.raises(KeyboardInterrupt):
            memory.add_text(LARGE, source="new.md")
    with open_memory(store_path, {3: stop}) as memory, pytest.raises(KeyboardInterrupt):
        add(memory, LARGE)
    assert {source for (source,) in rows(store_path, "select source from stagings")} == {"new.md", "large.md"}
    assert staged(store_path) > 100
    return store_path


def test_a_document_written_in_parts_is_the_one_written_at_once(tmp_path: Path) -> None:
    with open_memory(tmp_path / "parts") as parts, open_memory(tmp_path / "once", most=100_000) as once:
        for text in (LARGE, CHANGED, LARGE):
            in_parts, at_once = add(parts, text), add(once, text)
            assert whole(parts, in_parts) == whole(once, at_once) == text
            assert (in_parts.version, in_parts.episode_count) == (at_once.version, at_once.episode_count)
            shown = [
                [(hit.episode.text, round(hit.score, 4)) for hit in memory.recall("zebra matter 7", limit=20).hits]
                for memory in (parts, once)
            ]
            assert shown[0] == shown[1]
            assert parts.stats().events == once.stats().events
        check_tables(tmp_path / "parts")
        check_indexes(parts, tmp_path / "parts")
    assert staged(tmp_path / "parts") == 0


def test_nothing_is_seen_of_a_document_before_its_last_part(store_path: Path) -> None:
    seen: list[int] = []

    def look() -> None:
        with open_memory(store_path) as other:
            seen.append(staged(store_path))
            assert [document.version for document in other.list().documents] == [1]
            assert other.stats().leaves == other.recall("matter", limit=500).searched == 1
            check_staged(other, store_path)
            assert whole(other, other.list().documents[0]) == SECTIONS[0]
            for (id_,) in rows(store_path, "select document_id from stagings"):
                assert [document.id for document in other.list().documents] == [id_]

    with open_memory(store_path, {2: look, 3: look, 4: look}) as memory:
        add(memory, SECTIONS[0])
        add(memory)
        assert memory.list().documents[0].version == 2
    assert seen[0] == 0
    assert seen[-1] >= 64


def test_a_new_document_cannot_be_named_before_its_last_part(store_path: Path) -> None:
    def look() -> None:
        with open_memory(store_path) as other:
            assert other.list().documents == ()
            assert (other.stats().documents, other.stats().chunks) == (0, 0)
            (row,) = rows(store_path, "select document_id from stagings")
            for name in (row[0], "large.md"):
                for verb in (other.show, other.outline.tree):
                    with pytest.raises(NotFound):
                        verb(name)
            with pytest.raises(NotFound):
                other.forget(row[0])

    with open_memory(store_path, {3: look}) as memory:
        assert add(memory).version == 1


def test_no_more_leaves_are_held_than_fit_at_once(store_path: Path) -> None:
    waiting: list[int] = []
    with open_memory(store_path, most=130) as memory:
        embedder = memory._context.embedder
        assert isinstance(embedder, Watched)
        embedder.calls = {call: lambda: waiting.append(staged(store_path)) for call in range(1, 9)}
        document = add(memory)
    assert sum(embedder.batches) == document.episode_count
    # What was embedded and is not yet in the tables is held in memory.
    held = [sum(embedder.batches[: place + 1]) - written for place, written in enumerate(waiting)]
    assert max(held) <= 130 + embedder.batches[0]
    assert max(waiting) >= 128


def test_the_next_add_takes_in_what_a_stop_left(half_written: Path) -> None:
    with open_memory(half_written) as memory:
        document = add(memory, LARGE)
        assert whole(memory, document) == LARGE
        assert [source for (source,) in rows(half_written, "select source from stagings")] == ["new.md"]
        assert memory.add_text(LARGE, source="new.md").version == 1
        assert staged(half_written) == 0
        check_tables(half_written)
        check_indexes(memory, half_written)


def test_an_add_that_changes_nothing_clears_too(half_written: Path) -> None:
    with open_memory(half_written) as memory:
        text = SourceText(source="large.md", text=SECTIONS[0], media_type=MediaType.MARKDOWN)
        assert memory.add(text).documents[0].outcome is AddOutcome.UNCHANGED
    assert [source for (source,) in rows(half_written, "select source from stagings")] == ["new.md"]


def test_a_small_version_clears_a_large_one_that_was_left(half_written: Path) -> None:
    with open_memory(half_written) as memory:
        assert add(memory, "## Part 0\n\nSmall.").version == 2
        assert memory.recall("matter", limit=500).searched == 1
    assert [source for (source,) in rows(half_written, "select source from stagings")] == ["new.md"]


def test_forgetting_clears_what_a_stop_left(half_written: Path) -> None:
    with open_memory(half_written) as memory:
        memory.forget(memory.list().documents[0].id)
        assert [source for (source,) in rows(half_written, "select source from stagings")] == ["new.md"]
        assert memory.list().documents == ()


def test_what_nobody_went_on_with_for_an_hour_is_cleared_by_the_next_forget(half_written: Path) -> None:
    (row,) = rows(half_written, "select max(touched_at) from stagings")

    later = SteppingClock(datetime.fromisoformat(row[0]) + timedelta(hours=2))
    with Memory.open(half_written, namespace="crash", embedder=HashingEmbedder(), clock=later) as memory:
        memory.forget(memory.remember("Words.").id)
    assert staged(half_written) == 0
    assert rows(half_written, "select * from stagings") == []


def test_of_two_who_write_one_document_in_parts_both_end_well(store_path: Path) -> None:
    def meddle() -> None:
        with open_memory(store_path) as other:
            assert add(other, CHANGED).version == 1

    with open_memory(store_path, {3: meddle}) as memory:
        document = add(memory, LARGE)
        assert document.version == 2
        assert whole(memory, document) == LARGE
        check_tables(store_path)
        check_indexes(memory, store_path)
    assert staged(store_path) == 0


def test_one_who_was_taken_over_while_the_other_still_writes_ends_well(store_path: Path) -> None:
    def take_over() -> None:
        with open_memory(store_path, {2: come_back}) as other:
            assert whole(other, add(other, CHANGED)) == CHANGED

    def come_back() -> None:
        # The one who was taken over writes at once now, in a process of its own.
        with open_memory(store_path, most=100_000) as third:
            add(third, LARGE)

    with open_memory(store_path, {3: take_over}) as memory:
        document = add(memory, LARGE)
        assert whole(memory, document) == LARGE
        check_tables(store_path)
        check_indexes(memory, store_path)
    assert staged(store_path) == 0


def test_a_document_forgotten_while_it_is_written_is_new(store_path: Path) -> None:
    def forget() -> None:
        with open_memory(store_path) as other:
            other.forget(other.list().documents[0].id)

    with open_memory(store_path, {4: forget}) as memory:
        first = add(memory, SECTIONS[0])
        second = add(memory, LARGE)
        assert (second.version, second.id != first.id) == (1, True)
        assert whole(memory, second) == LARGE


def test_a_namespace_that_holds_half_a_document_holds_nothing_yet(store_path: Path) -> None:
    with open_memory(store_path) as memory:
        assert memory.list().documents == ()
