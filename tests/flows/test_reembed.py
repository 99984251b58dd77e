"""``reembed``: recall and writes go on with the old model until the switch, and nothing is missing after it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import rows
from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.episodes.settings import MaintenanceSettings
from evolore.errors import EmbedderMismatch, InvalidValue, NamespaceNotFound, NotFound, StoreBusy, StoreFailed
from evolore.index.settings import IndexSettings
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import EmbeddingModel, TextRole
from evolore.store.index_rows import StoreFeed
from evolore.store.location import DATABASE
from evolore.store.reembedding import Reembedding
from evolore.store.store import Store
from laws import tried

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from evolore.ports import Embedder, Vectors

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
OLD, NEW = HashingEmbedder(16), HashingEmbedder(48)
PAGE = "# Wheels\n\n{}\n\n" + "Wheels are round, and more is said of them. " * 60
LARGE = "\n\n".join(f"## Part {number}\n\n" + f"Matter {number} has its own words. " * 12 for number in range(160))


class Mirrored(HashingEmbedder):
    """Another model of the same dimension: what is near for one is not for the other."""

    @property
    def model(self) -> EmbeddingModel:
        return EmbeddingModel(id="mirrored", dimension=super().model.dimension)

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        return np.ascontiguousarray(super().embed(texts, role=role)[:, ::-1])


class Stopped(Exception):
    """What a test stops a reembed with."""


def open_memory(path: Path, embedder: Embedder = OLD, *, namespace: str = "support") -> Memory:
    clock = SteppingClock(START, step=timedelta(seconds=1))
    chosen = Settings(max_leaves_at_once=64)
    return Memory.open(path, namespace=namespace, embedder=embedder, clock=clock, settings=chosen)


def fill(memory: Memory) -> None:
    memory.remember_many(Statement(text=f"Train {number} leaves at nine.", session="s") for number in range(150))
    memory.add_text(PAGE.format("The first wheel is red."), source="wheels")
    memory.add_text(PAGE.format("The first wheel is green now."), source="wheels")
    memory.forget(memory.remember("Forget this.").id)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "store"
    with open_memory(path) as memory:
        fill(memory)
    with open_memory(path, namespace="other") as memory:
        memory.remember("Elsewhere, the harbour is blue.")
    return path


@pytest.fixture
def filled(made: Path, store_path: Path) -> Path:
    return shutil.copytree(made, store_path)


def stop_after(calls: int, then: Callable[[], object] = lambda: None) -> Callable[..., None]:
    left = [calls]

    def hear(*, done: int, texts: int) -> None:
        assert 0 <= done <= texts
        left[0] -= 1
        if left[0] == 0:
            then()
            raise Stopped

    return hear


def half(path: Path, calls: int = 2, embedder: Embedder = NEW) -> None:
    """Leave a reembed half done."""
    with open_memory(path) as memory, pytest.raises(Stopped):
        memory.store.reembed(embedder, progress=stop_after(calls))


def vectors(path: Path) -> dict[str, int]:
    return {str(id_): int(str(n)) for id_, n in rows(path, "select model_id, count(*) from vectors group by 1")}


def seen(memory: Memory, question: str) -> list[tuple[str, float, tuple[float, ...]]]:
    hits = memory.recall(question, limit=1000).hits
    found = [(hit.episode.text, round(hit.score, 5), tuple(round(term.value, 5) for term in hit.terms)) for hit in hits]
    return sorted(found, key=lambda one: (-one[1], one[0]))


WORDS = st.sampled_from(("red train", "the ferry", "駅は北", "harbour wall", "ledger", "velvet and timber", "x"))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("remember"), st.lists(WORDS, min_size=1, max_size=4).map(" ".join), st.sampled_from("ab")),
        st.tuples(st.just("add"), st.lists(WORDS, min_size=1, max_size=9).map(". ".join), st.sampled_from("pq")),
        st.tuples(st.just("forget"), st.integers(0, 5)),
    ),
    max_size=8,
)


def do(memory: Memory, step: tuple[object, ...]) -> None:
    match step:
        case ("remember", str(text), str(session)):
            memory.remember(text, session=session, speaker="Ann" if session == "a" else None)
        case ("add", str(text), str(source)):
            memory.add_text(f"# {source}\n\n{text}", source=source)
        case ("forget", int(number)):
            listed = memory.list(limit=100)
            held = [*(item.id for item in listed.documents), *(item.id for item in listed.statements)]
            if number < len(held):
                memory.forget(held[number])
        case _:
            raise AssertionError(step)


@settings(max_examples=tried(5, long=12))
@given(before=STEPS, between=STEPS, calls=st.integers(1, 3))
def test_recall_equals_that_of_a_fresh_store_of_the_new_model(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[tuple[object, ...]],
    between: list[tuple[object, ...]],
    calls: int,
) -> None:
    folder = tmp_path_factory.mktemp("law")
    first: tuple[object, ...] = ("remember", "the red train", "a")
    with open_memory(folder / "changed") as changed, open_memory(folder / "fresh", NEW) as fresh:
        for step in (first, *before, *between):
            do(fresh, step)
        for step in (first, *before):
            do(changed, step)
        with suppress(Stopped):
            changed.store.reembed(NEW, progress=stop_after(calls))
        for step in between:
            do(changed, step)
        changed.store.reembed(NEW)
        for question in ("red train", "駅", "velvet ledger wall"):
            assert seen(changed, question) == seen(fresh, question)
        assert set(vectors(folder / "changed")) <= {NEW.model.id}
        assert changed.store.doctor().is_whole
        assert changed.store.verify().is_whole


def test_it_says_what_it_did_and_every_namespace_has_an_event_without_text(filled: Path) -> None:
    with open_memory(filled) as memory:
        texts = sum(vectors(filled).values())
        would = memory.store.reembed(NEW, dry_run=True)
        assert (would.texts, would.remaining, would.embedded, would.is_dry_run) == (texts, texts, 0, True)
        assert set(vectors(filled)) == {OLD.model.id}
        done = memory.store.reembed(NEW, principal="mika")
        assert (done.old_model, done.new_model) == (OLD.model, NEW.model)
        assert (done.texts, done.embedded, done.remaining, done.deleted_vectors) == (texts, texts, 0, texts)
        assert set(done.events) == {"other", "support"}
        assert done.lingering_in == ()
        assert memory.stats().model == NEW.model
        assert memory.store.verify(all_namespaces=True).is_whole
    events = rows(filled, "select id, principal, body from events where kind = 'reembedded'")
    assert {str(id_) for id_, _, _ in events} == set(done.events.values())
    assert {principal for _, principal, _ in events} == {"mika"}
    counts = [json.loads(str(body)) for _, _, body in events]
    assert all(set(body) == {"from", "to", "vectors"} for body in counts)
    assert sum(body["vectors"] for body in counts) == texts


def test_the_memory_goes_on_with_the_new_model_and_a_second_time_does_nothing(filled: Path) -> None:
    with open_memory(filled) as memory:
        memory.store.reembed(NEW)
        memory.remember("The ferry is white.", session="s")
        assert memory.recall("white ferry").hits[0].episode.text == "The ferry is white."
        again = memory.store.reembed(NEW)
        assert (again.old_model, again.embedded, again.deleted_vectors, again.events) == (NEW.model, 0, 0, {})
        assert len(rows(filled, "select 1 from events where kind = 'reembedded'")) == 2
    with open_memory(filled, NEW) as memory:
        assert memory.recall("white ferry").hits[0].episode.text == "The ferry is white."
        back = memory.store.reembed(OLD)
        assert (back.old_model, back.new_model) == (NEW.model, OLD.model)


def test_any_memory_may_do_it_also_one_that_could_not_be_used(filled: Path) -> None:
    with open_memory(filled, HashingEmbedder(7)) as memory:
        with pytest.raises(EmbedderMismatch):
            memory.recall("train")
        memory.store.reembed(NEW)
        assert memory.recall("train").hits


def test_what_was_embedded_is_kept_and_the_rest_made(filled: Path) -> None:
    half(filled)
    made = vectors(filled)
    assert 0 < made[NEW.model.id] < made[OLD.model.id]
    with open_memory(filled) as memory:
        would = memory.store.reembed(NEW, dry_run=True)
        assert would.remaining == would.texts - made[NEW.model.id]
        heard: list[tuple[int, int]] = []

        def hear(*, done: int, texts: int) -> None:
            heard.append((done, texts))

        done = memory.store.reembed(NEW, progress=hear)
        assert done.embedded == would.remaining
        assert heard[0] == (made[NEW.model.id], would.texts)
        assert heard[-1] == (would.texts, would.texts)


def test_recall_before_the_switch_is_that_of_the_old_model(filled: Path) -> None:
    with open_memory(filled) as memory:
        before = seen(memory, "train nine")
    half(filled)
    with open_memory(filled) as memory:
        assert seen(memory, "train nine") == before


def test_what_others_write_meanwhile_is_embedded_too(filled: Path) -> None:
    written = 0

    def write(*, done: int, texts: int) -> None:
        nonlocal written
        written += 1
        if written <= 4:
            other.remember(f"Meanwhile {written}, the ferry is late.", session="meanwhile")
            other.add_text(PAGE.format(f"Wheel {written} is new."), source="wheels")
            other.forget(next(item.id for item in other.list(limit=1000).statements if item.text.startswith("Train")))

    with open_memory(filled) as memory, open_memory(filled) as other:
        memory.store.reembed(NEW, progress=write)
        assert written > 4
        assert memory.recall("ferry late", session="meanwhile").searched == 4
        assert memory.store.doctor().is_whole
        assert set(vectors(filled)) == {NEW.model.id}


def writing_before_the_switch(monkeypatch: pytest.MonkeyPatch, write: Callable[[], object], times: int) -> list[bool]:
    """Write between the last look at what is missing and the switch, and note what each switch gave."""
    switch = Reembedding.switch
    outcomes: list[bool] = []

    def switched(self: Reembedding, *, at: dt.datetime, principal: str | None) -> Mapping[str, str] | None:
        if len(outcomes) < times:
            write()
        events = switch(self, at=at, principal=principal)
        outcomes.append(events is not None)
        return events

    monkeypatch.setattr(Reembedding, "switch", switched)
    return outcomes


def test_the_switch_waits_for_what_was_written_just_before_it(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_memory(filled) as memory, open_memory(filled) as other:
        outcomes = writing_before_the_switch(monkeypatch, lambda: other.remember("Just before."), 3)
        memory.store.reembed(NEW)
        assert outcomes == [False, False, False, True]
        assert memory.store.doctor().is_whole


def test_writers_that_are_never_caught_up_with_are_told_and_nothing_is_lost(
    filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolore.flows.reembed._ROUNDS", 3)
    with open_memory(filled) as memory, open_memory(filled) as other:
        writing_before_the_switch(monkeypatch, lambda: other.remember("Just before."), 3)
        with pytest.raises(StoreBusy, match="what was embedded is kept"):
            memory.store.reembed(NEW)
        assert memory.recall("train").hits
        assert memory.store.reembed(NEW).embedded == 1


def test_an_open_memory_of_the_old_model_is_refused_by_every_verb_and_told_the_new_one(filled: Path) -> None:
    with open_memory(filled) as memory, open_memory(filled) as other, open_memory(filled) as dreamer:
        other.recall("train")
        before = vectors(filled)[OLD.model.id]
        memory.store.reembed(NEW)
        verbs: tuple[Callable[[], object], ...] = (
            lambda: other.recall("train"),
            lambda: other.remember("Too late."),
            lambda: other.add_text("Too late.", source="late"),
            lambda: other.forget(session="s"),
            lambda: other.forget(session="s", dry_run=True),
            other.stats,
            other.list,
            dreamer.list,
        )
        for verb in verbs:
            with pytest.raises(EmbedderMismatch, match=rf"{NEW.model.id} \(48 .*Open it with the first"):
                verb()
        assert vectors(filled) == {NEW.model.id: before}
    with open_memory(filled, NEW) as anew:
        assert anew.recall("train").hits


def test_models_of_one_dimension_are_told_apart(filled: Path) -> None:
    mirrored = Mirrored(16)
    with open_memory(filled) as memory, open_memory(filled) as other:
        assert other.recall("train").hits
        memory.store.reembed(mirrored)
        with pytest.raises(EmbedderMismatch, match="mirrored"):
            other.recall("train")


def test_a_document_being_written_in_parts_meanwhile_is_let_go_of(store_path: Path) -> None:
    class Interrupted(HashingEmbedder):
        calls = 0

        def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
            self.calls += 1
            if self.calls == 3:
                memory.store.reembed(NEW)
            return super().embed(texts, role=role)

    with open_memory(store_path) as memory, open_memory(store_path, Interrupted(16)) as other:
        memory.remember("The office is in Osaka.")
        with pytest.raises(EmbedderMismatch, match="Open it with the first"):
            other.add_text(LARGE, source="large")
        assert rows(store_path, "select count(*) from stagings") == [(0,)]
        assert memory.store.doctor().is_whole
        assert memory.add_text(LARGE, source="large").version == 1


def test_what_is_forgotten_meanwhile_leaves_both_models(filled: Path) -> None:
    with open_memory(filled) as memory:
        (half_made,) = [item for item in memory.list(limit=200).statements if item.text.startswith("Train 0 ")]
    half(filled, 3)
    (payload,) = rows(filled, f"select id from payloads where episode_id = '{half_made.id}'")
    kept = rows(filled, f"select data from vectors where payload_id = '{payload[0]}'")
    stored = [data for (data,) in kept if isinstance(data, bytes)]
    assert len(stored) == 2
    with open_memory(filled) as memory:
        assert all(data in raw(filled) for data in stored)
        assert memory.forget(half_made.id).vectors == 2
        assert not any(data in raw(filled) for data in stored)
        memory.store.reembed(NEW)
        with pytest.raises(NotFound):
            memory.show(half_made.id)
        assert memory.store.doctor().is_whole


def raw(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.iterdir())


def test_no_bytes_of_the_old_vectors_stay(filled: Path) -> None:
    old = [data for (data,) in rows(filled, "select data from vectors") if isinstance(data, bytes)]
    assert any(data in raw(filled) for data in old)
    with open_memory(filled) as memory:
        memory.store.reembed(NEW)
        left = raw(filled)
    assert not any(data in left for data in old)


def test_doctor_finds_nothing_wrong_half_way_and_repairing_keeps_what_was_made(filled: Path) -> None:
    half(filled)
    made = vectors(filled)
    with open_memory(filled) as memory:
        assert memory.store.doctor().findings == ()
        with closing(sqlite3.connect(filled / DATABASE)) as connection, connection:
            connection.execute(
                "insert into vectors select ns, payload_id, 'nobody', data, arousal from vectors limit 1"
            )
            connection.execute("delete from index_log where seq = 1")
        assert not memory.store.doctor().is_whole
        assert memory.store.doctor(repair=True).is_whole
        assert vectors(filled) == made


def test_giving_it_up_leaves_the_store_as_it_was(filled: Path) -> None:
    before = rows(filled, "select * from vectors order by 1, 2, 3")
    known = rows(filled, "select * from settings order by 1")
    half(filled)
    with open_memory(filled) as memory:
        given_up = memory.store.abandon_reembed()
        assert given_up.model == NEW.model
        assert given_up.deleted_vectors > 0
        assert rows(filled, "select * from vectors order by 1, 2, 3") == before
        assert rows(filled, "select * from settings order by 1") == known
        assert memory.recall("train").hits
        assert memory.store.abandon_reembed().model is None
        assert memory.store.doctor().is_whole


def test_only_one_change_at_a_time(filled: Path) -> None:
    half(filled)
    with open_memory(filled) as memory:
        for dry_run in (True, False):
            with pytest.raises(EmbedderMismatch, match=rf"{NEW.model.id}.*--abandon"):
                memory.store.reembed(HashingEmbedder(7), dry_run=dry_run)
        memory.store.abandon_reembed()
        assert memory.store.reembed(HashingEmbedder(7)).new_model.dimension == 7


def test_who_gives_it_up_stops_another_who_is_at_it(filled: Path) -> None:
    with open_memory(filled) as memory, open_memory(filled) as other:

        def give_up(*, done: int, texts: int) -> None:
            if done:
                other.store.abandon_reembed()

        with pytest.raises(StoreBusy, match="abandoned the change"):
            memory.store.reembed(NEW, progress=give_up)
        assert set(vectors(filled)) == {OLD.model.id}
        assert memory.recall("train").hits


def test_two_who_do_the_same_end_well(filled: Path) -> None:
    with open_memory(filled) as memory, open_memory(filled) as other:

        def do_it_too(*, done: int, texts: int) -> None:
            if done:
                other.store.reembed(NEW)

        done = memory.store.reembed(NEW, progress=do_it_too)
        assert done.events == {}
        assert len(rows(filled, "select 1 from events where kind = 'reembedded'")) == 2
        assert seen(memory, "train") == seen(other, "train")
        assert memory.store.doctor().is_whole


def test_another_dimension_under_the_same_name_is_refused(filled: Path) -> None:
    class Same(HashingEmbedder):
        @property
        def model(self) -> EmbeddingModel:
            return replace(OLD.model, dimension=super().model.dimension)

    with open_memory(filled) as memory, pytest.raises(EmbedderMismatch, match=r"16 dimensions.*same name and 8"):
        memory.store.reembed(Same(8))


def test_a_store_that_is_not_there_and_a_name_nobody_has(store_path: Path) -> None:
    with open_memory(store_path) as memory:
        with pytest.raises(NamespaceNotFound):
            memory.store.reembed(NEW)
        with pytest.raises(NamespaceNotFound):
            memory.store.abandon_reembed()
        with pytest.raises(InvalidValue, match="'use', 'e5'"):
            memory.store.reembed("e6")
        assert not store_path.exists()


def test_a_backup_and_an_export_of_a_half_made_change_are_whole(filled: Path, tmp_path: Path) -> None:
    half(filled)
    with open_memory(filled) as memory:
        memory.store.backup(tmp_path / "copy")
        memory.store.export(tmp_path / "all.jsonl", with_vectors=True)
        memory.store.reembed(NEW)
        finished = seen(memory, "train")
    with open_memory(tmp_path / "copy") as copy:
        assert copy.store.reembed(NEW, dry_run=True).remaining < copy.store.reembed(NEW, dry_run=True).texts
        copy.store.reembed(NEW)
        assert seen(copy, "train") == finished
    with open_memory(tmp_path / "imported", namespace="n") as imported:
        assert imported.store.import_(tmp_path / "all.jsonl").embedded == 0
        imported.store.reembed(NEW)
        assert seen(imported, "train") == finished
    with open_memory(tmp_path / "again", NEW, namespace="n") as imported:
        imported_to = imported.store.import_(tmp_path / "all.jsonl")
        assert imported_to.embedded == imported_to.episodes


def with_small_indexes(memory: Memory, path: Path, embedder: Embedder) -> Store:
    small = IndexSettings(exact_up_to=4, tail_share=0.25)
    store = Store(path, model=embedder.model, clock=memory._context.clock, indexes=small)
    # Calibrating opens the new model's index, whose snapshot takes the old one's place at once.
    quiet = MaintenanceSettings(auto_calibrate=False)
    settings = memory._context.settings.model_copy(update={"maintenance": quiet})
    memory._bound.context = replace(memory._context, store=store, settings=settings)
    return store


def test_snapshots_of_the_old_model_are_retired_and_none_comes_after(filled: Path) -> None:
    with open_memory(filled) as memory, open_memory(filled) as stale:
        store, late = (with_small_indexes(one, filled, OLD) for one in (memory, stale))
        memory.recall("train")
        store._open.snapshots.wait()
        place = store._open.snapshots.path(1)
        assert place.exists()
        stale.recall("train")
        with late.index("support") as (view, _):
            task = view.vectors._task  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        with late.read("support") as reader:
            waiting = task(StoreFeed(reader._connection, reader._ns, OLD.model))  # pyright: ignore[reportUnknownVariableType]
        memory.store.reembed(NEW)
        assert not place.exists()
        with pytest.raises(EmbedderMismatch):
            late._open.snapshots.build(waiting)  # pyright: ignore[reportUnknownArgumentType]
        assert not place.exists()
        assert not list(filled.glob("*.new"))
        changed = memory._context.store
        assert isinstance(changed, Store)
        memory.recall("train")
        changed._open.snapshots.wait()
        memory.recall("train")
        with changed.index("support") as (view, _):
            assert view.vectors.nearest(NEW.embed(["train"], role=TextRole.QUERY)[0], count=3) is not None


def test_what_is_known_of_the_models_changes_with_the_model(store_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, EmbeddingModel]] = []

    def nothing_of(what: str) -> Callable[[EmbeddingModel], Mapping[str, Vectors]]:
        def shipped(model: EmbeddingModel) -> Mapping[str, Vectors]:
            asked.append((what, model))
            return {}

        return shipped

    for what in ("intents", "arousal", "matter"):
        monkeypatch.setattr(f"evolore.models.embedders.shipped_{what}", nothing_of(what))
    with open_memory(store_path) as memory:
        memory.remember("The wheel turns.")
        memory.recall("Does it turn?")
        assert set(asked) == {(what, OLD.model) for what in ("intents", "arousal", "matter")}
        asked.clear()
        memory.store.reembed(NEW)
        memory.remember("The wheel stands still.")
        memory.recall("Does it turn?")
        assert set(asked) == {(what, NEW.model) for what in ("intents", "arousal", "matter")}


def test_a_disk_without_room_is_told_before_anything_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(tmp_path / "s") as memory:
        memory.remember("The ferry is blue.")
        monkeypatch.setattr("evolore.store.location.shutil.disk_usage", _disk_with(10_000))
        with pytest.raises(StoreFailed, match="10,000 are free"):
            memory.store.reembed(NEW)
        assert memory.recall("What is blue?").hits
        assert memory.store.abandon_reembed().model is None


def test_a_disk_that_fills_up_meanwhile_is_told_before_the_switch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_memory(tmp_path / "s") as memory:
        memory.remember("The ferry is blue.")
        monkeypatch.setattr("evolore.store.location.shutil.disk_usage", _disk_with(10**12, 10_000))
        with pytest.raises(StoreFailed, match="old model"):
            memory.store.reembed(NEW)
        assert memory.recall("What is blue?").hits
        assert memory.store.reembed(NEW).embedded == 0  # what was embedded is kept
        assert memory.recall("What is blue?").hits


def test_a_disk_that_fails_after_the_switch_leaves_a_store_that_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise StoreFailed("disk full")

    with open_memory(tmp_path / "s") as memory:
        memory.remember("The ferry is blue.")
        with monkeypatch.context() as broken:
            broken.setattr("evolore.store.reembedding.delete_in_parts", fail)
            broken.setattr("evolore.flows.reembed.embed_queries", fail)
            done = memory.store.reembed(NEW)
        assert done.lingering_in == (DATABASE,)
        assert done.events
        assert memory.recall("What is blue?").hits
        assert memory.store.doctor(repair=True).findings


class _Disk(NamedTuple):
    free: int


def _disk_with(*free: int) -> Callable[[Path], _Disk]:
    """Give what says how much is free, in turn; a large disk after that."""
    left = iter(free)
    return lambda _: _Disk(free=next(left, 10**12))
