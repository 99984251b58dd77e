"""Age, feeling and intent, as their source asks for them, in default stores."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore import config
from evolore.config import Settings
from evolore.domain.query import Intent
from evolore.errors import InvalidSetting
from evolore.memory import Memory
from evolore.recall.cost import seed_cost, time_decay
from evolore.recall.settings import DecaySettings

if TYPE_CHECKING:
    from pathlib import Path

YEAR = 365.25


def test_four_kinds_of_memory_sink_as_their_arousal_says() -> None:
    arousal = np.array([0.9, 0.6, 0.2, 0.1])  # a poem, a discovery, everyday talk, a setting
    cost = seed_cost(np.zeros(4), arousal, np.full(4, 1e6), weights=(0.3, 0.1, 1.0))
    assert cost.time == pytest.approx([0.1, 0.4, 0.8, 0.9])


def test_a_missing_date_counts_as_the_middle_and_the_future_as_today() -> None:
    assert time_decay(np.array([math.nan, -400.0, 0.0])).tolist() == [0.5, 1.0, 1.0]


@pytest.mark.parametrize(
    ("asked", "intent"),
    [
        ("あの時どう思った？", Intent.EMOTIONAL),
        ("嬉しかったこと", Intent.EMOTIONAL),
        ("How did I feel when grandpa died?", Intent.EMOTIONAL),
        ("最让你感动的一次是什么？", Intent.EMOTIONAL),
        ("猫の名前は？", Intent.FACTUAL),
        ("誕生日いつ？", Intent.FACTUAL),
        ("When is Mika's birthday?", Intent.FACTUAL),
        ("生日是哪天？", Intent.FACTUAL),
        ("設定方法は？", Intent.TECHNICAL),
        ("どうやって動かす？", Intent.TECHNICAL),
        ("How do I configure the proxy?", Intent.TECHNICAL),
        ("怎么安装这个程序？", Intent.TECHNICAL),
        ("最近何した？", Intent.TEMPORAL),
        ("昨日の話", Intent.TEMPORAL),
        ("What did I do last week?", Intent.TEMPORAL),
        ("我昨天做了什么？", Intent.TEMPORAL),
        ("〇〇との関係は？", Intent.RELATIONAL),
        ("誰と仲良い？", Intent.RELATIONAL),
        ("How are Mika and Ken related?", Intent.RELATIONAL),
        ("小明和谁关系好？", Intent.RELATIONAL),
    ],
)
def test_questions_of_the_source_have_their_intents_in_a_default_store(
    asked: str, intent: Intent, tmp_path: Path
) -> None:
    with Memory.open(tmp_path / "store") as memory:
        memory.remember("The cat is called Miso.")
        found = memory.recall(asked, record=False)
        assert found.intent is intent
        assert found.intent_weights == Settings().intent.weights(intent)


def test_weights_and_rate_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLORE_INTENT__FACTUAL", "[0.6, 0.3, 0.1]")
    monkeypatch.setenv("EVOLORE_DECAY__RATE", "0.02")
    found = config.load()
    assert (found.intent.factual, found.decay.rate) == ((0.6, 0.3, 0.1), 0.02)


def test_a_default_intent_is_refused_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLORE_INTENT__DEFAULT_INTENT", "factual")
    with pytest.raises(InvalidSetting, match="every question gets its likeliest intent"):
        config.load()


@pytest.mark.parametrize("name", ["date", "created_at"])
def test_a_date_is_read_from_metadata_in_several_formats(name: str, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        for number, written in enumerate(("2026-01-15", "2026/1/15", "2026年1月15日", "15 Jan 2026")):
            source = f"{number}.txt"
            memory.add_text("The roof gets slate.", source=source, metadata={name: written})
            (hit,) = memory.recall("What does the roof get?", source=source, record=False).hits
            assert hit.episode.occurred_at == datetime(2026, 1, 15, tzinfo=UTC)


@pytest.mark.parametrize(("decay", "first"), [("seed", "in the web console"), ("none", "in proxy.toml")])
def test_by_the_score_of_three_terms_an_old_technical_answer_sinks(decay: str, first: str, tmp_path: Path) -> None:
    settings = Settings(decay=DecaySettings(decay=decay))  # pyright: ignore[reportArgumentType] - the word is read
    with Memory.open(tmp_path / "store", settings=settings) as memory:
        memory.remember("The proxy is configured in proxy.toml.", occurred_at="2020-01-01", arousal=0.1)
        memory.remember("The proxy is configured in the web console.", occurred_at=datetime.now(UTC), arousal=0.1)
        found = memory.recall("How is the proxy configured?", record=False)
        assert found.intent is Intent.TECHNICAL
        assert first in found.hits[0].text


def test_by_the_score_of_three_terms_an_old_feeling_stays_first(tmp_path: Path) -> None:
    settings = Settings(decay=DecaySettings(decay="seed"))  # pyright: ignore[reportArgumentType] - the word is read
    with Memory.open(tmp_path / "store", settings=settings) as memory:
        memory.remember("I wrote my first poem and cried with joy.", occurred_at="2016-01-01", arousal=0.9)
        memory.remember("I wrote a poem in the office break.", occurred_at=datetime.now(UTC), arousal=0.1)
        found = memory.recall("How did I feel about writing a poem?", record=False)
        assert found.intent is Intent.EMOTIONAL
        assert "first poem" in found.hits[0].text
