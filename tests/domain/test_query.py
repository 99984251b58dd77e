from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from evolore.domain.query import Query
from evolore.errors import InvalidValue


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"text": ""}, "The question is blank"),
        ({"text": "　\n"}, "The question is blank"),
        ({"text": "x" * 100_000}, "The question has 100,000 characters: ask with at most 10,000"),
        ({"text": "x", "limit": 0}, "limit is 0: use a whole number from 1 to 1,000,000"),
        ({"text": "x", "as_of": datetime(2026, 1, 1)}, "as_of is 2026-01-01"),  # noqa: DTZ001
        ({"text": "x", "limit": 2.5}, "limit is 2.5: use a whole number"),
        ({"text": "x", "limit": 10**20}, "use a whole number from 1 to 1,000,000"),
        ({"text": None}, "The question is None: use a text"),
        ({"text": "\ud800"}, "surrogate"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Query(**values)


def test_one_character_is_a_question() -> None:
    assert Query(text="猫").limit == 5
