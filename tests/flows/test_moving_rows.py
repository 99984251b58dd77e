"""A store in which everything is held moves by export and import: every row comes back, or is documented not to."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from builders import exported
from evolore.domain.episode import Statement
from evolore.domain.evolution import JobState
from evolore.domain.language import Language
from evolore.domain.outcome import Rating
from evolore.domain.review import Keep
from evolore.flows.calibrate import to_parameters
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.tables import WHOLE_STORE, index_log, metadata, namespaces, query_vectors, stagings
from evolving.complaints import DAY
from evolving.corrections import opened, outdated
from evolving.scripted import ScriptedEditor
from flows.test_correcting import ON
from flows.test_maintain import SCALE

if TYPE_CHECKING:
    from pathlib import Path

Rows = dict[str, list[dict[str, Any]]]
NOT_MOVED = {
    stagings.name: "a version that is just being added is added again",
    index_log.name: "only its last entry of each text that is visible moves",
    namespaces.name: "its number and how often it was written are of the store it lies in",
}
VALUES = (("Mika", "Kobe"), ("Ada", "Nara"), ("Bob", "Kyoto"))


def say(memory: Memory) -> None:
    """Say things of several speakers, of which some repeat, contradict, correct or are forgotten."""
    for who, place in VALUES:
        memory.remember_many(
            [
                Statement(text=f"My office is in {place}.", speaker=who, session="s", tags=("office",)),
                Statement(text="The red key lies in the left drawer.", speaker=who, session=who),
                Statement(text=f"Likes {place}.", speaker=who, about=(who, "place"), metadata={"floor": 3}),
            ],
            principal=who,
        )
        memory.remember(f"My office is in {place}town now.", speaker=who, session="s", principal=who)
    said = {one.text: one.id for one in memory.list(limit=100).statements}
    memory.correct(said["Likes Kobe."], "Likes Osaka.", principal="Mika")
    memory.undo(memory.history()[-1].id)
    memory.remember("The store opens at nine.", session="t")
    memory.remember("The store opens at ten.", session="t")
    gone = memory.remember("The word is zqcanary.")
    memory.forget(gone.id)


def ask(memory: Memory) -> None:
    """Ask, rate, be not served, and mark that."""
    for number, (who, _) in enumerate(VALUES):
        answer = memory.answer("Where does the red key lie?", principal=who)
        memory.rate(answer.id, Rating.GOOD if number else Rating.BAD, comment=f"says {who}", principal=who)
        missed = memory.recall("Do we repair bicycles in the yard?", record=True, principal=who).query_id
        assert missed is not None
        memory.rate(missed, Rating.BAD, comment="no word of bicycles", principal=who)
    for gap, act in zip(memory.evolution.gaps(), (memory.evolution.take_gap, memory.evolution.close_gap), strict=False):
        act(gap.id, principal="Mika")
    memory.questions.resonate(memory.list().statements[0].id, arousal=0.8)
    memory.questions.record_answer("Which key?", "The red one.", principal="Ada")
    memory.questions.unlearn("Bob")


def fill(folder: Path) -> None:
    with outdated(folder, model=ScriptedEditor(), evolution=ON) as memory:
        (job,) = memory.evolve()
        assert job.state is JobState.PROMOTED
        memory.evolution.rollback(job.promotions[0].id, reason="No.")
        say(memory)
        ask(memory)
        memory.review.note("Look at it.")
        memory.review.resolve(memory.review.list()[0].id or "")
        for one in memory.review.list(category="contradiction")[:1]:
            memory.review.settle(one.id or "", keep=Keep.NEWER)
        while memory.maintain().remaining:
            pass
        with memory._context.store.write(memory.namespace) as writer:
            scale = to_parameters(SCALE)
            writer.put_calibration(HashingEmbedder().model.id, Language.EN, scale, texts=100, at=DAY)


def rows_of(memory: Memory) -> Rows:
    """Give every row of a namespace by table, without the number of the namespace."""
    with memory._context.store._open.database().reading() as connection:
        ns = connection.scalar(select(namespaces.c.ns).where(namespaces.c.name == memory.namespace))
        found: Rows = {}
        for table in metadata.tables.values():
            if table not in WHOLE_STORE:
                query = select(table).where(table.c.ns == ns).order_by(*table.primary_key.columns)
                found[table.name] = [dict(row) | {"ns": 0} for row in connection.execute(query).mappings()]
        own = select(namespaces).where(namespaces.c.ns == ns)
        found[namespaces.name] = [dict(connection.execute(own).mappings().one())]
    return found


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("full")
    fill(folder)
    return folder


@pytest.mark.parametrize("with_vectors", [True, False])
def test_every_row_comes_back_from_an_export(full: Path, tmp_path: Path, *, with_vectors: bool) -> None:
    place, embedder = tmp_path / "store", HashingEmbedder()
    with Memory.open(place, namespace="other", embedder=embedder) as other:  # so that the namespace has another number
        other.remember("It was here first.")
    with opened(full, hours=30) as memory, opened(tmp_path, hours=60) as moved:
        before, content = rows_of(memory), exported(memory, with_vectors=with_vectors)
        assert [name for name, rows in before.items() if not rows] == [stagings.name]
        imported = moved.store.import_(BytesIO(content))
        assert imported.embedded == (0 if with_vectors else len(before["payloads"]))
        after = rows_of(moved)
        left_out = set(NOT_MOVED) if with_vectors else {*NOT_MOVED, query_vectors.name}
        assert {name for name in before if before[name] != after[name]} == left_out - {stagings.name}
        entries = {row["episode_id"]: row for row in before[index_log.name]}  # the last of each, as they come in order
        assert after[index_log.name] == [row for row in entries.values() if row["present"]]
        (mine,), (theirs,) = before[namespaces.name], after[namespaces.name]
        assert {name for name in mine if mine[name] != theirs[name]} - {"log_seq"} == {"ns", "revision"}
        assert entries
        assert theirs["log_seq"] <= mine["log_seq"]
        assert exported(moved, with_vectors=with_vectors) == content
        assert moved.store.verify().is_whole
        assert moved.store.doctor().findings == ()
        assert moved.maintain().remaining == 0
