"""Names, periods and estimates of arousal on every way into a store and out of it."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.config import Settings
from evolore.domain.health import FindingKind
from evolore.domain.times import Period
from evolore.flows.item_keys import nobody_estimates
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from evolore.domain.language import Language
    from evolore.ports import EmbeddingModel, StoredKeys
    from evolore.recall.arousal import EstimateArousal

OLD, NEW = HashingEmbedder(), HashingEmbedder(dimension=96)
NOW = datetime(2026, 3, 2, tzinfo=UTC)
TEXT = "We met Mika Tanaka in Osaka on 2019-05-04."
PAGE = "# Trips\n\nIn 2019 we saw Osaka."


def estimates(model: EmbeddingModel) -> EstimateArousal:
    """Give what depends on the text, the language, every bit of the vector, and the model."""

    def estimate(text: str, vector: npt.NDArray[np.float32], *, language: Language) -> float:
        assert vector.shape == (model.dimension,)
        return (len(text) % 7 + len(language.value) + float(np.abs(vector).sum())) % 10 / 10

    return estimate


def open_memory(
    store: Path, embedder: HashingEmbedder = OLD, *, namespace: str = "support", has_estimates: bool = True
) -> Memory:
    memory = Memory.open(store, namespace=namespace, embedder=embedder, settings=Settings())
    memory._bound.context = replace(memory._context, estimates=estimates if has_estimates else nobody_estimates)
    return memory


def keys(memory: Memory) -> dict[str, StoredKeys]:
    with memory._context.store.read(memory.namespace) as reader:
        return {stored.text.text: stored for stored in reader.stored_keys()}


def described(memory: Memory) -> dict[str, tuple[object, ...]]:
    return {text: (one.tokens, one.names, one.periods, one.arousal) for text, one in keys(memory).items()}


def fill(memory: Memory) -> None:
    memory.remember(TEXT)
    memory.remember("Nothing to see.")
    memory.add_text(PAGE, source="trips")


def test_names_and_periods_are_stored_and_indexed(store_path: Path) -> None:
    with open_memory(store_path) as memory:
        fill(memory)
        stored = keys(memory)[TEXT]
        assert "osaka" in stored.names
        assert stored.periods == (Period(first=date(2019, 5, 4), last=date(2019, 5, 4)),)
        assert keys(memory)["Nothing to see."].periods == ()
        with memory._context.store.index("support") as (view, _):
            _, items = view.names.items_of(view.names.numbers_of(["osaka"]))
            assert len(items) == 2
            assert view.periods.first.tolist().count(date(2019, 5, 4).toordinal()) == 1


def test_an_estimate_is_made_of_the_vector_as_it_is_stored(store_path: Path) -> None:
    with open_memory(store_path) as memory:
        fill(memory)
        for stored in keys(memory).values():
            assert stored.vector is not None
            made = estimates(OLD.model)(stored.text.text, stored.vector, language=stored.text.language)
            assert stored.arousal == pytest.approx(made, abs=1e-6)
        assert memory.store.doctor().findings == ()


def test_without_an_estimator_nothing_is_estimated(store_path: Path) -> None:
    with open_memory(store_path, has_estimates=False) as memory:
        fill(memory)
        assert {one.arousal for one in keys(memory).values()} == {None}
        with memory._context.store.index("support") as (view, _):
            assert np.isnan(view.arousal).all()
        assert memory.store.doctor().findings == ()


def test_doctor_estimates_what_nobody_estimated(store_path: Path) -> None:
    with open_memory(store_path, has_estimates=False) as memory:
        fill(memory)
    with open_memory(store_path) as memory:
        assert [finding.kind for finding in memory.store.doctor().findings] == [FindingKind.AROUSAL]
        assert memory.store.doctor(repair=True).is_whole
        assert None not in {one.arousal for one in keys(memory).values()}


def test_an_estimate_follows_the_model(store_path: Path) -> None:
    with open_memory(store_path) as memory:
        fill(memory)
        before = described(memory)
        memory.store.reembed(NEW)
        assert memory.store.doctor().findings == ()
        after = described(memory)
    assert {text: row[:3] for text, row in after.items()} == {text: row[:3] for text, row in before.items()}
    assert all(after[text][3] != before[text][3] for text in before)


def test_giving_a_new_model_up_leaves_the_old_estimates(store_path: Path) -> None:
    with open_memory(store_path) as memory:
        fill(memory)
        before = described(memory)
        with memory._context.store.reembedding(NEW.model) as change:
            change.begin()
            page = change.texts(after=None)
        assert page
        memory.store.abandon_reembed()
        assert described(memory) == before


@pytest.mark.parametrize("with_vectors", [True, False])
def test_an_import_makes_anew_what_an_export_leaves_out(store_path: Path, *, with_vectors: bool) -> None:
    exported = io.BytesIO()
    with open_memory(store_path) as memory, open_memory(store_path, namespace="b") as other:
        fill(memory)
        memory.store.export(exported, with_vectors=with_vectors)
        assert b"osaka" not in exported.getvalue()
        exported.seek(0)
        other.store.import_(exported)
        made, kept = described(other), described(memory)
        assert {text: row[:3] for text, row in made.items()} == {text: row[:3] for text, row in kept.items()}
        assert [row[3] for row in made.values()] == pytest.approx([kept[text][3] for text in made], abs=0.001)
        assert other.store.doctor().findings == ()


def test_changes_of_arousal_move_with_their_events(store_path: Path, tmp_path: Path) -> None:
    first, second = io.BytesIO(), io.BytesIO()
    with open_memory(store_path) as memory, open_memory(tmp_path / "other") as other:
        fill(memory)
        (one, _) = memory.list().statements
        with memory._context.store.write("support") as writer:
            event_id = writer.set_arousal({one.id: 1 / 3}, at=NOW, reason="test")
        memory.store.export(first, with_vectors=True)
        first.seek(0)
        other.store.import_(first)
        other.store.export(second, with_vectors=True)
        assert second.getvalue() == first.getvalue()
        with other._context.store.index("support") as (view, _):
            assert view.arousal[list(view.episode_ids).index(one.id)] == pytest.approx(1 / 3)
        with other._context.store.write("support") as writer:
            writer.undo(str(event_id), at=NOW)
        with other._context.store.index("support") as (view, _):
            assert not view.is_arousal_given.any()
        assert other.store.verify().is_whole


def test_what_an_export_says_of_keys_counts_for_nothing(store_path: Path) -> None:
    exported = io.BytesIO()
    with open_memory(store_path) as memory, open_memory(store_path, namespace="b") as other:
        fill(memory)
        memory.store.export(exported)
        forged = exported.getvalue().replace(b'"salt"', b'"names": 5, "periods": "x", "arousal": [], "salt"')
        other.store.import_(io.BytesIO(forged))
        assert other.store.doctor().findings == ()


def test_what_is_forgotten_leaves_the_names(store_path: Path) -> None:
    with open_memory(store_path) as memory:
        fill(memory)
        episode = memory.remember("We saw Zanzibar.")
        with memory._context.store.index("support") as (view, _):
            assert view.names.numbers_of(["zanzibar"]).tolist() != [-1]
        memory.forget(episode.id)
        with memory._context.store.index("support") as (view, _):
            assert view.names.numbers_of(["zanzibar"]).tolist() == [-1]
    assert not [file for file in store_path.iterdir() if b"zanzibar" in file.read_bytes()]
