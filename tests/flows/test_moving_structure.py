"""What was merged, hidden and undone outlives export, import, backup and a change of the model, and can be mended."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from evolore.domain.health import FindingKind
from evolore.domain.language import Language
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.opening import DATABASE
from flows.test_standing import SAID, at, found, merge, opened

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "Where did Mika move to?"


def merged(folder: Path) -> tuple[Memory, str]:
    """Give a memory with one merge, another one that was undone, a calibration and a note of maintenance."""
    memory = opened(folder, [(text, at(number)) for number, text in enumerate(SAID)])
    ids = {one.text: one.id for one in memory.list().statements}
    event_id = merge(memory, ids[SAID[0]], ids[SAID[2]])
    memory.undo(merge(memory, ids[SAID[1]], ids[SAID[4]]))
    with memory._context.store.write("n") as writer:
        writer.put_calibration("m", Language.EN, {"a": 1 / 3}, texts=7, at=at(200))
        writer.set_maintained("splitting", 5)
    return memory, event_id


def exported(memory: Memory) -> bytes:
    stream = io.BytesIO()
    memory.store.export(stream)
    return stream.getvalue()


def damage(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        for statement in statements:
            assert connection.execute(statement).rowcount > 0, statement


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
    with opened(tmp_path / "s", ()) as memory:
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
    with opened(tmp_path / "s", ()) as memory:
        assert {text for text, _ in found(memory.recall(QUESTION, limit=50))} == texts
        assert all(any(text in other for other in texts) for text in SAID)


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
    assert "1 statement merged with it to stand alone again" in told(tmp_path, "forget", hidden, "--dry-run")


def told(folder: Path, *command: str) -> str:
    result = CliRunner().invoke(app, [*command, "--store", str(folder / "s"), "--namespace", "n"])
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())
