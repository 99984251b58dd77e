"""The file of items: what it says equals the tables, and nothing that was erased stays in it."""

from __future__ import annotations

from contextlib import closing
from datetime import date
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.domain.episode import Statement
from evolore.domain.filters import Target
from evolore.domain.health import FindingKind
from evolore.domain.language import Language
from evolore.domain.times import Period
from evolore.errors import StoreBusy, StoreFailed
from evolore.index.arrays import ItemsFile, packed, read_items, unpacked, write_items
from evolore.index.namespace_index import holds_nothing_gone
from evolore.index.settings import IndexSettings
from evolore.index.snapshots import Kept, Origin
from evolore.jobs.clock import SystemClock
from evolore.models.offline import HashingEmbedder
from evolore.ports import ItemKeys, NewStatement, TextRole
from evolore.store import database
from evolore.store.database import FaultPoint
from evolore.store.index_rows import StoreFeed
from evolore.store.leftovers import noted
from evolore.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from evolore.ports import IndexView

EMBEDDER = HashingEmbedder()
DAY = Period(first=date(2026, 3, 1), last=date(2026, 3, 4))
SMALL = IndexSettings(exact_up_to=4, tail_share=0.5)
TEXTS = [f"word{number} house{number % 3}" for number in range(20)]
HARMS: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: data[:-1],
    lambda data: data[: len(data) // 2],
    lambda data: data[:0],
    lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
    lambda data: data.replace(b"hashing", b"hushing"),
)


class Killed(BaseException):
    """What ends a process here."""


def open_store(folder: Path) -> Store:
    return Store(folder, model=EMBEDDER.model, clock=SystemClock(), indexes=SMALL)


def remember(store: Store, texts: Sequence[str], *, speaker: str = "Ann") -> list[str]:
    vectors = EMBEDDER.embed(texts, role=TextRole.PASSAGE)
    new = [
        NewStatement(
            statement=Statement(text=text, session=f"s{place // 5}", speaker=speaker, about=("it", f"s{place % 2}")),
            language=Language.EN,
            keys=ItemKeys(
                tokens=tuple(text.split()),
                vector=vector,
                names=tuple(text.split()),
                periods=(DAY,) * (place % 3),
                arousal=place / 100,
            ),
        )
        for place, (text, vector) in enumerate(zip(texts, vectors, strict=True))
    ]
    with store.write("n") as writer:
        return [episode.id for episode in writer.put_statements(new, at=SystemClock().now())]


def settled(store: Store) -> Path:
    """Recall until both files are there."""
    for _ in range(3):
        with store.index("n"):
            pass
        store._open.snapshots.wait()
    return store._open.snapshots.path(1, Kept.ITEMS)


def written(store: Store, origin: Origin, content: ItemsFile) -> bool:
    return store._open.snapshots.write(Kept.ITEMS, 1, origin, content, stands=holds_nothing_gone)


def facts(view: IndexView) -> dict[str, object]:
    starts, items, scores, rarities = view.text.term_postings(["word3", "house0", "house1"])
    vector = EMBEDDER.embed(["house1"], role=TextRole.QUERY)[0]
    return {
        "ids": list(view.episode_ids),
        "words": (starts.tolist(), items.tolist(), scores.tolist(), rarities.tolist()),
        "lengths": view.text.lengths.tolist(),
        "similarity": view.vectors.similarities(vector).tolist(),
        "links": view.neighbours.tolist(),
        "gaps": view.neighbour_gaps.tolist(),
        "groups": view.groups.tolist(),
        "times": view.times.tolist(),
        "speakers": [view.speaker_names[code] for code in view.speakers.tolist()],
        "holders": [array.tolist() for array in view.names.items_of(view.names.numbers_of(["word3", "house1", "x"]))],
        "name_counts": sorted(view.names.item_counts(np.arange(view.names.count, dtype=np.int32)).tolist()),
        "names": np.diff(view.names.names_of(np.arange(len(view.episode_ids), dtype=np.int32))[0]).tolist(),
        "periods": [array.tolist() for array in (view.periods.starts, view.periods.first, view.periods.last)],
        "arousal": (view.arousal.tolist(), view.is_arousal_given.tolist()),
        "facts": (view.days.tolist(), view.states.tolist(), view.subjects.tolist()),
        "rows": view.vectors.rows_of(np.arange(len(view.episode_ids), dtype=np.int32)).astype(np.float16).tolist(),
    }


def facts_of(store: Store) -> dict[str, object]:
    with store.index("n") as (view, _):
        return facts(view)


def facts_anew(folder: Path) -> dict[str, object]:
    with closing(open_store(folder)) as store:
        return facts_of(store)


def in_files(folder: Path, data: bytes) -> list[str]:
    return sorted(file.name for file in folder.iterdir() if data in file.read_bytes())


