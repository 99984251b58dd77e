from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evolore.domain.times import AskedOrder, AskedTime, Period, TimeSide
from evolore.errors import InvalidValue
from evolore.recall.dates import DATED_SHARE, ORDER_WEIGHT, ItemDates, date_evidence, order_preference, turn_costs

if TYPE_CHECKING:
    from collections.abc import Sequence

YEAR_2012 = Period(first=date(2012, 1, 1), last=date(2012, 12, 31))
PERIODS = st.lists(st.dates(), min_size=2, max_size=2).map(sorted).map(lambda ends: Period(first=ends[0], last=ends[1]))


def _years(first: int, last: int) -> Period:
    return Period(first=date(first, 1, 1), last=date(last, 12, 31))


def _dates(items: Sequence[Sequence[Period]], occurred: Sequence[date | None] | None = None) -> ItemDates:
    flat = [period for periods in items for period in periods]
    known = occurred or [None] * len(items)
    return ItemDates(
        occurred=np.array([day.toordinal() if day else 0 for day in known], dtype=np.int32),
        starts=np.cumsum([0, *(len(periods) for periods in items)], dtype=np.int64),
        first=np.array([period.first.toordinal() for period in flat], dtype=np.int32),
        last=np.array([period.last.toordinal() for period in flat], dtype=np.int32),
    )


def _evidence(asked: AskedTime, dates: ItemDates) -> list[float]:
    return date_evidence(asked, dates).tolist()


@given(st.lists(st.lists(PERIODS, max_size=4), max_size=6), PERIODS, st.sampled_from(TimeSide))
def test_evidence_is_a_share_and_an_items_periods_are_judged_one_by_one(
    items: list[list[Period]], asked: Period, relation: TimeSide
) -> None:
    question = AskedTime(periods=(asked,), relation=relation)
    together = _evidence(question, _dates(items))
    assert all(0.0 <= one <= 1.0 for one in together)
    apart = [max((_evidence(question, _dates([[one]]))[0] for one in periods), default=0.0) for periods in items]
    assert together == pytest.approx(apart, abs=1e-6)


@given(PERIODS)
def test_what_was_asked_for_exactly_fits_wholly(period: Period) -> None:
    open_ended = period.first == date.min or period.last == date.max
    (fit,) = _evidence(AskedTime(periods=(period,)), _dates([[period]]))
    assert fit == pytest.approx(1.0) or open_ended


def test_the_closer_a_text_comes_to_what_was_asked_the_better_it_fits() -> None:
    asked = AskedTime(periods=(YEAR_2012,))
    items = [
        [_years(2012, 2012)],
        [_years(2010, 2014)],
        [_years(2001, 2100)],
        [_years(2013, 2013)],
        [_years(2030, 2030)],
        [],
    ]
    exact, around, century, beside, far, none = _evidence(asked, _dates(items))
    assert exact > around > century > 0.0
    assert exact > beside > far
    assert far == pytest.approx(0.0, abs=1e-3)
    assert none == 0.0


def test_a_day_within_the_year_fits_as_well_as_the_year() -> None:
    day = Period(first=date(2012, 5, 8), last=date(2012, 5, 8))
    assert _evidence(AskedTime(periods=(YEAR_2012,)), _dates([[day], [YEAR_2012]])) == [1.0, 1.0]


def test_since_holds_for_later_years_and_no_earlier_one() -> None:
    since = Period(first=date(2010, 1, 1), last=date.max)
    (later,) = _evidence(AskedTime(periods=(YEAR_2012,)), _dates([[since]]))
    (earlier,) = _evidence(AskedTime(periods=(_years(1990, 1990),)), _dates([[since]]))
    assert later > 0.5
    assert earlier == pytest.approx(0.0, abs=1e-3)


def test_the_day_an_item_happened_counts_where_it_is_known() -> None:
    dates = _dates([[], [], [YEAR_2012]], [date(2012, 5, 8), None, date(1999, 1, 1)])
    assert _evidence(AskedTime(periods=(YEAR_2012,)), dates) == [1.0, 0.0, 1.0]


def test_before_and_after_take_what_lies_on_their_side() -> None:
    dates = _dates([[_years(1990, 1990)], [_years(2020, 2020)]])
    before = _evidence(AskedTime(periods=(YEAR_2012,), relation=TimeSide.BEFORE), dates)
    after = _evidence(AskedTime(periods=(YEAR_2012,), relation=TimeSide.AFTER), dates)
    assert (before[0], after[1]) == (1.0, 1.0)
    assert before[1] < 1.0 > after[0]


def test_when_favours_what_speaks_of_a_time_and_a_named_date_goes_before_it() -> None:
    dates = _dates([[_years(1990, 1990)], []])
    assert _evidence(AskedTime(asks_when=True), dates) == pytest.approx([DATED_SHARE, 0.0])
    assert _evidence(AskedTime(asks_when=True, periods=(YEAR_2012,)), dates) == pytest.approx([0.0, 0.0], abs=1e-3)


def test_an_event_whose_time_is_not_known_says_nothing() -> None:
    assert _evidence(AskedTime(event="we moved", relation=TimeSide.BEFORE), _dates([[YEAR_2012]])) == [0.0]


def test_the_order_prefers_one_end_and_nothing_without_a_day() -> None:
    days = np.array([730000, 0, 740000, 735000, 730000], dtype=np.int32)
    weight = ORDER_WEIGHT
    first = order_preference(AskedOrder.FIRST, days)
    last = order_preference(AskedOrder.LAST, days)
    assert (first / weight).tolist() == pytest.approx([1.0, 0.0, 0.0, 0.5, 1.0])
    assert ((first + last)[days > 0] / weight).tolist() == pytest.approx([1.0] * 4)
    assert last[1] == 0.0


def test_one_day_alone_is_neither_first_nor_last() -> None:
    assert not order_preference(AskedOrder.LAST, np.array([730000, 730000], dtype=np.int32)).any()


@given(st.lists(st.integers(730_000, 730_004), max_size=40), st.sampled_from([0.0, 0.05, 0.5]))
@example([730_000, 730_001] * 30, 0.05)
def test_the_best_of_each_day_loses_nothing_and_each_behind_it_more_up_to_a_bound(days: list[int], cost: float) -> None:
    with patch("evolore.recall.dates._SPREAD_COST", cost):
        found = turn_costs(np.array(days, dtype=np.int32)).tolist()
    wanted = [cost * min(days[:place].count(day), 20) for place, day in enumerate(days)]
    assert found == pytest.approx(wanted, abs=1e-5)


def test_starts_that_do_not_fit_the_periods_are_refused() -> None:
    with pytest.raises(InvalidValue, match="do not cut 1 periods"):
        ItemDates(
            occurred=np.zeros(2, dtype=np.int32),
            starts=np.zeros(3, dtype=np.int64),
            first=np.ones(1, dtype=np.int32),
            last=np.ones(1, dtype=np.int32),
        )
