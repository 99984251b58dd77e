from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from sqlalchemy import event

from evolore.domain.document import Document, MediaType
from evolore.domain.episode import Episode, EpisodeKind, EpisodeState, Statement
from evolore.domain.outline import OutlineCode
from evolore.errors import (
    AmbiguousId,
    EmbedderBroken,
    EmbedderMismatch,
    InvalidSetting,
    InvalidValue,
    NamespaceNotFound,
    NotFound,
    StoreDamaged,
    StoreUnwritable,
    StoreVersionError,
    UnreadableSource,
)
from evolore.flows.add import AddOutcome
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.ports import TextRole, Vectors

HANDBOOK = """# Handbook

## Travel

Trains are booked by the office. Keep every receipt for seven years, because the auditors ask for them.

## Holidays

Everyone has thirty days. Days that are left over expire in March of the year after.
"""


def open_memory(store: Path, namespace: str = "support", dimension: int = 64) -> Memory:
    return Memory.open(store, namespace=namespace, embedder=HashingEmbedder(dimension))


def add_handbook(memory: Memory, text: str = HANDBOOK) -> Document:
    return memory.add_text(text, source="handbook.md", media_type=MediaType.MARKDOWN)


def test_a_statement_comes_back_with_all_it_was_given(memory: Memory) -> None:
    moved = memory.remember(
        "We moved the office to Osaka.",
        occurred_at=datetime(2026, 3, 2, tzinfo=UTC),
        speaker="Mika",
        session="standup",
        arousal=0.3,
        about=("office", "city"),
    )
    hit = memory.recall("where is the office?").hits[0]
    assert hit.episode == moved
    assert (moved.kind, moved.speaker, moved.session, moved.about) == (
        EpisodeKind.STATEMENT,
        "Mika",
        "standup",
        ("office", "city"),
    )
    assert moved.valid_from == moved.occurred_at == datetime(2026, 3, 2, tzinfo=UTC)


def test_a_hit_in_a_document_knows_its_place(memory: Memory) -> None:
    document = add_handbook(memory)
    episode = memory.recall("when do left over holidays expire?").hits[0].episode
    assert "expire in March" in episode.text
    assert (episode.document_id, episode.source, episode.title) == (document.id, "handbook.md", "Handbook")
    assert episode.heading_path
    assert episode.span is not None
    assert episode.span.of(HANDBOOK) == episode.text
    assert episode.outline is not None
    assert memory.outline.chunk_text(document.id, episode.outline) == episode.text


def test_the_leaves_of_a_stored_document_are_its_text(memory: Memory) -> None:
    text = HANDBOOK * 12
    document = add_handbook(memory, text)
    nodes = memory.outline.tree(document.id).nodes
    leaves = [node for node in nodes if node.episode_id is not None]
    assert len(leaves) == document.episode_count > 3
    assert "".join(memory.outline.chunk_text(document.id, node.chunk.outline) for node in leaves) == text
    for node in nodes:
        assert memory.outline.chunk_text(document.id, node.chunk.outline) == node.chunk.span.of(text)


def test_the_score_of_a_hit_is_the_sum_of_its_terms(memory: Memory) -> None:
    add_handbook(memory, HANDBOOK * 5)
    memory.remember("Trains to Kyoto are late in winter.", speaker="Mika")
    for hit in memory.recall("which receipts do Mika and the auditors want?", limit=50).hits:
        assert hit.score == pytest.approx(sum(term.value for term in hit.terms), abs=1e-4)


def test_hits_are_ranked_from_one_and_never_more_than_asked(memory: Memory) -> None:
    memory.remember_many(Statement(text=f"Note {number} about the garden") for number in range(30))
    found = memory.recall("the garden", limit=7)
    assert [hit.rank for hit in found.hits] == list(range(1, 8))
    assert found.searched == 30
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)


