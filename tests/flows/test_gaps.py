"""What people asked and were not served."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.errors import AmbiguousId, InvalidValue, NotFound
from evolore.evolution.gaps import GapState, Missing
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evolore.domain.chat import ChatOutcome, ChatRequest


START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
LEAVE = "# Leave\n\nEverybody has 28 days of leave a year. Ask your lead two weeks ahead.\n"
BIKES = (
    "where may bicycles stay overnight",
    "bicycles stay overnight where",
    "where do bicycles stay overnight please",
)


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Memory]:
    clock = SteppingClock(START, step=timedelta(minutes=1))
    with Memory.open(tmp_path / "team.evolore", embedder=HashingEmbedder(), clock=clock) as memory:
        memory.add_text(LEAVE, source="leave.md")
        for who, text in zip(("ann", "bo", "cy"), BIKES, strict=True):
            memory.answer(text, principal=who)
        memory.answer("how many days of leave does everybody have a year", principal="ann")
        yield memory


def test_what_nobody_answers_is_counted_by_people_and_weeks(asked: Memory) -> None:
    (gap,) = asked.evolution.gaps()
    assert (gap.state, gap.missing) == (GapState.OPEN, Missing.NO_DOCUMENT)
    assert (len(gap.question_ids), gap.people, gap.weeks, gap.bad, gap.cost) == (3, 3, 1, 0, 3)
    assert set(gap.questions) == set(BIKES)


def test_a_matter_without_a_document_gets_a_draft_that_says_it_is_one(asked: Memory) -> None:
    draft = asked.evolution.gaps()[0].draft
    assert draft.startswith("# Draft: ")
    assert "Nothing here was checked" in draft
    assert all(f"- {text}" in draft for text in BIKES)


def test_a_bad_rating_makes_a_gap_of_an_answer_and_a_good_one_none(asked: Memory) -> None:
    said = asked.answer("how many weeks ahead do I ask my lead for leave", principal="dora")
    asked.rate(said.id, "bad", principal="dora")
    found = asked.evolution.gaps(least=1)
    assert {one.bad for one in found if said.query_id in one.question_ids} == {1}
    asked.rate(said.id, "good", principal="dora")
    assert not any(said.query_id in one.question_ids for one in asked.evolution.gaps(least=1))


def test_a_gap_closes_when_the_next_asker_is_served_and_opens_when_not(asked: Memory) -> None:
    asked.add_text("# Bicycles\n\nBicycles may stay overnight in the shed behind the yard.\n", source="bikes.md")
    said = asked.answer("where may bicycles stay overnight", principal="dora")
    asked.rate(said.id, "good", principal="dora")
    assert asked.evolution.gaps() == ()
    (gap,) = asked.evolution.gaps(states=["closed"])
    assert (gap.served, gap.is_reopened) == (1, False)
    again = asked.answer("where may bicycles stay overnight", principal="eve")
    asked.rate(again.id, "bad", principal="eve")
    (gap,) = asked.evolution.gaps()
    assert (gap.state, gap.is_reopened, len(gap.question_ids)) == (GapState.OPEN, True, 4)


def test_one_unrated_answer_closes_nothing_and_those_of_two_people_do(asked: Memory) -> None:
    asked.add_text("# Bicycles\n\nBicycles may stay overnight in the shed behind the yard.\n", source="bikes.md")
    for who, count in (("dora", 1), ("dora", 1), ("eve", 0)):
        asked.answer("where may bicycles stay overnight", principal=who)
        assert len(asked.evolution.gaps()) == count


def test_a_gap_is_taken_and_closed_by_hand_until_somebody_asks_again(asked: Memory) -> None:
    (gap,) = asked.evolution.gaps()
    taken = asked.evolution.take_gap(gap.id[:12], principal="mika")
    assert (taken.state, taken.taken_by) == (GapState.TAKEN, "mika")
    assert [one.state for one in asked.evolution.gaps(states=["taken"])] == [GapState.TAKEN]
    assert [one.category.value for one in asked.review.list()] == ["gap"]
    closed = asked.evolution.close_gap(gap.question_ids[1], reason="no bicycles here", principal="mika")
    assert (closed.state, closed.note, closed.taken_by) == (GapState.CLOSED, "no bicycles here", "")
    assert asked.evolution.gaps() == ()
    asked.answer("where may bicycles stay overnight", principal="eve")
    assert [(one.state, one.is_reopened) for one in asked.evolution.gaps()] == [(GapState.OPEN, True)]


def test_a_gap_survives_that_its_first_question_is_forgotten(asked: Memory) -> None:
    (gap,) = asked.evolution.gaps()
    asked.questions.unlearn("ann", erase=True)
    (left,) = asked.evolution.gaps()
    assert (left.id, left.people) == (gap.question_ids[1], 2)
    assert "where may bicycles stay overnight" not in left.draft.splitlines()


def test_a_store_that_nobody_asked_has_no_gaps(memory: Memory) -> None:
    memory.add_text(LEAVE, source="leave.md")
    assert memory.evolution.gaps() == ()


def test_no_chat_model_and_no_reranker_is_asked_for_a_list(tmp_path: Path) -> None:
    class Refusing(ScriptedEditor):
        def complete(self, requests: Sequence[ChatRequest]) -> tuple[ChatOutcome, ...]:
            raise AssertionError(requests)

    with Memory.open(tmp_path / "team.evolore", embedder=HashingEmbedder()) as memory:
        memory.add_text(LEAVE, source="leave.md")
        for text in BIKES:
            memory.answer(text)
    with Memory.open(tmp_path / "team.evolore", embedder=HashingEmbedder(), chat_model=Refusing()) as memory:
        assert len(memory.evolution.gaps()) == 1


def test_unknown_gaps_and_states_are_refused(asked: Memory) -> None:
    with pytest.raises(NotFound, match="evolution gaps"):
        asked.evolution.gap("nothing")
    with pytest.raises(NotFound):
        asked.evolution.take_gap("")
    with pytest.raises(InvalidValue, match="states"):
        asked.evolution.gaps(states=["new"])
    with pytest.raises(InvalidValue, match="least"):
        asked.evolution.gaps(least=0)
    asked.answer("quantum chromodynamics lattice", principal="fay")
    with pytest.raises(AmbiguousId):
        asked.evolution.gap(asked.evolution.gaps(least=1)[0].id[:3])
