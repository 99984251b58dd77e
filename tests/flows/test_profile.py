"""A profile says what holds now of a person or a thing, and nothing that no longer does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.errors import InvalidValue
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

DAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
SAID = (
    ("Mika", "I live in Munich."),
    ("Ben", "I live in Leeds."),
    ("Mika", "The standup is at 9:30."),
    ("Mika", "Lunch was good."),
    ("Mika", "I live in Berlin now."),
    ("白雪", "我住在上海。"),
    (None, "My rent is 900 euros."),
)


@pytest.fixture
def memory(tmp_path: Path) -> Generator[Memory]:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder(), settings=Settings()) as opened:
        opened.remember_many(
            [
                Statement(text=text, speaker=speaker, occurred_at=DAY + timedelta(days=7 * number))
                for number, (speaker, text) in enumerate(SAID)
            ]
        )
        yield opened


def test_a_speakers_profile_holds_what_holds_now_with_its_date(memory: Memory) -> None:
    found = memory.profile("mika")
    homes = [fact.value for fact in found.facts if fact.attribute == "home"]
    assert sorted(homes) == ["Berlin", "Munich"]  # what is only possibly replaced stays
    assert "- I live in Berlin now. (2026-02-02)" in found.text.splitlines()
    assert "Leeds" not in found.text
    assert found.statements[0].id in {fact.episode_id for fact in found.facts}


def test_it_holds_what_held_at_a_moment(memory: Memory) -> None:
    found = memory.profile("Mika", as_of=DAY + timedelta(days=10))
    assert [fact.value for fact in found.facts if fact.attribute == "home"] == ["Munich"]
    assert "Berlin" not in found.text


def test_a_thing_a_language_and_nobody_have_one_too(memory: Memory) -> None:
    assert [fact.value for fact in memory.profile("the standup").facts] == ["9:30"]
    assert [fact.value for fact in memory.profile("白雪").facts] == ["上海"]
    assert [fact.value for fact in memory.profile().facts] == ["900 euros"] or "900" in memory.profile().text


def test_keys_come_first_and_conflicts_are_marked(memory: Memory) -> None:
    memory.remember("The office is in Kyoto.", about=("office", "city"), occurred_at=DAY)
    memory.remember("The office is in Osaka.", about=("office", "city"), occurred_at=DAY)
    found = memory.profile("Office")
    assert {fact.is_in_conflict for fact in found.facts if fact.attribute == "city"} == {True}
    assert found.text.count("(?)") == 2


def test_what_is_not_known_has_an_empty_profile_and_the_budget_holds(memory: Memory) -> None:
    nobody = memory.profile("Nobody at all")
    assert (nobody.facts, nobody.statements, nobody.text, nobody.tokens) == ((), (), "", 0)
    short = memory.profile("Mika", tokens=12)
    assert len(short.statements) == 1
    assert short.facts == memory.profile("Mika").facts
    with pytest.raises(InvalidValue, match="tokens"):
        memory.profile("Mika", tokens=0)


def test_at_turn_one_and_in_another_namespace_there_is_nothing(memory: Memory, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", namespace="other", embedder=HashingEmbedder(), settings=Settings()) as other:
        assert other.profile("Mika").text == ""
    with Memory.open(tmp_path / "new", embedder=HashingEmbedder(), settings=Settings()) as new:
        assert new.profile("Mika").text == ""
