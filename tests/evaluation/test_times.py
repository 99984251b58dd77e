from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore_evaluation.records import parse_asked_time, parse_time


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:09 am on 13 September, 2023", datetime(2023, 9, 13, 0, 9, tzinfo=UTC)),
        ("29.12.2023, 18:08:05", datetime(2023, 12, 29, 18, 8, 5, tzinfo=UTC)),
        ("2023-12-25", datetime(2023, 12, 25, tzinfo=UTC)),
        ("March-15-2024", datetime(2024, 3, 15, tzinfo=UTC)),
        ("20240115_09:30", datetime(2024, 1, 15, 9, 30, tzinfo=UTC)),
        ("2023/05/20 (Sat) 02:21", datetime(2023, 5, 20, 2, 21, tzinfo=UTC)),
        ("2023-05-20T10:00:00+09:00", datetime(2023, 5, 20, 1, tzinfo=UTC)),
        ("2023-05-20T10:00:00Z", datetime(2023, 5, 20, 10, tzinfo=UTC)),
    ],
)
def test_times_of_every_form_are_read(written: str, read: datetime) -> None:
    assert parse_time(written) == read


@pytest.mark.parametrize("written", ["", "once upon a time", "32 May, 2023", "2023-13-01"])
def test_what_is_no_time_is_none(written: str) -> None:
    assert parse_time(written) is None
    assert parse_asked_time(written) is None


def test_a_question_asked_on_a_day_may_be_about_that_day() -> None:
    assert parse_asked_time("2023-12-25") == datetime(2023, 12, 25, 23, 59, 59, 999_999, tzinfo=UTC)
    assert parse_asked_time("2023-12-25 00:00") == datetime(2023, 12, 25, tzinfo=UTC)
    assert parse_asked_time("1:56 pm on 8 May, 2023") == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@given(st.datetimes(timezones=st.just(UTC)))
def test_iso_times_survive(moment: datetime) -> None:
    assert parse_time(moment.isoformat()) == moment


@given(st.text())
def test_no_text_breaks_the_reader(written: str) -> None:
    found = parse_time(written)
    assert found is None or found.tzinfo is UTC
