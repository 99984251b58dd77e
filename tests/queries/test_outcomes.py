"""What a question led to."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.checks import checked_word
from evolore.domain.episode import Edge, EdgeKind
from evolore.domain.outcome import Given, Outcome, Rating
from evolore.errors import InvalidValue
from evolore.queries.outcomes import CONTENT_EDGES, first_outcome, rated_outcome, rests_on, some_lie_apart

FEW = st.integers(0, 7)


def handed(count: int, *cited: int) -> tuple[Given, ...]:
    return tuple(Given(episode_id=f"e{rank}", rank=rank, is_cited=rank in cited) for rank in range(1, count + 1))


def path(*ids: str, kind: EdgeKind = EdgeKind.SEMANTIC) -> list[Edge]:
    return [Edge(source_id=one, target_id=other, kind=kind) for one, other in pairwise(ids)]


def test_the_older_word_for_an_insight_is_read() -> None:
    assert Outcome("spike") is Outcome.INSIGHT
    assert EdgeKind("query_spike") is EdgeKind.QUERY_INSIGHT
    with pytest.raises(InvalidValue, match="outcome is 'sparkle': use 'bypass' or 'retrieval' or 'insight'"):
        checked_word(Outcome, "sparkle", "outcome")


@pytest.mark.parametrize(
    ("given", "probability", "outcome"),
    [
        (handed(1), 0.98, Outcome.BYPASS),
        (handed(1), 0.9799, Outcome.RETRIEVAL),
        (handed(1), None, Outcome.RETRIEVAL),
        (handed(3, 1), 0.99, Outcome.BYPASS),
        (handed(2), 0.99, Outcome.RETRIEVAL),
        (handed(2, 2), 0.99, Outcome.RETRIEVAL),
        (handed(2, 1, 2), 0.99, Outcome.RETRIEVAL),
        ((), 0.99, Outcome.RETRIEVAL),
    ],
)
def test_a_question_is_a_bypass_where_the_best_episode_alone_was_surely_meant(
    given: tuple[Given, ...], probability: float | None, outcome: Outcome
) -> None:
    assert first_outcome(given, best_probability=probability, least=0.98) is outcome


@pytest.mark.parametrize("before", list(Outcome))
@pytest.mark.parametrize("rating", [Rating.GOOD, Rating.BAD, None])
def test_what_the_caller_stated_stays(before: Outcome, rating: Rating | None) -> None:
    assert rated_outcome(before, is_stated=True, rating=rating, used=2, lies_apart=True) is before


@pytest.mark.parametrize("before", list(Outcome))
def test_only_a_good_answer_that_joins_what_lay_apart_is_an_insight(before: Outcome) -> None:
    for rating in (Rating.GOOD, Rating.BAD, None):
        for lies_apart in (True, False):
            found = rated_outcome(before, is_stated=False, rating=rating, used=2, lies_apart=lies_apart)
            assert (found is Outcome.INSIGHT) is (rating is Rating.GOOD and lies_apart)


def test_a_bypass_stays_one_as_long_as_it_rests_on_one_episode() -> None:
    def rated(used: int) -> Outcome:
        return rated_outcome(Outcome.BYPASS, is_stated=False, rating=Rating.GOOD, used=used, lies_apart=False)

    assert rated(1) is Outcome.BYPASS
    assert rated(2) is Outcome.RETRIEVAL


def test_an_answer_rests_on_what_it_cites_else_on_all() -> None:
    assert [one.rank for one in rests_on(handed(3, 2, 3))] == [2, 3]
    assert [one.rank for one in rests_on(handed(2))] == [1, 2]


def test_two_lie_apart_where_more_than_two_edges_of_content_lead_from_one_to_the_other() -> None:
    assert not some_lie_apart({"a", "c"}, path("a", "b", "c", "d"), distance=2)
    assert some_lie_apart({"a", "d"}, path("a", "b", "c", "d"), distance=2)
    assert not some_lie_apart({"a"}, [], distance=2)
    assert some_lie_apart({"a", "b"}, [], distance=2)


@pytest.mark.parametrize("kind", list(EdgeKind))
def test_only_edges_of_content_make_two_episodes_near(kind: EdgeKind) -> None:
    assert some_lie_apart({"a", "b"}, path("a", "b", kind=kind), distance=2) is (kind not in CONTENT_EDGES)


@given(st.sets(st.tuples(FEW, FEW)), st.sets(FEW, min_size=2, max_size=4), st.integers(1, 4))
def test_distances_are_those_of_all_paths(pairs: set[tuple[int, int]], ids: set[int], distance: int) -> None:
    edges = [Edge(source_id=str(one), target_id=str(other), kind=EdgeKind.ECHO) for one, other in pairs if one != other]
    far = {(one, other): 0 if one == other else 99 for one in range(8) for other in range(8)}
    far |= {(one, other): 1 for a, b in pairs if a != b for one, other in ((a, b), (b, a))}
    for via in range(8):
        for one, other in far:
            far[one, other] = min(far[one, other], far[one, via] + far[via, other])
    expected = any(far[one, other] > distance for one in ids for other in ids)
    assert some_lie_apart({str(one) for one in ids}, edges, distance=distance) is expected
