"""A profile says what holds now of a person or a thing, and nothing that no longer does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.errors import InvalidValue
from evolore.flows.profile import _within
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.text.tokens import estimate_tokens

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
    assert "- home: I live in Berlin now. (2026-02-02)" in found.text.splitlines()
    assert "Leeds" not in found.text
    assert [fact.said_by for fact in found.facts] == ["Mika", "Mika"]
    assert {fact.value for fact in found.statements} == {"Lunch was good.", "The standup is at 9:30."}


def test_it_holds_what_held_at_a_moment(memory: Memory) -> None:
    found = memory.profile("Mika", as_of=DAY + timedelta(days=10))
    assert [fact.value for fact in found.facts if fact.attribute == "home"] == ["Munich"]
    assert "Berlin" not in found.text


def test_a_thing_a_language_and_nobody_have_one_too(memory: Memory) -> None:
    assert [fact.value for fact in memory.profile("the standup").facts] == ["9:30"]
    assert [fact.value for fact in memory.profile("白雪").facts] == ["上海"]
    assert [fact.value for fact in memory.profile().facts] == ["900 euros"] or "900" in memory.profile().text


def test_attributes_come_first_and_open_conflicts_as_pairs(memory: Memory) -> None:
    memory.remember("The office is in Kyoto.", about=("office", "city"), occurred_at=DAY)
    memory.remember("The office is in Osaka.", about=("office", "city"), occurred_at=DAY)
    found = memory.profile("Office")
    ((older, newer),) = found.conflicts
    assert {older.value, newer.value} == {"The office is in Kyoto.", "The office is in Osaka."}
    assert older.is_in_conflict
    assert newer.is_in_conflict
    assert {older.attribute, newer.attribute} == {"city"}
    assert (found.facts, found.statements) == ((), ())  # neither is known to hold
    assert found.text.startswith("In conflict:\n- city: The office is in ")
    memory.remember("The office is large.", about=("office", "size"), occurred_at=DAY)
    assert memory.profile("Office").text.index("- size: ") < memory.profile("Office").text.index("In conflict:\n")


def test_what_is_not_known_has_an_empty_profile_and_the_budget_holds(memory: Memory) -> None:
    nobody = memory.profile("Nobody at all")
    assert (nobody.facts, nobody.statements, nobody.text, nobody.tokens) == ((), (), "", 0)
    whole, short = memory.profile("Mika"), memory.profile("Mika", tokens=12)
    assert (len(short.facts), short.conflicts, short.statements, short.left_out) == (1, (), (), 3)
    assert (whole.left_out, short.facts) == (0, whole.facts[:1])
    assert whole.text.startswith(short.text)
    with pytest.raises(InvalidValue, match="tokens"):
        memory.profile("Mika", tokens=0)


def test_at_turn_one_and_in_another_namespace_there_is_nothing(memory: Memory, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", namespace="other", embedder=HashingEmbedder(), settings=Settings()) as other:
        assert other.profile("Mika").text == ""
    with Memory.open(tmp_path / "new", embedder=HashingEmbedder(), settings=Settings()) as new:
        assert new.profile("Mika").text == ""


def test_what_is_possibly_replaced_stays_and_names_what_came_later(memory: Memory) -> None:
    found = memory.profile("Mika")
    newer, older = (fact for fact in found.facts if fact.attribute == "home")
    assert (newer.possibly_replaced_by, older.possibly_replaced_by) == ((), (newer.episode_id,))
    assert "- home: I live in Munich. (2026-01-05; possibly replaced by “I live in Berlin now.”)" in found.text
    memory.remember("My rent is 950 euros now.", occurred_at=DAY + timedelta(days=60))
    rents = memory.profile()
    doubted = [fact for fact in (*rents.facts, *rents.statements) if fact.possibly_replaced_by]
    assert [fact.value for fact in doubted] == ["My rent is 900 euros."]


def test_of_a_replaced_statement_only_what_was_said_anew_leaves_it(memory: Memory) -> None:
    old = memory.remember("I live in Lyon. I work at Renault.", speaker="Ana", occurred_at=DAY)
    later = DAY + timedelta(days=30)
    new = memory.remember("Correction: I live in Paris, not in Lyon.", speaker="Ana", occurred_at=later)
    assert [one.reason for one in new.replaced]  # else nothing is shown here
    (left,) = [fact for fact in memory.profile("Ana").facts if fact.episode_id == old.id]
    assert (left.attribute, left.value, left.is_partly_replaced) == ("employer", "Renault", True)
    assert "- employer: Renault (2026-01-05; the rest of it was replaced)" in memory.profile("Ana").text
    before = memory.profile("Ana", as_of=DAY + timedelta(days=1))
    assert sorted(fact.value for fact in before.facts) == ["Lyon", "Renault"]
    assert not any(fact.is_partly_replaced for fact in before.facts)
    memory.forget(new.id)
    assert "Renault" in memory.profile("Ana").text or "Paris" not in memory.profile("Ana").text
    memory.correct(
        memory.remember("I live in Rome. I work at Fiat.", speaker="Eva", occurred_at=DAY).id, "I live in Bari."
    )
    assert "Fiat" not in memory.profile("Eva").text  # a person replaced all of it


def test_questions_are_none_of_what_holds_and_long_statements_are_cut(memory: Memory) -> None:
    memory.remember("What is my sister's name? Do you know?", speaker="Ben")
    memory.remember("妹の名前は何ですか？", speaker="Ben")
    memory.remember("I am off to Rome on Monday, see you next week. " * 40 + "My car is a Fiat.", speaker="Ben")
    found = memory.profile("Ben")
    assert [fact.value[:10] for fact in found.statements] == ["I am off t"]
    assert "?" not in found.text
    assert "？" not in found.text
    assert max(map(len, found.text.splitlines())) < 300


@pytest.mark.parametrize("tokens", [1, 20, 60, 200])
def test_every_part_has_room_in_a_large_memory(memory: Memory, tokens: int) -> None:
    memory.remember_many(
        [Statement(text=f"It is value {number}.", about=("Ida", f"key{number}"), speaker="Ida") for number in range(40)]
    )
    memory.remember_many(
        [Statement(text=f"The trip number {number} went well.", speaker="Ida") for number in range(40)]
    )
    found = memory.profile("Ida", tokens=tokens)
    assert found.tokens <= tokens or len(found.text.splitlines()) == 1
    assert found.left_out > 0
    assert found.facts
    assert bool(found.statements) == (tokens >= 60)


def test_a_long_profile_takes_time_that_grows_with_it() -> None:
    lines = [f"- attribute {one}: value {one}" for one in range(20_000)]
    text, (count,) = _within([("", lines)], 100_000)
    assert 1000 < count < 20_000
    assert estimate_tokens(text) <= 100_000
