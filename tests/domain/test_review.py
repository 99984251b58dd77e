from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.review import ReviewCategory, ReviewFilter, ReviewItem, cause_of
from evolore.errors import InvalidValue

PARTS = st.lists(st.text(alphabet="ab:\ud800", max_size=4), max_size=3)


@given(PARTS, PARTS)
def test_two_things_have_one_cause_only_if_they_are_the_same(one: list[str], other: list[str]) -> None:
    causes = cause_of(ReviewCategory.NOTE, *one), cause_of(ReviewCategory.NOTE, *other)
    assert (causes[0] == causes[1]) == (one == other)
    assert cause_of(ReviewCategory.CHUNKING, *one) != causes[0]


def test_wrong_values_are_refused() -> None:
    with pytest.raises(InvalidValue, match="text_length"):
        ReviewItem(category=ReviewCategory.NOTE, reason="r", text_length=-1)
    with pytest.raises(InvalidValue, match="limit"):
        ReviewFilter(limit=0)
