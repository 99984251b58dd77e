from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.times import AskedOrder, AskedTime, Period, TimeSide, read_moment
from evolore.errors import InvalidValue

TOKYO = timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-03-02", datetime(2026, 3, 2, tzinfo=UTC)),
        (" 2026-03-02T14:30 ", datetime(2026, 3, 2, 14, 30, tzinfo=UTC)),
        ("2026-03-02 14:30:05.25", datetime(2026, 3, 2, 14, 30, 5, 250_000, tzinfo=UTC)),
        ("2026-03-02T14:30Z", datetime(2026, 3, 2, 14, 30, tzinfo=UTC)),
        ("2026-03-02T14:30+09:00", datetime(2026, 3, 2, 14, 30, tzinfo=TOKYO)),
        ("2026/03/02", datetime(2026, 3, 2, tzinfo=UTC)),
        ("2026.3.2", datetime(2026, 3, 2, tzinfo=UTC)),
        ("2026-3-2", datetime(2026, 3, 2, tzinfo=UTC)),
        ("2026-03-02 14:30:05 +0900", datetime(2026, 3, 2, 14, 30, 5, tzinfo=TOKYO)),
        ("2026/3/2 14:30+09:00", datetime(2026, 3, 2, 14, 30, tzinfo=TOKYO)),
        ("2026年3月2日", datetime(2026, 3, 2, tzinfo=UTC)),
        ("２０２６年３月２日14:30", datetime(2026, 3, 2, 14, 30, tzinfo=UTC)),
        ("2026年3月2号", datetime(2026, 3, 2, tzinfo=UTC)),
        ("令和8年3月2日", datetime(2026, 3, 2, tzinfo=UTC)),
        ("令和元年5月1日T09:15", datetime(2019, 5, 1, 9, 15, tzinfo=UTC)),
        ("昭和64年1月7日", datetime(1989, 1, 7, tzinfo=UTC)),
        ("民國115年3月2日", datetime(2026, 3, 2, tzinfo=UTC)),
        ("2 Mar 2026", datetime(2026, 3, 2, tzinfo=UTC)),
        ("March 2nd, 2026 14:30", datetime(2026, 3, 2, 14, 30, tzinfo=UTC)),
        ("Mon, 02 Mar 2026 14:30:05 +0900", datetime(2026, 3, 2, 14, 30, 5, tzinfo=TOKYO)),
    ],
)
def test_a_date_with_the_year_first_or_a_time_is_read(written: str, moment: datetime) -> None:
    read = read_moment(written, "at")
    assert read is not None
    assert read == moment
    assert read.utcoffset() == moment.utcoffset()


@pytest.mark.parametrize(
    "written",
    [
        "",
        "soon",
        "2026-13-01",
        "2026-02-30",
        "2026/2/30",
        "2026-2-30",
        "2026-3-2-5",
        "02.03.2026",
        "05/03/2026",
        "26年3月2日",
        "2026年3月",
        "2026",
        "三月二日",
        "令和8年3月2日 soon",
    ],
)
def test_what_is_no_date_or_time_is_refused_with_a_form_that_is(written: str) -> None:
    with pytest.raises(InvalidValue, match=r"^as_of .* is not a date or time: write it as 2026-03-02"):
        read_moment(written, "as_of")


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        (datetime(2026, 3, 2), "as_of is 2026-03-02T00:00:00: use a time with a zone"),  # noqa: DTZ001 - refused
        (date(2026, 3, 2), "use a datetime with a zone"),
        (5, "use a datetime with a zone"),
        ("0001-01-01T00:00+09:00", "between the years 1 and 9999"),
    ],
)
def test_what_is_no_moment_is_refused(given_: object, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        read_moment(given_, "as_of")  # type: ignore[arg-type]


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_is_read_back_as_it_was_written(moment: datetime) -> None:
    assert read_moment(moment.isoformat(), "at") == read_moment(moment, "at") == moment
    assert read_moment(None, "at") is None


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
    with pytest.raises(InvalidValue, match="comes with 1 periods"):
        AskedTime(periods=(Period(first=date(2020, 1, 1), last=date(2020, 1, 1)),), event="we moved")


@given(st.lists(st.dates(), min_size=2, max_size=2).map(sorted), st.sampled_from(TimeSide))
def test_before_and_after_leave_out_what_they_name_and_around_holds_it(days: list[date], relation: TimeSide) -> None:
    named = Period(first=days[0], last=days[1])
    for found in AskedTime(periods=(named,), relation=relation).ranges():
        overlaps = found.first <= named.last and named.first <= found.last
        assert overlaps == (relation in {TimeSide.WITHIN, TimeSide.AROUND})
        if overlaps:
            assert found.first <= named.first
            assert found.last >= named.last


def test_an_event_whose_time_is_found_becomes_a_date() -> None:
    asked = AskedTime(event="we moved", relation=TimeSide.BEFORE, order=AskedOrder.LAST)
    moved = Period(first=date(2020, 5, 1), last=date(2020, 5, 3))
    assert asked.ranges() == ()
    assert asked.at(moved).ranges() == (Period(first=date.min, last=date(2020, 4, 30)),)
    assert asked.at(moved).order is AskedOrder.LAST


def test_nothing_lies_before_the_first_day_nor_after_the_last() -> None:
    whole = Period(first=date.min, last=date.max)
    assert AskedTime(periods=(whole,), relation=TimeSide.BEFORE).ranges() == ()
    assert AskedTime(periods=(whole,), relation=TimeSide.AFTER).ranges() == ()
    assert AskedTime(periods=(whole,), relation=TimeSide.AROUND).ranges() == (whole,)
