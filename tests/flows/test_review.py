from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from builders import rows
from evolore.config import Settings
from evolore.domain.review import Priority, Resolution, ReviewCategory, ReviewStatus
from evolore.errors import AmbiguousId, InvalidValue, NotFound, StoreUnwritable
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SAID = "Somebody said something. " * 20
HARD = "x" * 3000
OTHER = "y" * 3000


def kinds(store_path: Path) -> list[str]:
    return [kind for (kind,) in rows(store_path, "select kind from events order by seq")]


def test_a_hard_split_waits_in_the_queue_with_what_a_person_needs(memory: Memory) -> None:
    document = memory.add_text(f"{SAID}\n\n{HARD}", source="log.txt")
    (item,) = memory.review.list()
    assert item.status is ReviewStatus.OPEN
    assert item.category is ReviewCategory.CHUNKING
    assert item.priority is Priority.HIGH
    assert (item.source, item.document_id, item.version) == ("log.txt", document.id, 1)
    assert item.text_length == 3000
    assert item.final_tier == 4
    assert item.created_at is not None
    assert memory.review.show((item.id or "")[:20]) == item
    assert memory.stats().open_review_items == 1


def test_one_cause_is_filed_once(memory: Memory, store_path: Path) -> None:
    memory.add_text(HARD, source="log.txt")
    (first,) = memory.review.list()
    memory.add_text(HARD, source="log.txt")
    memory.add_text(f"{SAID}\n\n{HARD}", source="log.txt")
    (moved,) = memory.review.list(status=None)
    assert moved.id == first.id
    assert moved.version == 2
    assert moved.span is not None
    assert moved.span.start > 0
    memory.add_text(f"{HARD}\n\n{SAID}\n\n{HARD}", source="log.txt")
    assert [item.id for item in memory.review.list(status=None)] == [first.id]
    assert not [kind for kind in kinds(store_path) if kind.startswith("review")]


def test_a_resolved_item_does_not_come_back_unless_its_cause_changed(memory: Memory) -> None:
    memory.add_text(HARD, source="log.txt")
    (item,) = memory.review.list()
    memory.review.resolve(item.id or "", note="It is a key, leave it.")
    memory.add_text(f"{SAID}\n\n{HARD}", source="log.txt")
    assert memory.review.list() == ()
    memory.add_text(f"{SAID}\n\n{HARD}x", source="log.txt")
    (changed,) = memory.review.list()
    assert changed.id != item.id
    memory.add_text(HARD, source="elsewhere.txt")
    assert len(memory.review.list()) == 2


def test_what_the_document_no_longer_holds_is_resolved_and_opened_when_it_is_back(
    memory: Memory, store_path: Path
) -> None:
    memory.add_text(HARD, source="log.txt")
    (item,) = memory.review.list()
    memory.add_text(SAID, source="log.txt")
    (gone,) = memory.review.list(status="resolved")
    assert gone.id == item.id
    assert gone.resolution is Resolution.GONE
    assert gone.resolved_at is not None
    memory.add_text(f"{SAID}\n\n{HARD}", source="log.txt")
    (back,) = memory.review.list()
    assert (back.id, back.resolution, back.resolved_at) == (item.id, None, None)
    assert [kind for kind in kinds(store_path) if kind.startswith("review")] == ["review_resolved", "review_reopened"]


def test_a_document_written_in_parts_files_once_too(store_path: Path, clock: SteppingClock) -> None:
    settings = Settings(max_leaves_at_once=1)
    with Memory.open(store_path, embedder=HashingEmbedder(), clock=clock, settings=settings) as memory:
        for text in (f"{SAID * 9}\n\n{HARD}", f"{SAID * 8}\n\n{HARD}\n\n{SAID * 7}"):
            memory.add_text(text, source="log.txt")
            (item,) = memory.review.list(status=None)
        assert item.version == 2
        assert memory.store.doctor().is_whole


def test_resolving_and_reopening_are_told_by_events_and_done_once(memory: Memory, store_path: Path) -> None:
    item = memory.review.note("Ask Petra about the oven.", priority="urgent")
    assert memory.review.list() == (item,)
    resolved = memory.review.resolve(item.id or "", note="She says it is fine.", principal="mika")
    assert resolved.status is ReviewStatus.RESOLVED
    assert resolved.resolution is Resolution.PERSON
    assert resolved.note == "She says it is fine."
    assert resolved.resolved_at is not None
    assert memory.review.resolve(item.id or "") == resolved
    assert memory.review.list() == ()
    opened = memory.review.reopen(item.id or "")
    assert (opened.status, opened.note, opened.resolved_at) == (ReviewStatus.OPEN, None, None)
    memory.review.reopen(item.id or "")
    assert kinds(store_path) == ["review_filed", "review_resolved", "review_reopened"]
    assert memory.store.verify().is_whole


