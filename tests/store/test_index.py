"""The law of derived indexes: at any moment they equal the tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.episode import Statement
from evolore.index.settings import IndexSettings
from evolore.jobs.clock import SystemClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import TextRole
from evolore.store.store import Store
from laws import tried

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.ports import IndexView

WORDS = ("red", "blue", "猫", "犬が", "train", "Osaka", "カメラ", "2019", "2024-05-01")
NOW = datetime(2026, 2, 1, tzinfo=UTC)
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("remember"), TEXTS, st.sampled_from([None, "a", "b"])),
        st.tuples(st.just("add"), TEXTS, st.sampled_from(["x.md", "y.md"])),
        st.tuples(st.just("feel"), st.integers(0, 30), st.none()),
        st.tuples(st.just("forget"), st.integers(0, 30), st.none()),
        st.tuples(st.just("recall"), TEXTS, st.none()),
    ),
    max_size=14,
)


def act(memory: Memory, action: tuple[str, str | int, str | None]) -> None:
    match action:
        case ("remember", str(text), session):
            memory.remember(text, session=session, about=("Mika", text) if session else None)
        case ("add", str(text), str(source)):
            memory.add_text(f"{text}\n\nand more of {text}.\n" * 9, source=source)
        case ("recall", str(text), _):
            memory.recall(text)
            store = memory._context.store
            assert isinstance(store, Store)
            store._open.snapshots.wait()
        case ("feel", int(number), _):
            ids = [item.id for item in memory.list(limit=100).statements]
            with memory._context.store.write("n") as writer:
                writer.set_arousal({ids[number % len(ids)]: number / 31} if ids else {}, at=NOW, reason="test")
        case ("forget", int(number), _):
            listing = memory.list(limit=100)
            held = [*(document.id for document in listing.documents), *(item.id for item in listing.statements)]
            if held:
                memory.forget(held[number % len(held)])
        case _:
            raise AssertionError(action)


def facts(view: IndexView) -> dict[str, object]:
    """Describe a view independently of the order of its items."""
    ids = list(view.episode_ids)
    starts, items, scores, rarities = view.text.term_postings(WORDS)
    words: list[set[tuple[str, float]]] = [
        {(ids[int(item)], round(float(score), 4)) for item, score in zip(items[a:b], scores[a:b], strict=True)}
        for a, b in pairwise(starts.tolist())
    ]
    vector = HashingEmbedder().embed(["red train"], role=TextRole.QUERY)[0]
    similarity = view.vectors.similarities(vector)
    return {
        "words": words,
        "rarities": rarities.tolist(),
        "lengths": dict(zip(ids, view.text.lengths.tolist(), strict=True)),
        "similarity": {id_: round(float(value), 4) for id_, value in zip(ids, similarity, strict=True)},
        "neighbours": {
            id_: tuple(ids[int(number)] if number >= 0 else None for number in row)
            for id_, row in zip(ids, view.neighbours.tolist(), strict=True)
        },
        "times": dict(zip(ids, view.times.tolist(), strict=True)),
        "gaps": dict(zip(ids, view.neighbour_gaps.tolist(), strict=True)),
        "speakers": {
            id_: view.speaker_names[code] if code >= 0 else None
            for id_, code in zip(ids, view.speakers.tolist(), strict=True)
        },
        "speaker_names": sorted(view.speaker_names),
        **facts_of_texts(view, ids),
        "groups": {
            frozenset(np.array(ids, dtype=object)[view.groups == group].tolist()) for group in np.unique(view.groups)
        },
    }


def facts_of_texts(view: IndexView, ids: list[str]) -> dict[str, object]:
    """Describe what the items hold and are: names in both directions, periods, arousal, state, subject."""
    asked = ["osaka", "カメラ", "nobody"]
    numbers = view.names.numbers_of(asked)
    starts, items = view.names.items_of(numbers)
    held_starts, held = view.names.names_of(np.arange(len(ids), dtype=np.int32))
    days = list(zip(view.periods.first.tolist(), view.periods.last.tolist(), strict=True))
    counts = view.names.item_counts(np.arange(view.names.count, dtype=np.int32))
    return {
        "holders": {
            name: {ids[item] for item in items[a:b]} for name, (a, b) in zip(asked, pairwise(starts), strict=True)
        },
        "name_counts": sorted(counts.tolist()),
        "held": {id_: b - a for id_, (a, b) in zip(ids, pairwise(held_starts.tolist()), strict=True)},
        "how_common": {id_: sorted(counts[held[a:b]]) for id_, (a, b) in zip(ids, pairwise(held_starts), strict=True)},
        "periods": {id_: days[a:b] for id_, (a, b) in zip(ids, pairwise(view.periods.starts.tolist()), strict=True)},
        "arousal": {
            id_: round(float(value), 4) for id_, value in zip(ids, np.nan_to_num(view.arousal, nan=-1.0), strict=True)
        },
        "given": dict(zip(ids, view.is_arousal_given.tolist(), strict=True)),
        "occurred": dict(zip(ids, (view.days > 0).tolist(), strict=True)),
        "states": dict(zip(ids, view.states.tolist(), strict=True)),
        "stands_until": dict(zip(ids, view.stands_until.tolist(), strict=True)),
        "valid_to": dict(zip(ids, view.valid_to.tolist(), strict=True)),
        "has_hidden": view.has_hidden,
        "subjects": {
            frozenset(np.array(ids, dtype=object)[view.subjects == subject].tolist())
            for subject in np.unique(view.subjects)
        },
        "vectors": {id_: row.tolist() for id_, row in zip(ids, vectors_of(view), strict=True)},
    }


def vectors_of(view: IndexView) -> npt.NDArray[np.float16]:
    rows = view.vectors.rows_of(np.arange(len(view.episode_ids), dtype=np.int32))
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=0.01)
    return rows.astype(np.float16)


def facts_anew(folder: Path, indexes: IndexSettings) -> dict[str, object]:
    store = Store(folder, model=HashingEmbedder().model, clock=SystemClock(), indexes=indexes)
    with store.index("n") as (view, _):
        found = facts(view)
    store.close()
    return found


@settings(max_examples=tried(12, long=40))
@given(ACTIONS, st.sampled_from([IndexSettings(), IndexSettings(exact_up_to=3, tail_share=0.2, memory_bytes=0)]))
def test_indexes_kept_up_equal_indexes_built_anew(
    actions: list[tuple[str, str | int, str | None]], indexes: IndexSettings
) -> None:
    with TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        with Memory.open(store, namespace="n", embedder=HashingEmbedder()) as memory:
            kept_up = Store(store, model=HashingEmbedder().model, clock=SystemClock(), indexes=indexes)
            memory._bound.context = replace(memory._context, store=kept_up)
            memory.remember("the first", occurred_at=datetime(2026, 1, 1, tzinfo=UTC), speaker="Mika")
            for action in actions:
                act(memory, action)
            with kept_up.index("n") as (view, _):
                kept = facts(view)
            kept_up.close()
        assert facts_anew(store, indexes) == kept
        for file in store.glob("*.snapshot"):
            file.unlink()
        assert facts_anew(store, indexes) == kept


def test_neighbours_stand_in_the_order_of_their_session() -> None:
    with (
        TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "store", namespace="n", embedder=HashingEmbedder()) as memory,
    ):
        memory.remember_many(
            Statement(text=f"{session}{number}", session=session) for number in range(4) for session in "ab"
        )
        texts = {item.id: item.text for item in memory.list().statements}
        with memory._context.store.index("n") as (view, _):
            linked = {
                texts[id_]: [texts[view.episode_ids[int(number)]] if number >= 0 else None for number in row]
                for id_, row in zip(view.episode_ids, view.neighbours.tolist(), strict=True)
            }
    assert linked["a0"] == [None, None, "a1", "a2"]
    assert linked["b2"] == ["b0", "b1", "b3", None]
