"""What was merged, hidden and undone outlives export, import, backup and a change of the model, and can be mended."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from builders import damage, exported, rows
from evolore.cli import app
from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.domain.health import FindingKind
from evolore.domain.language import Language
from evolore.errors import InvalidValue, NamespaceNotFound, StoreUnwritable, UnreadableSource
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from evolore.store.location import DATABASE
from flows.test_recall_laws import STATED, at, found, merge
from flows.test_recall_laws import opened as opened_stated
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.ports import TextRole, Vectors

START = "2026-03-02T00:00:00.000000+00:00"
PAGE = "# Wheels\n\n{}\n\n## More\n\n" + "Wheels are round, and more is said of them. " * 60
WORDS = st.sampled_from(
    ["red", "wheel", "train", "駅", "北にあります", "今天", "ferry", "“quoted”", "a\tb", "\u2028", "é"]
)
TEXTS = st.lists(WORDS, min_size=1, max_size=6).map(" ".join).filter(str.strip)
TIMES = st.datetimes(min_value=datetime(1950, 1, 1), max_value=datetime(2100, 1, 1)).flatmap(  # noqa: DTZ001
    lambda time: st.integers(-720, 720).map(lambda minutes: time.replace(tzinfo=timezone(timedelta(minutes=minutes))))
)
STATEMENTS = st.builds(
    Statement,
    text=TEXTS,
    occurred_at=st.none() | TIMES,
    speaker=st.none() | st.sampled_from(["Ann", "user", "美香"]),
    session=st.none() | st.sampled_from(["s", "t"]),
    arousal=st.none() | st.floats(0, 1),
    about=st.none() | st.just(("office", "city")),
)


class CountingEmbedder(HashingEmbedder):
    """Counts what it embeds."""

    def __init__(self, dimension: int = 64) -> None:
        super().__init__(dimension)
        self.count = 0

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.count += len(texts)
        return super().embed(texts, role=role)


def opened(path: Path, *, namespace: str = "support", dimension: int = 64) -> Memory:
    return Memory.open(path, namespace=namespace, embedder=CountingEmbedder(dimension), settings=Settings())


def taken(memory: Memory, content: bytes | list[Any]) -> Any:  # noqa: ANN401 - lines of any form
    if isinstance(content, list):
        content = b"".join(json.dumps(line).encode() + b"\n" for line in content)
    return memory.store.import_(io.BytesIO(content))


def lines(content: bytes) -> list[Any]:
    return [json.loads(line) for line in content.splitlines()]


def fill(memory: Memory) -> Memory:
    memory.add_text(PAGE.format("The first wheel is red."), source="wheels", media_type=MediaType.MARKDOWN)
    for number in range(3):
        memory.remember(f"Statement number {number} on trains.", speaker="Ann", session="talk")
    memory.add_text(PAGE.format("The first wheel is green."), source="wheels", media_type=MediaType.MARKDOWN)
    memory.remember("Forget this.")
    memory.forget(memory.list().statements[0].id)
    return memory


@pytest.fixture
def filled(memory: Memory) -> Memory:
    return fill(memory)


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Export a filled memory once, for all who only import it."""
    with opened(tmp_path_factory.mktemp("filled") / "store") as memory:
        return exported(fill(memory))