def test_the_most_urgent_come_first_and_of_those_the_oldest(memory: Memory) -> None:
    for text, priority in (("a", "low"), ("b", "normal"), ("c", "urgent"), ("d", "high"), ("e", "urgent")):
        memory.review.note(text, priority=priority)
    assert [item.reason for item in memory.review.list()] == ["c", "e", "d", "b", "a"]
    assert [item.reason for item in memory.review.list(limit=2)] == ["c", "e"]
    assert [item.reason for item in memory.review.list(priority="high")] == ["d"]
    assert memory.review.list(category="chunking") == ()


def test_unresolved_for_so_many_days_counts_from_the_filing(store_path: Path) -> None:
    start = datetime(2026, 3, 2, tzinfo=UTC)
    for number, text in enumerate(("old", "new")):
        clock = SteppingClock(start + timedelta(days=6 * number), step=timedelta(seconds=1))
        with Memory.open(store_path, embedder=HashingEmbedder(), clock=clock, settings=Settings()) as memory:
            memory.review.note(text)
    clock = SteppingClock(start + timedelta(days=7), step=timedelta(seconds=1))
    with Memory.open(store_path, embedder=HashingEmbedder(), clock=clock, settings=Settings()) as memory:
        assert [item.reason for item in memory.review.list(unresolved_for_days=5)] == ["old"]
        assert len(memory.review.list(unresolved_for_days=1)) == 2
        assert memory.review.list(unresolved_for_days=8) == ()
        memory.review.resolve(memory.review.list(unresolved_for_days=5)[0].id or "")
        assert memory.review.list(unresolved_for_days=5) == ()
        with pytest.raises(InvalidValue, match="year 1"):
            memory.review.list(unresolved_for_days=1_000_000)


def test_a_note_is_about_a_document_a_statement_or_nothing(memory: Memory) -> None:
    document = memory.add_text(SAID, source="page.txt")
    leaf = memory.outline.tree("page.txt").nodes[0].episode_id
    statement = memory.remember("The oven is hot.")
    about = [memory.review.note("n", about=name) for name in ("page.txt", document.id, leaf, statement.id, None)]
    assert [item.document_id for item in about] == [document.id] * 3 + [None] * 2
    assert [item.episode_id for item in about] == [None, None, leaf, statement.id, None]
    assert len(memory.review.list(document="page.txt")) == 3
    with pytest.raises(NotFound):
        memory.review.note("n", about="nowhere.txt")


def test_the_same_note_twice_is_two_notes(memory: Memory) -> None:
    assert memory.review.note("Look again.").id != memory.review.note("Look again.").id


def test_forgetting_erases_every_word_of_review_items(store_path: Path) -> None:
    clock = SteppingClock(datetime(2026, 3, 2, tzinfo=UTC), step=timedelta(seconds=1))
    secrets = ("quokka-one", "quokka-two", "quokka-three", "quokka-four", "quokka-five")
    with Memory.open(store_path, embedder=HashingEmbedder(), clock=clock, settings=Settings()) as memory:
        memory.add_text(HARD, source="log.txt")
        statement = memory.remember("It rains.")
        kept = memory.review.note("Kept: quokka-kept.")
        memory.review.note(secrets[0], about="log.txt")
        memory.review.note(secrets[1], about=statement.id)
        alone = memory.review.note(secrets[2])
        memory.review.resolve(memory.review.list(category="chunking")[0].id or "", note=secrets[3])
        memory.review.resolve(alone.id or "", note=secrets[4])
        assert memory.forget(document="log.txt").review_items == 2
        assert memory.forget(statement.id).review_items == 1
        assert memory.forget((alone.id or ""), dry_run=True).review_items == 1
        assert memory.forget(alone.id or "").review_items == 1
        assert memory.review.list(status=None) == (kept,)
        assert memory.store.verify().is_whole
        assert memory.store.doctor().is_whole
    held = b"".join(path.read_bytes() for path in store_path.iterdir())
    assert not [word for word in secrets if word.encode() in held]
    assert b"quokka-kept" in held


