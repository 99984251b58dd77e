"""What questions ask of a time, beside the listed cases."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evolore.domain.language import Language
from evolore.text.dates import asked_period


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What did I say over the weekend?", Language.EN),
        ("この前の土日って何してた？", Language.JA),
        ("周末发生了什么？", Language.ZH),
    ],
)
def test_a_weekend_that_no_week_stands_before_is_the_last_that_began(question: str, language: Language) -> None:
    asked = asked_period(question, language=language, as_of=datetime(2026, 7, 8, tzinfo=UTC))
    assert asked is not None
    assert asked.is_alone
    assert [(one.first.isoformat(), one.last.isoformat()) for one in asked.periods] == [("2026-07-04", "2026-07-05")]


@pytest.mark.parametrize(
    ("question", "language", "is_alone"),
    [
        ("What did we talk about last week?", Language.EN, True),
        ("What did I say about the roof last week?", Language.EN, False),
        ("先週は何があった？", Language.JA, True),
        ("先週、屋根のことで何か言った？", Language.JA, False),
        ("上个月聊了什么？", Language.ZH, True),
        ("上个月屋顶怎么处理的？", Language.ZH, False),
    ],
)
def test_a_time_is_asked_for_alone_where_no_subject_stands_beside_it(
    question: str, language: Language, *, is_alone: bool
) -> None:
    asked = asked_period(question, language=language, as_of=datetime(2026, 7, 8, tzinfo=UTC))
    assert asked is not None
    assert asked.is_alone is is_alone
