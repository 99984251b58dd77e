"""How strongly neighbours pull an episode apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.episodes.conflict import conflict, cut_conflict

WEIGHTS = (0.5, 0.3, 0.2)
SHARES = st.floats(0.0, 1.0)


def two_groups(between: float, *, inside: float = 3.0, each: int = 5) -> tuple[np.ndarray, np.ndarray]:
    labels = np.repeat([0, 1], each)
    odds = np.where(labels[:, None] == labels, inside, between)
    np.fill_diagonal(odds, 0.0)
    return odds, labels


def test_the_weights_can_be_set() -> None:
    found = conflict(*two_groups(-0.5), neighbours=6, weights=(1.0, 0.0, 0.0))
    assert found.total == found.semantic


def test_the_weights_are_the_seeds() -> None:
    found = conflict(*two_groups(-0.5), neighbours=6, weights=WEIGHTS)
    assert found.total == pytest.approx(0.5 * found.semantic + 0.3 * found.directional + 0.2 * found.cluster, abs=1e-3)


def two_sides(own: float, *, other: float = -3.0, across: float = -3.0, halves: float = -3.0) -> np.ndarray:
    """Two texts with three neighbours each."""
    belongs = np.array([[own] * 3 + [other] * 3, [other] * 3 + [own] * 3])
    around = np.where(np.repeat([0, 1], 3)[:, None] == np.repeat([0, 1], 3), 3.0, across)
    odds = np.block([[np.full((2, 2), halves), belongs], [belongs.T, around]])
    np.fill_diagonal(odds, 0.0)
    return odds


def test_each_measure_alone_can_forbid_a_cut() -> None:
    torn = cut_conflict(two_sides(3.0), among=6)
    assert torn is not None
    assert torn.conflict.total >= 0.7
    assert (torn.left, torn.right) == ((0, 1, 2), (3, 4, 5))
    for odds in (two_sides(-1.0), two_sides(3.0, halves=3.0), two_sides(3.0, across=3.0), two_sides(3.0, other=3.0)):
        found = cut_conflict(odds, among=6)
        assert found is not None
        assert found.conflict.total < 0.7


def test_two_neighbours_are_too_few_for_a_cut() -> None:
    assert cut_conflict(two_sides(3.0)[:4, :4], among=6) is None


@given(st.floats(-6.0, 6.0), st.floats(-6.0, 6.0), st.integers(0, 10))
def test_every_measure_stays_between_0_and_1(between: float, inside: float, neighbours: int) -> None:
    odds, labels = two_groups(between, inside=inside)
    found = conflict(odds, labels, neighbours=neighbours, weights=WEIGHTS)
    assert all(0.0 <= value <= 1.0 for value in (found.semantic, found.directional, found.cluster, found.total))


@given(st.floats(-6.0, 6.0), st.floats(-6.0, 6.0))
def test_the_farther_the_groups_the_higher_the_conflict(one: float, other: float) -> None:
    near, far = (
        conflict(*two_groups(between), neighbours=10, weights=WEIGHTS).total
        for between in (max(one, other), min(one, other))
    )
    assert far >= near


def test_far_groups_reach_the_threshold_and_one_group_never_does() -> None:
    odds, labels = two_groups(-2.0)
    assert conflict(odds, labels, neighbours=6, weights=WEIGHTS).total >= 0.7
    alone = conflict(odds, np.zeros(10, dtype=np.int64), neighbours=6, weights=WEIGHTS)
    assert (alone.semantic, alone.directional) == (0.0, 0.0)
    assert alone.total <= 0.2


def test_the_size_of_the_groups_alone_changes_nothing_between_them() -> None:
    few, many = (conflict(*two_groups(-0.5, each=each), neighbours=each, weights=WEIGHTS) for each in (2, 8))
    assert many.semantic == few.semantic


def test_a_mean_of_pairs_says_more_than_one_pair() -> None:
    found = conflict(*two_groups(-1.0), neighbours=6, weights=WEIGHTS)
    assert 1.0 - found.semantic < 1.0 / (1.0 + np.e)


def test_direction_counts_only_beyond_undecided() -> None:
    found = conflict(*two_groups(0.5), neighbours=6, weights=WEIGHTS)
    assert found.directional == 0.0
    assert found.semantic < 0.5
    beyond = conflict(*two_groups(-0.5), neighbours=6, weights=WEIGHTS)
    assert beyond.directional == pytest.approx(2.0 * beyond.semantic - 1.0, abs=1e-3)
