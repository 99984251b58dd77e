"""Sorting into matters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evolore.episodes.merging import joint_groups
from evolore.text.vectors import groups


def block(sizes: list[int], *, inside: float, between: float) -> np.ndarray:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    odds = np.where(labels[:, None] == labels, inside, between)
    np.fill_diagonal(odds, 0.0)
    return odds


@st.composite
def odds_and_neighbours(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    count = draw(st.integers(1, 16))
    drawn = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(draw(st.floats(-2, 2)), 2.0, (count, count))
    odds = np.round((drawn + drawn.T) / 2, 3)
    np.fill_diagonal(odds, 0.0)
    return odds, draw(st.integers(0, count - 1))


@given(odds_and_neighbours(), st.integers(1, 4), st.integers(1, 2))
def test_groups_are_numbered_in_order_few_enough_and_none_holds_too_little(
    given_odds: tuple[np.ndarray, int], most: int, fewest: int
) -> None:
    odds, neighbours = given_odds
    labels = joint_groups(odds, neighbours=neighbours, most=most, fewest=fewest)
    count = int(labels.max()) + 1
    assert list(dict.fromkeys(labels.tolist())) == list(range(count))
    assert count <= most
    if count > 1:
        assert (np.bincount(labels[:neighbours], minlength=count) >= fewest).all()
        assert (np.bincount(labels[neighbours:], minlength=count) >= 2).all()
        assert (np.bincount(labels) >= 4).all()


@given(odds_and_neighbours())
def test_what_is_found_is_never_worse_than_one_group(given_odds: tuple[np.ndarray, int]) -> None:
    odds, neighbours = given_odds
    labels = joint_groups(odds, neighbours=neighbours, most=3)
    assert odds[labels[:, None] == labels].sum() >= odds.sum() - 1e-6


def test_two_matters_are_told_apart_and_one_is_left_together() -> None:
    odds = block([7, 7], inside=2.0, between=-2.0)
    order = [0, 1, 2, 7, 8, 9, 3, 4, 5, 6, 10, 11, 12, 13]
    found = joint_groups(odds[np.ix_(order, order)], neighbours=6, most=3)
    assert found.tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]
    assert not joint_groups(block([14], inside=0.5, between=0.0), neighbours=6, most=3).any()


def test_a_fourth_matter_is_shared_out_where_three_parts_are_allowed() -> None:
    odds = block([4, 4, 4, 4], inside=3.0, between=-1.0)
    order = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15]
    arranged = odds[np.ix_(order, order)]
    assert joint_groups(arranged, neighbours=8, most=4).max() == 3
    assert joint_groups(arranged, neighbours=8, most=3).max() == 2


def test_average_linkage_does_not_chain() -> None:
    near = np.eye(4) + np.diag([0.9, 0.8, 0.9], 1) + np.diag([0.9, 0.8, 0.9], -1)
    assert groups(near).tolist() == [0, 0, 1, 1]


def test_one_item_is_one_group_and_all_single_ones_stay_single() -> None:
    assert groups(np.eye(1)).tolist() == [0]
    assert groups(np.eye(3)).tolist() == [0, 1, 2]
