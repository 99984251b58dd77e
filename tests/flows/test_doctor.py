from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import damage, rows
from evolore.config import Settings
from evolore.domain.health import FindingKind
from evolore.errors import NamespaceNotFound, StoreBusy, StoreDamaged
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store import examination
from evolore.store.location import DATABASE
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from evolore.domain.query import Recall
    from evolore.ports import TextRole, Vectors

PAGE = "# Wheels\n\n{}\n\n" + "Wheels are round, and more is said of them. " * 60
LEAF = "(select id from episodes where kind = 'chunk' order by id desc limit 1)"
STATEMENT = "(select id from episodes where kind = 'statement' order by id limit 1)"
DOCUMENT = "(select id from documents limit 1)"


def opened(path: Path) -> Memory:
    return Memory.open(path, namespace="support", embedder=HashingEmbedder(), settings=Settings())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Memory]:
    """Give what opens a copy of a store that is filled once."""
    made = tmp_path_factory.mktemp("made") / "store"
    with opened(made) as memory:
        for text in ("The red train leaves at nine.", "駅は北にあります。", "The ferry is blue."):
            memory.remember(text, speaker="Ann", session="talk")
        memory.add_text(PAGE.format("The first wheel is red."), source="wheels")
        memory.add_text(PAGE.format("The first wheel is green now."), source="wheels")
        memory.remember("Forget this.")
        memory.forget(memory.list().statements[0].id)
    return lambda path: opened(shutil.copytree(made, path))


def seen(found: Recall) -> list[tuple[str, float]]:
    return [(hit.episode.id, hit.score) for hit in found.hits]


def test_nothing_is_found_in_a_whole_store(filled: Callable[[Path], Memory], store_path: Path) -> None:
    with filled(store_path) as memory:
        found = memory.store.doctor(repair=True)
        assert found.is_whole
        assert found.namespaces == ("support",)
        assert found.findings == ()


def test_nothing_is_found_in_a_store_that_is_open_and_of_several_namespaces(
    filled: Callable[[Path], Memory], store_path: Path
) -> None:
    with filled(store_path) as memory, Memory.open(store_path, namespace="b", embedder=HashingEmbedder()) as other:
        other.remember("Elsewhere.")
        assert memory.store.doctor().namespaces == ("b", "support")
        assert memory.store.doctor(all_namespaces=False).namespaces == ("support",)
        assert memory.store.doctor().is_whole


