"""What questions are after and what hits score by is logged without a word of text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.errors import StoreUnwritable
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.jobs.clock import SteppingClock


def opened(folder: Path, clock: SteppingClock, log: Path | None) -> Memory:
    settings = Settings(score_log=log)
    return Memory.open(folder / "store", embedder=HashingEmbedder(), clock=clock, settings=settings)


def test_every_question_adds_a_line_with_ranks_and_terms_and_no_text(tmp_path: Path, clock: SteppingClock) -> None:
    log = tmp_path / "scores.jsonl"
    with opened(tmp_path, clock, log) as memory:
        memory.remember("Marzipan is kept in the cellar.", speaker="Zelda")
        found = memory.recall("Where is the marzipan?", record=True, principal="quentin")
        plain = memory.recall("Is there marzipan?", record=False)
        answer = memory.answer("Where is marzipan kept?")
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [one["query_id"] for one in lines] == [found.query_id, None, answer.query_id]
    assert [one["intent"] for one in lines][:2] == [found.intent.value, plain.intent.value]
    (hit,) = lines[0]["hits"]
    assert hit["rank"] == 1
    assert sum(hit["terms"].values()) == pytest.approx(hit["score"], abs=1e-5)
    said = log.read_text(encoding="utf-8").lower()
    assert not any(word in said for word in ("marzipan", "cellar", "zelda", "quentin"))


def test_nothing_is_logged_by_default_and_a_log_that_cannot_be_written_is_told(
    tmp_path: Path, clock: SteppingClock
) -> None:
    with opened(tmp_path, clock, None) as memory:
        memory.remember("The cat sleeps.")
        memory.recall("cat?")
    assert [one.name for one in tmp_path.iterdir()] == ["store"]
    with (
        opened(tmp_path, clock, tmp_path / "nowhere" / "scores.jsonl") as memory,
        pytest.raises(StoreUnwritable, match="score_log"),
    ):
        memory.recall("cat?")
