"""The seed's parameters are fitted on one half of the questions, and measured on the other."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from evolore.config import Settings
from evolore.domain.query import Intent
from evolore.errors import UnreadableSource
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.recall.settings import DecaySettings, IntentSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.jobs.clock import SteppingClock

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "fit_staleness.py"


def _loaded() -> Any:  # noqa: ANN401 - a script and no package
    spec = importlib.util.spec_from_file_location("fit_staleness", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FIT = _loaded()
BEFORE = FIT.Parameters.of(IntentSettings(), DecaySettings())


def cases(count: int, *, newer_is_right: bool = True, intent: Intent = Intent.FACTUAL) -> Iterator[Any]:
    """Give questions for which the older account is found first, by little."""
    for number in range(count):
        yield FIT.FitCase(
            id=f"q{number}",
            intent=intent,
            scores=np.array([0.6, 0.5, 0.1], np.float32),
            arousal=np.full(3, np.nan, np.float32),
            age_days=np.array([40.0 + number % 7, 30.0, 1.0]),
            is_better=np.array([not newer_is_right, newer_is_right, False]),
            is_worse=np.array([newer_is_right, not newer_is_right, False]),
            is_right_as_set=False,
        )


def test_what_orders_the_training_half_is_proposed_where_it_orders_the_other_too() -> None:
    found = FIT.fitted(cases(100), BEFORE)
    assert found.training + found.held_out == 100
    assert found.right_before is not None
    assert found.right_after == 1.0 > found.right_before
    assert found.proposed is not None
    assert "[intent]\nfactual = [" in found.toml
    assert "technical" not in found.toml
    assert {*found.proposed} == {*Intent, "rate"}


def test_what_is_right_already_is_left_alone() -> None:
    found = FIT.fitted(cases(100, newer_is_right=False), BEFORE)
    assert (found.proposed, found.toml, found.right_before, found.right_after) == (None, "", 1.0, 1.0)
    assert "no other values do better" in found.reason


def test_too_few_questions_are_told_and_propose_nothing() -> None:
    found = FIT.fitted(cases(FIT.LEAST_CASES), BEFORE)
    assert found.proposed is None
    assert "too few" in found.reason
    assert found.right_before is None


def rated_store(folder: Path, clock: SteppingClock, questions: int) -> None:
    with Memory.open(folder, embedder=HashingEmbedder(), clock=clock, settings=Settings()) as memory:
        for number in range(questions):
            old = memory.remember(f"Gate{number} opens with code {number}11.", occurred_at="2020-01-01")
            memory.remember(f"Gate{number} opens with code {number}22 since the repair.", occurred_at="2026-01-01")
            found = memory.recall(f"Which code opens Gate{number}?", record=True)
            ids = [hit.episode.id for hit in found.hits]
            cited = next((id_ for id_ in ids if id_ != old.id), ids[0])
            memory.rate(found.query_id or "", "good", cited=[cited])
        bad = memory.recall("Which gate is red?", record=True)
        memory.rate(bad.query_id or "", "bad")


def test_ratings_of_a_store_say_what_should_stand_first_and_the_store_is_only_read(
    tmp_path: Path, clock: SteppingClock
) -> None:
    rated_store(tmp_path / "store", clock, 60)
    before = (tmp_path / "store" / "evolore.db").read_bytes()
    found = FIT.fit_staleness(store=str(tmp_path / "store"), embedder=HashingEmbedder())
    assert found.training + found.held_out + found.unused == 61
    assert found.unused >= 1
    assert found.right_as_set is not None
    assert (tmp_path / "store" / "evolore.db").read_bytes() == before


@pytest.mark.long
def test_the_script_fits_on_a_set(tmp_path: Path) -> None:
    item = {"id": "a", "text": "The lamp is red.", "occurred_at": "2020-01-01T00:00:00Z"}
    newer = {"id": "b", "text": "The lamp is green now.", "occurred_at": "2026-01-01T00:00:00Z"}
    line = {"as_of": "2026-02-01T00:00:00Z", "items": [item, newer], "query": "Which colour has the lamp?"}
    path = tmp_path / "changes.jsonl"
    path.write_text(
        "".join(json.dumps({"id": f"c{number}", **line, "better": "b", "worse": ["a"]}) + "\n" for number in range(60))
    )
    told = subprocess.run([sys.executable, SCRIPT, path], capture_output=True, text=True, check=True)
    assert "Fitted on " in told.stdout
    with pytest.raises(UnreadableSource):
        FIT.fit_staleness([tmp_path / "nowhere.jsonl"])