REPAIRABLE = {
    "a staged version": (
        FindingKind.LEFTOVER,
        [
            (
                f"insert into versions select ns, document_id, 3, title, media_type, encoding, language, characters, "
                f"content_sha256, chunk_count, episode_count, recorded_at, kept from versions where document_id = {DOCUMENT} "
                "and number = 2"
            ),
            (
                "insert into episodes select ns, 'staged', kind, state, language, 'staged', document_id, 3, session, position, "
                "speaker, about_subject, about_attribute, occurred_at, occurred_offset_minutes, recorded_at, valid_from, "
                f"valid_to, stands_until, made_by, confidence, arousal, merge_count from episodes where id = {LEAF}"
            ),
            "insert into payloads select ns, 'staged', 'staged', salt, 'staged text', tokens, names, periods from payloads limit 1",
            "insert into vectors select ns, 'staged', model_id, data, arousal from vectors limit 1",
            (
                f"insert into chunks (ns, id, document_id, version, ordinal, outline, start, end, heading_path, tier, "
                f"episode_id, reason) values (1, 'staged', {DOCUMENT}, 3, 0, '1', 0, 11, '[]', 1, 'staged', 'start')"
            ),
        ],
    ),
    "a staged document": (
        FindingKind.LEFTOVER,
        ["insert into documents values (1, 'staged', 'elsewhere', 0, null, '2026-03-02T00:00:00+00:00', 0)"],
    ),
    "a chunk of no version": (
        FindingKind.ORPHAN,
        [
            (
                "insert into chunks (ns, id, document_id, version, ordinal, outline, start, end, heading_path, tier, "
                "reason) values (1, 'lost', 'nowhere', 1, 0, '1', 0, 11, '[]', 1, 'start')"
            )
        ],
    ),
    "a text of no episode": (
        FindingKind.ORPHAN,
        ["insert into payloads values (1, 'lost', 'nobody', zeroblob(16), 'text', 'text', '', '')"],
    ),
    "a vector of no text": (
        FindingKind.ORPHAN,
        ["insert into vectors select ns, 'lost', model_id, data, arousal from vectors limit 1"],
    ),
    "an edge to nobody": (
        FindingKind.ORPHAN,
        [f"insert into edges values (1, {STATEMENT}, 'nobody', 'echo', 1.0, '2026-03-02T00:00:00+00:00')"],
    ),
    "an edge from nobody": (
        FindingKind.ORPHAN,
        [f"insert into edges values (1, 'nobody', {STATEMENT}, 'echo', 1.0, '2026-03-02T00:00:00+00:00')"],
    ),
    "labels of nobody": (
        FindingKind.ORPHAN,
        ["insert into attributes values (1, 'nobody', 'team', 'text', 'ops'), (1, 'nobody', 'urgent', 'tag', '')"],
    ),
    "a review item about nothing": (
        FindingKind.ORPHAN,
        [
            (
                "insert into review_items values (1, 'lost', 'chunking', 'low', 'open', 'nowhere', 1, 0, 1, 'r', 's', 1, "
                "'[]', null, '2026-03-02T00:00:00+00:00', null, null, 'en', 'c', null, null, null)"
            )
        ],
    ),
    "a review item about nobody": (
        FindingKind.ORPHAN,
        [
            (
                "insert into review_items values (1, 'lost2', 'note', 'low', 'open', null, null, null, null, 'r', 's', 1, "
                "'[]', null, '2026-03-02T00:00:00+00:00', null, null, 'en', 'd', 'nobody', null, null)"
            )
        ],
    ),
    "no vectors": (FindingKind.VECTORS, ["delete from vectors"]),
    "a vector of another model": (FindingKind.VECTORS, ["update vectors set model_id = 'another'"]),
    "a vector too short": (FindingKind.VECTORS, ["update vectors set data = substr(data, 1, 10)"]),
    "a vector of nothing": (FindingKind.VECTORS, ["update vectors set data = zeroblob(length(data))"]),
    "a vector that is no number": (
        FindingKind.VECTORS,
        ["update vectors set data = cast(x'00fe' || substr(data, 3) as blob)"],
    ),
    "no tokens": (FindingKind.TOKENS, ["update payloads set tokens = ''"]),
    "other tokens": (FindingKind.TOKENS, ["update payloads set tokens = 'x' || tokens"]),
    "other names": (FindingKind.NAMES, ["update payloads set names = 'Nobody'"]),
    "other periods": (FindingKind.PERIODS, ["update payloads set periods = '2020-01-01/2020-01-02'"]),
    "periods that are none": (FindingKind.PERIODS, ["update payloads set periods = 'someday/never'"]),
    "an estimate of nobody": (FindingKind.AROUSAL, ["update vectors set arousal = 0.25"]),
    "other counts": (FindingKind.COUNTS, ["update versions set chunk_count = 99, episode_count = 98"]),
    "other places": (
        FindingKind.POSITIONS,
        [f"update episodes set position = position + 7 where document_id = {DOCUMENT} and state = 'active'"],
    ),
    "one place for two": (FindingKind.POSITIONS, ["update episodes set position = 1 where session = 'talk'"]),
    "no index log": (FindingKind.INDEX_LOG, ["delete from index_log"]),
    "an entry that it left": (FindingKind.INDEX_LOG, [f"update index_log set present = 0 where episode_id = {LEAF}"]),
    "an entry of nobody": (FindingKind.INDEX_LOG, ["update index_log set present = 1"]),
    "a log count too low": (FindingKind.INDEX_LOG, ["update namespaces set log_seq = 1"]),
}