def test_what_came_later_is_not_seen_as_of_a_moment(memory: Memory) -> None:
    early, late = (datetime(2020 + year, 1, 1, tzinfo=UTC) for year in (0, 5))
    first = memory.remember("The office is in Kyoto.", occurred_at=early)
    memory.remember("The office is in Osaka.", occurred_at=late)
    assert {hit.episode.text for hit in memory.recall("where is the office?").hits} == {
        "The office is in Kyoto.",
        "The office is in Osaka.",
    }
    found = memory.recall("where is the office?", as_of=datetime(2021, 1, 1, tzinfo=UTC))
    assert [hit.episode.id for hit in found.hits] == [first.id]
    assert memory.recall("where is the office?", as_of=datetime(2019, 1, 1, tzinfo=UTC)).hits == ()


def test_as_of_a_moment_scores_are_those_of_a_store_that_ends_there(memory: Memory, tmp_path: Path) -> None:
    began = datetime(2020, 1, 1, tzinfo=UTC)
    said = [
        Statement(text=f"The {word} of day {day}.", occurred_at=began + timedelta(days=day), session=f"week {day // 7}")
        for day, word in enumerate(("garden", "garden", "kitchen", "garden", "kitchen", "cellar") * 4)
    ]
    memory.remember_many(said)
    with Memory.open(tmp_path / "earlier", namespace="n", embedder=HashingEmbedder()) as earlier:
        earlier.remember_many(said[:9])
        ended = earlier.recall("the kitchen garden", limit=9)
    found = memory.recall("the kitchen garden", limit=9, as_of=began + timedelta(days=8))
    assert [hit.episode.text for hit in found.hits] == [hit.episode.text for hit in ended.hits]
    assert [hit.score for hit in found.hits] == pytest.approx([hit.score for hit in ended.hits], abs=1e-5)
    whole = memory.recall("the kitchen garden", limit=9, until=began + timedelta(days=8, seconds=1))
    assert [hit.score for hit in whole.hits] != pytest.approx([hit.score for hit in ended.hits], abs=1e-5)


def test_turns_lend_each_other_context_within_their_session(memory: Memory) -> None:
    turns = ["Which dish shall we cook tonight?", "The one with aubergines.", "Fine, see you at seven."]
    memory.remember_many(Statement(text=text, session="dinner") for text in turns)
    memory.remember_many(Statement(text=f"Nothing of note, entry {number}.", session="log") for number in range(20))
    hits = memory.recall("dish cook tonight", limit=3).hits
    assert {hit.episode.session for hit in hits} == {"dinner"}
    assert [hit.episode.position for hit in sorted(hits, key=lambda hit: hit.episode.id)] == [0, 1, 2]


def test_a_session_goes_on_where_it_stopped(memory: Memory) -> None:
    first = memory.remember("Good morning.", session="call")
    second = memory.remember("Good evening.", session="call")
    assert (first.position, second.position) == (0, 1)


def test_all_statements_are_remembered_or_none(memory: Memory) -> None:
    memory.remember("before")
    with pytest.raises(InvalidValue, match="text is blank"):
        memory.remember_many(Statement(text=text) for text in ("one", "two", " "))
    assert [item.text for item in memory.list().statements] == ["before"]
    assert memory.remember_many([]).episodes == ()


def test_an_unchanged_document_is_left_alone(memory: Memory) -> None:
    document = add_handbook(memory)
    again = memory.add(SourceText(source="handbook.md", text=HANDBOOK, media_type=MediaType.MARKDOWN))
    assert again.documents[0].outcome is AddOutcome.UNCHANGED
    assert again.documents[0].document == document
    assert memory.stats().events == 1


def test_adding_an_unchanged_file_again_writes_and_embeds_nothing(store_path: Path, tmp_path: Path) -> None:
    class Refusing(HashingEmbedder):
        def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
            raise AssertionError((role, texts))

    page = tmp_path / "page.md"
    page.write_text(HANDBOOK, encoding="utf-8")

    def rows() -> list[list[tuple[object, ...]]]:
        with closing(sqlite3.connect(store_path / "evolore.db")) as connection:
            return [
                connection.execute(f"select * from {table} order by 1, 2").fetchall()
                for table in ("namespaces", "events", "index_log", "versions", "documents", "chunks", "vectors")
            ]

    with open_memory(store_path) as memory:
        memory.add(page, metadata={"team": "ops"}, tags=["rules"])
    before = rows()
    with Memory.open(store_path, namespace="support", embedder=Refusing()) as memory:
        memory.add(page)
        os.utime(page, (1, 1))
        memory.add(page, metadata={"team": "ops"}, tags=["rules"], principal="someone")
        assert rows() == before
        page.write_text(HANDBOOK + "More.\n", encoding="utf-8")
        with pytest.raises(AssertionError):  # the control: what changed is embedded
            memory.add(page)


