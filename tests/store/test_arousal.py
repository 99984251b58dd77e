"""Arousal changed after the fact: one event a change, exactly undone, and heard by open indexes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.domain.episode import Statement
from evolore.domain.filters import Target
from evolore.domain.language import Language
from evolore.errors import InvalidValue, NotFound
from evolore.index.settings import IndexSettings
from evolore.jobs.clock import SystemClock
from evolore.models.offline import HashingEmbedder
from evolore.ports import ItemKeys, NewStatement, TextRole
from evolore.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

EMBEDDER = HashingEmbedder()
TEXTS = ("red", "blue", "green")
GIVEN = (0.1, None, 1 / 3)


def open_store(folder: Path, indexes: IndexSettings | None = None) -> Store:
    return Store(folder, model=EMBEDDER.model, clock=SystemClock(), indexes=indexes or IndexSettings())


def remember(store: Store, count: int = 1) -> list[str]:
    vectors = EMBEDDER.embed(TEXTS, role=TextRole.PASSAGE)
    new = [
        NewStatement(
            statement=Statement(text=text, arousal=given),
            language=Language.EN,
            keys=ItemKeys(tokens=(text,), vector=vector, arousal=0.75),
        )
        for text, vector, given in zip(TEXTS * count, [*vectors] * count, GIVEN * count, strict=True)
    ]
    with store.write("n") as writer:
        return [episode.id for episode in writer.put_statements(new, at=SystemClock().now())]


def change(store: Store, changes: Mapping[str, float]) -> str | None:
    with store.write("n") as writer:
        return writer.set_arousal(changes, at=SystemClock().now(), reason="resonance")


def undo(store: Store, event_id: str) -> str:
    with store.write("n") as writer:
        return writer.undo(event_id, at=SystemClock().now()).event_ids[0]


def felt(store: Store, ids: list[str]) -> list[float | None]:
    with store.read("n") as reader:
        return [episode.arousal for episode in reader.episodes(ids)]


def indexed(store: Store, ids: list[str]) -> list[tuple[float, bool]]:
    with store.index("n") as (view, _):
        places = [list(view.episode_ids).index(id_) for id_ in ids]
        return [(round(float(view.arousal[place]), 4), bool(view.is_arousal_given[place])) for place in places]


def body_of(store: Store, event_id: str) -> dict[str, object]:
    with store.read("n") as reader:
        found = [record for record in reader.records(with_vectors=False) if record.get("id") == event_id]
    return json.loads(str(found[0]["body"]))


def test_an_index_tells_the_given_arousal_and_else_the_estimate(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    assert indexed(store, remember(store)) == [(0.1, True), (0.75, False), (0.3333, True)]


def test_a_writer_tells_the_given_arousal_of_what_is_there(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    change(store, {ids[1]: 0.5})
    with store.write("n") as writer:
        assert writer.arousals([*ids, "nobody"]) == {ids[0]: 0.1, ids[1]: 0.5, ids[2]: 1 / 3}
    store.close()


def test_a_change_is_one_event_that_says_what_was_and_what_is(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    event_id = change(store, {ids[0]: 0.5, ids[1]: 0.25, ids[2]: 1 / 3, "nobody": 0.1})
    assert felt(store, ids) == [0.5, 0.25, 1 / 3]
    assert event_id is not None
    pairs = sorted([(ids[0], 0.1, 0.5), (ids[1], None, 0.25)])
    assert body_of(store, event_id) == {
        "reason": "resonance",
        "items": [id_ for id_, _, _ in pairs],
        "old": [old for _, old, _ in pairs],
        "new": [new for _, _, new in pairs],
    }
    assert store.verify("n").is_whole


def test_a_change_that_changes_nothing_leaves_no_event(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    assert change(store, {"nobody": 0.5}) is None
    assert change(store, {ids[0]: 0.1}) is None
    assert change(store, {}) is None
    assert change(store, {ids[0]: 0.2}) is not None


@pytest.mark.parametrize("is_open", [True, False])
def test_indexes_hear_of_a_change_whether_they_are_open_or_not(tmp_path: Path, *, is_open: bool) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    if is_open:
        indexed(store, ids)
    event_id = change(store, {ids[0]: 0.5, ids[1]: 0.25})
    assert indexed(store, ids) == [(0.5, True), (0.25, True), (0.3333, True)]
    undo(store, str(event_id))
    assert indexed(store, ids) == [(0.1, True), (0.75, False), (0.3333, True)]


def test_an_index_from_its_file_hears_of_changes_since(tmp_path: Path) -> None:
    store = open_store(tmp_path, IndexSettings(exact_up_to=2))
    ids = remember(store)
    store.prepare("n")
    change(store, {ids[0]: 0.5})
    store.close()
    assert (tmp_path / "items-1.snapshot").exists()
    assert indexed(open_store(tmp_path, IndexSettings(exact_up_to=2)), ids)[0] == (0.5, True)


def test_a_change_does_not_move_items(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    with store.index("n") as (view, _):
        before = list(view.episode_ids)
    change(store, {ids[0]: 0.5})
    with store.index("n") as (view, _):
        assert list(view.episode_ids) == before
    with open_store(tmp_path).index("n") as (view, _):
        assert list(view.episode_ids) == before


def test_undoing_gives_back_exactly_what_was(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    event_id = change(store, dict.fromkeys(ids, 0.7))
    undone = undo(store, str(event_id))
    assert felt(store, ids) == list(GIVEN)
    assert body_of(store, undone)["undoes"] == event_id
    undo(store, undone)
    assert felt(store, ids) == [0.7] * 3


def test_what_was_changed_again_is_not_undone_and_the_later_events_are_named(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    first = str(change(store, {ids[0]: 0.5, ids[1]: 0.5}))
    other = str(change(store, {ids[2]: 0.9}))
    later = str(change(store, {ids[1]: 0.6}))
    with pytest.raises(InvalidValue, match=later) as refused:
        undo(store, first)
    assert other not in str(refused.value)
    assert felt(store, ids) == [0.5, 0.6, 0.9]
    undo(store, other)
    assert felt(store, ids) == [0.5, 0.6, 1 / 3]


def test_a_later_change_that_was_undone_stands_in_no_way(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    first = str(change(store, {ids[0]: 0.5, ids[1]: 0.5}))
    later = str(change(store, {ids[1]: 0.6}))
    undo(store, later)
    undo(store, first)
    assert felt(store, ids) == list(GIVEN)
    with pytest.raises(InvalidValue, match="undid it already"):
        undo(store, first)


def test_what_was_forgotten_stays_forgotten(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    event_id = str(change(store, {ids[0]: 0.5, ids[1]: 0.5}))
    store.erase("n", Target(item_id=ids[0]))
    again = undo(store, event_id)
    assert felt(store, ids) == [None, 1 / 3]
    assert body_of(store, again)["items"] == [ids[1]]
    store.erase("n", Target(item_id=ids[1]))
    with pytest.raises(NotFound, match="there any more"):
        undo(store, again)


def test_only_changes_of_arousal_can_be_undone(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store)
    with store.read("n") as reader:
        records = list(reader.records(with_vectors=False))
        other = next(str(record["id"]) for record in records if record["table"] == "events")
    for event_id in (other, "nobody"):
        with pytest.raises(NotFound, match=event_id):
            undo(store, event_id)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_what_is_no_share_is_refused(tmp_path: Path, value: float) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    with pytest.raises(InvalidValue, match="from 0 to 1"):
        change(store, {ids[0]: 0.5, ids[1]: value})
    assert felt(store, ids) == list(GIVEN)


@pytest.mark.parametrize("reason", ["", "He said so.", "x" * 41, "a b"])
def test_a_reason_that_could_be_text_is_refused(tmp_path: Path, reason: str) -> None:
    store = open_store(tmp_path)
    ids = remember(store)
    with store.write("n") as writer, pytest.raises(InvalidValue, match="reason"):
        writer.set_arousal({ids[0]: 0.5}, at=SystemClock().now(), reason=reason)


def test_many_changes_at_once_are_one_event(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store, 400)
    event_id = change(store, dict.fromkeys(ids, 0.5))
    assert indexed(store, ids) == [(0.5, True)] * len(ids)
    undo(store, str(event_id))
    assert felt(store, ids) == list(GIVEN * 400)
    assert np.isclose(indexed(store, ids)[-1][0], 0.3333)
