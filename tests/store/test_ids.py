from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from evolore.store.ids import IdSource

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