def test_a_changed_document_keeps_the_passages_it_still_has(memory: Memory) -> None:
    sections = [f"## Part {number}\n\n" + f"Sentence about matter {number}. " * 20 + "\n\n" for number in range(6)]
    first = memory.add_text("".join(sections), source="a.md", media_type=MediaType.MARKDOWN)
    before = {node.chunk.span: node.episode_id for node in memory.outline.tree(first.id).nodes if node.episode_id}
    sections[3] = "## Part 3\n\n" + "Quite another thing is said here now. " * 20 + "\n\n"
    changed = memory.add(SourceText(source="a.md", text="".join(sections), media_type=MediaType.MARKDOWN)).documents[0]
    assert changed.outcome is AddOutcome.CHANGED
    assert changed.document.version == 2
    assert changed.document.id == first.id
    after = {node.episode_id for node in memory.outline.tree(first.id).nodes if node.episode_id}
    gone = set(before.values()) - after
    assert gone
    assert len(after & set(before.values())) >= len(before) // 2
    assert changed.new_leaves == len(after - set(before.values()))
    assert all(hit.episode.id not in gone for hit in memory.recall("matter 3", limit=100).hits)
    retired = memory.show(gone.pop())
    assert isinstance(retired, Episode)
    assert retired.state is EpisodeState.SUPERSEDED
    assert retired.valid_to is not None


def test_a_new_title_makes_a_new_version(memory: Memory) -> None:
    memory.add_text("One line of text.", source="a", title="Old")
    assert memory.add_text("One line of text.", source="a", title="New").version == 2
    assert memory.recall("line").hits[0].episode.title == "New"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Minutes\n\n# Election\n\nInes was elected.\n", "Minutes"),
        ("## Draft\n\n# Minutes\n\nInes was elected.\n", "Minutes"),
        ("# Minutes\n\n## Election\n\n# Insurance\n\nHail is insured.\n", "Minutes"),
    ],
)
def test_of_the_headings_a_document_begins_with_the_first_highest_is_its_title(
    memory: Memory, text: str, title: str
) -> None:
    assert memory.add_text(text, source="minutes.md", media_type=MediaType.MARKDOWN).title == title


