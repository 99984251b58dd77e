"""An interrupted ``add`` of a large document goes on with the parts that are written; nothing of another text mixes in."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Engine, event

from builders import rows
from crash.checks import check_indexes, check_staged, check_tables
from crash.processes import Started
from evolore.chunking.settings import ChunkSettings
from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.errors import EmbedderBroken, NotFound
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.domain.document import Document
    from evolore.ports import TextRole, Vectors

SIZE = 300


def text_of(sections: int, word: str = "Matter") -> str:
    return "\n\n".join(
        f"## Part {number}\n\n" + f"{word} {number} has words of its own. " * 9 for number in range(sections)
    )


PART = 16
LARGE = text_of(65)
DOCUMENT = SourceText(source="large.md", text=LARGE, media_type=MediaType.MARKDOWN)


class Counting(HashingEmbedder):
    """Counts passages, and does something before its n-th batch."""

    def __init__(self, at: int = 0, then: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self.at, self.then = at, then
        self.batches: list[int] = []

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.batches.append(len(texts))
        if len(self.batches) == self.at:
            self.then()
        return super().embed(texts, role=role)


def interrupt() -> None:
    raise KeyboardInterrupt


def break_down() -> None:
    raise EmbedderBroken("No answer: correct the embedder.")


def open_memory(
    store: Path, embedder: Counting | None = None, *, most: int = PART, size: int = SIZE, at: datetime | None = None
) -> Memory:
    return Memory.open(
        store,
        namespace="crash",
        embedder=embedder or Counting(),
        settings=Settings(chunking=ChunkSettings(target_size=size), max_leaves_at_once=most),
        clock=None if at is None else SteppingClock(at),
    )


def add(memory: Memory, one: SourceText = DOCUMENT) -> Document:
    (added,) = memory.add(one).documents
    return added.document


def stopped(store: Path, at: int = 4, then: Callable[[], None] = interrupt, one: SourceText = DOCUMENT) -> int:
    """Have an add of a document stopped, and return how many of its passages wait."""
    with open_memory(store, Counting(at, then)) as memory, pytest.raises((KeyboardInterrupt, EmbedderBroken)):
        add(memory, one)
    return len(rows(store, "select id from episodes where version > 0"))


def state(store: Path) -> list[tuple[object, ...]]:
    """Return each visible passage with its place, vector and what else is indexed of it."""
    return rows(
        store,
        "select c.ordinal, c.outline, c.start, c.end, c.heading_path, e.position, e.version, e.language, p.text, p.tokens,"
        " p.names, p.periods, v.data from chunks c join documents d on d.id = c.document_id and d.version = c.version"
        " left join episodes e on e.id = c.episode_id left join payloads p on p.id = e.payload_id"
        " left join vectors v on v.payload_id = p.id order by d.source, c.ordinal",
    )


def recalled(store: Path) -> list[tuple[str, float]]:
    with open_memory(store) as memory:
        return [(hit.text, round(hit.score, 4)) for hit in memory.recall("matter 7 words", limit=20).hits]


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Embed as many at once as a part holds, as by default: parts are small, so that a document has several."""
    monkeypatch.setattr("evolore.flows.document_version.EMBED_BATCH", PART)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a store to which the document was added without a stop."""
    store = tmp_path_factory.mktemp("whole") / "store"
    with open_memory(store) as memory:
        add(memory)
    return store


@pytest.fixture(scope="module")
def leaves(whole: Path) -> int:
    return len([row for row in state(whole) if row[8] is not None])


@pytest.mark.parametrize("then", [interrupt, break_down])
@pytest.mark.parametrize("at", [1, 2, 4, 5])
def test_the_second_add_embeds_only_what_is_missing(
    store_path: Path, whole: Path, leaves: int, at: int, then: Callable[[], None]
) -> None:
    waiting = stopped(store_path, at, then)
    assert waiting == max(0, PART * (at - 2))  # the batch before the last is not written yet
    with open_memory(store_path) as memory:
        assert memory.list().documents == ()
        assert memory.recall("matter 7 words").hits == ()
        check_staged(memory, store_path)
    embedder = Counting()
    with open_memory(store_path, embedder) as memory:
        assert add(memory).version == 1
        assert sum(embedder.batches) == leaves - waiting
        check_tables(store_path)
        check_indexes(memory, store_path)
        assert memory.store.doctor().is_whole
        assert memory.store.verify().is_whole
    assert state(store_path) == state(whole)
    assert recalled(store_path) == recalled(whole)
    assert rows(store_path, "select * from stagings") == []


def test_it_goes_on_after_each_of_several_stops(store_path: Path, whole: Path) -> None:
    held = [stopped(store_path, 3) for _ in range(3)]
    assert held == [PART, 2 * PART, 3 * PART]
    with open_memory(store_path) as memory:
        add(memory)
    assert state(store_path) == state(whole)


@pytest.mark.parametrize(
    ("point", "visit", "parts"),
    [("staged", 1, 0), ("staged", 3, 2), ("committed", 5, 3), ("publishing", 1, None), ("version_visible", 1, None)],
)
def test_a_killed_process_loses_one_part(
    store_path: Path, whole: Path, leaves: int, point: str, visit: int, parts: int | None
) -> None:
    with Started("crash.stager", str(store_path), point, str(visit)) as process:
        process.stdin.write(LARGE)
        process.stdin.close()
        assert process.stdout.readline() == f"at {point}\n"
        process.kill()
    with open_memory(store_path) as memory:
        check_staged(memory, store_path)
        assert memory.recall("matter 7 words").hits == ()
    embedder = Counting()
    with open_memory(store_path, embedder) as memory:
        add(memory)
        assert sum(embedder.batches) == (0 if parts is None else leaves - PART * parts)
        check_tables(store_path)
        check_indexes(memory, store_path)
    assert state(store_path) == state(whole)


def test_a_process_told_to_end_goes_on_too(tmp_path: Path, leaves: int) -> None:
    file, store = tmp_path / "large.md", tmp_path / "store"
    file.write_text(LARGE, encoding="utf-8")
    calls = Counting(4, lambda: signal.raise_signal(signal.SIGTERM))
    from evolore.cli.add import AddDisplay  # noqa: PLC0415

    def told_to_end() -> None:
        with open_memory(store, calls) as memory, AddDisplay(quiet=True) as display:
            memory.add(file, progress=display)

    with pytest.raises(KeyboardInterrupt):
        told_to_end()
    heard: list[tuple[int, int, int]] = []
    with open_memory(store, embedder := Counting()) as memory:

        def hear(source: str, *, bytes_done: int, bytes_total: int, bytes_skipped: int, **_: int) -> None:
            assert source == str(file)
            heard.append((bytes_done, bytes_total, bytes_skipped))

        memory.add(file, progress=hear)
    size = len(LARGE)
    assert sum(embedder.batches) == leaves - 2 * PART
    done, total, skipped = heard[1]  # it is cut
    assert done == skipped
    assert abs(done / size - 2 * PART / leaves) < 0.02
    assert heard[0] == (0, size, 0)
    assert heard[-1] == (size, total, skipped) == (size, size, skipped)


def test_a_changed_document_keeps_what_stands_and_what_waits(store_path: Path, tmp_path: Path) -> None:
    changed = replace(DOCUMENT, text=text_of(15) + "\n\n" + text_of(60, "Zebra"))
    for store in (store_path, tmp_path / "once"):
        with open_memory(store) as memory:
            add(memory, replace(DOCUMENT, text=text_of(15)))
    stopped(store_path, 3, one=changed)
    counts: list[int] = []
    for store in (store_path, tmp_path / "once"):
        with open_memory(store, embedder := Counting()) as memory:
            assert add(memory, changed).version == 2
            counts.append(sum(embedder.batches))
            check_tables(store)
            check_indexes(memory, store)
    assert counts[0] == counts[1] - PART
    assert state(store_path) == state(tmp_path / "once")


def _other_text(memory: Memory) -> None:
    add(memory, replace(DOCUMENT, text=LARGE.replace("Matter 7 ", "Matter 9 ")))


def _other_title(memory: Memory) -> None:
    add(memory, replace(DOCUMENT, title="Another title"))


def _other_date(memory: Memory) -> None:
    add(memory, replace(DOCUMENT, occurred_at=datetime(2026, 3, 2, tzinfo=UTC)))


@pytest.mark.parametrize("differing", [_other_text, _other_title, _other_date])
def test_what_differs_begins_anew(
    store_path: Path, tmp_path: Path, leaves: int, differing: Callable[[Memory], None]
) -> None:
    assert stopped(store_path) == 2 * PART
    for store in (store_path, tmp_path / "once"):
        with open_memory(store, embedder := Counting()) as memory:
            differing(memory)
            assert sum(embedder.batches) == leaves
            check_tables(store)
    assert state(store_path) == state(tmp_path / "once")
    assert len(rows(store_path, "select id from payloads")) == leaves


def test_leaves_cut_otherwise_begin_anew(store_path: Path) -> None:
    assert stopped(store_path) == 2 * PART
    with open_memory(store_path, embedder := Counting(), size=150) as memory:
        document = add(memory)
    assert sum(embedder.batches) == document.episode_count
    assert len(rows(store_path, "select id from payloads")) == document.episode_count


def test_another_namespace_shares_nothing(store_path: Path, leaves: int) -> None:
    stopped(store_path)
    with Memory.open(
        store_path,
        namespace="other",
        embedder=(embedder := Counting()),
        settings=Settings(chunking=ChunkSettings(target_size=SIZE), max_leaves_at_once=PART),
    ) as memory:
        add(memory)
    assert sum(embedder.batches) == leaves
    assert rows(store_path, "select source from stagings") == [("large.md",)]


def test_one_who_adds_the_same_takes_over_and_both_end_well(store_path: Path, whole: Path, leaves: int) -> None:
    second = Counting()

    def take_over() -> None:
        with open_memory(store_path, second) as other:
            assert add(other).version == 1

    with open_memory(store_path, Counting(4, take_over)) as memory:
        assert add(memory).version == 1
        check_tables(store_path)
        check_indexes(memory, store_path)
    assert sum(second.batches) == leaves - 2 * PART
    assert state(store_path) == state(whole)


@pytest.mark.parametrize("named", ["source", "path", "tag", "everything"])
def test_forgetting_erases_what_waits_of_a_new_document(tmp_path: Path, named: str) -> None:
    store, file = tmp_path / "store", tmp_path / "secret.md"
    file.write_text(LARGE, encoding="utf-8")
    with open_memory(store, Counting(4, interrupt)) as memory, pytest.raises(KeyboardInterrupt):
        memory.add(file, tags=["private"])
    with open_memory(store, Counting(4, interrupt)) as memory:
        memory.remember("The office is in Osaka.")
        by = {
            "source": lambda: memory.forget(str(file)),
            "path": lambda: memory.forget(document=os.path.relpath(file)),
            "tag": lambda: memory.forget(tags=["private"]),
            "everything": lambda: memory.forget(everything=True),
        }[named]
        if named != "everything":
            assert memory.forget(str(file), dry_run=True).episodes == 2 * PART
            assert by().episodes == 2 * PART
            assert memory.store.doctor().is_whole
            with pytest.raises(NotFound):
                memory.forget(str(file))
        else:
            by()
        assert memory.store.verify().is_whole
    assert rows(store, "select id from episodes where document_id is not null") == []
    assert rows(store, "select * from stagings") == []
    assert b"Matter 7 " not in b"".join(one.read_bytes() for one in store.iterdir() if one.is_file())


def test_forgetting_by_tag_clears_a_version_that_waits(store_path: Path) -> None:
    with open_memory(store_path) as memory:
        add(memory, replace(DOCUMENT, text="Small.", tags=("kept",)))
        memory.add_text("Another.", source="other.md", tags=["gone"])
    assert stopped(store_path, 3, one=replace(DOCUMENT, tags=("gone",))) > PART
    with open_memory(store_path) as memory:
        assert memory.forget(tags=["gone"]).documents == 1
        assert [one.source for one in memory.list().documents] == ["large.md"]
    assert len(rows(store_path, "select id from payloads")) == 1


@pytest.mark.parametrize(("days", "left"), [(6, 1), (8, 0)])
def test_what_nobody_goes_on_with_for_a_week_is_cleared_by_an_add(store_path: Path, days: int, left: int) -> None:
    stopped(store_path)
    (row,) = rows(store_path, "select touched_at from stagings")
    with open_memory(store_path, at=datetime.fromisoformat(row[0]) + timedelta(days=days)) as memory:
        memory.add_text("Small.", source="small.md")
    assert len(rows(store_path, "select id from stagings")) == left
    assert len(rows(store_path, "select id from episodes")) == 1 + 2 * PART * left


def test_going_on_takes_as_many_statements_a_part_however_large_the_document_is(tmp_path: Path) -> None:
    counts: list[int] = []
    seen: list[object] = []

    def note(*given: object) -> None:
        seen.append(given[2])

    for sections in (75, 150):
        store, one = tmp_path / str(sections), replace(DOCUMENT, text=text_of(sections))
        stopped(store, sections // 25, one=one)
        with open_memory(store) as memory:
            seen.clear()
            event.listen(Engine, "before_cursor_execute", note)
            add(memory, one)
            event.remove(Engine, "before_cursor_execute", note)
            counts.append(len(seen))
    assert counts[1] <= 2.2 * counts[0]
