import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.errors import InvalidValue
from evolore_evaluation.retrieval_sets import average, score_ranking, score_sessions

NAMES = [f"i{number}" for number in range(30)]
rankings = st.permutations(NAMES).flatmap(lambda names: st.integers(0, 30).map(lambda length: names[:length]))
golds = st.frozensets(st.sampled_from(NAMES), min_size=1, max_size=8)


def test_a_hand_computed_ranking() -> None:
    scores = score_ranking(["x", "a", "y", "b"], {"a", "b", "c"})
    assert scores["recall_at_1"] == 0
    assert scores["recall_at_5"] == pytest.approx(2 / 3)
    assert (scores["any_at_1"], scores["any_at_5"]) == (0, 1)
    assert scores["all_at_20"] == 0
    assert scores["mrr"] == 0.5
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert scores["ndcg_at_10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)


def test_a_ranking_that_finds_nothing_scores_zero() -> None:
    assert set(score_ranking(["x"], {"a"}).values()) == {0}
    assert set(score_ranking([], {"a"}).values()) == {0}


def test_an_id_counts_once_at_its_first_place() -> None:
    assert score_ranking(["x", "x", "a"], {"a"})["mrr"] == 0.5


def test_a_question_without_evidence_is_refused() -> None:
    with pytest.raises(InvalidValue, match="without evidence"):
        score_ranking(["a"], set())


def test_sessions_stand_where_their_best_item_does() -> None:
    sessions = {"a1": "A", "a2": "A", "b1": "B", "c1": "C"}
    scores = score_sessions(["a1", "a2", "b1", "loose"], {"b1", "c1"}, sessions)
    assert scores == {
        "session_any_at_1": 0,
        "session_any_at_5": 1,
        "session_any_at_10": 1,
        "session_recall_at_10": 0.5,
    }


def test_evidence_without_a_session_has_no_session_score() -> None:
    assert score_sessions(["a"], {"a"}, {}) == {}


def test_an_average_is_over_the_questions_that_have_the_figure() -> None:
    assert average([{"a": 1.0, "b": 0.0}, {"a": 0.0}]) == {"a": 0.5, "b": 0.0}
    assert average([]) == {}


@given(rankings, golds)
def test_every_score_is_a_share(ranking: list[str], gold: frozenset[str]) -> None:
    assert all(0 <= score <= 1 for score in score_ranking(ranking, gold).values())


@given(rankings, golds)
def test_scores_grow_with_the_cutoff_and_any_recall_all_stand_in_order(
    ranking: list[str], gold: frozenset[str]
) -> None:
    scores = score_ranking(ranking, gold)
    for kind in ("recall", "any", "all"):
        values = [scores[f"{kind}_at_{k}"] for k in (1, 5, 10, 20)]
        assert values == sorted(values)
    for k in (1, 5, 10, 20):
        assert scores[f"all_at_{k}"] <= scores[f"recall_at_{k}"] <= scores[f"any_at_{k}"]


@given(golds)
def test_a_perfect_ranking_scores_one(gold: frozenset[str]) -> None:
    scores = score_ranking([*sorted(gold), "other"], gold)
    assert scores["ndcg_at_10"] == pytest.approx(1)
    assert scores["mrr"] == 1
    assert {scores[f"any_at_{k}"] for k in (1, 5, 10, 20)} == {1}
    assert {scores[f"{kind}_at_{k}"] for kind in ("recall", "all") for k in (10, 20)} == {1}


@given(rankings, golds)
def test_names_do_not_matter(ranking: list[str], gold: frozenset[str]) -> None:
    renamed = {name: f"other-{name}" for name in NAMES}
    again = score_ranking([renamed[name] for name in ranking], {renamed[name] for name in gold})
    assert again == score_ranking(ranking, gold)