def test_forgetting_everything_empties_the_queue(memory: Memory) -> None:
    memory.review.note("n")
    assert memory.forget(everything=True).review_items == 1
    assert memory.review.list(status=None) == ()


def test_export_and_import_of_a_namespace_keep_the_queue(memory: Memory, tmp_path: Path, clock: SteppingClock) -> None:
    memory.add_text(HARD, source="log.txt")
    memory.review.note("About it.", about="log.txt")
    memory.review.resolve(memory.review.note("Done.").id or "", note="yes")
    memory.store.export(tmp_path / "all.jsonl")
    with Memory.open(tmp_path / "other", embedder=HashingEmbedder(), clock=clock, settings=Settings()) as other:
        other.store.import_(tmp_path / "all.jsonl")
        assert other.review.list(status=None) == memory.review.list(status=None)
        assert other.outline.tree("log.txt") == memory.outline.tree("log.txt")
        assert other.store.verify().is_whole
        assert other.store.doctor().is_whole


def test_the_queue_is_exported_as_json_lines_and_csv(memory: Memory, tmp_path: Path) -> None:
    memory.add_text(HARD, source="log.txt")
    memory.review.note('=cmd("x"), "quoted"\nand 日本語', about="log.txt")
    assert memory.review.export(tmp_path / "queue.jsonl") == 2
    lines = [json.loads(line) for line in (tmp_path / "queue.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["category"] for line in lines] == ["chunking", "note"]
    assert lines[0]["attempts"][-1] == [4, "found"]
    assert lines[1]["reason"] == '=cmd("x"), "quoted"\nand 日本語'
    stream = io.BytesIO()
    assert memory.review.export(stream, format="csv", category="note") == 1
    header, row = csv.reader(io.StringIO(stream.getvalue().decode("utf-8")))
    assert dict(zip(header, row, strict=True))["reason"] == '\'=cmd("x"), "quoted"\nand 日本語'
    with pytest.raises(InvalidValue, match="there already"):
        memory.review.export(tmp_path / "queue.jsonl")
    with pytest.raises(StoreUnwritable):
        memory.review.export(tmp_path / "none" / "queue.jsonl")
    with pytest.raises(InvalidValue, match="format"):
        memory.review.export(io.BytesIO(), format="xml")


def test_wrong_words_and_ids_are_refused(memory: Memory) -> None:
    assert memory.review.list() == ()
    ids = [memory.review.note(str(number)).id or "" for number in range(3)]
    wrong: dict[str, Callable[[], object]] = {
        "status": lambda: memory.review.list(status="gone"),
        "category": lambda: memory.review.list(category="x"),
        "priority": lambda: memory.review.list(priority="p"),
        "unresolved_for_days": lambda: memory.review.list(unresolved_for_days=0),
        "limit": lambda: memory.review.list(limit=0),
    }
    for name, call in wrong.items():
        with pytest.raises(InvalidValue, match=name):
            call()
    with pytest.raises(InvalidValue, match="resolved"):
        memory.review.list(status="resolved", unresolved_for_days=1)
    with pytest.raises(InvalidValue, match="blank"):
        memory.review.note(" ")
    with pytest.raises(InvalidValue, match="note"):
        memory.review.resolve(ids[0], note="n" * 10_001)
    with pytest.raises(NotFound, match="review list"):
        memory.review.show("zzz")
    with pytest.raises(NotFound):
        memory.review.resolve("zzz")
    with pytest.raises(AmbiguousId):
        memory.review.show(ids[0][:2])


def test_a_note_about_a_passage_that_was_replaced_is_refused(memory: Memory) -> None:
    document = memory.add_text(SAID, source="log.txt")
    (node,) = [node for node in memory.outline.tree(document.id).nodes if node.episode_id]
    memory.add_text("All is new here.", source="log.txt")
    with pytest.raises(NotFound, match="no part of a present document"):
        memory.review.note("Look.", about=node.episode_id)


ASKING: tuple[Callable[[Memory], object], ...] = (
    lambda memory: memory.outline.tree("a\0b"),
    lambda memory: memory.review.note("Look.", about="a\0b"),
    lambda memory: memory.forget(document="a\0b"),
)


@pytest.mark.parametrize("ask", ASKING)
def test_a_name_that_no_document_can_have_is_refused(memory: Memory, ask: Callable[[Memory], object]) -> None:
    memory.add_text(SAID, source="log.txt")
    with pytest.raises(InvalidValue):
        ask(memory)
