"""Fusion: how much of a question's words is held, and how much meaning counts beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evolore.recall.ranking import MeaningWeights, best_coverage, dense_weight, vagueness

if TYPE_CHECKING:
    import numpy.typing as npt

SHARES = st.floats(0.0, 1.0)
DEFAULTS = MeaningWeights()


def coverage_of(own: list[float], attainable: float) -> float:
    return best_coverage(np.array(own, dtype=np.float32), attainable)


def test_the_item_that_holds_most_of_the_words_is_what_counts() -> None:
    assert coverage_of([1.0, 3.0, 2.0], 4.0) == 0.75


def test_words_nobody_holds_make_what_is_held_a_smaller_share() -> None:
    assert coverage_of([3.0], 12.0) < coverage_of([3.0], 4.0)


def test_where_nothing_is_held_nothing_is_covered() -> None:
    assert coverage_of([0.0, 0.0], 4.0) == 0.0
    assert coverage_of([], 4.0) == 0.0


@given(scores=arrays(np.float32, (3, 4), elements=st.sampled_from([0.0, 0.5, 1.0, 3.0])))
def test_coverage_is_a_share_that_further_items_never_lower(scores: npt.NDArray[np.float32]) -> None:
    own, attainable = scores.sum(axis=0), 9.5
    whole = best_coverage(own, attainable)
    assert 0.0 <= best_coverage(own[:2], attainable) <= whole <= 1.0


@pytest.mark.parametrize(("below", "vague"), [(0.2, 1.0), (0.1, 1.0), (0.05, 0.5), (0.0, 0.0), (-0.1, 0.0)])
def test_a_question_is_the_vaguer_the_less_of_its_words_is_held(below: float, vague: float) -> None:
    assert vagueness(DEFAULTS.vague_below - below, weights=DEFAULTS) == pytest.approx(vague)


@given(one=SHARES, other=SHARES)
def test_vagueness_is_a_share_that_falls_with_coverage(one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert 0.0 <= vagueness(more, weights=DEFAULTS) <= vagueness(less, weights=DEFAULTS) <= 1.0


@given(coverage=SHARES)
def test_no_question_is_vague_where_none_is_to_be(coverage: float) -> None:
    assert vagueness(coverage, weights=MeaningWeights(vague_below=0.0)) == 0.0


def test_the_weight_at_known_points() -> None:
    weights = MeaningWeights(dense=0.5, vague=1.5)
    assert dense_weight(weights=weights) == 0.5
    assert dense_weight(weights=weights, vague=0.5) == pytest.approx(0.875)
    assert dense_weight(weights=weights, vague=1.0) == pytest.approx(1.25)


@given(one=SHARES, other=SHARES)
def test_meaning_counts_the_more_the_vaguer_a_question_is(one: float, other: float) -> None:
    less, more = sorted((one, other))
    assert DEFAULTS.dense <= dense_weight(weights=DEFAULTS, vague=less)
    assert dense_weight(weights=DEFAULTS, vague=less) <= dense_weight(weights=DEFAULTS, vague=more)


@given(vague=SHARES)
def test_a_vague_question_weighs_meaning_as_any_other_where_it_is_told_to(vague: float) -> None:
    assert dense_weight(weights=MeaningWeights(vague=0.0), vague=vague) == DEFAULTS.dense
