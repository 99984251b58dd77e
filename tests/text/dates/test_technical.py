"""Numbers of versions, addresses and things are no dates; years beside them still are."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evolore.domain.language import Language
from evolore.text.dates import mentioned_periods

SAID = datetime(2026, 3, 4, 12, tzinfo=UTC)
NO_DATES = [
    (Language.EN, "Python 3.11 and 2026.1 were tested on 192.168.1.1 and 10.0.2020.5."),
    (Language.EN, "Version 1.2.2023 follows build 2020.1.1 and 12.10.2021.1."),
    (Language.EN, "RFC 2119 on port 1999, see line 2010, error 1984 and room 2012."),
    (Language.EN, "It took 2000 seconds, in 1500 words, with 2048 MB."),
    (Language.EN, "Call +1 555-2020-1999 or 090-1234-2020; it costs $1999."),
    (Language.EN, "You may march on, the sun sat down, we wed and fri."),
    (Language.JA, "電話は03-1234-2020です。バージョン 2020.1.1と3.11。"),
    (Language.JA, "三月さんと五月雨を見た。"),
    (Language.ZH, "电话 010-1234-2020,版本2020.1.1与3.11"),
]
DATES = [
    (Language.EN, "Founded 1987, moved on 1.2.2023, closed 2020/1/1.", 3),
    (Language.EN, "The war of 1914-1918 was over by May 2019.", 2),
    (Language.JA, "2019-2020年の三月に会った。", 2),
    (Language.ZH, "1999-2003年在北京,2020.1.1搬家。", 2),
]


@pytest.mark.parametrize(("language", "text"), NO_DATES)
def test_numbers_of_other_things_are_no_dates(language: Language, text: str) -> None:
    assert mentioned_periods(text, language=language, said_at=SAID) == ()


@pytest.mark.parametrize(("language", "text", "count"), DATES)
def test_dates_that_look_like_them_are_found(language: Language, text: str, count: int) -> None:
    assert len(mentioned_periods(text, language=language, said_at=SAID)) == count
