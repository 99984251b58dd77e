from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.times import read_moment
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
    ],
)
def test_a_date_or_time_in_iso_8601_is_read(written: str, moment: datetime) -> None:
    read = read_moment(written, "at")
    assert read is not None
    assert read == moment
    assert read.utcoffset() == moment.utcoffset()


@pytest.mark.parametrize("written", ["", "soon", "2026-13-01", "2026-02-30", "02.03.2026", "2026", "三月二日"])
def test_what_is_no_date_or_time_is_refused_with_a_form_that_is(written: str) -> None:
    with pytest.raises(InvalidValue, match=r"^as_of .* is not a date or time: write it as 2026-03-02"):
        read_moment(written, "as_of")


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        (datetime(2026, 3, 2), "as_of is 2026-03-02T00:00:00: give a time with a zone"),  # noqa: DTZ001 - refused
        (date(2026, 3, 2), "give a datetime with a zone"),
        (5, "give a datetime with a zone"),
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
