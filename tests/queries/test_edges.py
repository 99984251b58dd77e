"""Which edges a question leaves, and when they enter the graph."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.episode import EdgeKind
from evolore.domain.outcome import Given, Outcome
from evolore.ports import QueryEdge
from evolore.queries.edges import edges_of, enters_at_once, evaluate, insight_share
from evolore.queries.settings import Phase, QuerySettings

SETTINGS = QuerySettings()
HANDED = st.lists(st.booleans(), max_size=30).map(
    lambda cited: tuple(Given(episode_id=f"e{rank}", rank=rank + 1, is_cited=one) for rank, one in enumerate(cited))
)


def touch(query: int, *, insight: bool, kind: EdgeKind = EdgeKind.QUERY_RETRIEVAL) -> QueryEdge:
    return QueryEdge(query_id=f"q{query}", target_id="apple", kind=kind, led_to_insight=insight)


@given(HANDED, st.sampled_from(Outcome))
def test_no_question_leaves_more_edges_of_a_kind_than_allowed_nor_two_to_one_episode(
    given: tuple[Given, ...], outcome: Outcome
) -> None:
    edges = edges_of("q", given, outcome)
    counts = Counter(edge.kind for edge in edges)
    most = {EdgeKind.QUERY_INSIGHT: 5, EdgeKind.QUERY_RETRIEVAL: 10, EdgeKind.QUERY_BYPASS: 5}
    assert all(count <= most[kind] for kind, count in counts.items())
    assert len({edge.target_id for edge in edges}) == len(edges)
    assert {edge.target_id for edge in edges} <= {one.episode_id for one in given}
    assert all(edge.led_to_insight is (outcome is Outcome.INSIGHT) for edge in edges)


def test_what_is_cited_comes_first_then_the_rest_by_rank() -> None:
    given = tuple(Given(episode_id=f"e{rank}", rank=rank, is_cited=rank in {11, 12}) for rank in range(1, 16))
    retrieval = [edge.target_id for edge in edges_of("q", given, Outcome.RETRIEVAL)]
    assert retrieval == ["e11", "e12", *(f"e{rank}" for rank in range(1, 9))]
    bypass = edges_of("q", given, Outcome.BYPASS)
    assert [edge.target_id for edge in bypass] == ["e11", "e12", "e1", "e2", "e3"]
    assert {edge.kind for edge in bypass} == {EdgeKind.QUERY_BYPASS}


def test_an_insight_leaves_its_edges_to_what_is_cited_and_says_so_to_the_others() -> None:
    given = tuple(Given(episode_id=f"e{rank}", rank=rank, is_cited=rank % 2 == 0) for rank in range(1, 16))
    edges = edges_of("q", given, Outcome.INSIGHT)
    kinds = {edge.target_id: edge.kind for edge in edges}
    assert [id_ for id_, kind in kinds.items() if kind is EdgeKind.QUERY_INSIGHT] == ["e2", "e4", "e6", "e8", "e10"]
    others = [id_ for id_, kind in kinds.items() if kind is EdgeKind.QUERY_RETRIEVAL]
    assert others == ["e12", "e14", "e1", "e3", "e5", "e7", "e9", "e11", "e13", "e15"]


def test_an_insight_that_cites_nothing_rests_on_the_best_of_what_was_handed_over() -> None:
    given = tuple(Given(episode_id=f"e{rank}", rank=rank) for rank in range(1, 8))
    edges = edges_of("q", given, Outcome.INSIGHT)
    assert [edge.kind for edge in edges] == [EdgeKind.QUERY_INSIGHT] * 5 + [EdgeKind.QUERY_RETRIEVAL] * 2


@pytest.mark.parametrize("phase", list(Phase))
def test_edges_of_an_insight_enter_at_once_from_the_second_phase_on(phase: Phase) -> None:
    settings = replace(SETTINGS, phase=phase)
    insight = touch(1, insight=True, kind=EdgeKind.QUERY_INSIGHT)
    assert enters_at_once(insight, settings) is (phase is not Phase.STORE_ONLY)
    assert not enters_at_once(touch(1, insight=True), settings)


def test_more_than_a_fifth_of_insight_lets_what_waits_enter_with_that_weight() -> None:
    touching = [touch(number, insight=number < 2) for number in range(5)]
    found = evaluate(touching, touching, settings=SETTINGS)
    assert (found.share, found.is_high) == (0.4, True)
    assert [one.weight for one in found.entering] == [0.4] * 5
    assert [one.edge for one in found.entering] == touching


def test_a_fifth_of_insight_is_not_more_than_a_fifth_and_keeps_what_waits_out() -> None:
    touching = [touch(number, insight=number == 0) for number in range(5)]
    found = evaluate(touching, touching, settings=SETTINGS)
    assert (found.share, found.is_high, found.entering) == (0.2, False, ())


def test_questions_count_once_and_those_in_the_graph_count_too() -> None:
    waiting = [touch(number, insight=False) for number in range(5)]
    entered = [touch(number, insight=True, kind=EdgeKind.QUERY_INSIGHT) for number in (7, 8)]
    assert insight_share([*waiting, *waiting, *entered]) == 2 / 7
    found = evaluate([*waiting, *entered], waiting, settings=SETTINGS)
    assert found.is_high
    assert [one.edge.query_id for one in found.entering] == ["q0", "q1", "q2", "q3", "q4"]


def test_an_insight_that_had_to_wait_enters_whole_even_where_the_share_is_low() -> None:
    late = touch(9, insight=True, kind=EdgeKind.QUERY_INSIGHT)
    waiting = [*(touch(number, insight=False) for number in range(9)), late]
    found = evaluate(waiting, waiting, settings=SETTINGS)
    assert not found.is_high
    assert [(one.edge, one.weight) for one in found.entering] == [(late, 1.0)]


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_weights_are_the_share_of_insight_among_the_questions(insights: list[bool]) -> None:
    touching = [touch(number, insight=one) for number, one in enumerate(insights)]
    found = evaluate(touching, touching, settings=SETTINGS)
    assert found.share == round(sum(insights) / len(insights), 4)
    assert found.is_high is (sum(insights) * 5 > len(insights))
    assert len(found.entering) == (len(insights) if found.is_high else 0)
