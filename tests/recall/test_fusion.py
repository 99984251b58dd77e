"""Fusion: one scale for words and meaning, and a weight that follows trust in the words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evolore.recall.evidence import TermScores
from evolore.recall.fusion import dense_weight, scale_of, vagueness, word_agreement
from evolore.recall.settings import RecallSettings

if TYPE_CHECKING:
    import numpy.typing as npt

AGREEMENTS = st.floats(0.0, 1.0)
DEFAULTS = RecallSettings()


def rows_of(scores: npt.NDArray[np.float32]) -> TermScores:
    """Keep what is above 0 of an array of shape (terms, items)."""
    terms, items = np.nonzero(scores)
    sizes = np.bincount(terms, minlength=scores.shape[0])
    return TermScores(
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        items=items.astype(np.int32),
        scores=scores[terms, items],
    )


def agreement_of(scores: list[list[float]]) -> float:
    dense = np.array(scores, dtype=np.float32)
    return word_agreement(dense.sum(axis=0), rows_of(dense))


def test_one_item_best_for_every_word_is_full_agreement() -> None:
    assert agreement_of([[1.0, 3.0], [0.5, 2.0]]) == 1.0


def test_words_that_never_meet_agree_little() -> None:
    assert agreement_of([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]) == 0.5


def test_words_nobody_holds_do_not_agree() -> None:
    assert agreement_of([[0.0, 0.0]]) == 0.0
    assert word_agreement(np.zeros(0, dtype=np.float32), rows_of(np.zeros((2, 0), dtype=np.float32))) == 0.0


@given(scores=arrays(np.float32, (3, 4), elements=st.sampled_from([0.0, 0.5, 1.0, 3.0])))
def test_agreement_is_a_share(scores: npt.NDArray[np.float32]) -> None:
    assert 0.0 <= agreement_of(scores.tolist()) <= 1.0


@given(first=AGREEMENTS, second=AGREEMENTS)
def test_meaning_never_counts_less_when_words_agree_less(first: float, second: float) -> None:
    less, more = sorted((first, second))
    assert dense_weight(less, settings=DEFAULTS) >= dense_weight(more, settings=DEFAULTS)


@given(agreement=AGREEMENTS, growth=st.floats(0.0, 10.0), most=st.floats(0.0, 5.0))
def test_the_weight_never_passes_its_maximum(agreement: float, growth: float, most: float) -> None:
    settings = RecallSettings(dense_growth=growth, max_dense_weight=most)
    assert 0.0 <= dense_weight(agreement, settings=settings) <= most


@pytest.mark.parametrize(("agreement", "weight"), [(0.5, 0.4), (1.0, 0.1), (0.25, 1.6), (0.1, 2.0), (0.0, 2.0)])
def test_the_weight_at_known_points(agreement: float, weight: float) -> None:
    assert dense_weight(agreement, settings=DEFAULTS) == pytest.approx(weight)


@given(agreement=AGREEMENTS)
def test_without_growth_the_weight_is_fixed(agreement: float) -> None:
    assert dense_weight(agreement, settings=RecallSettings(dense_growth=0.0)) == DEFAULTS.dense_weight


def test_values_equal_but_for_rounding_are_not_magnified() -> None:
    assert scale_of(np.array([0.3, 0.3 + 2e-7], dtype=np.float32)) == 1.0
    assert scale_of(np.zeros(0, dtype=np.float32)) == 1.0
    assert scale_of(np.array([1.0, 3.0], dtype=np.float32)) == 1.0
    assert scale_of(np.array([0.0, 4.0], dtype=np.float32)) == 2.0


@given(one=st.floats(0.0, 1.0), other=st.floats(0.0, 1.0), is_emotional=st.booleans())
def test_the_less_words_agree_the_vaguer_a_question_is(one: float, other: float, *, is_emotional: bool) -> None:
    less, more = sorted((one, other))
    of_less = vagueness(less, is_emotional=is_emotional, settings=DEFAULTS)
    of_more = vagueness(more, is_emotional=is_emotional, settings=DEFAULTS)
    assert 0.0 <= of_more <= of_less <= 1.0


def test_a_question_after_a_feeling_is_taken_to_be_vague_earlier() -> None:
    assert vagueness(0.4, is_emotional=True, settings=DEFAULTS) > vagueness(0.4, is_emotional=False, settings=DEFAULTS)