@pytest.mark.parametrize("name", REPAIRABLE)
def test_what_is_left_over_or_derived_is_found_and_repaired(
    filled: Callable[[Path], Memory], store_path: Path, name: str
) -> None:
    kind, statements = REPAIRABLE[name]
    with filled(store_path) as memory:
        before = seen(memory.recall("green wheel train", limit=50))
        listing = memory.list()
        damage(store_path, *statements)
        found = memory.store.doctor()
        assert kind in {finding.kind for finding in found.findings}
        assert all(finding.can_be_repaired and not finding.is_repaired for finding in found.findings)
        assert all(finding.reason and finding.remedy and finding.namespace == "support" for finding in found.findings)
        assert not found.is_whole
        assert memory.store.doctor().findings == found.findings
        repaired = memory.store.doctor(repair=True).findings
        assert kind in {finding.kind for finding in repaired}
        assert all(finding.is_repaired for finding in repaired)
        assert memory.store.doctor().findings == ()
    with Memory.open(store_path, namespace="support", embedder=HashingEmbedder(), settings=Settings()) as memory:
        assert memory.list() == listing
        after = dict(seen(memory.recall("green wheel train", limit=50)))
        assert after == pytest.approx(dict(before))
        assert memory.store.verify().is_whole


def test_what_moves_is_told_to_the_indexes_once(filled: Callable[[Path], Memory], store_path: Path) -> None:
    with filled(store_path) as memory:
        damage(store_path, "update episodes set position = 1 where session = 'talk'")
        told = "select episode_id from index_log where seq > (select log_seq from namespaces where name = 'support')"
        ((before,),) = rows(store_path, "select log_seq from namespaces where name = 'support'")
        memory.store.doctor(repair=True)
        assert rows(store_path, told) == []
        moved = rows(store_path, "select episode_id from index_log where seq > ?", before)
        assert moved
        assert len(moved) == len(set(moved))


class Counting(HashingEmbedder):
    """Notes how many texts it was given."""

    embedded = 0

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.embedded += len(texts)
        return super().embed(texts, role=role)


@pytest.mark.parametrize(
    ("statement", "is_embedded"),
    [
        ("update payloads set tokens = '', names = 'Nobody', periods = 'x'", False),
        ("update vectors set data = zeroblob(length(data))", True),
    ],
)
def test_only_texts_without_a_sound_vector_are_embedded_when_keys_are_mended(
    filled: Callable[[Path], Memory], store_path: Path, statement: str, *, is_embedded: bool
) -> None:
    with filled(store_path):
        damage(store_path, statement)
    counting = Counting()
    with Memory.open(store_path, namespace="support", embedder=counting, settings=Settings()) as memory:
        assert memory.store.doctor(repair=True).is_whole
        assert memory.store.doctor().findings == ()
    assert bool(counting.embedded) is is_embedded


def test_an_open_index_takes_in_what_was_repaired(filled: Callable[[Path], Memory], store_path: Path) -> None:
    with filled(store_path) as memory:
        before = dict(seen(memory.recall("green wheel train", limit=50)))
        damage(
            store_path,
            "update payloads set tokens = 'nothing'",
            "update vectors set data = zeroblob(length(data))",
            "insert into index_log select ns, seq + 1000, episode_id, present from index_log where seq in "
            "(select max(seq) from index_log group by episode_id)",
        )
        assert dict(seen(memory.recall("green wheel train", limit=50))) != pytest.approx(before)
        memory.store.doctor(repair=True)
        assert dict(seen(memory.recall("green wheel train", limit=50))) == pytest.approx(before)


LOST = {
    "a text is gone": (FindingKind.TEXT_LOST, [f"delete from payloads where episode_id = {LEAF}"]),
    "an episode is gone": (FindingKind.TEXT_LOST, [f"delete from episodes where id = {LEAF}"]),
    "a document is gone": (FindingKind.TEXT_LOST, ["delete from documents"]),
    "the versions are gone": (FindingKind.TEXT_LOST, ["delete from versions"]),
    "the outline is gone": (FindingKind.TEXT_LOST, ["delete from chunks"]),
    "a passage was changed": (
        FindingKind.TEXT_ALTERED,
        [f"update payloads set text = upper(text) where episode_id = {LEAF}"],
    ),
    "a passage is longer": (
        FindingKind.TEXT_ALTERED,
        [f"update payloads set text = text || '!' where episode_id = {LEAF}"],
    ),
    "a recorded length was changed": (FindingKind.TEXT_ALTERED, ["update versions set characters = characters + 1"]),
    "a recorded hash was changed": (FindingKind.TEXT_ALTERED, ["update versions set content_sha256 = 'x'"]),
    "a span was changed": (FindingKind.TEXT_ALTERED, ["update chunks set end = end + 1"]),
    "a statement was changed": (
        FindingKind.EVENTS,
        [f"update payloads set text = upper(text) where episode_id = {STATEMENT}"],
    ),
    "an event was changed": (FindingKind.EVENTS, ["update events set body = '{}' where seq = 2"]),
    "a state that is none": (FindingKind.VALUES, [f"update episodes set state = 'asleep' where id = {STATEMENT}"]),
    "a language that is none": (FindingKind.VALUES, [f"update episodes set language = 'xx' where id = {LEAF}"]),
    "a share beyond one": (FindingKind.VALUES, [f"update episodes set confidence = 7 where id = {STATEMENT}"]),
    "a time that is none": (FindingKind.VALUES, ["update versions set recorded_at = 'once' where number = 2"]),
    "an outline that is none": (FindingKind.VALUES, ["update chunks set outline = '1..2' where ordinal = 0"]),
    "a label that is none": (
        FindingKind.VALUES,
        [f"insert into attributes values (1, {STATEMENT}, 'year', 'number', 'soon')"],
    ),
    "a namespace is gone": (FindingKind.TEXT_LOST, ["delete from namespaces"]),
}


