"""What a chat model is shown of what several people said in one namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CITY = ("office", "city")
PRICE = ("plan", "price")


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.remember("The office is in Munich.", speaker="Mika", occurred_at="2026-01-05", about=CITY, session="kitchen")
    memory.remember(
        "The office is in Berlin now.", speaker="Tom", occurred_at="2026-03-02", about=CITY, session="kitchen"
    )
    memory.remember_many(
        [
            Statement(text="Our plan costs 30 euros.", speaker="Mika", occurred_at="2026-02-01", about=PRICE),
            Statement(text="Our plan costs 40 euros.", speaker="Tom", occurred_at="2026-02-01", about=PRICE),
        ]
    )
    memory.remember("The walnut cake is for Saturday.", speaker="Mika", session="kitchen")
    memory.remember("The walnut cake is for Saturday!", speaker="Tom", session="kitchen")
    memory.remember("The bins go out on Tuesday.", session="kitchen")
    memory.add_text("# Handbook\n\nThe office closes at six.", source="handbook.md")
    return memory


TOMS = ("Tom", "Berlin", "40 euros", "Saturday!")
QUESTIONS = [
    "Where is the office?",
    "What does our plan cost?",
    "For when is the walnut cake?",
    "When do the bins go out?",
]


@pytest.mark.parametrize("level", ["episode", "session"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_another_said_is_shown_to_a_speaker(told: Memory, question: str, level: str) -> None:
    found = told.recall(question, limit=20, least=0, level=level)
    everything = found.as_messages()[0]["content"]
    assert any(word in everything for word in TOMS)  # else the test below shows nothing

    mikas = found.as_messages(speaker="Mika")[0]["content"]
    assert not [word for word in TOMS if word in mikas]


def test_ones_own_lines_and_what_nobody_said_stay(told: Memory) -> None:
    found = told.recall("Where is the office, and when do the bins go out?", limit=20, least=0)
    mikas = found.as_messages(speaker="Mika")[0]["content"]
    assert "The office is in Munich." in mikas
    assert "(superseded 2026-03-02)" in mikas  # that it holds no longer is known; by whose words is not
    assert "The bins go out on Tuesday." in mikas
    assert "The office closes at six." in mikas


def test_another_is_shown_where_named(told: Memory) -> None:
    found = told.recall("Where is the office?", limit=20, least=0)
    assert found.as_messages(speaker=["Mika", "Tom"])[0] == found.as_messages()[0]


def test_a_namespace_that_is_asked_too_is_shared(store_path: Path, house: Memory) -> None:
    with Memory.open(store_path, namespace="mika", embedder=HashingEmbedder()) as mika:
        mika.remember("The walnut cake is mine.", speaker="Mika")
        mika.remember("The walnut cake is a surprise.", speaker="Tom")
        found = mika.recall("What about the walnut cake?", limit=20, least=0, also=["house"])
    shown = found.as_messages(speaker="Mika")[0]["content"]
    assert "in the larder" in shown
    assert "is mine" in shown
    assert "surprise" not in shown


@pytest.fixture
def house(store_path: Path) -> Iterator[Memory]:
    with Memory.open(store_path, namespace="house", embedder=HashingEmbedder()) as opened:
        opened.remember("The walnut cake is in the larder.", speaker="Tom")
        yield opened


@pytest.mark.parametrize(
    ("question", "language"), [("Where is the office?", "numbers"), ("事務所はどこですか。", "番号")]
)
def test_numbers_are_asked_for_only_where_wanted(told: Memory, question: str, language: str) -> None:
    found = told.recall(question, limit=20, least=0)
    assert language in found.as_messages()[0]["content"].splitlines()[0]
    assert language not in found.as_messages(cited=False)[0]["content"].splitlines()[0]
    assert "<memory>" in found.as_messages(cited=False)[0]["content"]
