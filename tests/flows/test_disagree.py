"""With a model that judges pairs, ``maintain`` files where documents cannot both hold, once, and lets go what changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

import pytest

from evolore.config import Settings
from evolore.domain.review import Resolution, ReviewItem, ReviewStatus
from evolore.errors import InvalidValue
from evolore.evolution.settings import EvolutionSettings
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from evolore.domain.chat import ChatRequest

Reply: TypeAlias = "str | ScriptedFault | Callable[[ChatRequest], str]"
GUIDE = "# Controlled drugs\n\nThe register of controlled drugs is checked every Friday by the duty vet.\n"
STOCK = "# Pharmacy\n\nThe duty vet checks the register of controlled drugs on Mondays.\n"
OTHERS = (
    "# Parking\n\nThere are twelve spaces behind the building.\n",
    "# Laundry\n\nScrubs are washed in the practice once a week.\n",
    "# Leave\n\nStaff have 27 days of leave a year.\n",
)
DAYS = ("Friday", "Monday", "Sunday", "Tuesday")


def pairs_in(request: ChatRequest) -> list[dict[str, str]]:
    return json.loads(request.messages[-1].text.splitlines()[1])["pairs"]


def days(text: str) -> set[str]:
    return {day for day in DAYS if day in text and "register" in text}


def judge(request: ChatRequest) -> str:
    """Call two days of the register a contradiction."""
    sides = [(days(one["premise"]), days(one["hypothesis"])) for one in pairs_in(request)]
    return json.dumps({"labels": ["contradiction" if a and b and a != b else "neutral" for a, b in sides]})


def one_way(request: ChatRequest) -> str:
    """Call only the first order a contradiction."""
    count = len(pairs_in(request)) // 2
    return json.dumps({"labels": ["contradiction"] * count + ["neutral"] * count})


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    memories: list[Memory] = []

    def open_with(reply: Reply = judge, *, by_chat: bool = True) -> Memory:
        settings = Settings(evolution=EvolutionSettings(entailment_by_chat=by_chat))
        model = ScriptedChatModel([reply])
        memory = Memory.open(
            tmp_path / f"store-{len(memories)}", embedder=HashingEmbedder(), settings=settings, chat_model=model
        )
        memories.append(memory)
        for number, text in enumerate(OTHERS):
            memory.add_text(text, source=f"other-{number}.md")
        memory.add_text(GUIDE, source="guide.md")
        memory.add_text(STOCK, source="stock.md")
        return memory

    yield open_with
    for memory in memories:
        memory.close()


@pytest.fixture
def memory(opened: Callable[..., Memory]) -> Memory:
    return opened()


def disagreements(memory: Memory, status: ReviewStatus | None = ReviewStatus.OPEN) -> tuple[ReviewItem, ...]:
    return memory.review.list(category="disagreement", status=status)


def test_two_documents_that_cannot_both_hold_are_filed_with_both_sentences(memory: Memory) -> None:
    done = memory.maintain()
    (item,) = disagreements(memory)
    assert item.id in done.review_ids
    assert "guide.md: “The register of controlled drugs is checked every Friday by the duty vet.”" in item.reason
    assert "stock.md: “The duty vet checks the register of controlled drugs on Mondays.”" in item.reason
    assert "evolore evolve" in item.suggestion


def test_without_the_setting_no_model_is_asked(opened: Callable[..., Memory]) -> None:
    memory = opened(by_chat=False)
    memory.maintain()
    assert disagreements(memory) == ()


def test_what_contradicts_in_one_order_only_is_not_filed(opened: Callable[..., Memory]) -> None:
    memory = opened(one_way)
    memory.maintain()
    assert disagreements(memory) == ()


@pytest.mark.parametrize("reply", ["{}", "no JSON", ScriptedFault.EXCEPTION, ScriptedFault.REFUSAL])
def test_a_model_that_fails_files_nothing_and_stops_nothing(opened: Callable[..., Memory], reply: Reply) -> None:
    memory = opened(reply)
    assert memory.maintain().review_ids == ()
    assert disagreements(memory) == ()


def test_sentences_of_other_years_are_not_asked_about(memory: Memory) -> None:
    for source, text in (("guide.md", GUIDE), ("stock.md", STOCK)):
        year = "2023" if source == "guide.md" else "2025"
        memory.add_text(text.replace("\n\n", f" {year}\n\n", 1), source=source)
    memory.maintain()
    assert disagreements(memory) == ()


def test_nothing_is_filed_twice_and_nothing_is_hidden(memory: Memory) -> None:
    before = memory.recall("When is the register checked?", record=False)
    memory.maintain()
    assert memory.maintain().review_ids == ()
    assert len(disagreements(memory)) == 1
    after = memory.recall("When is the register checked?", record=False)
    assert [hit.text for hit in after.hits] == [hit.text for hit in before.hits]


@pytest.mark.parametrize(("source", "text"), [("guide.md", GUIDE), ("stock.md", STOCK)])
def test_an_item_goes_when_either_document_changes_and_comes_back_with_it(
    memory: Memory, source: str, text: str
) -> None:
    memory.maintain()
    memory.add_text(text.replace("every Friday", "every day").replace("on Mondays", "on Fridays"), source=source)
    memory.maintain()
    assert disagreements(memory) == ()
    (gone,) = disagreements(memory, None)
    assert gone.resolution is Resolution.GONE
    memory.add_text(text, source=source)
    memory.maintain()
    assert [one.id for one in disagreements(memory)] == [gone.id]


def test_an_item_that_a_person_resolved_stays_resolved(memory: Memory) -> None:
    memory.maintain()
    (item,) = disagreements(memory)
    assert item.id is not None
    memory.review.resolve(item.id, note="both hold")
    memory.add_text(GUIDE + "\nA line more.\n", source="guide.md")
    memory.maintain()
    assert disagreements(memory) == ()


def test_forgetting_a_document_forgets_the_item(memory: Memory) -> None:
    memory.maintain()
    memory.forget("stock.md")
    assert disagreements(memory, None) == ()


def test_settling_a_disagreement_of_documents_changes_nothing(memory: Memory) -> None:
    memory.maintain()
    (item,) = disagreements(memory)
    assert item.id is not None
    with pytest.raises(InvalidValue, match="no contradiction"):
        memory.review.settle(item.id, keep="newer")


def test_a_statement_is_compared_with_documents_and_not_with_statements(memory: Memory) -> None:
    memory.maintain()
    memory.remember("The register of controlled drugs is checked on Sunday by the duty vet.")
    memory.remember("The register of controlled drugs is checked on Tuesday by the duty vet.")
    memory.maintain()
    reasons = [item.reason for item in disagreements(memory)]
    assert any("A statement: " in reason for reason in reasons)
    assert not any(reason.count("A statement: ") > 1 for reason in reasons)


def test_a_dry_run_asks_nothing(memory: Memory) -> None:
    memory.maintain(dry_run=True)
    assert disagreements(memory) == ()