def test_a_bad_file_does_not_keep_the_others_out(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(5):
        (folder / f"{number}.md").write_text(f"# Page {number}\n\nWords of page {number}.\n", encoding="utf-8")
    (folder / "bad.txt").write_bytes(b"\x00\x01\x02" * 50)
    added = memory.add(folder)
    assert len(added.documents) == 5
    assert [Path(failure.source).name for failure in added.failures] == ["bad.txt"]
    assert "bad.txt" in added.failures[0].reason


def test_a_path_that_is_not_there_adds_nothing(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("words", encoding="utf-8")
    with pytest.raises(UnreadableSource, match="does not exist"):
        memory.add(tmp_path / "a.md", tmp_path / "nothing.md")
    assert memory.stats().documents == 0


def test_progress_is_told_by_document_and_byte(memory: Memory, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("One sentence of words follows another. " * 400, encoding="utf-8")
    heard: list[tuple[str, int, int, int, int, int]] = []

    def listen(
        source: str, *, documents_done: int, documents: int, bytes_done: int, bytes_total: int, bytes_skipped: int
    ) -> None:
        heard.append((Path(source).name, documents_done, documents, bytes_done, bytes_total, bytes_skipped))

    memory.add(tmp_path, progress=listen)
    size = 39 * 400
    assert heard[0] == ("a.txt", 0, 2, 0, 2 * size, 0)
    assert ("b.txt", 1, 2, size, 2 * size, 0) in heard
    assert heard[-1] == ("b.txt", 1, 2, 2 * size, 2 * size, 0)
    assert [one[3] for one in heard] == sorted(one[3] for one in heard)

    (tmp_path / "b.txt").write_text("Another sentence. " * 100, encoding="utf-8")
    heard.clear()
    memory.add(tmp_path, progress=listen)
    assert heard[0] == ("a.txt", 0, 2, 0, size + 1800, 0)
    assert heard[-1] == ("b.txt", 1, 2, size + 1800, size + 1800, size)  # what is unchanged took no work


def test_an_id_may_be_shortened_as_long_as_it_is_clear(memory: Memory) -> None:
    one, two = memory.remember("one"), memory.remember("two")
    common = next(one.id[:end] for end in range(26, 0, -1) if two.id.startswith(one.id[:end]))
    assert memory.show(one.id[: len(common) + 1]) == one
    assert memory.show(one.id.upper()) == one
    with pytest.raises(AmbiguousId, match="write more of it"):
        memory.show(common)
    with pytest.raises(NotFound, match="evolore list"):
        memory.show("zzz")
    for wrong, message in (("", "blank"), ("  ", "blank"), ("\udcff", "surrogate")):
        with pytest.raises(InvalidValue, match=message):
            memory.show(wrong)


def test_what_is_forgotten_is_gone_from_every_file(memory: Memory, store_path: Path) -> None:
    secret = memory.remember("The password is xylophone-4711.", speaker="Zebediah", session="vault-session")
    document = memory.add_text("The combination is marmalade-0815.", source="secret-combination.txt")
    memory.remember("The weather is fine.")
    receipt = memory.forget(secret.id)
    assert (receipt.documents, receipt.episodes, receipt.payloads, receipt.vectors) == (0, 1, 1, 1)
    assert memory.forget(document.id).documents == 1
    assert [hit.episode.text for hit in memory.recall("password combination", limit=9).hits] == ["The weather is fine."]
    memory.close()
    held = b"".join(file.read_bytes() for file in store_path.iterdir())
    assert b"weather is fine" in held
    for word in (b"xylophone", b"marmalade", b"Zebediah", b"vault-session", b"secret-combination", b"xylophon"):
        assert word not in held


def test_nothing_of_what_is_forgotten_is_left_after_many_rounds(memory: Memory, store_path: Path) -> None:
    forgotten: list[str] = []
    for round_number in range(tried(6, long=12)):
        texts = [f"WORD{round_number:02}{number:03} " + "w" * (37 * number % 900) for number in range(24)]
        said = memory.remember_many(
            Statement(text=text, speaker=f"SPEAKER{text[4:9]}", about=(f"SUBJECT{text[4:9]}", "x")) for text in texts
        ).episodes
        held = b"".join(file.read_bytes() for file in store_path.iterdir())
        assert b"WORD%02d001" % round_number in held
        for episode in said[::8]:
            memory.forget(episode.id)
            forgotten.append(episode.text[4:9])
    held = b"".join(file.read_bytes() for file in store_path.iterdir())
    left = [kind + mark for mark in forgotten for kind in ("WORD", "word", "SPEAKER", "SUBJECT")]
    assert [mark for mark in left if mark.encode() in held] == []


def test_bytes_that_a_reader_keeps_alive_are_named_in_the_receipt(memory: Memory, no_patience: None) -> None:
    secret = memory.remember("The password is xylophone.")
    with memory._context.store.read("support") as reader:
        assert reader.stats().statements == 1
        assert memory.forget(secret.id).lingering_in == ("evolore.db", "evolore.db-wal")
    assert memory.forget(memory.remember("Another.").id).lingering_in == ()


def test_a_part_of_a_document_is_not_forgotten_alone(memory: Memory) -> None:
    add_handbook(memory)
    passage = memory.recall("receipts").hits[0].episode
    with pytest.raises(InvalidValue, match="forget the document"):
        memory.forget(passage.id)
    with pytest.raises(NotFound):
        memory.forget("zzzz")


def test_a_document_is_named_by_id_or_source(memory: Memory) -> None:
    document = add_handbook(memory)
    assert (
        memory.outline.tree("handbook.md") == memory.outline.tree(document.id) == memory.outline.tree(document.id[:20])
    )
    said = memory.remember("A statement.")
    with pytest.raises(NotFound, match="is a statement, not a document"):
        memory.outline.tree(said.id)
    with pytest.raises(NotFound, match="no chunk"):
        memory.outline.chunk_text(document.id, OutlineCode.parse("9.9"))


def test_stats_count_what_is_there(memory: Memory) -> None:
    add_handbook(memory)
    memory.remember_many(Statement(text="four", session=session) for session in ("a", "a", "b"))
    counted = memory.stats()
    assert (counted.namespace, counted.documents, counted.statements, counted.sessions) == ("support", 1, 3, 2)
    assert counted.characters == len(HANDBOOK) + 3 * len("four")
    assert counted.leaves <= counted.chunks
    assert counted.events == 4


def test_namespaces_do_not_see_each_other(store_path: Path) -> None:
    with open_memory(store_path, "a") as one, open_memory(store_path, "b") as other:
        one.remember("The office is in Osaka.")
        other.remember("The garden is in Lyon.")
        before = one.recall("office garden").hits
        other.remember_many(Statement(text=f"The office garden number {number}.") for number in range(20))
        assert one.recall("office garden").hits == before
        assert [hit.episode.text for hit in before] == ["The office is in Osaka."]


def test_what_needs_something_says_so_before_anything_was_written(store_path: Path, tmp_path: Path) -> None:
    with open_memory(store_path) as memory:
        for verb in (memory.maintain, memory.store.calibrate, lambda: memory.store.export(tmp_path / "x.jsonl")):
            with pytest.raises(NamespaceNotFound, match=r"There is no store at .* yet: add a document"):
                verb()
        assert not store_path.exists()
        memory.remember("x")
    with open_memory(store_path, "elsewhere") as memory:
        for verb in (memory.maintain, lambda: memory.forget(everything=True), lambda: memory.questions.unlearn("ann")):
            with pytest.raises(NamespaceNotFound, match="Nothing was written to the namespace 'elsewhere'") as caught:
                verb()
            assert "support" not in str(caught.value)


def test_a_store_of_another_model_is_refused_with_both_names(store_path: Path) -> None:
    with open_memory(store_path) as memory:
        memory.remember("x")
    with open_memory(store_path, dimension=32) as memory:
        with pytest.raises(
            EmbedderMismatch, match=r"hashing-trigrams-64 .64 dimensions.*hashing-trigrams-32"
        ) as caught:
            memory.recall("x")
        assert "evolore store reembed" in str(caught.value)
        with pytest.raises(EmbedderMismatch):
            memory.remember("y")


def test_a_store_of_a_newer_schema_is_refused(store_path: Path) -> None:
    with open_memory(store_path) as memory:
        memory.remember("x")
    with sqlite3.connect(store_path / "evolore.db") as connection:
        connection.execute("update alembic_version set version_num = '9999'")
    connection.close()
    with open_memory(store_path) as memory, pytest.raises(StoreVersionError, match="has schema 9999"):
        memory.recall("x")


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("analyser_version", "version old of the analyser"),
        ("names_version", "version old of what finds names"),
        ("dates_version", "version old of what finds dates"),
    ],
)
def test_a_store_whose_keys_were_made_by_another_version_is_refused(store_path: Path, setting: str, told: str) -> None:
    with open_memory(store_path) as memory:
        memory.remember("x")
    with sqlite3.connect(store_path / "evolore.db") as connection:
        connection.execute("update settings set value = 'old' where name = ?", (setting,))
    connection.close()
    with open_memory(store_path) as memory, pytest.raises(StoreVersionError, match=told):
        memory.recall("x")


def test_what_is_no_store_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with open_memory(tmp_path / "file") as memory, pytest.raises(StoreDamaged, match="is a file"):
        memory.remember("x")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "evolore.db").write_bytes(b"not a database at all" * 100)
    with open_memory(broken) as memory, pytest.raises(StoreDamaged, match="not a readable Evolore store"):
        memory.recall("x")
    other = tmp_path / "other"
    other.mkdir()
    with sqlite3.connect(other / "evolore.db") as connection:
        connection.execute("create table something (x)")
    connection.close()
    with open_memory(other) as memory, pytest.raises(StoreDamaged, match="but not an Evolore store"):
        memory.remember("x")


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with (
        open_memory(tmp_path / "file" / "below") as memory,
        pytest.raises(StoreUnwritable, match=r"could not be made|cannot be reached"),
    ):
        memory.remember("x")


