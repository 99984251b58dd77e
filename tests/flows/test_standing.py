"""What hits say of themselves: superseded by what and since when, in conflict with what, and as of when."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.recall.settings import RecallSettings, Superseded

if TYPE_CHECKING:
    from pathlib import Path

CITY = ("office", "city")
PRICE = ("plan", "price")
ASKED = "Where is the office, in Munich?"


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.remember("The office is in Munich.", speaker="Mika", occurred_at="2026-01-05", about=CITY)
    memory.remember("The office is in Berlin now.", speaker="Jonas", occurred_at="2026-03-02", about=CITY)
    memory.remember_many(
        [
            Statement(text="Our plan costs 30 euros.", speaker="Mika", occurred_at="2026-02-01", about=PRICE),
            Statement(text="Our plan costs 40 euros.", speaker="Jonas", occurred_at="2026-02-01", about=PRICE),
        ]
    )
    return memory


def test_a_superseded_hit_stands_last_and_names_the_hit_that_replaced_it(told: Memory) -> None:
    found = told.recall(f"{ASKED} What does the plan cost?")

    new = next(hit for hit in found.hits if "Berlin" in hit.text)
    assert found.context.startswith("Remembered, as of now:\n\n<memory>\n[1] ")
    assert f"(superseded 2026-03-02 by [{new.rank}])\nThe office is in Munich." in found.context
    assert found.context.endswith("The office is in Munich.\n</memory>")
    assert found.shown[-1].superseded_by == new.episode
    assert f"[{new.rank}] Jonas · 2026-03-02\nThe office is in Berlin now." in found.context


def test_what_replaced_a_hit_is_quoted_where_it_is_no_hit(told: Memory) -> None:
    found = told.recall("Munich", limit=5)

    alone = found.citing.all([hit for hit in found.hits if "Munich" in hit.text])
    assert "(superseded 2026-03-02 by “The office is in Berlin now.” (Jonas · 2026-03-02))" in alone


def test_conflicts_stand_side_by_side_whatever_ranks_between(told: Memory) -> None:
    found = told.recall("What does the plan of 30 euros cost, and where is the office?")

    ranks = [hit.rank for hit in found.shown if hit.is_in_conflict]
    places = [place for place, hit in enumerate(found.shown) if hit.is_in_conflict]
    assert places == [places[0], places[0] + 1]
    assert f"(in conflict with [{ranks[1]}])" in found.context
    assert f"(in conflict with [{ranks[0]}])" in found.context


def test_the_other_side_of_a_conflict_is_quoted_where_it_was_not_recalled(told: Memory) -> None:
    found = told.recall("What does the plan cost?", limit=1)

    other = "40" if "30" in found.hits[0].text else "30"
    assert f"(in conflict with “Our plan costs {other} euros.” (" in found.context


def test_what_a_filter_hides_is_not_named(told: Memory) -> None:
    context = told.recall("What does the plan cost? Munich?", speaker="Mika").context

    assert "40 euros" not in context
    assert "Berlin" not in context
    assert "(in conflict)" in context
    assert "(superseded 2026-03-02)" in context


def test_asked_from_before_what_held_then_holds(told: Memory) -> None:
    found = told.recall(ASKED, as_of="2026-02-05")

    assert found.context.startswith("Remembered, as of 2026-02-05:")
    assert "superseded" not in found.context
    assert not any(hit.is_superseded for hit in found.hits)


def test_a_settled_conflict_is_none(told: Memory) -> None:
    (item,) = told.review.list()
    told.review.settle(item.id or "", keep="newer")

    context = told.recall("What does the plan cost?").context
    assert "in conflict" not in context
    assert "superseded" in context


@pytest.mark.parametrize(
    ("question", "heading", "word"),
    [
        ("Munichのオフィスはどこですか？", "記憶（現時点）:", "無効"),
        ("Munich办公室在哪里？", "记忆（截至目前）:", "已失效"),
    ],
)
def test_the_words_are_those_of_the_questions_language(told: Memory, question: str, heading: str, word: str) -> None:
    context = told.recall(question, limit=5).context

    assert context.startswith(heading)
    assert word in context


def test_superseded_hits_can_be_left_out_at_every_level(told: Memory, store_path: Path) -> None:
    settings = Settings(recall=RecallSettings(superseded=Superseded.OUT))
    with closing(Memory.open(store_path, namespace="support", embedder=HashingEmbedder(), settings=settings)) as strict:
        found = strict.recall(ASKED, limit=3)

        assert "Munich" not in found.context
        assert len(found.hits) == 3
        assert "Munich" in strict.recall(ASKED, as_of="2026-02-05").context


def test_a_session_says_what_of_it_is_superseded(memory: Memory) -> None:
    memory.remember("The office is in Munich.", session="one", occurred_at="2026-01-05", about=CITY)
    memory.remember("The office is in Berlin now.", session="two", occurred_at="2026-03-02", about=CITY)

    context = memory.recall(ASKED, level="session").context
    assert "(“The office is in Munich.”: superseded 2026-03-02 by [" in context


def test_what_marks_take_counts_towards_a_budget(told: Memory) -> None:
    for budget in range(20, 120, 5):
        found = told.recall("Where is the office? What does the plan cost?", tokens=budget)
        assert found.tokens <= budget or len(found.hits) == 1


def test_a_conversation_can_begin_with_nothing_remembered(memory: Memory) -> None:
    system, user = memory.recall("Where do I live?").as_messages()

    assert system == {"role": "system", "content": system["content"]}
    assert "Nothing is remembered about this." in system["content"]
    assert user == {"role": "user", "content": "Where do I live?"}


def test_the_messages_hold_the_context_and_the_question(told: Memory) -> None:
    found = told.recall(ASKED)
    system, user = found.as_messages()

    assert system["content"].endswith(found.context)
    assert user["content"] == ASKED


@pytest.mark.parametrize("wanted", [{"speaker": "Mika"}, {"where": {"who": "Mika"}}, {"since": "2026-01-01"}])
def test_what_was_said_twice_and_then_changed_holds_under_no_filter(memory: Memory, wanted: dict[str, object]) -> None:
    for month, text in enumerate(
        ("I live in Munich.", "I live in Munich.", "I live in Berlin, not in Munich."), start=1
    ):
        memory.remember(text, speaker="Mika", occurred_at=f"2026-0{month}-05", metadata={"who": "Mika"})
    for _ in range(2):
        found = memory.recall("Where do I live? In Munich?", **wanted)  # type: ignore[arg-type]
        new = next(hit for hit in found.hits if "Berlin" in hit.text)
        old = [hit for hit in found.hits if "Berlin" not in hit.text]
        assert (new.is_superseded, [hit.is_superseded for hit in old]) == (False, [True, True])
        assert {hit.superseded_by and hit.superseded_by.id for hit in old} == {new.episode.id}
        earlier = memory.recall("Where do I live?", as_of="2026-02-20", **wanted)  # type: ignore[arg-type]
        assert [(hit.text, hit.is_superseded) for hit in earlier.hits] == [("I live in Munich.", False)] * 2
        memory.store.prepare()


def test_what_was_said_twice_and_is_in_doubt_is_so_under_a_filter(memory: Memory) -> None:
    for text in ("Our plan costs 30 euros.", "Our plan costs 30 euros.", "Our plan costs 40 euros."):
        memory.remember(text, speaker="Mika", occurred_at="2026-02-01")
    found = memory.recall("What does the plan cost?", speaker="Mika")
    assert [hit.is_in_conflict for hit in found.hits] == [True, True, True]
    other = next(hit for hit in found.hits if "40" in hit.text).episode
    assert [hit.conflicts_with for hit in found.hits if "30" in hit.text] == [(other,), (other,)]
