from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.times import AskedTime, Order, Period, Relation
from evolore.errors import InvalidValue


@given(st.dates(), st.dates())
def test_a_period_ends_no_earlier_than_it_begins(one: date, other: date) -> None:
    if one > other:
        with pytest.raises(InvalidValue, match="ends before it begins"):
            Period(first=one, last=other)
    else:
        assert Period(first=one, last=other).last == other


def test_an_asked_time_that_asks_nothing_is_refused() -> None:
    with pytest.raises(InvalidValue, match="empty"):
        AskedTime()


def test_an_event_does_not_stand_beside_dates() -> None:
    with pytest.raises(InvalidValue, match="stands beside 1 periods"):
        AskedTime(periods=(Period(first=date(2020, 1, 1), last=date(2020, 1, 1)),), event="we moved")


@given(st.lists(st.dates(), min_size=2, max_size=2).map(sorted), st.sampled_from(Relation))
def test_before_and_after_leave_out_what_they_name_and_around_holds_it(days: list[date], relation: Relation) -> None:
    named = Period(first=days[0], last=days[1])
    for found in AskedTime(periods=(named,), relation=relation).ranges():
        overlaps = found.first <= named.last and named.first <= found.last
        assert overlaps == (relation in {Relation.WITHIN, Relation.AROUND})
        if overlaps:
            assert found.first <= named.first
            assert found.last >= named.last


def test_an_event_whose_time_is_found_becomes_a_date() -> None:
    asked = AskedTime(event="we moved", relation=Relation.BEFORE, order=Order.LAST)
    moved = Period(first=date(2020, 5, 1), last=date(2020, 5, 3))
    assert asked.ranges() == ()
    assert asked.at(moved).ranges() == (Period(first=date.min, last=date(2020, 4, 30)),)
    assert asked.at(moved).order is Order.LAST


def test_nothing_lies_before_the_first_day_nor_after_the_last() -> None:
    whole = Period(first=date.min, last=date.max)
    assert AskedTime(periods=(whole,), relation=Relation.BEFORE).ranges() == ()
    assert AskedTime(periods=(whole,), relation=Relation.AFTER).ranges() == ()
    assert AskedTime(periods=(whole,), relation=Relation.AROUND).ranges() == (whole,)