@pytest.fixture(scope="module")
def filed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Export a filled memory that has a label and an edge, once."""
    with opened(tmp_path_factory.mktemp("filed") / "store") as memory:
        fill(memory).remember("Filed.", metadata={"team": "ops"})
        content = lines(exported(memory))
    ids = [line["id"] for line in content if line.get("table") == "episodes"]
    edge = {"source_id": ids[0], "target_id": ids[1], "kind": "echo", "weight": 0.5, "created_at": START}
    content[-1:] = [{"table": "edges", **edge}, {**content[-1], "records": content[-1]["records"] + 1}]
    return b"".join(json.dumps(line).encode() + b"\n" for line in content)


@pytest.mark.parametrize("with_vectors", [False, True])
def test_a_namespace_comes_back_as_it_was(filled: Memory, tmp_path: Path, with_vectors: bool) -> None:  # noqa: FBT001
    content = exported(filled, with_vectors=with_vectors)
    with opened(tmp_path / "other") as other:
        done = taken(other, content)
        assert (done.documents, done.namespace) == (1, "support")
        assert (done.embedded == 0) is with_vectors
        found = filled.recall("green wheel", limit=100, record=False)
        assert other.recall("green wheel", limit=100, record=False) == found
        assert other.list() == filled.list()
        assert replace(other.stats(), changed=0) == replace(filled.stats(), changed=0)
        assert other.outline.tree("wheels") == filled.outline.tree("wheels")
        assert other.store.verify() == filled.store.verify()
        assert other.store.verify().is_whole
        assert other.store.doctor().findings == ()
        assert exported(other, with_vectors=with_vectors) == content
        other.add_text(PAGE.format("The first wheel is blue."), source="wheels", media_type=MediaType.MARKDOWN)
        assert other.list().documents[0].version == 3
        assert other.store.verify().is_whole


@settings(max_examples=tried(3, long=12))
@given(
    statements=st.lists(STATEMENTS, max_size=8),
    pages=st.lists(st.tuples(st.sampled_from(["a", "b"]), TEXTS, st.booleans()), max_size=4),
    forgotten=st.booleans(),
)
def test_an_import_of_an_export_is_the_same_namespace(
    tmp_path_factory: pytest.TempPathFactory,
    statements: list[Statement],
    pages: list[tuple[str, str, bool]],
    forgotten: bool,  # noqa: FBT001
) -> None:
    folder = tmp_path_factory.mktemp("law")
    with opened(folder / "one") as one, opened(folder / "two") as two, opened(folder / "two", namespace="c") as third:
        third.remember("Another namespace.")
        one.remember("At least this.")
        one.remember_many(statements)
        for source, text, is_long in pages:
            one.add(
                SourceText(source=source, text=PAGE.format(text) if is_long else text, media_type=MediaType.MARKDOWN)
            )
        if forgotten:
            one.forget((one.list().documents or one.list().statements)[0].id)
        content = exported(one)
        elsewhere = one.stats()
        taken(two, content)
        assert exported(two) == content
        assert two.stats() == elsewhere
        assert two.store.verify() == one.store.verify()
        assert two.store.verify().is_whole
        assert two.store.doctor().findings == ()
        for question in ("red wheel train", "駅はどこ", "nothing of this"):
            assert two.recall(question, limit=1000) == one.recall(question, limit=1000)


def test_a_file_appears_whole_and_is_not_overwritten(filled: Memory, tmp_path: Path) -> None:
    done = filled.store.export(tmp_path / "out.jsonl")
    assert (done.documents, done.events, done.has_vectors) == (1, 7, False)
    assert (tmp_path / "out.jsonl").read_bytes() == exported(filled)
    with pytest.raises(InvalidValue, match="is there already"):
        filled.store.export(tmp_path / "out.jsonl")
    with pytest.raises(StoreUnwritable):
        filled.store.export(tmp_path / "none" / "out.jsonl")
    with pytest.raises(NamespaceNotFound), opened(tmp_path / "none") as nothing:
        nothing.store.export(tmp_path / "nothing.jsonl")
    assert not (tmp_path / "nothing.jsonl").exists()
    with opened(tmp_path / "other") as other:
        assert other.store.import_(str(tmp_path / "out.jsonl")).documents == 1
    with opened(tmp_path / "third") as other, pytest.raises(UnreadableSource, match="cannot be read"):
        other.store.import_(tmp_path / "nothing.jsonl")


def test_an_export_of_another_model_is_embedded_anew(filled: Memory, tmp_path: Path) -> None:
    content = exported(filled, with_vectors=True)
    with opened(tmp_path / "other", dimension=32) as other:
        assert taken(other, content).embedded > 0
        assert other.store.doctor().findings == ()
        assert other.recall("green wheel").hits[0].episode == filled.recall("green wheel").hits[0].episode


def test_an_export_enters_a_namespace_of_another_name(filled: Memory, store_path: Path) -> None:
    with opened(store_path, namespace="copy") as copy:
        taken(copy, exported(filled))
        assert copy.recall("green wheel") == filled.recall("green wheel")
        copy.forget(copy.list().documents[0].id)
        assert filled.list().documents
        assert filled.store.doctor().findings == ()


def test_only_an_empty_namespace_takes_an_export(filled: Memory, tmp_path: Path) -> None:
    content = exported(filled)
    with pytest.raises(InvalidValue, match="is not empty"):
        taken(filled, content)
    with opened(tmp_path / "other") as other:
        other.forget(other.remember("Something.").id)
        with pytest.raises(InvalidValue, match="is not empty"):
            taken(other, content)
        assert other.stats().documents == 0


def test_exports_hold_texts_as_people_read_them(filled: Memory) -> None:
    filled.remember("駅は北にあります。")
    assert "駅は北にあります。".encode() in exported(filled)
    assert b"Forget this" not in exported(filled)


def change(content: bytes, table: str, name: str, value: object) -> tuple[int, list[Any]]:
    changed = lines(content)
    number = next(place for place, line in enumerate(changed) if line.get("table") == table)
    changed[number] = {**changed[number], name: value}
    return number + 1, changed


@pytest.mark.parametrize(
    ("table", "name", "value"),
    [
        ("documents", "version", "two"),
        ("documents", "id", None),
        ("documents", "versions", {}),
        ("documents", "versions", [1]),
        ("documents", "versions", [{"number": 1}]),
        ("documents", "another", 1),
        ("episodes", "kind", "dream"),
        ("episodes", "recorded_at", "yesterday"),
        ("episodes", "occurred_offset_minutes", 100_000),
        ("episodes", "language", "xx"),
        ("episodes", "confidence", True),
        ("episodes", "position", 2**70),
        ("episodes", "speaker", "\ud800"),
        ("episodes", "speaker", "nul \0"),
        ("episodes", "payloads", [{"id": "x", "salt": "zz", "text": "t"}]),
        ("episodes", "log_seq", "first"),
        ("events", "table", "dreams"),
        ("events", "table", ["events"]),
        ("events", "body", None),
        ("namespaces", "created_at", 7),
    ],
)
def test_a_wrong_field_is_named_with_its_line(
    content: bytes, tmp_path: Path, table: str, name: str, value: object
) -> None:
    number, changed = change(content, table, name, value)
    with opened(tmp_path / "other") as other:
        with pytest.raises(InvalidValue, match=rf"^Line {number}: "):
            taken(other, changed)
        assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [(b"{", "Line 3 is no JSON"), (b"\xff\n", "Line 3 is no JSON"), (b"[1]", "Line 3 is"), (b"", "Line 3 is no JSON")],
)
def test_a_line_that_is_no_object_is_named(content: bytes, tmp_path: Path, line: bytes, message: str) -> None:
    changed = content.splitlines()
    changed[2] = line
    with opened(tmp_path / "other") as other, pytest.raises(InvalidValue, match=message):
        other.store.import_(io.BytesIO(b"\n".join(changed)))


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"table":' * 100_000, b"[" * 900 + b"]" * 900, b"9" * 100_000])
def test_json_that_is_nested_without_end_is_named_with_its_line(content: bytes, tmp_path: Path, line: bytes) -> None:
    first, *others = content.splitlines(keepends=True)
    with opened(tmp_path / "copy") as copy:
        with pytest.raises(InvalidValue, match=r"^Line 2 "):
            taken(copy, first + line + b"\n" + b"".join(others))
        with pytest.raises(InvalidValue, match=r"^Line 1 "):
            taken(copy, line)


def test_no_field_of_an_export_ends_an_import_with_an_error_of_python(content: bytes, tmp_path: Path) -> None:
    nested: Any = []
    for _ in range(900):
        nested = [nested]
    wrong: tuple[Any, ...] = (
        "[" * 100_000,
        '{"a":' * 5000,
        "9" * 5000,
        10**400,
        float("inf"),
        nested,
        {},
        "\ud800",
        "\0",
        True,
    )
    header, *records = lines(content)
    turns, step = count(), tried(3, long=1)  # of the wrong values, a third in turn
    kinds = {record.get("table"): record for record in records if "table" in record}
    with opened(tmp_path / "copy") as copy:
        for record in kinds.values():
            for name in record:
                for value in wrong[next(turns) % step :: step]:
                    text = json.dumps(header) + "\n" + json.dumps({**record, name: value})
                    with pytest.raises(InvalidValue, match=r"^Line 2|^The export is not whole"):
                        copy.store.import_(io.BytesIO(text.encode()))


def test_a_newer_format_is_refused_and_so_is_what_is_no_export(filled: Memory, tmp_path: Path) -> None:
    content = lines(exported(filled))
    with opened(tmp_path / "other") as other:
        with pytest.raises(InvalidValue, match="has format 2"):
            taken(other, [{**content[0], "format_version": 2}, *content[1:]])
        with pytest.raises(InvalidValue, match="does not say that this is an export"):
            taken(other, content[1:])
        with pytest.raises(InvalidValue, match="Line 1"):
            taken(other, b"")


def test_an_export_that_was_cut_off_or_changed_is_refused(filled: Memory, tmp_path: Path) -> None:
    content = exported(filled, with_vectors=True)
    whole = lines(content)
    with opened(tmp_path / "other") as other:
        with pytest.raises(InvalidValue, match="has no last line"):
            taken(other, whole[:-1])
        with pytest.raises(InvalidValue, match="its last line says"):
            taken(other, [*whole[:-2], whole[-1]])
        with pytest.raises(InvalidValue, match="ended on the line before"):
            taken(other, [*whole, whole[-1]])
        last = {**whole[-1], "records": whole[-1]["records"] + 1}
        with pytest.raises(InvalidValue, match="have one key"):
            taken(other, [*whole[:-1], whole[-2], last])
        with pytest.raises(InvalidValue, match="does not fit together"):
            taken(other, content.replace(b"wheel is green", b"wheel is black"))
        with pytest.raises(InvalidValue, match="does not fit together"):
            taken(other, content.replace(b"number 1 on trains", b"number 7 on trains"))
        _, changed = change(content, "events", "recorded_at", "2020-01-01T00:00:00+00:00")
        with pytest.raises(InvalidValue, match="does not fit together: event 1"):
            taken(other, changed)
        _, changed = change(content, "episodes", "payloads", [])
        with pytest.raises(InvalidValue, match="does not fit together"):
            taken(other, changed)
        assert _rows(tmp_path / "other") == 0
        taken(other, content)  # the control: unchanged, it is taken


@pytest.mark.parametrize(
    ("table", "name", "value"),
    [
        ("episodes", "confidence", 7),
        ("episodes", "arousal", -0.5),
        ("episodes", "occurred_at", "2024-06-01T23:30:00-05:00"),
        ("edges", "weight", float("nan")),
        ("episodes", "position", -1),
        ("episodes", "merge_count", -1),
        ("episodes", "about_subject", "half of it"),
        ("episodes", "session", ""),
        ("episodes", "speaker", " "),
        ("documents", "source", " "),
        ("attributes", "kind", "colour"),
        ("attributes", "kind", "number"),
        ("attributes", "value", ""),
        ("attributes", "name", "a=b"),
        ("attributes", "owner_id", "nobody"),
        ("edges", "weight", 3.0),
        ("edges", "target_id", "nobody"),
    ],
)
def test_what_could_be_written_and_never_read_is_refused(
    filed: bytes, tmp_path: Path, table: str, name: str, value: object
) -> None:
    _, changed = change(filed, table, name, value)
    with opened(tmp_path / "other") as other:
        with pytest.raises(InvalidValue):
            taken(other, changed)
        assert _rows(tmp_path / "other") == 0
        taken(other, filed)  # the control
        other.list()


def test_a_vector_of_another_length_is_refused(filled: Memory, tmp_path: Path) -> None:
    content = lines(exported(filled, with_vectors=True))
    number = next(place for place, line in enumerate(content) if line.get("table") == "episodes")
    for wrong in ("AAAA", "no base64!", 7):
        content[number]["payloads"][0]["vector"] = wrong
        with (
            opened(tmp_path / "other") as other,
            pytest.raises(InvalidValue, match=f"^Line {number + 1}: payloads.vector"),
        ):
            taken(other, content)


def test_nothing_is_visible_when_writing_fails_half_way(
    filled: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = exported(filled)
    with opened(tmp_path / "other") as other:
        with monkeypatch.context() as patch:

            def fail(*_: object, **__: object) -> None:
                raise RuntimeError("half-way")

            patch.setattr("evolore.store.exports._close", fail)
            with pytest.raises(RuntimeError):
                taken(other, content)
        assert _rows(tmp_path / "other") == 0
        assert other.stats().events == 0
        taken(other, content)
        assert other.recall("green wheel") == filled.recall("green wheel")


def _rows(store: Path) -> int:
    if not (store / DATABASE).exists():
        return 0
    tables = ("namespaces", "documents", "episodes", "payloads", "vectors", "events", "chunks", "versions")
    return sum(rows(store, f"select count(*) from {table}")[0][0] for table in tables)


def test_what_follows_an_import_gets_new_ids(filled: Memory, tmp_path: Path) -> None:
    with opened(tmp_path / "other") as other:
        taken(other, exported(filled))
        said = other.remember("One more.", session="talk", occurred_at=datetime(2026, 1, 1, tzinfo=UTC))
        assert said.position == 3
        assert other.store.verify().is_whole
        assert other.store.doctor().findings == ()


def test_what_is_just_being_added_is_not_exported(filled: Memory, store_path: Path, tmp_path: Path) -> None:
    content = exported(filled)
    with closing(sqlite3.connect(store_path / DATABASE)) as connection, connection:
        (document_id,) = connection.execute("select id from documents").fetchone()
        for statement in (
            "insert into documents values (1, 'staged', 'elsewhere', 0, null, '2026-03-02T00:00:00+00:00', 0)",
            (
                "insert into versions select ns, document_id, 3, title, media_type, encoding, language, characters, "
                "content_sha256, chunk_count, episode_count, recorded_at, kept from versions where number = 2"
            ),
            "insert into review_items values (1, 'staged', 'chunking', 'low', 'open', '" + document_id + "', 3, 0, 1, "
            "'r', 's', 1, '[]', null, '2026-03-02T00:00:00+00:00', null, null, 'en', 'c', null, null, null)",
        ):
            connection.execute(statement)
    assert exported(filled) == content


def test_review_items_are_exported_with_their_document(memory: Memory, tmp_path: Path) -> None:
    memory.add_text("x" * 5000, source="cut hard")
    assert memory.stats().open_review_items
    content = exported(memory)
    with opened(tmp_path / "other") as other:
        taken(other, content)
        assert replace(other.stats(), changed=0) == replace(memory.stats(), changed=0)
        assert exported(other) == content


QUESTION = "Where did Mika move to?"


def merged(folder: Path) -> tuple[Memory, str]:
    """Give a memory with one merge, another one that was undone, a calibration and a note of maintenance."""
    memory = opened_stated(folder, [(text, at(number)) for number, text in enumerate(STATED)])
    ids = {one.text: one.id for one in memory.list().statements}
    event_id = merge(memory, ids[STATED[0]], ids[STATED[2]])
    memory.undo(merge(memory, ids[STATED[1]], ids[STATED[4]]))
    with memory._context.store.write("n") as writer:
        writer.put_calibration("m", Language.EN, {"a": 1 / 3}, texts=7, at=at(200))
        writer.set_maintained("splitting", 5)
    return memory, event_id


def test_nothing_is_wrong_with_it(tmp_path: Path) -> None:
    with merged(tmp_path / "s")[0] as memory:
        assert memory.store.doctor().findings == ()
        assert memory.store.verify().is_whole
        assert (memory.stats().statements, memory.stats().hidden_statements) == (5, 3)
        assert len(memory.list(limit=100).statements) == 5


def test_an_import_of_an_export_is_the_same_and_can_still_be_undone(tmp_path: Path) -> None:
    memory, event_id = merged(tmp_path / "s")
    with memory:
        written = exported(memory)
        with Memory.open(
            tmp_path / "t", namespace="n", embedder=HashingEmbedder(), clock=memory._context.clock
        ) as other:
            other.store.import_(io.BytesIO(written))
            assert exported(other) == written
            assert other.store.doctor().findings == ()
            assert found(other.recall(QUESTION)) == found(memory.recall(QUESTION))
            assert found(other.recall(QUESTION, as_of=at(1))) == found(memory.recall(QUESTION, as_of=at(1)))
            with memory._context.store.read("n") as here, other._context.store.read("n") as there:
                hidden = here.event(event_id).episode_ids[0]
                assert here.standing_for([hidden])[hidden] != (hidden,)
                assert there.history(hidden) == here.history(hidden)
                assert there.standing_for([hidden]) == here.standing_for([hidden])
                assert there.calibrations("m") == here.calibrations("m")
                assert there.maintained_to("splitting") == 5
            memory.undo(event_id)
            other.undo(event_id)
            assert found(other.recall(QUESTION)) == found(memory.recall(QUESTION))


def test_a_backup_and_another_model_keep_it(tmp_path: Path) -> None:
    memory, event_id = merged(tmp_path / "s")
    with memory:
        expected = found(memory.recall(QUESTION))
        memory.store.backup(tmp_path / "b")
    with Memory.open(tmp_path / "b", namespace="n", embedder=HashingEmbedder()) as copy:
        assert found(copy.recall(QUESTION)) == expected
    other = HashingEmbedder(48)
    with opened_stated(tmp_path / "s", ()) as memory:
        memory.store.reembed(other)
        assert memory.store.doctor().findings == ()
        assert len(memory.recall(QUESTION, limit=50).hits) == 5
        memory.undo(event_id)
        assert len(memory.recall(QUESTION, limit=50).hits) == 6


MADE = "(select id from episodes where made_by is not null and state = 'active')"
HIDDEN = "(select id from episodes where stands_until is not null limit 1)"
DAMAGES = {
    "no member": (FindingKind.MEMBERS, ["delete from edges where kind = 'member'"]),
    "one member less": (FindingKind.STANDING, [f"delete from edges where kind = 'member' and target_id = {HIDDEN}"]),
    "hidden by nobody": (
        FindingKind.STANDING,
        ["update episodes set stands_until = recorded_at where made_by is null and stands_until is null"],
    ),
    "no history": (FindingKind.HISTORY, ["delete from event_episodes"]),
    "a history of nobody": (FindingKind.HISTORY, ["insert into event_episodes values (1, 'nobody', 1)"]),
    "what was made as a member": (
        FindingKind.ORPHAN,
        [f"insert into edges select ns, {HIDDEN}, {MADE}, 'member', 1.0, created_at from namespaces where ns = 1"],
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_wrong_with_it_is_found_and_mended(tmp_path: Path, name: str) -> None:
    kind, statements = DAMAGES[name]
    with merged(tmp_path / "s")[0] as memory:
        memory.recall(QUESTION)
        damage(tmp_path / "s", *statements)
        assert kind in {one.kind for one in memory.store.doctor().findings}
        repaired = memory.store.doctor(repair=True)
        assert repaired.findings
        assert repaired.is_whole
        assert memory.store.doctor().findings == ()
        texts = {text for text, _ in found(memory.recall(QUESTION, limit=50))}
    with opened_stated(tmp_path / "s", ()) as memory:
        assert {text for text, _ in found(memory.recall(QUESTION, limit=50))} == texts
        assert all(any(text in other for other in texts) for text in STATED)


@pytest.mark.parametrize(
    "statement",
    [
        f"update payloads set text = upper(text) where episode_id = {MADE}",
        "update episodes set made_by = null where made_by is not null and state = 'active'",
    ],
)
def test_what_was_made_is_checked_against_its_event(tmp_path: Path, statement: str) -> None:
    with merged(tmp_path / "s")[0] as memory:
        damage(tmp_path / "s", statement)
        is_altered = "upper" in statement
        assert memory.store.verify().is_whole is not is_altered
        assert not memory.store.doctor().is_whole


def test_what_is_hidden_can_be_shown_and_is_counted_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, event_id = merged(tmp_path / "s")
    with memory:
        with memory._context.store.read("n") as reader:
            standing = reader.standing_for(reader.event(event_id).episode_ids)
        hidden = next(id_ for id_, held in standing.items() if held != (id_,))
        assert hidden not in {one.id for one in memory.list(limit=100).statements}
        assert memory.show(hidden).id == hidden
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    assert "5 (3 more merged" in told(tmp_path, "stats")
    assert "1 statement merged with it to be separate again" in told(tmp_path, "forget", hidden, "--dry-run")


def told(folder: Path, *command: str) -> str:
    result = CliRunner().invoke(app, [*command, "--store", str(folder / "s"), "--namespace", "n"])
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())
