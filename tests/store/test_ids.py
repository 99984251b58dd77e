from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from evolore.store.events import IdSource, earlier

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=50))
def test_ids_rise_also_when_the_clock_steps_back(milliseconds: list[int]) -> None:
    ids = IdSource()
    made = [ids.next(EPOCH + timedelta(milliseconds=offset)) for offset in milliseconds]
    assert made == sorted(made)
    assert len(set(made)) == len(made)
    assert {len(id_) for id_ in made} == {26}


def test_ids_of_different_sources_sort_by_their_time() -> None:
    assert IdSource().next(EPOCH) < IdSource().next(EPOCH + timedelta(milliseconds=1))
    assert IdSource().next(EPOCH) != IdSource().next(EPOCH)


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_what_is_earlier_is_below_ids_made_since_and_above_those_made_before(offset: int, by: int) -> None:
    at, back = EPOCH + timedelta(milliseconds=offset), timedelta(milliseconds=by)
    id_ = IdSource().next(at)
    bound = earlier(id_, back)
    assert (
        IdSource().next(at - back - timedelta(milliseconds=1))
        < bound
        < IdSource().next(at - back + timedelta(milliseconds=5))
    )
    assert len(bound) == 26


def test_what_is_no_id_of_ours_has_nothing_earlier() -> None:
    assert earlier("p1", timedelta(days=1)) == "p1"
    assert earlier("u" * 26, timedelta(days=1)) == "u" * 26


def test_ids_begin_with_a_zero_for_a_thousand_years() -> None:
    assert IdSource().next(EPOCH.replace(year=3026)).startswith("0")
