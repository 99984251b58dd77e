"""The seed's tables, to the digit.

The seed's cost as terms: the same order, and nothing falls below what was not weighed.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.query import Intent
from evolore.errors import InvalidValue
from evolore.recall.cost import seed_cost, time_decay, weigh_by_cost
from evolore.recall.settings import IntentSettings

SHARES = st.floats(0.0, 1.0)


def one(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)


@pytest.mark.parametrize(
    ("days", "decay"), [(0, 1.0), (14, 0.4966), (30, 0.2231), (365, 0.0), (-5, 1.0), (np.nan, 0.5)]
)
def test_freshness_halves_in_about_fourteen_days(days: float, decay: float) -> None:
    assert time_decay(one(days))[0] == pytest.approx(decay, abs=1e-4)


@pytest.mark.parametrize(("arousal", "share"), [(0.9, 0.1), (0.6, 0.4), (0.2, 0.8), (0.1, 0.9), (np.nan, 0.5)])
def test_time_counts_as_far_as_a_memory_is_not_felt(arousal: float, share: float) -> None:
    cost = seed_cost(one(0.0), one(arousal), one(1e6), weights=(0.0, 0.0, 1.0))
    assert cost.time[0] == pytest.approx(share)


@pytest.mark.parametrize(
    ("intent", "total"),
    [
        (Intent.EMOTIONAL, 0.3 * 0.4 + 0.6 * 0.8 + 0.1 * 0.5034147 * 0.8),
        (Intent.FACTUAL, 0.5 * 0.4 + 0.2 * 0.8 + 0.3 * 0.5034147 * 0.8),
        (Intent.TECHNICAL, 0.3 * 0.4 + 0.1 * 0.8 + 0.6 * 0.5034147 * 0.8),
        (Intent.TEMPORAL, 0.2 * 0.4 + 0.2 * 0.8 + 0.6 * 0.5034147 * 0.8),
        (Intent.RELATIONAL, 0.4 * 0.4 + 0.4 * 0.8 + 0.2 * 0.5034147 * 0.8),
    ],
)
def test_a_memory_of_two_weeks_costs_what_the_seeds_weights_say(intent: Intent, total: float) -> None:
    cost = seed_cost(one(0.4), one(0.2), one(14.0), weights=IntentSettings().weights(intent))
    assert cost.total[0] == pytest.approx(total, abs=1e-6)


@given(SHARES, SHARES, st.floats(-10.0, 1000.0))
def test_without_a_weight_of_time_two_terms_are_left(distance: float, arousal: float, age: float) -> None:
    cost = seed_cost(one(distance), one(arousal), one(age), weights=(0.7, 0.3, 0.0))
    assert cost.total[0] == pytest.approx(0.7 * distance + 0.3 * (1 - arousal))


def test_a_rate_below_zero_is_refused() -> None:
    with pytest.raises(InvalidValue, match="rate is -1"):
        time_decay(one(1.0), rate=-1.0)


ROWS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 4), st.integers(0, 60)), min_size=1, max_size=12)


@given(ROWS, st.sampled_from([(0.3, 0.6, 0.1), (0.5, 0.2, 0.3), (0.3, 0.1, 0.6)]))
def test_scores_fall_as_the_cost_rises(rows: list[tuple[int, int, int]], weights: tuple[float, float, float]) -> None:
    scores, felt, ages = (np.array(column, dtype=np.float64) for column in zip(*rows, strict=True))
    arousal = felt / 4
    terms = weigh_by_cost(scores.astype(np.float32), arousal=arousal.astype(np.float32), age_days=ages, weights=weights)
    assert all((term >= 0).all() for term in terms)
    unit = float(np.ptp(scores)) or 1.0
    cost = seed_cost(1 - (scores - scores.min()) / unit, arousal, ages, weights=weights).total
    score = scores + terms[0] + terms[1]
    assert np.ptp(score * weights[0] / unit + cost) < 1e-5


def test_no_candidates_have_no_terms() -> None:
    none = np.zeros(0, dtype=np.float32)
    assert [term.size for term in weigh_by_cost(none, arousal=none, age_days=np.zeros(0), weights=(1, 1, 1))] == [0, 0]
