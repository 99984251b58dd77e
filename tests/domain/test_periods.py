from __future__ import annotations

from datetime import date

import pytest

from evolore.domain.periods import Period
from evolore.errors import InvalidValue


def test_a_period_may_be_one_day() -> None:
    day = date(2026, 3, 2)
    assert Period(first=day, last=day).last == day


def test_a_period_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(InvalidValue, match="2026-03-02 to 2026-03-01"):
        Period(first=date(2026, 3, 2), last=date(2026, 3, 1))
