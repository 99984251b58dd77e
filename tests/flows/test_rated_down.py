"""An answer that was rated good is rated bad: its edges leave the graph, and wait again as any other question's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.episode import EdgeKind
from evolore.domain.outcome import Outcome
from flows.asking import confidence, filled, graph_edges, opened, rate, recalled, touched_by, waiting

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory


def asked(memory: Memory, ids: list[str], *, cited: list[str] | None = None) -> str:
    return memory.questions.record(recalled(memory, "when do we deploy?", ids), cited=cited or ()).id


def test_good_then_bad_by_one_person_takes_the_good_back_first(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:2])
        first = rate(memory, query, "good", cited=ids[:2], principal="ann")
        assert first.query.outcome is Outcome.INSIGHT
        assert len(graph_edges(memory, *ids)) == 2
        second = rate(memory, query, "bad", principal="ann")
        assert [confidence(memory, id_) for id_ in ids[:2]] == [0.4, 0.4]
        assert (second.query.outcome, len(second.query.ratings)) == (Outcome.RETRIEVAL, 1)
        assert graph_edges(memory, *ids) == set()
        assert [touched_by(memory, id_) for id_ in ids[:2]] == [[(query, EdgeKind.QUERY_RETRIEVAL, False)]] * 2
        assert [waiting(memory, id_) for id_ in ids[:2]] == [1, 1]
        third = rate(memory, query, "good", principal="ann")
        assert [touched_by(memory, id_) for id_ in ids[:2]] == [[(query, EdgeKind.QUERY_INSIGHT, True)]] * 2
        assert [waiting(memory, id_) for id_ in ids[:2]] == [0, 0]
        assert [confidence(memory, id_) for id_ in ids[:2]] == [0.6, 0.6]
        assert third.query.outcome is Outcome.INSIGHT
        assert len(graph_edges(memory, *ids)) == 2


def test_good_then_bad_counts_as_a_question_that_led_to_none_when_the_episode_is_evaluated(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:2], cited=ids[:2])
        memory.rate(query, "good", principal="ann")
        memory.rate(query, "bad", principal="ann")
        for number in range(2):
            memory.questions.record(recalled(memory, f"{number}?", ids[:1]), outcome="retrieval")
        apart = memory.questions.record(recalled(memory, "apart?", [ids[0], ids[3]]), outcome="insight").id
        assert waiting(memory, ids[0]) == 3
        memory.questions.record(recalled(memory, "and again?", ids[:1]), outcome="retrieval")
        memory.questions.record(recalled(memory, "at last?", ids[:1]), outcome="retrieval")
        assert waiting(memory, ids[0]) == 0
        entered = graph_edges(memory, ids[0])
        assert entered == {(apart, ids[0], EdgeKind.QUERY_INSIGHT, 1.0)}  # one of six, and not one of five


def test_good_then_bad_leaves_what_it_left_before_and_no_word_of_insight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolore.queries.edges._MOST_RETRIEVAL", 3)
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:6], cited=ids[:2])
        before = [touched_by(memory, id_) for id_ in ids]
        assert [len(one) for one in before[:6]] == [1, 1, 1, 0, 0, 0]
        memory.rate(query, "good", principal="ann")
        assert [len(touched_by(memory, id_)) for id_ in ids[:6]] == [1, 1, 1, 1, 1, 0]
        memory.rate(query, "bad", principal="ann")
        assert [touched_by(memory, id_) for id_ in ids] == before


def test_good_then_bad_then_doing_the_insight_again_by_hand_waits_no_more_until_that_is_undone(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:2], cited=ids[:2])
        memory.rate(query, "good", principal="ann")
        memory.rate(query, "bad", principal="ann")
        entered = [event for event in memory.history(ids[0]) if event.kind == "query_edges_entered"]
        assert entered[0].undone_by is not None
        [redone] = memory.undo(entered[0].undone_by).event_ids
        assert graph_edges(memory, ids[0]) == {(query, ids[0], EdgeKind.QUERY_INSIGHT, 1.0)}
        assert (waiting(memory, ids[0]), memory.stats().waiting_query_edges) == (0, 1)
        assert touched_by(memory, ids[0]) == [(query, EdgeKind.QUERY_INSIGHT, True)]
        memory.undo(redone)
        assert graph_edges(memory, ids[0]) == set()
        assert touched_by(memory, ids[0]) == [(query, EdgeKind.QUERY_RETRIEVAL, False)]
        assert memory.stats().waiting_query_edges == 2


def test_an_insight_that_is_undone_by_hand_neither_waits_nor_counts(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:2], cited=ids[:2])
        memory.rate(query, "good", principal="ann")
        [entered] = [event for event in memory.history(ids[0]) if event.kind == "query_edges_entered"]
        memory.undo(entered.id)
        assert touched_by(memory, ids[0]) == []
        assert memory.stats().waiting_query_edges == 0


@pytest.mark.parametrize("count", [2, 8])
def test_an_insight_that_entered_by_evaluation_leaves_the_graph_alone(tmp_path: Path, count: int) -> None:
    with opened(tmp_path / "store", phase="store_only") as memory:
        ids = filled(memory)
        made = [asked(memory, [ids[0], ids[number]], cited=[ids[0], ids[number]]) for number in (1, 2)]
        for query in made:
            assert rate(memory, query, "good", principal="ann").query.outcome is Outcome.INSIGHT
        for number in range(count):
            memory.questions.record(recalled(memory, f"{number}?", ids[:1]), outcome="retrieval")
    with opened(tmp_path / "store", gather=4) as memory:
        [evaluated] = memory.maintain().evaluated
        assert evaluated.is_high is (count == 2)
        insights = {query for query, _, kind, _ in graph_edges(memory, ids[0]) if kind is EdgeKind.QUERY_INSIGHT}
        assert insights == set(made)
        memory.rate(made[0], "bad", principal="ann")
        insights = {query for query, _, kind, _ in graph_edges(memory, ids[0]) if kind is EdgeKind.QUERY_INSIGHT}
        assert insights == set(made[1:])
