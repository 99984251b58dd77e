from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.chunking.code_length import TokenTable, read_tokens, segment_costs

UNITS = st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=1, max_size=12)


def table(units: list[list[str]]) -> TokenTable:
    return read_tokens([" ".join(unit) for unit in units], str.split)


def cost_token_by_token(tokens: list[str], vocabulary: int, alpha: float) -> float:
    """Write the tokens one by one, as the formula says."""
    seen: dict[str, int] = {}
    cost = 0.0
    for written, token in enumerate(tokens):
        cost += math.log(written + alpha * vocabulary) - math.log(seen.get(token, 0) + alpha)
        seen[token] = seen.get(token, 0) + 1
    return cost


@given(UNITS, st.sampled_from([0.1, 0.5, 2.0]), st.integers(1, 14))
def test_all_costs_at_once_equal_the_cost_written_token_by_token(
    units: list[list[str]], alpha: float, band: int
) -> None:
    vocabulary = len({token for unit in units for token in unit})
    costs = segment_costs(table(units), alpha=alpha, band=band, is_fence=np.zeros(len(units), np.bool_))
    for start in range(len(units)):
        for length in range(1, min(band, len(units) - start) + 1):
            tokens = [token for unit in units[start : start + length] for token in unit]
            assert costs[start, length - 1] == pytest.approx(cost_token_by_token(tokens, vocabulary, alpha), abs=1e-9)


@given(UNITS, UNITS)
def test_a_stretch_behind_a_fence_is_judged_by_its_own_vocabulary(
    first: list[list[str]], second: list[list[str]]
) -> None:
    is_fence = np.zeros(len(first) + len(second), np.bool_)
    is_fence[len(first)] = True
    together = segment_costs(table(first + second), alpha=0.5, band=3, is_fence=is_fence)
    alone = segment_costs(table(second), alpha=0.5, band=3, is_fence=np.zeros(len(second), np.bool_))
    inside = np.arange(3) < (len(second) - np.arange(len(second)))[:, None]
    np.testing.assert_allclose(together[len(first) :][inside], alone[inside], atol=1e-9)


@given(UNITS, st.data())
def test_a_slice_is_the_table_of_its_units(units: list[list[str]], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(units) - 1))
    end = data.draw(st.integers(start + 1, len(units)))
    fences = np.zeros(end - start, np.bool_)
    part = segment_costs(table(units).slice(start, end), alpha=0.5, band=2, is_fence=fences)
    whole = segment_costs(table(units[start:end]), alpha=0.5, band=2, is_fence=fences)
    np.testing.assert_allclose(part, whole)


def test_a_weight_scales_the_cost() -> None:
    plain = read_tokens(["a b", "a c"], str.split)
    half = read_tokens(["a b", "a c"], str.split, weight=0.5)
    fences = np.zeros(2, np.bool_)
    whole = segment_costs(plain, alpha=0.5, band=2, is_fence=fences)
    np.testing.assert_allclose(segment_costs(half, alpha=0.5, band=2, is_fence=fences), whole / 2)


@given(UNITS, st.integers(1, 14))
def test_a_token_that_never_comes_again_counts_less(units: list[list[str]], band: int) -> None:
    fences = np.zeros(len(units), np.bool_)
    lonely = replace(table(units), once_weight=0.25)
    times = Counter(token for unit in units for token in unit)
    weights = {token: 0.25 if count == 1 else 1.0 for token, count in times.items()}
    prior = 0.5 * sum(weights.values())
    costs = segment_costs(lonely, alpha=0.5, band=band, is_fence=fences)
    for start in range(len(units)):
        for length in range(1, min(band, len(units) - start) + 1):
            tokens = [token for unit in units[start : start + length] for token in unit]
            whole, rest = divmod(sum(weights[token] for token in tokens), 1)
            written = sum(math.log(count + prior) for count in range(int(whole)))
            written += rest * math.log(whole + prior) if rest else 0.0
            saved = sum(
                weights[token] * sum(math.log(count + 0.5) for count in range(count))
                for token, count in Counter(tokens).items()
            )
            assert costs[start, length - 1] == pytest.approx(written - saved, abs=1e-9)


def test_no_units_make_an_empty_table() -> None:
    assert len(read_tokens([], str.split).counts) == 0