def test_threads_may_share_a_memory(memory: Memory) -> None:
    def work(number: int) -> str:
        memory.remember(f"Thread {number} was here.", session=f"s{number % 3}")
        return memory.recall(f"thread {number}").hits[0].episode.text

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))
    assert memory.stats().statements == 40
    positions = [(item.session, item.position) for item in memory.list(limit=100).statements]
    assert len(set(positions)) == 40


def test_two_memories_on_one_store_see_each_others_writes(store_path: Path) -> None:
    with open_memory(store_path) as one, open_memory(store_path) as other:
        one.remember("The office is in Osaka.")
        assert other.recall("office").hits[0].episode.text == "The office is in Osaka."
        other.remember("The garden is in Lyon.")
        assert one.recall("garden").hits[0].episode.text == "The garden is in Lyon."


@pytest.mark.parametrize("question", ["猫", "x", "?", "😀", "the of and"])
def test_any_question_of_a_character_is_answered(memory: Memory, question: str) -> None:
    memory.remember("猫が好きです。")
    assert len(memory.recall(question).hits) == 1


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(memory: Memory, limit: int) -> None:
    memory.remember("x")
    with pytest.raises(InvalidValue, match=f"limit is {limit}"):
        memory.recall("x", limit=limit)
    with pytest.raises(InvalidValue, match=f"limit is {limit}"):
        memory.list(limit=limit)


