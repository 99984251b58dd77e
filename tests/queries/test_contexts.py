"""Whether an episode belongs to several contexts, and what questions have to do with it."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.episode import EdgeKind
from evolore.errors import InvalidValue
from evolore.queries.contexts import context_entropy as entropy_of
from evolore.queries.contexts import edge_weight, normalised_entropy
from evolore.queries.settings import QuerySettings
from evolore.text.vectors import average_linkage

DEFAULT = QuerySettings()
context_entropy = partial(entropy_of, settings=DEFAULT)
SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=4)
QUERY_KINDS = (EdgeKind.QUERY_INSIGHT, EdgeKind.QUERY_RETRIEVAL, EdgeKind.QUERY_BYPASS)


def around(sizes: list[int], kind: EdgeKind = EdgeKind.SEMANTIC) -> tuple[list[tuple[str, EdgeKind]], np.ndarray]:
    """Neighbours in contexts of these sizes, alike within and unlike between."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    likeness = np.where(labels[:, None] == labels, 0.9, 0.1)
    return [(f"e{place}", kind) for place in range(len(labels))], likeness


def about(sizes: list[int], context: int, count: int) -> np.ndarray:
    """How near so many questions about one context lie to the neighbours."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return np.tile(np.where(labels == context, 0.8, 0.2), (count, 1))


def asked(count: int, kind: EdgeKind = EdgeKind.QUERY_RETRIEVAL) -> list[tuple[str, EdgeKind]]:
    return [(f"q{place}", kind) for place in range(count)]


def test_the_weights_are_the_seeds() -> None:
    weights = {kind.value: edge_weight(kind, DEFAULT) for kind in EdgeKind}
    assert weights["query_insight"] == 1.0
    assert (weights["query_retrieval"], weights["query_bypass"]) == (0.3, 0.1)
    assert (weights["branch"], weights["semantic"], weights["echo"]) == (0.8, 0.6, 0.5)


def test_threshold_and_weights_can_be_set() -> None:
    strict = QuerySettings(branching_threshold=1.0, edge_weights=(2.0, 0.3, 0.1, 0.8, 0.6))
    assert not entropy_of(*around([3, 3]), settings=strict).is_even
    assert edge_weight(EdgeKind.QUERY_INSIGHT, strict) == 2.0
    with pytest.raises(InvalidValue, match="edge_weights"):
        QuerySettings(edge_weights=(-1.0, 0.3, 0.1, 0.8, 0.6))


def test_two_even_contexts_split_which_without_dividing_they_never_could() -> None:
    found = context_entropy(*around([3, 3]))
    assert (found.entropy, found.is_even) == (1.0, True)
    assert math.log(2) < 0.7
    assert [one.share for one in found.contexts] == [0.5, 0.5]
    assert found.contexts[0].episode_ids == ("e0", "e1", "e2")


@pytest.mark.parametrize(
    ("sizes", "splits"),
    [
        ([5], False),
        ([5, 1], False),
        ([7, 2], False),
        ([3, 1], True),
        ([2, 1], True),
        ([9, 3], True),
        ([1, 1], False),
        ([1, 1, 1], True),
    ],
)
def test_a_second_context_needs_a_quarter_of_the_weights(sizes: list[int], splits: bool) -> None:  # noqa: FBT001 - a case
    assert context_entropy(*around(sizes)).is_even is splits


def test_nothing_around_an_episode_is_no_context() -> None:
    found = context_entropy((), np.zeros((0, 0)))
    assert (found.entropy, found.contexts, found.is_even) == (0.0, (), False)


def test_an_edge_of_a_split_weighs_more_than_one_of_meaning() -> None:
    neighbours, likeness = around([1, 1])
    found = context_entropy([neighbours[0], ("e1", EdgeKind.BRANCH)], likeness)
    assert [(one.episode_ids, one.share) for one in found.contexts] == [(("e1",), 0.5714), (("e0",), 0.4286)]


@given(SIZES)
def test_shares_sum_to_one_largest_first_and_every_neighbour_is_in_one_context(sizes: list[int]) -> None:
    neighbours, likeness = around(sizes)
    found = context_entropy(neighbours, likeness)
    shares = [one.share for one in found.contexts]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1.0, abs=0.001)
    assert sorted(id_ for one in found.contexts for id_ in one.episode_ids) == sorted(id_ for id_, _ in neighbours)


@given(st.lists(st.floats(0.01, 100.0), min_size=2, max_size=6))
def test_the_entropy_lies_between_none_and_that_of_equal_shares(weights: list[float]) -> None:
    assert 0.0 <= normalised_entropy(weights) <= 1.0
    assert normalised_entropy([weights[0]] * len(weights)) == 1.0


@given(SIZES, st.data())
def test_questions_form_no_context_of_their_own(sizes: list[int], data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 40))
    context, kind = data.draw(st.integers(0, len(sizes) - 1)), data.draw(st.sampled_from(QUERY_KINDS))
    neighbours, likeness = around(sizes)
    found = context_entropy(neighbours, likeness, questions=asked(count, kind), nearness=about(sizes, context, count))
    assert len(found.contexts) == len(sizes)
    holding = [one for one in found.contexts if one.query_ids]
    assert len(holding) == (count > 0)
    for one in holding:
        assert len(one.query_ids) == count
        first = sum(sizes[:context])
        assert one.episode_ids == tuple(f"e{place}" for place in range(first, first + sizes[context]))


@given(st.integers(5, 20))
def test_failed_questions_about_the_lesser_context_would_split_where_they_count(count: int) -> None:
    neighbours, likeness = around([6, 1])
    assert not context_entropy(neighbours, likeness).is_even
    counted = context_entropy(neighbours, likeness, questions=asked(count), nearness=about([6, 1], 1, count))
    assert counted.is_even is (0.25 <= (0.6 + 0.3 * count) / (4.2 + 0.3 * count) <= 0.75)


def test_bypasses_weigh_least_and_insights_most() -> None:
    sizes, shares = [6, 1], list[float]()
    for kind in (EdgeKind.QUERY_BYPASS, EdgeKind.QUERY_RETRIEVAL, EdgeKind.QUERY_INSIGHT):
        found = context_entropy(*around(sizes), questions=asked(3, kind), nearness=about(sizes, 1, 3))
        shares.append(next(one.share for one in found.contexts if one.query_ids))
    assert shares == sorted(shares)
    assert len(set(shares)) == 3


def test_a_single_one_that_is_like_none_stays_alone() -> None:
    _, likeness = around([3, 1])
    assert average_linkage(likeness).tolist() == [0, 0, 0, 1]
