from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evolore.domain.answers import Query
from evolore.domain.knowledge import Span
from evolore.domain.replies import Answer, Citation, Feedback, Rating
from evolore.errors import InvalidValue


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
