"""When the edges of questions count, as its source asks for it, in default stores."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from evolore.cli.graph import render_graph
from evolore.config import Settings
from evolore.domain.episode import EdgeKind
from evolore.domain.outcome import Outcome
from evolore.memory import Memory
from evolore.queries.settings import QuerySettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXTS = (
    "The ferry to the island leaves at nine.",
    "The beekeeper sells heather honey at the pier.",
    "The harbour office closes at five.",
    "The dentist moved to Mill Street.",
    "My bike has a flat tyre.",
    "The library lends board games.",
    "The oven runs ten degrees hot.",
    "The choir meets on Tuesdays.",
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store") as opened:
        for text in TEXTS:
            opened.remember(text)
        yield opened


def ids_of(memory: Memory) -> list[str]:
    by_text = {one.text: one.id for one in memory.list().statements}
    return [by_text[text] for text in TEXTS]


def ask(memory: Memory, question: str, outcome: Outcome, cited: list[str]) -> str:
    return memory.questions.record(memory.recall(question, limit=8), cited=cited, outcome=outcome).id


def entered(memory: Memory, id_: str) -> list[tuple[EdgeKind, float]]:
    return [(one.kind, one.weight) for one in memory.outline.graph(id_).questions]


def test_a_good_answer_from_two_places_that_nothing_joined_is_an_insight_and_enters_at_once(memory: Memory) -> None:
    ferry, honey, *_ = ids_of(memory)
    asked = memory.recall("Where can I buy honey when I take the ferry?", limit=8)
    recorded = memory.questions.record(asked, cited=[ferry, honey])
    memory.rate(recorded.id, "good", principal="ann")
    assert memory.questions.show(recorded.id).outcome is Outcome.INSIGHT
    assert [entered(memory, id_) for id_ in (ferry, honey)] == [[(EdgeKind.QUERY_INSIGHT, 1.0)]] * 2


def test_where_a_fifth_led_to_insight_the_graph_lists_what_waited_and_history_says_why(
    memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    ferry, honey, *_ = ids_of(memory)
    before = datetime.now(UTC)
    for question in ("Ferry and honey?", "Honey at the ferry?"):
        ask(memory, question, Outcome.INSIGHT, [ferry, honey])
    for number in range(5):
        assert len(entered(memory, ferry)) == 2
        ask(memory, f"When does the ferry leave, case {number}?", Outcome.RETRIEVAL, [ferry])
    share = round(2 / 7, 4)
    assert entered(memory, ferry) == [(EdgeKind.QUERY_INSIGHT, 1.0)] * 2 + [(EdgeKind.QUERY_RETRIEVAL, share)] * 5
    assert [one.text for one in memory.outline.graph(ferry).questions][:2] == [
        "Ferry and honey?",
        "Honey at the ferry?",
    ]
    render_graph(memory.outline.graph(ferry))
    assert "query_insight  1.00  Ferry and honey?" in capsys.readouterr().out
    assert memory.outline.graph(ferry, as_of=before).questions == ()
    assert memory.outline.graph(ferry, kinds=["semantic"]).questions == ()
    assert [one.reason for one in memory.history(ferry) if one.kind == "query_edges_entered"] == [
        *("insight", "insight", "share")
    ]


def test_without_insight_what_waited_stays_out_of_the_graph_and_is_recorded(memory: Memory) -> None:
    ferry = ids_of(memory)[0]
    for number in range(5):
        ask(memory, f"When does the ferry leave, case {number}?", Outcome.RETRIEVAL, [ferry])
    assert entered(memory, ferry) == []
    assert memory.history(ferry)[-1].kind == "query_edges_dismissed"
    assert len(memory.questions.list(limit=100)) == 5


def test_ten_queries_and_three_tenths_can_be_set(tmp_path: Path) -> None:
    queries = QuerySettings(gather=10, least_share=0.3)
    with Memory.open(tmp_path / "store", settings=Settings(queries=queries)) as memory:
        ferry, honey = (memory.remember(text).id for text in TEXTS[:2])
        for number in range(2):
            ask(memory, f"Ferry and honey, case {number}?", Outcome.INSIGHT, [ferry, honey])
        for number in range(9):
            ask(memory, f"When does the ferry leave, case {number}?", Outcome.RETRIEVAL, [ferry])
        assert memory.history(ferry)[-1].kind == "query_edges_entered"
        ask(memory, "When does the ferry leave?", Outcome.RETRIEVAL, [ferry])
        assert memory.history(ferry)[-1].kind == "query_edges_dismissed"