@pytest.mark.parametrize("name", LOST)
def test_what_is_lost_is_found_and_no_text_is_deleted(
    filled: Callable[[Path], Memory], store_path: Path, name: str
) -> None:
    kind, statements = LOST[name]
    with filled(store_path) as memory:
        damage(store_path, *statements)
        texts = rows(store_path, "select id, text from payloads order by id")
        found = memory.store.doctor(repair=True)
        assert kind in {finding.kind for finding in found.findings if not finding.is_repaired}
        assert not found.is_whole
        left = memory.store.doctor().findings
        assert {finding.kind for finding in left} == {f.kind for f in found.findings if not f.is_repaired}
        assert not any(finding.can_be_repaired for finding in left)
        assert rows(store_path, "select id, text from payloads order by id") == texts


def test_a_file_that_is_no_database_is_a_finding(filled: Callable[[Path], Memory], store_path: Path) -> None:
    with filled(store_path):
        pass
    (store_path / DATABASE).write_bytes(b"no database at all" * 1000)
    with Memory.open(store_path, embedder=HashingEmbedder()) as memory:
        [finding] = memory.store.doctor(repair=True).findings
    assert finding.kind is FindingKind.UNREADABLE
    assert not finding.can_be_repaired


def test_broken_pages_are_a_finding(filled: Callable[[Path], Memory], store_path: Path) -> None:
    with filled(store_path):
        pass
    with closing(sqlite3.connect(store_path / DATABASE)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)").close()
    whole = (store_path / DATABASE).read_bytes()
    (store_path / DATABASE).write_bytes(whole[:8192] + b"\xa5" * (len(whole) - 8192))
    with Memory.open(store_path, embedder=HashingEmbedder()) as memory:
        found = memory.store.doctor(repair=True)
    assert {finding.kind for finding in found.findings} == {FindingKind.UNREADABLE}


def test_bytes_that_are_no_text_are_a_finding(filled: Callable[[Path], Memory], store_path: Path) -> None:
    with filled(store_path) as memory:
        damage(store_path, "update versions set title = cast(x'ff41' as text)")
        found = memory.store.doctor()
        assert FindingKind.UNREADABLE in {finding.kind for finding in found.findings}


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("update alembic_version set version_num = '9999'", FindingKind.SCHEMA),
        ("update settings set value = 'old' where name = 'analyser_version'", FindingKind.SCHEMA),
        ("update settings set value = 'other' where name = 'embedding_model'", FindingKind.EMBEDDER),
    ],
)
def test_a_store_of_another_version_or_model_is_a_finding(
    filled: Callable[[Path], Memory], store_path: Path, statement: str, kind: FindingKind
) -> None:
    with filled(store_path):
        pass
    damage(store_path, statement)
    with Memory.open(store_path, embedder=HashingEmbedder()) as memory:
        [finding] = memory.store.doctor(repair=True).findings
    assert finding.kind is kind
    assert not finding.can_be_repaired


def test_there_must_be_a_store_and_a_namespace(memory: Memory, store_path: Path) -> None:
    with pytest.raises(NamespaceNotFound):
        memory.store.doctor()
    memory.remember("Something.")
    with Memory.open(store_path, namespace="none", embedder=HashingEmbedder()) as other:
        assert other.store.doctor(all_namespaces=False).namespaces == ()
        assert other.store.doctor().is_whole


