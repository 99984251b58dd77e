from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from evolore.domain.answers import Answer, Citation, Feedback, Query, Rating
from evolore.domain.knowledge import Span
from evolore.errors import InvalidValue


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"text": ""}, "The question is blank"),
        ({"text": "　\n"}, "The question is blank"),
        ({"text": "x" * 100_000}, "The question has 100,000 characters: ask with at most 10,000"),
        ({"text": "x", "limit": 0}, "limit is 0: give a whole number from 1 to 1,000,000"),
        ({"text": "x", "as_of": datetime(2026, 1, 1)}, "as_of is 2026-01-01"),  # noqa: DTZ001
        ({"text": "x", "limit": 2.5}, "limit is 2.5: give a whole number"),
        ({"text": "x", "limit": 10**20}, "give a whole number from 1 to 1,000,000"),
        ({"text": None}, "The question is None: give a text"),
        ({"text": "\ud800"}, "surrogate"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Query(**values)


def test_one_character_is_a_question() -> None:
    assert Query(text="猫").limit == 5


def test_an_answer_names_what_it_rests_on() -> None:
    answer = Answer(
        id="a", query=Query(text="where?"), text="Osaka", citations=(Citation(episode_id="e", span=Span(0, 5)),)
    )
    assert answer.citations[0].span == Span(0, 5)


def test_a_rating_has_a_time_and_a_share() -> None:
    given_at = datetime(2026, 1, 1, tzinfo=UTC)
    assert Feedback(answer_id="a", rating=Rating.BAD, given_at=given_at).weight == 1.0
    with pytest.raises(InvalidValue, match="weight is 3"):
        Feedback(answer_id="a", rating=Rating.GOOD, given_at=given_at, weight=3.0)
