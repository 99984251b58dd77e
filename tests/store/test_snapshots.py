"""Snapshots: found nearest is near, damaged is as good as none, and nothing erased stays in a file."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from evolore.domain.episode import Statement
from evolore.domain.filters import Target
from evolore.domain.language import Language
from evolore.index.settings import IndexSettings
from evolore.index.snapshots import (
    EXPANSIONS,
    NO_ID,
    Origin,
    alone,
    copy_without,
    needed_expansion,
    new_index,
    publish,
    read_snapshot,
)
from evolore.index.vector_search import LOCK, SearchedVectors
from evolore.index.vectors import FrozenRows, Sketches
from evolore.jobs.clock import SystemClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import ItemKeys, NewStatement, TextRole
from evolore.store.index_rows import StoreFeed
from evolore.store.store import Store
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from evolore.ports import IndexView

EMBEDDER = HashingEmbedder()
SMALL = IndexSettings(exact_up_to=4, tail_share=0.25)

HARMS: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: data[:-1],
    lambda data: data[: len(data) // 2],
    lambda data: data[:0],
    lambda data: data[:500] + bytes([data[500] ^ 1]) + data[501:],
    lambda data: data.replace(b"hashing", b"hushing"),
    lambda data: b"\0" * len(data),
)


def open_store(folder: Path, indexes: IndexSettings = SMALL) -> Store:
    return Store(folder, model=EMBEDDER.model, clock=SystemClock(), indexes=indexes)


def remember(store: Store, texts: Sequence[str]) -> tuple[str, ...]:
    vectors = EMBEDDER.embed(texts, role=TextRole.PASSAGE)
    new = [
        NewStatement(statement=Statement(text=text), language=Language.EN, keys=ItemKeys(tokens=(text,), vector=vector))
        for text, vector in zip(texts, vectors, strict=True)
    ]
    with store.write("n") as writer:
        return tuple(episode.id for episode in writer.put_statements(new, at=SystemClock().now()))


def built(store: Store) -> Path:
    """Look at the index and wait for the files it asks for, until it asks for none."""
    for _ in range(3):
        look(store)
        store._open.snapshots.wait()
    return store._open.snapshots.path(1)


def look(store: Store) -> bool:
    with store.index("n") as (view, _):
        return view.vectors.nearest(EMBEDDER.embed(["x"], role=TextRole.QUERY)[0], count=3) is not None


def nearest(view: IndexView, text: str, count: int = 3) -> set[str]:
    found = view.vectors.nearest(EMBEDDER.embed([text], role=TextRole.QUERY)[0], count=count)
    assert found is not None
    assert len(set(found.tolist())) == len(found)
    return {view.episode_ids[int(item)] for item in found}


def candidates(view: IndexView, text: str) -> set[str]:
    found = view.vectors.candidates(EMBEDDER.embed([text], role=TextRole.QUERY)[0], count=3)
    assert found is not None
    assert len(set(found.tolist())) == len(found)
    return {view.episode_ids[int(item)] for item in found}


def texts_of(count: int, kind: str = "word") -> list[str]:
    return [f"{kind} {number} {number * 7919 % 101}" for number in range(count)]


def origin_of(store: Store) -> Origin:
    with store.read("n") as reader:
        return store._open.snapshots.origin(StoreFeed(reader._connection, 1, EMBEDDER.model))


@pytest.mark.parametrize("is_searched", [False, True])
def test_candidates_hold_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_searched: bool) -> None:
    if is_searched:  # as where there are far more than sketches are good for
        monkeypatch.setattr("evolore.index.vector_search._SKETCHED", 0)
    store = open_store(tmp_path)
    texts = texts_of(40)
    ids = remember(store, texts)
    built(store)
    with store.index("n") as (view, _):
        assert all(id_ in candidates(view, text) for id_, text in zip(ids, texts, strict=True))
    later = remember(store, texts_of(5, "later"))
    store.erase("n", Target(item_id=ids[3]))
    with store.index("n") as (view, _):
        assert all(id_ in candidates(view, text) for id_, text in zip(later, texts_of(5, "later"), strict=True))
        assert all(id_ in candidates(view, text) for id_, text in zip(ids[4:], texts[4:], strict=True))
        assert ids[3] not in candidates(view, texts[3])
    store.close()


def test_few_vectors_have_no_candidates_but_all(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, texts_of(4))
    with store.index("n") as (view, _):
        assert view.vectors.candidates(EMBEDDER.embed(["x"], role=TextRole.QUERY)[0], count=3) is None
    store.close()


def test_few_vectors_make_no_file(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, texts_of(4))
    assert not built(store).exists()
    assert not (tmp_path / LOCK).exists()
    store.close()


def test_many_vectors_are_found_by_a_snapshot(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    texts = texts_of(40)
    ids = remember(store, texts)
    assert not look(store)
    assert built(store).exists()
    with store.index("n") as (view, _):
        assert all(id_ in nearest(view, text) for id_, text in zip(ids, texts, strict=True))
    store.close()


def test_what_comes_after_the_snapshot_is_found_too(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, texts_of(40))
    place = built(store)
    before = place.read_bytes()
    ids = remember(store, texts_of(5, "later"))
    with store.index("n") as (view, _):
        assert all(id_ in nearest(view, text) for id_, text in zip(ids, texts_of(5, "later"), strict=True))
    store._open.snapshots.wait()
    assert place.read_bytes() == before
    store.close()


def test_a_long_tail_is_taken_into_the_next_snapshot(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, texts_of(40))
    built(store)
    remember(store, texts_of(40, "later"))
    found = read_snapshot(built(store), origin_of(store))
    assert found is not None
    assert len(found.payload_ids) == 80
    store.close()


def test_another_store_maps_the_same_snapshot(tmp_path: Path) -> None:
    store, other = open_store(tmp_path), open_store(tmp_path)
    remember(store, texts_of(40))
    assert not look(other)
    other._open.snapshots.wait()
    assert look(other)
    assert look(store)
    store.close()
    other.close()


def test_an_erased_vector_is_in_no_file_and_never_found(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    texts = texts_of(40)
    ids = remember(store, texts)
    place = built(store)
    vector = EMBEDDER.embed([texts[7]], role=TextRole.PASSAGE)[0]
    stored = [vector.astype(kind).tobytes() for kind in ("<f2", "<f4", "<f8")]
    assert any(data in place.read_bytes() for data in stored)
    store.erase("n", Target(item_id=ids[7]))
    for file in tmp_path.iterdir():
        assert not any(data in file.read_bytes() for data in stored), file
    with store.index("n") as (view, _):
        assert ids[7] not in nearest(view, texts[7])
        assert all(id_ in nearest(view, text) for id_, text in zip(ids, texts, strict=True) if id_ != ids[7])
    assert look(open_store(tmp_path))
    store.close()


def test_what_is_erased_while_a_snapshot_is_built_does_not_enter_it(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store, texts_of(40))
    keeper = store._open.snapshots
    with store._open.indexes.using(1) as index, store.read("n") as reader:
        keeper.stop()
        index.refresh(StoreFeed(reader._connection, 1, EMBEDDER.model))
        keeper.wait()
        task = index._vectors._task(StoreFeed(reader._connection, 1, EMBEDDER.model))
    built(store)
    keeper.path(1).unlink()
    store.erase("n", Target(item_id=ids[3]))
    keeper.wait()  # the items' file may be under way, and only one writes at a time
    assert keeper.build(task)
    found = read_snapshot(keeper.path(1), task.origin)
    assert found is not None
    assert found.payload_ids[3] == NO_ID
    store.close()


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_snapshot_is_as_good_as_none_and_built_anew(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    store = open_store(tmp_path)
    remember(store, texts_of(40))
    place = built(store)
    whole = place.read_bytes()
    store.close()
    place.write_bytes(harm(whole))
    again = open_store(tmp_path)
    assert not look(again)
    assert built(again).read_bytes() == whole
    again.close()


def test_a_snapshot_of_another_store_is_not_used(tmp_path: Path) -> None:
    first, second = open_store(tmp_path / "a"), open_store(tmp_path / "b")
    for store in (first, second):
        remember(store, texts_of(40))
    strange = built(first).read_bytes()
    second._open.snapshots.path(1).write_bytes(strange)
    assert read_snapshot(second._open.snapshots.path(1), origin_of(second)) is None
    assert not look(second)
    first.close()
    second.close()


def test_only_one_process_builds(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, texts_of(40))
    with alone(tmp_path / LOCK) as is_alone:
        assert is_alone
        assert not built(store).exists()
        store._open.snapshots.wait()
    assert built(store).exists()
    store.close()


def test_a_store_that_closes_gives_up_building(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, texts_of(40))
    store._open.snapshots._stopping.set()
    look(store)
    store.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["evolore.db"]


def test_a_full_disk_costs_the_snapshot_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(tmp_path)
    remember(store, texts_of(40))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("evolore.index.snapshots.seal", full)
    assert not built(store).exists()
    assert not list(tmp_path.glob("*.new"))
    monkeypatch.undo()
    assert not built(store).exists(), "what failed is not tried again before there is more"
    remember(store, ["more"])
    assert built(store).exists()
    store.close()


def test_a_snapshot_that_cannot_be_rewritten_is_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(tmp_path)
    ids = remember(store, texts_of(40))
    place = built(store)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    def never(*_: object) -> bool:
        return False

    monkeypatch.setattr("evolore.index.snapshots.copy_without", full)
    # The items' file, where it is there, is renewed after an erasure, and that asks for the next snapshot.
    monkeypatch.setattr(store._open.snapshots, "would_build", never)
    store.erase("n", Target(item_id=ids[0]))
    store._open.snapshots.wait()
    assert not place.exists()
    store.close()


def test_sketches_are_made_anew_once_there_are_twice_as_many(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    begun = 10
    for count, made_of in ((begun, begun), (begun, begun), (1, 2 * begun + 1), (5, 2 * begun + 1)):
        remember(store, [f"{place} of {count} and {made_of}" for place in range(count)])
        with store.index("n") as (view, _):
            probe = EMBEDDER.embed(["x"], role=TextRole.QUERY)[0]
            found = view.vectors.candidates(probe, count=3)
            assert found is not None
            assert isinstance(view.vectors, SearchedVectors)
            assert view.vectors._sketches is not None
            assert view.vectors._sketches.made_of == made_of
            whole = Sketches(view.vectors._rows.frozen())
            if count == 1:
                assert np.array_equal(view.vectors._sketches._mean, whole._mean)
    store.close()


def test_a_copy_without_some_vectors_keeps_the_others(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, texts_of(40))
    place, origin = built(store), origin_of(store)
    assert copy_without(place, tmp_path / "copy", origin, [0, 39])
    publish(tmp_path / "copy", place)
    found = read_snapshot(place, origin)
    assert found is not None
    assert [slot for slot, id_ in enumerate(found.payload_ids) if id_ == NO_ID] == [0, 39]
    store.close()


@hypothesis_settings(max_examples=tried(8, long=25))
@given(
    steps=st.lists(
        st.one_of(
            st.tuples(st.just("remember"), st.integers(1, 9)),
            st.tuples(st.just("erase"), st.integers(0, 60)),
            st.tuples(st.just("wait"), st.just(0)),
        ),
        max_size=12,
    )
)
def test_at_any_moment_the_nearest_are_those_of_the_tables(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    store = open_store(tmp_path_factory.mktemp("law"))
    texts = texts_of(200)
    held = dict(zip(remember(store, texts[:6]), texts[:6], strict=True))
    said = 6
    for verb, number in steps:
        if verb == "remember":
            held.update(zip(remember(store, texts[said : said + number]), texts[said : said + number], strict=True))
            said += number
        elif verb == "erase" and held:
            id_ = sorted(held)[number % len(held)]
            store.erase("n", Target(item_id=id_))
            del held[id_]
        elif verb == "wait":
            store._open.snapshots.wait()
        check(store, held)
    store.close()


def check(store: Store, held: dict[str, str]) -> None:
    with store.index("n") as (view, _):
        assert sorted(view.episode_ids) == sorted(held)
        every = np.arange(len(held), dtype=np.int32)
        for text in list(held.values())[:3]:
            vector = EMBEDDER.embed([text], role=TextRole.QUERY)[0]
            compared = view.vectors.similarities_of(vector, every)
            assert np.allclose(view.vectors.rows_of(every) @ vector, compared, atol=2e-3)
            assert np.allclose(compared, view.vectors.similarities(vector), atol=1e-3)
            if (found := view.vectors.nearest(vector, count=3)) is not None:
                assert int(np.argmax(compared)) in found.tolist()
                assert len(set(found.tolist())) == len(found)


@pytest.mark.parametrize("seen", [None, 39, 10, 3])
def test_recall_finds_the_same_with_and_without_a_snapshot(tmp_path: Path, seen: int | None) -> None:
    began = datetime(2026, 1, 1, tzinfo=UTC)
    as_of = None if seen is None else began + timedelta(minutes=seen)
    with Memory.open(tmp_path, namespace="n", embedder=EMBEDDER) as memory:
        memory.remember_many(
            Statement(text=text, session=f"s{place // 5}", occurred_at=began + timedelta(minutes=place))
            for place, text in enumerate(texts_of(40))
        )
        compared = memory.recall("word 7", as_of=as_of)
        store = open_store(tmp_path)
        built(store)
        memory._bound.context = replace(memory._context, store=store)
        found = memory.recall("word 7", as_of=as_of)
        assert [hit.episode.id for hit in found.hits] == [hit.episode.id for hit in compared.hits]
        assert [hit.score for hit in found.hits] == pytest.approx([hit.score for hit in compared.hits], abs=1e-2)
        assert found.searched == compared.searched
        store.close()


def frozen(rows: npt.NDArray[np.float16]) -> FrozenRows:
    return FrozenRows(lent=rows[:0], own=rows, places=np.arange(len(rows)))


def test_the_expansion_is_no_larger_than_needed() -> None:
    random = np.random.default_rng(0)
    rows = random.standard_normal((2000, 16)).astype(np.float16)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index = new_index(16)
    index.add(np.arange(2000, dtype=np.uint64), rows, threads=1)
    assert needed_expansion(index, frozen(rows)) == EXPANSIONS[0]
    assert needed_expansion(index, frozen(random.standard_normal((2000, 16)).astype(np.float16))) == EXPANSIONS[-1]