def test_a_store_that_is_held_is_not_called_broken(
    filled: Callable[[Path], Memory], store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: object) -> None:
        raise StoreBusy("Another process has been writing")

    with filled(store_path) as memory:
        monkeypatch.setattr(examination, "_file_findings", busy)
        with pytest.raises(StoreBusy):
            memory.store.doctor()


@settings(max_examples=tried(3, long=5))
@given(names=st.lists(st.sampled_from(sorted(REPAIRABLE)), min_size=2, max_size=4, unique=True))
def test_several_damages_are_repaired_together(
    filled: Callable[[Path], Memory], tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    store = tmp_path_factory.mktemp("damaged") / "store"
    with filled(store) as memory:
        for name in names:
            with closing(sqlite3.connect(store / DATABASE)) as connection, connection:
                for statement in REPAIRABLE[name][1]:
                    connection.execute(statement)
        memory.store.doctor(repair=True)
        assert memory.store.doctor().findings == ()
        assert memory.store.verify().is_whole


def test_nothing_is_repaired_in_a_store_that_cannot_be_read_whole(
    filled: Callable[[Path], Memory], store_path: Path
) -> None:
    with filled(store_path) as memory:
        damage(store_path, "delete from index_log", "update versions set title = cast(x'ff41' as text)")
        found = memory.store.doctor(repair=True)
        assert FindingKind.UNREADABLE in {finding.kind for finding in found.findings}
        assert not any(finding.is_repaired for finding in found.findings)


def test_labels_of_what_is_lost_in_part_are_kept(filled: Callable[[Path], Memory], store_path: Path) -> None:
    with filled(store_path) as memory:
        memory.add_text("Filed.", source="filed", metadata={"team": "ops"}, tags=["urgent"])
        memory.remember("Filed too.", tags=["urgent"])
        damage(store_path, "delete from documents", "delete from episodes where kind = 'statement'")
        memory.store.doctor(repair=True)
        assert rows(store_path, "select count(*) from attributes") == [(3,)]


@pytest.mark.parametrize("name", [name for name, (kind, _) in LOST.items() if kind is FindingKind.VALUES])
def test_a_row_that_cannot_be_read_is_named_and_not_called_a_wrong_input(
    filled: Callable[[Path], Memory], store_path: Path, name: str
) -> None:
    with filled(store_path) as memory:
        damage(store_path, *LOST[name][1])
        with pytest.raises(StoreDamaged, match="evolore store doctor"):
            read_everything(memory)


def read_everything(memory: Memory) -> None:
    memory.list()
    memory.outline.tree("wheels")
    memory.recall("green wheel train", limit=50)


@pytest.mark.parametrize(
    "name", ["no vectors", "a vector of another model", "a vector too short", "a vector that is no number"]
)
def test_recall_names_the_cure_where_vectors_are_lost(
    filled: Callable[[Path], Memory], store_path: Path, name: str
) -> None:
    with filled(store_path) as memory:
        before = dict(seen(memory.recall("green wheel train", limit=50)))
    damage(store_path, *REPAIRABLE[name][1])
    with Memory.open(store_path, namespace="support", embedder=HashingEmbedder(), settings=Settings()) as memory:
        with pytest.raises(StoreDamaged, match=r"vectors of \d+ texts of the namespace 'support' .*doctor --repair"):
            memory.recall("green wheel train")
        memory.store.doctor(repair=True)
        assert dict(seen(memory.recall("green wheel train", limit=50))) == pytest.approx(before)


@pytest.mark.parametrize(
    "statements",
    [("update namespaces set log_seq = 0",), ("update namespaces set event_seq = 0",), ("drop table index_log",)],
)
def test_what_a_broken_store_cannot_take_in_is_not_a_fault_of_ours(
    filled: Callable[[Path], Memory], store_path: Path, statements: tuple[str, ...]
) -> None:
    with filled(store_path) as memory:
        with closing(sqlite3.connect(store_path / DATABASE)) as connection, connection:
            for statement in statements:
                connection.execute(statement)
        with pytest.raises(StoreDamaged):
            memory.remember("One more.")
