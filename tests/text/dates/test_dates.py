"""What questions ask of a time, beside the listed cases.

Numbers of versions, addresses and things are no dates; years beside them still are.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.domain.times import AskedTime, Period, TimeSide
from evolore.text.dates import MOST_PERIODS, asked_period, grammar_of, mentioned_periods
from evolore.text.dates import english as english_rules
from evolore.text.dates.grammar import Reference, expressions, union

if TYPE_CHECKING:
    from collections.abc import Callable

DAYS = st.dates(min_value=date(1801, 1, 1), max_value=date(2099, 12, 31))
MODERN = st.integers(0, 2_000_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, tz=UTC))
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
DIGITS = "〇一二三四五六七八九"
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")

FORMS: dict[str, tuple[Language, Callable[[date], str]]] = {
    "iso": (Language.EN, lambda day: day.isoformat()),
    "slashes": (Language.EN, lambda day: f"{day.year}/{day.month}/{day.day}"),
    "day first": (Language.EN, lambda day: f"{day.day} {MONTHS[day.month - 1]} {day.year}"),
    "short month": (Language.EN, lambda day: f"{day.day} {MONTHS[day.month - 1][:3]} {day.year}"),
    "month first": (Language.EN, lambda day: f"{MONTHS[day.month - 1]} {day.day}, {day.year}"),
    "dots": (Language.EN, lambda day: f"{day.day:02}.{day.month:02}.{day.year}"),
    "japanese": (Language.JA, lambda day: f"{day.year}年{day.month}月{day.day}日"),
    "full width": (Language.JA, lambda day: f"{day.year}年{day.month}月{day.day}日".translate(FULL_WIDTH)),
    "chinese": (Language.ZH, lambda day: f"{day.year}年{day.month}月{day.day}号"),
    "numerals": (Language.ZH, lambda day: f"{_digits(day.year)}年{_small(day.month)}月{_small(day.day)}日"),
}
RELATIVE = {
    Language.EN: (
        "yesterday",
        "tomorrow",
        "last Friday",
        "next week",
        "last weekend",
        "three days ago",
        "in two weeks",
    ),
    Language.JA: ("昨日", "明後日", "先週の金曜", "来週", "先週末", "三日前", "2週間後"),
    Language.ZH: ("昨天", "后天", "上周五", "下周", "上周末", "三天前", "两周后"),
}


def _digits(number: int) -> str:
    return "".join(DIGITS[int(digit)] for digit in str(number))


def _small(number: int) -> str:
    tens, ones = divmod(number, 10)
    return f"{(DIGITS[tens] if tens > 1 else '') + '十' if tens else ''}{DIGITS[ones] if ones else ''}"


def _one(day: date) -> Period:
    return Period(first=day, last=day)


@pytest.mark.parametrize("form", FORMS)
@given(day=DAYS)
def test_a_date_written_in_any_form_is_found_again(form: str, day: date) -> None:
    language, write = FORMS[form]
    around = "We met on {} at noon." if language is Language.EN else "会議は{}。"
    assert mentioned_periods(around.format(write(day)), language=language, said_at=None) == (_one(day),)


@pytest.mark.parametrize("language", RELATIVE)
@given(moment=MODERN, weeks=st.integers(0, 500), choice=st.integers(0, 6))
def test_moving_the_day_by_weeks_moves_what_is_told_from_it(
    language: Language, moment: datetime, weeks: int, choice: int
) -> None:
    text, shift = RELATIVE[language][choice], timedelta(weeks=weeks)
    (now,) = mentioned_periods(text, language=language, said_at=moment)
    (later,) = mentioned_periods(text, language=language, said_at=moment + shift)
    assert (later.first - shift, later.last - shift) == (now.first, now.last)


@given(moment=MODERN, days=st.integers(0, 4000))
def test_moving_the_day_by_days_moves_days_and_not_dates(moment: datetime, days: int) -> None:
    shift = timedelta(days=days)
    for text, moves in (("yesterday", True), ("three days ago", True), ("in 2019", False), ("8 May 2023", False)):
        (now,) = mentioned_periods(text, language=Language.EN, said_at=moment)
        (later,) = mentioned_periods(text, language=Language.EN, said_at=moment + shift)
        assert later.first == now.first + (shift if moves else timedelta())


@given(st.lists(DAYS, min_size=2, max_size=2).map(sorted))
def test_two_dates_with_a_word_between_are_one_range(ends: list[date]) -> None:
    first, last = ends
    text = f"From {first.isoformat()} to {last.isoformat()}."
    assert mentioned_periods(text, language=Language.EN, said_at=None) == (Period(first=first, last=last),)


LETTERS = st.text(alphabet="abcdefghijklmnopqrstuvwxyz ,.あいえおかくけさしすそ本語学校食書的不人有和", max_size=200)
DATE_WORDS = re.compile(
    r"day|week|month|year|today|tonight|ago|early|mid|late|cent|spring|summer|autumn|fall|winter|recent|now|"
    r"christ|hallo|valen|boxing|ties|night|morning|noon|evening|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|"
    r"本日|さく|きの|きょ|こな|この|ここ|おと|あさ"
)  # fmt: skip


@given(LETTERS, st.sampled_from([Language.EN, Language.JA, Language.ZH]))
def test_a_text_without_digits_or_words_for_dates_speaks_of_none(text: str, language: Language) -> None:
    if not DATE_WORDS.search(text):
        assert mentioned_periods(text, language=language, said_at=datetime(2023, 6, 14, tzinfo=UTC)) == ()
    # The control: the same text with a date does.
    assert mentioned_periods(f"{text}\n2023-05-08", language=language, said_at=None)


@given(st.text(max_size=300), st.sampled_from(list(Language)), MODERN)
def test_any_text_is_read_and_never_refused(text: str, language: Language, moment: datetime) -> None:
    found = mentioned_periods(text, language=language, said_at=moment)
    assert len(set(found)) == len(found) <= MOST_PERIODS
    asked_period(text, language=language, as_of=moment)


FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *("early", "mid-", "the", "last", "next", "this", "May", "june 3", "on Friday", "2019", "90s", "1990s"),
            *("in", "two", "weeks", "ago", "these days", "lately", "19th century", "third quarter of", "-", "to"),
            *("Christmas", "tomorrow", "a few", "summer of", "Q3", "the other day", "years", "from now", "nineties"),
        ]
    ),
    max_size=8,
).map(" ".join)


@given(FRAGMENTS)
def test_looking_at_two_letters_first_misses_nothing(text: str) -> None:
    known = english_rules.grammar()
    slow = type(known)(
        rules=known.rules,
        any_rule=union(known.rules, at=r"(?<![A-Za-z0-9_.,/$£€¥#-])"),
        joins=known.joins,
        pairs=known.pairs,
        pair_before=known.pair_before,
        pair_after=known.pair_after,
        bounds=known.bounds,
    )
    reference = Reference(day=date(2023, 6, 14))
    quick = [found.period for found in expressions(text, known, reference)]
    assert quick == [found.period for found in expressions(text, slow, reference)]


def test_relative_dates_of_a_text_of_unknown_time_say_nothing() -> None:
    assert mentioned_periods("yesterday, in May, last week", language=Language.EN, said_at=None) == ()
    assert mentioned_periods("昨日、5月8日、先週", language=Language.JA, said_at=None) == ()
    assert mentioned_periods("昨天，5月8日，上周", language=Language.ZH, said_at=None) == ()


def test_the_day_is_the_one_of_the_speakers_zone() -> None:
    late = datetime(2023, 6, 14, 23, 30, tzinfo=UTC)
    in_tokyo = late.astimezone(timezone(timedelta(hours=9)))
    assert mentioned_periods("today", language=Language.EN, said_at=late) == (_one(date(2023, 6, 14)),)
    assert mentioned_periods("today", language=Language.EN, said_at=in_tokyo) == (_one(date(2023, 6, 15)),)


def test_seasons_turn_around_in_the_south() -> None:
    said = datetime(2023, 6, 14, tzinfo=UTC)
    north = mentioned_periods("summer of 2020", language=Language.EN, said_at=said)
    south = mentioned_periods("summer of 2020", language=Language.EN, said_at=said, southern=True)
    assert north == (Period(first=date(2020, 6, 1), last=date(2020, 8, 31)),)
    assert south == (Period(first=date(2020, 12, 1), last=date(2021, 2, 28)),)


@pytest.mark.parametrize("language", list(Language))
def test_the_edges_of_the_calendar_break_nothing(language: Language) -> None:
    words = "9999年12月31日 yesterday last year 100 years ago in 9 years 昨日 去年 100年前 9年後 去年三月 前年"
    for year in (1, 9999):
        for text in (words, *words.split(" ")):
            mentioned_periods(text, language=language, said_at=datetime(year, 1, 1, tzinfo=UTC))
            asked_period(text, language=language, as_of=datetime(year, 12, 31, tzinfo=UTC))
    assert grammar_of(language).rules


def test_a_long_list_of_dates_is_kept_to_its_beginning() -> None:
    listed = ", ".join(f"{1000 + year}-01-01" for year in range(200))
    found = mentioned_periods(listed, language=Language.EN, said_at=None)
    assert len(found) == MOST_PERIODS
    assert found[0] == _one(date(1000, 1, 1))


def _first_days(text: str, language: Language, *, said_at: datetime | None = None) -> list[str]:
    return [one.first.isoformat() for one in mentioned_periods(text, language=language, said_at=said_at)]


def test_a_date_without_a_year_takes_that_of_a_date_before_it() -> None:
    assert _first_days("In 1934 he left. On 5 May he came back.", Language.EN) == ["1934-01-01", "1934-05-05"]
    assert _first_days("2006年（平成18年）3月20日に編入した。", Language.JA) == ["2006-01-01", "2006-03-20"]
    assert _first_days("太清三年（549年）十一月，侯景来了。", Language.ZH) == ["0549-01-01", "0549-11-01"]


def test_a_date_without_a_year_takes_that_of_a_date_it_is_listed_with() -> None:
    assert _first_days("In February and March 1913 it rained.", Language.EN) == ["1913-02-01", "1913-03-01"]


def test_what_was_said_lately_keeps_its_own_year_where_an_older_one_stands_far_off() -> None:
    said = datetime(2023, 6, 14, tzinfo=UTC)
    text = "We moved in 2019, which took us long enough. On 5 May they came."
    assert _first_days(text, Language.EN, said_at=said) == ["2019-01-01", "2023-05-05"]
    assert _first_days(text, Language.EN) == ["2019-01-01", "2019-05-05"]


def test_a_year_that_was_told_from_the_day_is_lent_to_nobody() -> None:
    said = datetime(2024, 1, 2, tzinfo=UTC)
    assert _first_days("yesterday and on 28 December", Language.EN, said_at=said) == ["2024-01-01", "2023-12-28"]


def test_years_before_our_era_are_passed_over() -> None:
    assert _first_days("紀元前1000年と1000年", Language.JA) == ["1000-01-01"]
    assert _first_days("公元前206年", Language.ZH) == []
    assert _first_days("in 1200 BC and in 1200", Language.EN) == ["1200-01-01"]


def test_what_a_question_names_lately_gives_way_to_a_date() -> None:
    as_of = datetime(2023, 6, 14, tzinfo=UTC)
    asked = asked_period("What did Ann win recently, on 4 May 2023?", language=Language.EN, as_of=as_of)
    assert asked is not None
    assert asked.periods == (_one(date(2023, 5, 4)),)


def test_a_date_within_another_of_the_same_question_is_the_one_that_is_asked() -> None:
    as_of = datetime(2023, 6, 14, tzinfo=UTC)
    asked = asked_period("1951年（昭和26年）10月4日に公布された法律は？", language=Language.JA, as_of=as_of)
    assert asked is not None
    assert asked.periods == (_one(date(1951, 10, 4)),)


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
    if asked.relation is not TimeSide.WITHIN:
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


PAGE = (Path(__file__).parents[3] / "docs" / "dates.md").read_text(encoding="utf-8")
COLUMNS = (Language.EN, Language.JA, Language.ZH)


def _examples(section: str) -> list[tuple[Language, str]]:
    table = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0].splitlines()
    rows = [[cell.strip() for cell in line.split("|")[2:5]] for line in table if line.startswith("| ")][1:]
    return [
        (language, example.strip())
        for row in rows
        for language, cell in zip(COLUMNS, row, strict=True)
        for example in cell.split("; ")
    ]


@pytest.mark.parametrize(("language", "text"), _examples("Dates it understands"))
def test_what_the_page_says_is_understood_in_a_text_is(language: Language, text: str) -> None:
    assert mentioned_periods(text, language=language, said_at=NOW), text


@pytest.mark.parametrize(("language", "text"), _examples("Dates in questions"))
def test_what_the_page_says_a_question_asks_is_found(language: Language, text: str) -> None:
    assert asked_period(text, language=language, as_of=NOW), text


def test_the_page_has_examples_of_both() -> None:
    assert len(_examples("Dates it understands")) > 100
    assert len(_examples("Dates in questions")) > 15


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