def test_an_index_from_its_file_and_the_log_equals_one_from_the_tables(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store, TEXTS)
    place = settled(store)
    assert place.exists()
    store.close()
    later = open_store(tmp_path)
    remember(later, ["word3 later", "house1 later"], speaker="Bob")
    later.erase("n", Target(item_id=ids[3]))
    later.close()
    restored = facts_anew(tmp_path)
    place.unlink()
    assert facts_anew(tmp_path) == restored
    (tmp_path / "vectors-1.snapshot").unlink()
    assert facts_anew(tmp_path) == restored


def test_opening_reads_no_text_that_the_file_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(tmp_path)
    remember(store, TEXTS)
    settled(store)
    store.close()

    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("evolore.index.namespace_index.NamespaceIndex._append", refuse)
    with closing(open_store(tmp_path)) as again, again.index("n") as (view, _):
        assert len(view.episode_ids) == len(TEXTS)


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_file_is_as_good_as_none_and_written_anew(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    store = open_store(tmp_path)
    remember(store, TEXTS)
    place = settled(store)
    whole, expected = place.read_bytes(), facts_of(store)
    store.close()
    place.write_bytes(harm(whole))
    again = open_store(tmp_path)
    assert facts_of(again) == expected
    assert settled(again).read_bytes() == whole
    again.close()


def test_a_file_ahead_of_the_log_is_not_used(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, TEXTS)
    place = settled(store)
    with store.read("n") as reader:
        origin = store._open.snapshots.origin(StoreFeed(reader._connection, 1, EMBEDDER.model))
        found = read_items(place, origin)
        assert found is not None
        write_items(place, origin, ItemsFile(watermark=found.watermark + 1, arrays=found.arrays))
        assert store._open.snapshots.open_items(StoreFeed(reader._connection, 1, EMBEDDER.model)) is None
    store.close()


def test_what_was_erased_is_in_no_file(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, TEXTS)
    ids = remember(store, ["velvet secret"], speaker="Zoe")
    place = settled(store)
    vector = EMBEDDER.embed(["velvet secret"], role=TextRole.PASSAGE)[0].astype("<f2").tobytes()
    assert place.name in in_files(tmp_path, b"velvet")
    assert place.name in in_files(tmp_path, b"Zoe")
    assert "vectors-1.snapshot" in in_files(tmp_path, vector)
    store.erase("n", Target(item_id=ids[0]))
    assert place.exists()
    for data in (b"velvet", b"Zoe", vector):
        assert in_files(tmp_path, data) == []
    store.close()


def test_what_a_killed_erasure_leaves_is_cleared_when_the_store_is_opened(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, TEXTS)
    ids = remember(store, ["velvet secret"])
    settled(store)
    (tmp_path / "items-1.new").write_bytes(b"velvet, begun by a process that was killed")

    def kill(point: FaultPoint) -> None:
        if point is FaultPoint.COMMITTED:
            raise Killed

    database.listeners.append(kill)
    try:
        with pytest.raises(Killed):
            store.erase("n", Target(item_id=ids[0]))
    finally:
        database.listeners.remove(kill)
    vector = EMBEDDER.embed(["velvet secret"], role=TextRole.PASSAGE)[0].astype("<f2").tobytes()
    assert in_files(tmp_path, b"velvet")
    assert in_files(tmp_path, vector)
    store.close()
    again = open_store(tmp_path)
    with again.read("n") as reader:
        assert noted(reader._connection) == {}
    again.close()
    assert in_files(tmp_path, b"velvet") == []
    assert in_files(tmp_path, vector) == []


def test_a_store_that_cannot_be_cleared_yet_is_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(tmp_path)
    ids = remember(store, TEXTS)

    def busy(*_: object) -> None:
        raise StoreBusy("Another process writes.")

    monkeypatch.setattr("evolore.index.vector_search.SnapshotKeeper.take_out_erased", busy)
    assert store.erase("n", Target(item_id=ids[0])).lingering_in
    store.close()
    again = open_store(tmp_path)
    with again.read("n") as reader:
        assert len(noted(reader._connection)) == 1
    again.close()


def test_what_left_while_a_file_was_written_does_not_enter_it(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store, TEXTS)
    place = settled(store)
    with store._open.indexes.using(1) as index, store.read("n") as reader:
        content, origin = index.state(), store._open.snapshots.origin(StoreFeed(reader._connection, 1, EMBEDDER.model))
    store.erase("n", Target(item_id=ids[0]))
    before = place.read_bytes()
    assert not written(store, origin, content), "the log tells that something left"
    assert place.read_bytes() == before
    store.close()


def test_a_vector_written_anew_is_read_from_the_tables(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store, TEXTS)
    settled(store)
    other = EMBEDDER.embed(["something else"], role=TextRole.PASSAGE)[0]
    with store.read("n") as reader:
        payload, *_ = (stored.payload_id for stored in reader.stored_keys())
    with store.write("n") as writer:
        writer.put_keys({payload: ItemKeys(tokens=("else",), vector=other)}, at=SystemClock().now())
    for _ in range(2):  # by the log, and by a file that knows of it
        with store.index("n") as (view, _):
            item = np.array([list(view.episode_ids).index(ids[0])], dtype=np.int32)
            assert view.vectors.similarities_of(other, item)[0] == pytest.approx(1.0, abs=1e-3)
        with store._open.indexes.using(1) as index, store.read("n") as reader:
            content, origin = (
                index.state(),
                store._open.snapshots.origin(StoreFeed(reader._connection, 1, EMBEDDER.model)),
            )
        written(store, origin, content)
        store.close()
        store = open_store(tmp_path)
    store.close()


def test_texts_of_any_kind_come_back() -> None:
    texts = ["", "猫", "a\nb", "\ud800", '"', "é"]
    assert unpacked(packed(texts)) == texts


def test_a_file_of_another_origin_is_not_read(tmp_path: Path) -> None:
    origin = Origin(namespace="1 now", model="m", dimension=4)
    content = ItemsFile(watermark=3, arrays={"a": np.arange(3), "none": np.zeros(0, dtype=np.float32)})
    write_items(tmp_path / "file", origin, content)
    found = read_items(tmp_path / "file", origin)
    assert found is not None
    assert found.watermark == 3
    assert {name: array.tolist() for name, array in found.arrays.items()} == {"a": [0, 1, 2], "none": []}
    assert read_items(tmp_path / "file", Origin(namespace="2 now", model="m", dimension=4)) is None
    assert read_items(tmp_path / "nothing", origin) is None


def test_doctor_finds_files_that_are_damaged_or_hold_what_was_erased(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store, TEXTS)
    place, vectors = settled(store), store._open.snapshots.path(1)
    assert store.examine("n")[1] == ()
    old = {path: path.read_bytes() for path in (place, vectors)}
    store.erase("n", Target(item_id=ids[3]))
    assert store.examine("n")[1] == ()
    for path, data in old.items():
        path.write_bytes(data)
    found = store.examine("n")[1]
    assert [(finding.kind, finding.count) for finding in found] == [(FindingKind.INDEX_FILE, 1)] * 2
    assert found[1].examples == (ids[3],)
    store.repair("n")
    assert store.examine("n")[1] == ()
    place.write_bytes(b"nothing of this kind")
    assert "damaged" in store.examine("n")[1][0].reason
    store.repair("n")
    assert not place.exists()
    store.close()


def test_preparing_builds_both_files_and_says_how_far_it_is(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, TEXTS)
    heard: list[tuple[int, int]] = []
    store.prepare("n", progress=lambda done, total: heard.append((done, total)))
    assert store._open.snapshots.path(1).exists()
    assert store._open.snapshots.path(1, Kept.ITEMS).exists()
    assert all(done <= total for done, total in heard)  # none where they are built before anybody waits
    before = store._open.snapshots.path(1).read_bytes()
    store.prepare("n")
    assert store._open.snapshots.path(1).read_bytes() == before
    store.close()


def test_preparing_a_small_namespace_makes_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    remember(store, TEXTS[:4])
    store.prepare("n")
    assert not list(tmp_path.glob("*.snapshot"))
    store.prepare("other")
    store.close()


def test_preparing_says_that_it_failed_and_tries_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(tmp_path)
    remember(store, TEXTS)
    begun: list[str] = []

    def fail(self: object, *_: object) -> bool:
        begun.append(type(self).__name__)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("evolore.index.vector_search.SnapshotKeeper.build", fail)
        full.setattr("evolore.index.vector_search.SnapshotKeeper.write", fail)
        with pytest.raises(StoreFailed, match="No space left"):
            store.prepare("n")
        tried = len(begun)
        for _ in range(4):  # what failed is not built again and again
            with store.index("n"):
                store._open.snapshots.wait()
        assert 0 < len(begun) == tried
    store.prepare("n")
    assert store._open.snapshots.path(1).exists()
    store.close()


def test_an_erasure_gives_its_receipt_where_its_lock_cannot_be_had(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    ids = remember(store, TEXTS)
    (tmp_path / "erasing.lock").unlink(missing_ok=True)
    (tmp_path / "erasing.lock").mkdir()
    receipt = store.erase("n", Target(item_id=ids[0]))
    assert receipt.episodes == 1
    assert receipt.lingering_in
    (tmp_path / "erasing.lock").rmdir()
    assert not store.erase("n", Target(item_id=ids[1])).lingering_in
    store.close()