def test_a_media_type_that_is_none_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidValue, match="media_type is 'markdown'"):
        memory.add_text("x", source="a", media_type="markdown")  # pyright: ignore[reportArgumentType]


def test_a_blank_namespace_is_refused(store_path: Path) -> None:
    with pytest.raises(InvalidValue, match="namespace is blank"):
        open_memory(store_path, " ")


def test_the_day_a_statement_was_given_for_is_kept(memory: Memory) -> None:
    tokyo = timezone(timedelta(hours=9))
    said = memory.remember("New year.", occurred_at=datetime(2026, 1, 1, 1, tzinfo=tokyo))
    assert said.occurred_at is not None
    assert said.occurred_at.isoformat() == "2026-01-01T01:00:00+09:00"
    assert memory.recall("what was in January?").hits[0].episode == said


@pytest.mark.parametrize("name", ["a?b=c", "p%41", "with space", "倉庫", "a#b"])
def test_a_store_lies_where_it_is_named(tmp_path: Path, name: str) -> None:
    with open_memory(tmp_path / "there" / name) as memory:
        memory.remember("x")
    assert [path.name for path in (tmp_path / "there").iterdir()] == [name]
    with open_memory(tmp_path / "there" / name) as memory:
        assert memory.stats().statements == 1


@pytest.mark.parametrize(
    ("store", "error"), [("mysql://host/db", InvalidSetting), ("a\0b", InvalidValue), ("", InvalidValue)]
)
def test_what_is_no_folder_is_refused(store: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        Memory.open(store, embedder=HashingEmbedder())


def test_a_store_stays_where_it_is_when_the_process_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with open_memory(Path("relative")) as memory:
        memory.remember("x")
        monkeypatch.chdir("/")
        memory.close()
        assert memory.stats().statements == 1


class OddEmbedder(HashingEmbedder):
    def __init__(self, change: Callable[[Vectors], Vectors]) -> None:
        super().__init__()
        self._change = change

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        return self._change(super().embed(texts, role=role))


def too_short(rows: Vectors) -> Vectors:
    return rows[:, :5]


def too_long(rows: Vectors) -> Vectors:
    return rows * 3


def no_numbers(rows: Vectors) -> Vectors:
    return rows * np.float32(np.nan)


def none(rows: Vectors) -> Vectors:
    return rows[:0]


@pytest.mark.parametrize("change", [too_short, too_long, no_numbers, none])
def test_vectors_that_cannot_be_compared_are_not_written(
    store_path: Path, change: Callable[[Vectors], Vectors]
) -> None:
    with Memory.open(store_path, embedder=OddEmbedder(change)) as memory:
        with pytest.raises(EmbedderBroken, match="nothing was written"):
            memory.remember("x")
        with pytest.raises(EmbedderBroken):
            memory.add_text("x", source="a")
    assert not store_path.exists()


def test_a_statement_that_is_none_is_refused(memory: Memory) -> None:
    with pytest.raises(InvalidValue, match="pass Statement"):
        memory.remember_many(["text"])  # pyright: ignore[reportArgumentType]


def test_a_forked_process_has_connections_of_its_own(memory: Memory) -> None:
    memory.remember("Before the fork.")
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            memory.remember("In the child.")
            os._exit(0)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    memory.remember("In the parent.")
    assert {item.text for item in memory.list().statements} == {"Before the fork.", "In the child.", "In the parent."}


def test_a_forked_process_lets_go_of_nothing_of_its_parent(store_path: Path) -> None:
    with Memory.open(store_path, embedder=HashingEmbedder()) as memory:
        memory.remember("Before the fork.")
        engine = memory._context.store._open.database().engine
        closed: list[object] = []
        event.listen(engine, "close", lambda *_: closed.append(None))
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                memory.close()
                os._exit(len(closed))
            os._exit(77)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        memory.remember("In the parent.")
    assert closed  # the control: whoever opened a connection closes it


def test_passages_of_a_document_stay_neighbours_whenever_each_was_recorded(store_path: Path) -> None:
    clock = SteppingClock(datetime(2026, 1, 1, tzinfo=UTC), step=timedelta(days=30))
    parts = [f"## Part {number}\n\n" + f"Matter {number} has words of its own. " * 14 for number in range(4)]
    changed = [*parts[:1], "## Part 1\n\n" + "Only zebras are spoken of here. " * 14, *parts[2:]]
    with Memory.open(store_path, embedder=HashingEmbedder(), clock=clock) as memory:
        for version in (parts, changed):
            memory.add_text("\n\n".join(version), source="a.md", media_type=MediaType.MARKDOWN)
        hits = memory.recall("zebras", limit=50).hits
    lent = {hit.episode.outline: term.value for hit in hits for term in hit.terms if term.name == "lexical_context"}
    assert sum(value > 0.1 for value in lent.values()) >= 2


def test_moments_may_be_written_wherever_one_is_asked_for(memory: Memory) -> None:
    said = memory.remember("The wheel is red.", occurred_at="2026-01-02")
    assert said.occurred_at == datetime(2026, 1, 2, tzinfo=UTC)
    later = memory.remember_many([Statement(text="The wheel is blue.", occurred_at="2026-02-03T09:00+09:00")])
    assert later.episodes[0].occurred_at == datetime(2026, 2, 3, tzinfo=UTC)
    assert memory.recall("wheel", as_of="2026-01-31").searched == 1
    assert memory.recall("wheel", since="2026-01-31").searched == 1
    assert memory.recall("wheel", since="2026-01-01", until="2026-01-03").searched == 1
    assert memory.answer("what is red?", as_of="2025-12-31").citations == ()
    assert memory.outline.graph(said.id, as_of="2026-01-31").nodes
    memory.add_text("# Page\n\nWords.", source="page")
    assert memory.outline.tree("page", as_of="2030-01-01").document.version == 1
    assert memory.forget(since="2026-01-31", until="2026-02-28").episodes == 1
    refusals: tuple[Callable[[], object], ...] = (
        lambda: memory.recall("wheel", as_of="soon"),
        lambda: memory.remember("x", occurred_at="soon"),
        lambda: Statement(text="x", occurred_at="soon"),
        lambda: memory.forget(since="soon"),
    )
    for refused in refusals:
        with pytest.raises(InvalidValue, match="'soon' is not a date or time"):
            refused()
