from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from evolore.domain.language import Language
from evolore.domain.times import AskedTime, Period, Relation
from evolore.text.dates import asked_period, mentioned_periods

NOW = datetime(2023, 6, 14, 12, tzinfo=UTC)
LEAST_CASES = 80


def _end(text: str, *, is_last: bool) -> date:
    parts = [int(part) for part in text.split("-")]
    year, month = parts[0], parts[1] if len(parts) > 1 else (12 if is_last else 1)
    return date(year, month, parts[2] if len(parts) > 2 else (monthrange(year, month)[1] if is_last else 1))


def _period(text: str) -> Period:
    first, dots, last = text.partition("..")
    last = last if dots else first
    return Period(
        first=_end(first, is_last=False) if first else date.min, last=_end(last, is_last=True) if last else date.max
    )


def _cases(kind: str) -> list[tuple[Language, str, frozenset[Period], frozenset[str], str | None]]:
    cases: list[tuple[Language, str, frozenset[Period], frozenset[str], str | None]] = []
    for language in (Language.EN, Language.JA, Language.ZH):
        for line in Path(__file__).with_name(f"cases_{language}.txt").read_text(encoding="utf-8").splitlines():
            found, *fields = (field.strip() for field in line.split(" | "))
            if found == kind:
                words = fields[1].split()
                ranges = frozenset(_period(word) for word in words if word[0] in "0123456789.")
                rest = frozenset(word for word in words if word[0] not in "0123456789." and word != "none")
                cases.append((language, fields[0], ranges, rest, fields[2] if len(fields) > 2 else None))
    return cases


def _words(asked: AskedTime) -> set[str]:
    words: set[str] = {str(asked.order)} if asked.order else set[str]()
    if asked.relation is not Relation.WITHIN:
        words.add(str(asked.relation))
    return words | ({"when"} if asked.asks_when else set[str]())


@pytest.mark.parametrize(("language", "text", "periods", "_words_", "_event"), _cases("m"))
def test_a_text_speaks_of_the_dates_a_reader_finds(
    language: Language, text: str, periods: frozenset[Period], _words_: frozenset[str], _event: str | None
) -> None:
    assert set(mentioned_periods(text, language=language, said_at=NOW)) == periods


@pytest.mark.parametrize(("language", "question", "periods", "words", "event"), _cases("q"))
def test_a_question_asks_for_the_time_a_reader_takes_it_to(
    language: Language, question: str, periods: frozenset[Period], words: frozenset[str], event: str | None
) -> None:
    asked = asked_period(question, language=language, as_of=NOW)
    if asked is None:
        assert (periods, words, event) == (frozenset(), frozenset(), None)
        return
    assert (set(asked.periods), _words(asked), asked.event) == (periods, words, event)


@pytest.mark.parametrize("language", [Language.EN, Language.JA, Language.ZH])
def test_every_language_has_enough_cases_and_some_without_any_date(language: Language) -> None:
    cases = [case for case in _cases("m") + _cases("q") if case[0] is language]
    assert len(cases) >= LEAST_CASES
    assert sum(not (case[2] or case[3] or case[4]) for case in cases) >= 5
