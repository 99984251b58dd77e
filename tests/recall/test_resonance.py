"""Resonance stays in bounds and comes to rest where uses point; deflation keeps the order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.recall.arousal import deflate, is_inflated, resonate

SHARES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("arousal", "resonance", "after"), [(0.5, 1.0, 0.6), (0.5, 0.0, 0.4), (0.8, 0.8, 0.8), (0.0, 0.5, 0.1)]
)
def test_a_use_goes_a_fifth_of_the_way(arousal: float, resonance: float, after: float) -> None:
    assert resonate(arousal, resonance) == pytest.approx(after)


@given(arousal=SHARES, resonance=SHARES)
def test_what_moves_stays_between_where_it_was_and_the_use(arousal: float, resonance: float) -> None:
    low, high = sorted((arousal, resonance))
    assert low - 1e-12 <= resonate(arousal, resonance) <= high + 1e-12
    assert 0.0 <= resonate(arousal, resonance) <= 1.0


@given(arousal=SHARES, resonance=SHARES)
def test_many_like_uses_come_to_rest_at_how_they_were_felt(arousal: float, resonance: float) -> None:
    for _ in range(100):
        arousal = resonate(arousal, resonance)
    assert arousal == pytest.approx(resonance, abs=1e-9)


@given(values=st.lists(SHARES, min_size=1))
def test_deflation_keeps_the_order_and_the_bounds_and_lowers_the_mean(values: list[float]) -> None:
    before = np.array(values)
    after = deflate(before)
    assert ((after >= 0.0) & (after <= 1.0)).all()
    assert (np.argsort(after, kind="stable") == np.argsort(before, kind="stable")).all()
    assert after.mean() == pytest.approx(0.9 * before.mean())


def test_a_mean_above_six_tenths_is_inflated_and_one_of_nothing_is_not() -> None:
    assert is_inflated(np.array([0.5, 0.8]))
    assert not is_inflated(np.array([0.5, 0.6]))
    assert not is_inflated(np.array([], dtype=np.float64))
