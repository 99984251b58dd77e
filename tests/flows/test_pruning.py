"""Pruning: off unless asked for, only what little speaks for and nobody used, brought back until the time is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.episode import Episode, EpisodeState, Statement
from evolore.domain.language import Language
from evolore.episodes.settings import MaintenanceSettings
from evolore.flows.calibrate import to_parameters
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from flows.test_maintain import QUICK, SCALE, TopicEmbedder, about

if TYPE_CHECKING:
    from pathlib import Path

BEGAN = datetime(2026, 1, 5, tzinfo=UTC)
ON = MaintenanceSettings(prune_enabled=True, prune_unused_days=100, prune_retention_days=20)


@pytest.fixture(autouse=True)
def what_is_new_may_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.flows.maintain._PRUNE_BELOW", 0.6)


def opened(store: Path, *, days: int, maintenance: MaintenanceSettings = ON) -> Memory:
    clock = SteppingClock(BEGAN + timedelta(days=days))
    return Memory.open(store, embedder=HashingEmbedder(), clock=clock, settings=Settings(maintenance=maintenance))


def told(store: Path) -> str:
    with opened(store, days=0) as memory:
        return memory.remember("The bicycle stands in the cellar.").id


def test_nothing_is_pruned_unless_it_is_switched_on(tmp_path: Path) -> None:
    id_ = told(tmp_path / "store")
    with opened(tmp_path / "store", days=300, maintenance=MaintenanceSettings()) as memory:
        assert memory.maintain().pruned.episode_ids == ()
        assert memory.recall("bicycle").hits[0].episode.id == id_


def test_what_nobody_used_for_long_is_out_of_sight_and_comes_back_when_undone(tmp_path: Path) -> None:
    id_ = told(tmp_path / "store")
    with opened(tmp_path / "store", days=50) as memory:
        assert memory.maintain().pruned.episode_ids == ()
    with opened(tmp_path / "store", days=101) as memory:
        assert memory.maintain(dry_run=True).pruned.episode_ids == (id_,)
        assert memory.recall("bicycle").hits
        pruned = memory.maintain().pruned
        assert pruned.episode_ids == (id_,)
        assert memory.recall("bicycle").hits == ()
        memory.undo(pruned.event_ids[0])
        assert memory.recall("bicycle").hits[0].episode.state is EpisodeState.ACTIVE
        assert memory.maintain().pruned.episode_ids == ()
        assert memory.store.doctor().is_whole


def test_what_something_happened_to_lately_stays(tmp_path: Path) -> None:
    id_ = told(tmp_path / "store")
    with opened(tmp_path / "store", days=60) as memory:
        memory.questions.resonate(id_, arousal=0.9)
    with opened(tmp_path / "store", days=120) as memory:
        assert memory.maintain().pruned.episode_ids == ()


def test_what_stands_for_several_is_pruned_with_them(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with opened(store, days=0) as memory:
        memory.remember("The bicycle stands in the cellar.")
        merged = memory.remember("The bicycle stands in the cellar. The key hangs beside it.")
    with opened(store, days=101) as memory:
        pruned = memory.maintain().pruned
        assert len(pruned.episode_ids) == 1
        assert memory.recall("bicycle").hits == ()
        said = memory.show(merged.id)
        assert isinstance(said, Episode)
        assert said.state is EpisodeState.REVOKED
        assert memory.store.doctor().is_whole
        memory.undo(pruned.event_ids[0])
        assert [hit.text for hit in memory.recall("bicycle").hits] == [
            "The bicycle stands in the cellar.\nThe key hangs beside it."
        ]


def test_of_two_that_hold_a_statement_one_is_pruned_and_not_erased_with_the_other(tmp_path: Path) -> None:
    note = " ".join(about(topic, number) for topic in ("oven", "river") for number in (7, 8, 9))
    chosen = Settings(maintenance=ON, episodes=QUICK.episodes)

    def on(days: int) -> Memory:
        clock = SteppingClock(BEGAN + timedelta(days=days))
        return Memory.open(tmp_path / "store", namespace="n", embedder=TopicEmbedder(), clock=clock, settings=chosen)

    with on(0) as memory:
        memory.remember("Nothing yet.")
        with memory._context.store.write("n") as writer:
            writer.put_calibration("topics", Language.EN, to_parameters(SCALE), texts=100, at=BEGAN)
        memory.remember_many([Statement(text=about(topic, one)) for topic in ("oven", "river") for one in range(5)])
        said = memory.remember(note).id
        gone, kept = memory.outline.standing_for(said)
    with on(50) as memory:
        memory.questions.resonate(kept, arousal=0.9)
    with on(101) as memory:
        pruned = memory.maintain().pruned
        assert gone in pruned.episode_ids
        assert kept not in pruned.episode_ids
        assert memory.outline.standing_for(said) == (kept,)
        shown = memory.show(said)
        assert isinstance(shown, Episode)
        assert shown.state is EpisodeState.ACTIVE
    with on(130) as memory:
        memory.maintain()
        assert memory.outline.standing_for(said) == (kept,)
        assert memory.store.doctor().is_whole


def test_after_the_retention_time_it_is_forgotten_for_good(tmp_path: Path) -> None:
    store = tmp_path / "store"
    told(store)
    with opened(store, days=101) as memory:
        assert memory.maintain().pruned.event_ids
    with opened(store, days=115) as memory:
        assert memory.maintain().pruned.receipt is None
    with opened(store, days=130) as memory:
        receipt = memory.maintain().pruned.receipt
        assert receipt is not None
        assert receipt.episodes == 1
        assert memory.store.doctor().is_whole
    assert b"bicycle" not in b"".join(path.read_bytes() for path in store.rglob("*") if path.is_file())
