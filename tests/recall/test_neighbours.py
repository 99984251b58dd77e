"""Neighbours: links that reach too far in time are cut, on both sides, and what is long takes little of the others."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.recall.ranking import near_neighbours, shares_taken, shortness

if TYPE_CHECKING:
    import numpy.typing as npt

HOUR = 3600.0
DAY = 24 * HOUR
LENGTHS = st.lists(st.integers(0, 5000), max_size=8)


def chain(count: int) -> npt.NDArray[np.int32]:
    places = np.arange(count)[:, None] + np.array([-2, -1, 1, 2])
    return np.where((places >= 0) & (places < count), places, -1).astype(np.int32)


def gaps_of(links: npt.NDArray[np.int32], times: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    padded = np.append(times, 0.0)
    return np.where(links >= 0, np.abs(padded[links] - times[:, None]), 0.0)


@given(hours=st.lists(st.integers(0, 24 * 5), max_size=8), max_gap_days=st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_exactly_the_near_links_stay_and_stay_mutual(hours: list[int], max_gap_days: float) -> None:
    times = np.array(hours, dtype=np.float64) * HOUR
    links = chain(len(hours))
    near = near_neighbours(links, gaps_of(links, times), max_gap_days=max_gap_days)
    for item, column in product(range(len(hours)), range(4)):
        old, new = int(links[item, column]), int(near[item, column])
        keeps = old >= 0 and abs(hours[old] - hours[item]) <= max_gap_days * 24
        assert new == (old if keeps else -1)
        assert new == -1 or item in near[new]


def test_turns_of_one_talk_stay_linked() -> None:
    assert near_neighbours(chain(3), np.zeros((3, 4)), max_gap_days=0.0).tolist() == chain(3).tolist()


def test_notes_of_other_days_are_not_linked() -> None:
    gaps = gaps_of(chain(3), np.array([0.0, 2.0, 4.0]) * DAY)
    assert (near_neighbours(chain(3), gaps, max_gap_days=1.0) == -1).all()


def test_no_items_have_no_links() -> None:
    assert near_neighbours(chain(0), np.zeros((0, 4)), max_gap_days=1.0).shape == (0, 4)


@given(lengths=LENGTHS, short_words=st.sampled_from([1.0, 50.0, 100.0]))
def test_a_short_item_takes_all_and_a_long_one_as_much_as_if_it_were_short(
    lengths: list[int], short_words: float
) -> None:
    words = np.array(lengths, dtype=np.float32)
    short = shortness(words, short_words)
    assert short.dtype == np.float32
    assert ((short > 0.0) & (short <= 1.0)).all()
    assert (short[words <= short_words] == 1.0).all()
    # Of a longer one, what it takes and its length are in inverse proportion.
    assert (short * words)[words > short_words] == pytest.approx(short_words)


def test_an_item_without_words_is_short() -> None:
    assert shortness(np.zeros(2, dtype=np.float32), 100.0).tolist() == [1.0, 1.0]


def test_turns_take_more_than_passages_and_what_is_long_less_of_either() -> None:
    is_passage, short = np.array([False, True, False, True]), np.array([1.0, 1.0, 0.5, 0.5], dtype=np.float32)
    found = shares_taken(is_passage, short, turn=0.5, passage=0.25)
    assert np.asarray(found).tolist() == [0.5, 0.25, 0.25, 0.125]


def test_where_all_items_are_turns_one_share_serves_them_all() -> None:
    assert shares_taken(None, None, turn=0.5, passage=0.25) == 0.5
    short = np.array([1.0, 0.5], dtype=np.float32)
    assert np.asarray(shares_taken(None, short, turn=0.5, passage=0.25)).tolist() == [0.5, 0.25]
    is_passage = np.array([True, False])
    assert np.asarray(shares_taken(is_passage, None, turn=0.5, passage=0.25)).tolist() == [0.25, 0.5]
