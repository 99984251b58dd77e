from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.times import Period
from evolore.ports import ItemKeys
from evolore.store.rows import read_days, read_names, read_periods, read_share, written_keys

DAYS = st.dates()
PERIODS = st.lists(st.tuples(DAYS, DAYS).map(lambda ends: Period(first=min(ends), last=max(ends))))
NAMES = st.lists(st.text(min_size=1).filter(lambda name: "\n" not in name))


@given(PERIODS, NAMES)
def test_what_is_written_is_read_back(periods: list[Period], names: list[str]) -> None:
    vector = np.zeros(2, dtype=np.float32)
    keys = ItemKeys(tokens=("a", "b"), vector=vector, names=tuple(names), periods=tuple(periods))
    columns = written_keys(keys)
    assert columns["tokens"] == "a b"
    assert read_names(columns["names"]) == keys.names
    assert read_periods(columns["periods"]) == keys.periods
    assert read_days(columns["periods"]) == tuple((one.first.toordinal(), one.last.toordinal()) for one in periods)


@pytest.mark.parametrize("written", ["x", "2026-03-01", "2026-03-01/2026-02-01", "2026-03-01/2026-03-02/2026-03-03"])
def test_what_is_no_period_is_said_so(written: str) -> None:
    assert read_periods(written) is None
    assert read_days(written) == ()


@pytest.mark.parametrize("written", [None, "x", -0.1, 1.1, float("nan"), 7])
def test_what_is_no_share_is_none(written: object) -> None:
    assert read_share(written) is None


def test_a_share_is_read() -> None:
    assert [read_share(value) for value in (0.0, 0.5, 1.0)] == [0.0, 0.5, 1.0]
