from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.evolution.canary import sample_ratio_evidence, sample_ratio_p


def test_p_is_that_of_the_binomial_test() -> None:
    assert sample_ratio_p(8, 10, 0.5) == pytest.approx(112 / 1024)
    assert sample_ratio_p(5, 10, 0.5) == pytest.approx(1.0)
    assert sample_ratio_p(0, 0, 0.05) == pytest.approx(1.0)
    assert sample_ratio_p(0, 100, 0.05) == pytest.approx(0.0102, abs=1e-4)


def test_above_a_thousand_it_is_that_of_chi_square() -> None:
    assert sample_ratio_p(1050, 2000, 0.5) == pytest.approx(0.0253, abs=1e-4)
    assert sample_ratio_p(100_000, 2_000_000, 0.05) == 1.0


@given(st.integers(0, 1000), st.sampled_from([0.05, 0.25, 0.5]))
def test_both_ways_to_p_agree_where_they_meet(canary: int, share: float) -> None:
    exact, about = sample_ratio_p(canary, 1000, share), sample_ratio_p(canary, 1001, share)
    assert exact == pytest.approx(about, abs=0.08)


@given(st.integers(0, 40), st.floats(0.05, 0.95))
def test_one_more_principal_adds_nothing_in_expectation_when_split_as_told(total: int, share: float) -> None:
    weights = [comb(total, canary) * share**canary * (1 - share) ** (total - canary) for canary in range(total + 1)]
    mean = sum(weight * sample_ratio_evidence(canary, total, share) for canary, weight in enumerate(weights))
    assert mean == pytest.approx(1.0)


def test_evidence_grows_with_a_wrong_split_and_not_with_a_right_one() -> None:
    assert sample_ratio_evidence(50, 1000, 0.05) < 1
    assert sample_ratio_evidence(100, 1000, 0.05) > 1000
    assert sample_ratio_evidence(0, 1_000_000, 0.5) == float("inf")
