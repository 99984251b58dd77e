"""Open indexes: memory is a limit, and what was let go of comes back as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.episode import Statement
from evolore.errors import InvalidSetting, InvalidValue
from evolore.index import namespace_index
from evolore.index.settings import IndexSettings
from evolore.jobs.clock import SystemClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.store import Store

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("a", "b", "c")


def fill(folder: Path) -> None:
    for name in NAMES:
        with Memory.open(folder, namespace=name, embedder=HashingEmbedder()) as memory:
            memory.remember(f"the {name} house")


def open_store(folder: Path, memory_bytes: int) -> Store:
    indexes = IndexSettings(memory_bytes=memory_bytes)
    return Store(folder, model=HashingEmbedder().model, clock=SystemClock(), indexes=indexes)


def use(store: Store, name: str) -> int:
    with store.index(name) as (view, _):
        return len(view.episode_ids)


def test_namespaces_that_fit_stay_open(tmp_path: Path) -> None:
    fill(tmp_path)
    store = open_store(tmp_path, 10_000_000)
    assert [use(store, name) for name in NAMES] == [1, 1, 1]
    assert len(store._open.indexes) == 3
    store.close()
    assert len(store._open.indexes) == 0


def test_without_memory_only_the_one_in_use_is_open(tmp_path: Path) -> None:
    fill(tmp_path)
    store = open_store(tmp_path, 0)
    for name in (*NAMES, *NAMES):
        assert use(store, name) == 1
        assert len(store._open.indexes) == 1
    store.close()


def test_a_namespace_that_has_another_number_now_is_read_under_that(tmp_path: Path) -> None:
    fill(tmp_path)
    store = open_store(tmp_path, 10_000_000)
    for name in NAMES:
        use(store, name)
    store._numbers["a"] = store._numbers[
        "b"
    ]  # as if another store had been put in the place of the one that was opened
    with store.index("a") as (view, reader):
        assert [one.text for one in reader.episodes(view.episode_ids)] == ["the a house"]
    store.close()


def test_the_one_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    fill(tmp_path)
    store = open_store(tmp_path, 10_000_000)
    for name in NAMES:
        use(store, name)
    opened = store._open.indexes._open
    room = sum(entry.bytes_held for entry in opened.values())
    first, second, third = opened
    use(store, "a")
    store._open.indexes._memory_bytes = room - 1
    use(store, "a")
    assert list(opened) == [third, first]
    assert second not in opened
    store.close()


def test_one_thread_may_use_an_index_that_another_lets_go_of(tmp_path: Path) -> None:
    fill(tmp_path)
    store = open_store(tmp_path, 0)
    with store.index("a") as (view, _):
        assert use(store, "b") == 1
        assert len(view.episode_ids) == 1
    assert use(store, "a") == 1
    store.close()


def test_a_namespace_that_memory_does_not_hold_is_refused_with_the_number(tmp_path: Path) -> None:
    fill(tmp_path)
    with Memory.open(tmp_path, namespace="large", embedder=HashingEmbedder()) as memory:
        memory.remember_many(Statement(text=f"the house number {number}") for number in range(40))
        memory.forget(memory.recall("house number 7", limit=1).hits[0].episode.id)
        count = memory.stats().statements
    each = 2 * HashingEmbedder().model.dimension + namespace_index._ITEM_BYTES
    for most, is_refused in ((each * count - 1, True), (each * count, False)):
        indexes = IndexSettings(namespace_bytes=most)
        store = Store(tmp_path, model=HashingEmbedder().model, clock=SystemClock(), indexes=indexes)
        assert use(store, "a") == 1
        if is_refused:
            with pytest.raises(InvalidSetting, match=f"holds {count} texts.*namespace_memory_bytes"):
                use(store, "large")
        else:
            assert use(store, "large") == count
        assert use(store, "b") == 1
        store.close()


def test_memory_is_never_negative() -> None:
    with pytest.raises(InvalidValue, match="memory_bytes is -1"):
        IndexSettings(memory_bytes=-1)
