"""Time and feeling in recall, from end to end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.domain.outcome import Rating
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.recall.settings import Decay, DecaySettings

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.domain.query import Recall

OLD = "The API listens on port 8080."
NEW = "The API now listens on port 9000 after the move."


def ask(folder: Path, decay: Decay, question: str = "Which port does the API listen on?") -> Recall:
    settings = Settings(decay=DecaySettings(decay=decay))
    with Memory.open(folder, embedder=HashingEmbedder(64), settings=settings) as memory:
        memory.remember_many(
            [
                Statement(text=OLD, occurred_at=datetime(2025, 1, 1, tzinfo=UTC)),
                Statement(text=NEW, occurred_at=datetime(2025, 1, 2, tzinfo=UTC)),
                Statement(text="Nadia brought baklava.", occurred_at=datetime(2025, 1, 3, tzinfo=UTC)),
            ]
        )
        return memory.recall(question, as_of=datetime(2025, 2, 1, tzinfo=UTC))


@pytest.mark.parametrize("decay", list(Decay))
def test_the_terms_of_every_hit_sum_to_its_score(tmp_path: Path, decay: Decay) -> None:
    found = ask(tmp_path / "store", decay)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    for hit in found.hits:
        assert sum(term.value for term in hit.terms) == pytest.approx(hit.score, abs=1e-4)


def test_the_newer_stands_first_and_the_older_is_listed_with_the_reason(tmp_path: Path) -> None:
    found = ask(tmp_path / "store", Decay.RIVAL)
    assert found.hits[0].text == NEW
    old = next(hit.episode.id for hit in found.hits if hit.text == OLD)
    listed = next(one for one in found.suppressed if one.episode_id == old)
    assert listed.rival_id == found.hits[0].episode.id
    assert listed.penalty > 0.0
    assert "newer" in listed.reason


def test_without_decay_there_are_no_terms_of_time_and_nothing_is_listed(tmp_path: Path) -> None:
    found = ask(tmp_path / "store", Decay.NONE)
    assert not found.suppressed
    assert not {"arousal", "recency"} & {term.name for hit in found.hits for term in hit.terms}


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("where is our office now?", "We moved the office to Osaka last spring.", "The cat sleeps on the printer."),
        ("where was the office before we moved?", "The office is in Kobe.", "The cat sleeps on the printer."),
        ("which cat sleeps?", "The cat sleeps on the printer.", None),
        ("garden", "The garden is in Lyon.", None),
    ],
)
def test_in_a_memory_of_a_few_lines_only_rivals_change_places(
    tmp_path: Path, question: str, first: str, last: str | None
) -> None:
    said = [
        Statement(text="The office is in Kobe.", occurred_at=datetime(2023, 2, 2, tzinfo=UTC)),
        Statement(text="The garden is in Lyon.", occurred_at=datetime(2024, 2, 2, tzinfo=UTC)),
        Statement(text="We moved the office to Osaka last spring.", occurred_at=datetime(2026, 5, 2, tzinfo=UTC)),
        Statement(text="The cat sleeps on the printer.", occurred_at=datetime(2026, 6, 2, tzinfo=UTC)),
    ]
    with Memory.open(tmp_path / "store") as memory:
        memory.remember_many(said)
        found = memory.recall(question, as_of=datetime(2026, 7, 1, tzinfo=UTC))
    assert found.hits[0].text == first
    assert last is None or last in [hit.text for hit in found.hits[2:]]
    answer = found.hits[0]
    moved = {term.name: term.value for term in answer.terms if term.name in {"recency", "arousal"}}
    assert last is not None or not any(moved.values())


@pytest.mark.parametrize(
    "question", ["Ana release", "who has to approve a release, Ana?", "Who approves every release?"]
)
def test_what_alone_holds_all_words_of_a_question_stands_first_in_a_small_memory(tmp_path: Path, question: str) -> None:
    told = "Ana approves every release."
    with Memory.open(tmp_path / "store") as memory:
        for text in (
            "Deploys run every Tuesday from the main branch.",
            "The release checklist hangs beside the coffee machine.",
            told,
            "The cat sleeps on the printer.",
            "Rollbacks are done with the red button.",
        ):
            memory.remember(text)
        found = memory.recall(question)
    assert found.hits[0].text == told


@pytest.mark.parametrize("decay", list(Decay))
def test_scores_are_the_same_to_the_last_bit_all_day_and_time_tells_the_next(tmp_path: Path, decay: Decay) -> None:
    clock = SteppingClock(datetime(2025, 2, 1, 9, tzinfo=UTC), step=timedelta(minutes=1))
    settings = Settings(decay=DecaySettings(decay=decay))
    with Memory.open(tmp_path / "store", settings=settings, clock=clock) as memory:
        memory.remember(OLD, occurred_at="2025-01-01")
        memory.remember(NEW, occurred_at="2025-01-02")
        memory.remember("Nadia brought baklava.", occurred_at="2025-02-01T08:00Z")
        question = "Which port does the API listen on?"
        asked = memory.recall(question, record=True)
        memory.rate(asked.query_id or "", Rating.GOOD, cited=[asked.hits[0].episode.id])
        first, *others = (memory.recall(question).hits for _ in range(4))
        assert any(term.name == "learned" and term.value > 0.0 for hit in first for term in hit.terms)  # the control
        assert all(hits == first for hits in others)
        for _ in range(60 * 24):
            clock.now()
        later = memory.recall(question).hits
        assert later != first  # the control: lessons have faded
