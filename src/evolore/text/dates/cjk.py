"""Dates in Japanese and Chinese: what the rules need to know of a language, what wordings say, and the rules they share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.text.dates import calendars
from evolore.text.dates.calendars import DAYS_IN_WEEK, Unit
from evolore.text.dates.grammar import ago, numeric_rules, past, read_number, rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from evolore.domain.times import Period
    from evolore.text.dates.calendars import Part
    from evolore.text.dates.grammar import Reference, Rule

SMALL = r"[0-9〇零一二三四五六七八九十百两兩数數几幾半]"
MONTH_NUMBER = r"(?:1[0-2]|0?[1-9](?!\d)|十[一二]?|[一二三四五六七八九])"
DAY_NUMBER = r"(?:3[01]|[12]\d|0?[1-9](?!\d)|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
YEAR = r"(?<!元前)(?P<year>(?<!\d)[12]\d{3}|(?<!\d)[3-9]\d\d|[一二][〇零一二三四五六七八九]{3}|千[一二三四五六七八九十百]{1,6})\s?年"
WEEKDAY_NUMBERS = {**{name: number for number, name in enumerate("月火水木金土日")}} | {
    name: number for number, name in enumerate("一二三四五六日")
}  # "日" is Sunday in both
SEASON_NUMBERS = {"春": 0, "夏": 1, "秋": 2, "冬": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class CjkWords:
    """The words of a language; each table maps a word to the step it makes from the day it was said.

    Args:
        days: "yesterday" is -1.
        weeks: Likewise.
        months: Likewise.
        years: Likewise.
        stepped: Words that make the season or month after them the last (-1) or this year's (0).
        units: What is counted, written after the number.
        ago: What makes a count one back, written after it.
        hence: Or one ahead.
        span_before: What makes a count the stretch up to now, written before it.
        recently: Words for some thirty days up to now.
        few_days_ago: Words for two to seven days ago.
        weekday: How the day of a week is written, with the group ``weekday``.
        week_weekday: And behind a word for a week.
        weekend: The same for Saturday and Sunday.
        lone_weekend: A weekend that no week stands before.
        season: How a season is written behind a year, with the group ``season``.
        lone_month: How a month is written without a year, with the group ``month``.
        lone_part: A part of the year that names no year, with the group ``part``.
        lone_season: And without a year.
        parts: Parts of a century, decade, year or month, written after it.
        holidays: Month, first and last day.
        ages: First and last year of ages.
    """

    days: Mapping[str, int]
    weeks: Mapping[str, int]
    months: Mapping[str, int]
    years: Mapping[str, int]
    stepped: Mapping[str, int]
    units: Mapping[str, Unit]
    ago: str
    hence: str
    span_before: str
    recently: str
    few_days_ago: str
    weekday: str
    week_weekday: str
    weekend: str
    lone_weekend: str
    season: str
    lone_month: str
    lone_part: str
    lone_season: str
    parts: Mapping[str, Part]
    holidays: Mapping[str, tuple[int, int, int]]
    ages: Mapping[str, tuple[int, int]]


def any_of(words: Iterable[str]) -> str:
    """Write a pattern for any of some words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_NINETEEN_HUNDRED = 1900
_TWO_DIGIT_TURN = 50
_RECENT_DAYS = 29
_HALF = "半"
_FEW = frozenset("数數几幾")
_MOST_YEARS_AGO = 1000


@dataclass(frozen=True, slots=True)
class CjkReaders:
    """Readers of the matches of one language's rules.

    Args:
        words: Its words.
    """

    words: CjkWords

    def days_of_year(self, match: re.Match[str], _: Reference) -> Period | None:
        """Read 2023年5月8日, perhaps to a later day of the month."""
        return self._days(_number(match["year"]), match)

    def month_of_year(self, match: re.Match[str], _: Reference) -> Period | None:
        """Read 2023年5月, 2023年5月上旬."""
        return self._part(calendars.month_of(_number(match["year"]), _number(match["month"])), match)

    def short_year(self, match: re.Match[str], _: Reference) -> Period | None:
        """Read 98年5月."""
        short = int(match["short"])
        year = short + (_NINETEEN_HUNDRED if short >= _TWO_DIGIT_TURN else _NINETEEN_HUNDRED + 100)
        month = _number(match["month"])
        return calendars.day_of(year, month, _number(match["day"])) if match["day"] else calendars.month_of(year, month)

    def decade(self, match: re.Match[str], _: Reference) -> Period | None:
        """Read 1990年代, 90年代, 20世纪90年代."""
        start = _number(match["decade"])
        if match["century"]:
            start += (_number(match["century"]) - 1) * 100
        elif start < 100:  # noqa: PLR2004 - two digits
            start += _NINETEEN_HUNDRED + (100 if start < 20 else 0)  # noqa: PLR2004 - 00年代 and 10年代 are ours
        return self._part(calendars.decade_of(start), match)

    def century(self, match: re.Match[str], _: Reference) -> Period | None:
        """Read 19世紀, 十九世纪末."""
        return self._part(calendars.century_of(_number(match["century"])), match)

    def year_and_more(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 2019年, 2021年春, 2022年末, 2021年圣诞节; a number under 1000 before 前 counts years."""
        year = _number(match["year"])
        if year < _MOST_YEARS_AGO and match.string[match.end() : match.end() + 1] in {*"前后後以来來多余餘間间"}:
            return None
        return self._inside(year, match, reference)

    def yearless_days(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 5月8日."""
        return reference.nearest(lambda year: self._days(year, match))

    def yearless_month(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 5月, 5月上旬."""
        return self._part(reference.nearest(lambda year: calendars.month_of(year, _number(match["month"]))), match)

    def age(self, match: re.Match[str], _: Reference) -> Period | None:
        """Read 江戸時代, 清朝."""
        return calendars.years_of(*self.words.ages[match["age"]])

    def count_ago(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 三日前, 数周前, 半年前, 3年前の夏."""
        count, unit = self._counted(match)
        found = ago(reference, count, unit, -1)
        if found is None or count is None or unit is not Unit.YEAR or not match["season"]:
            return found
        return calendars.season_of(found.first.year, SEASON_NUMBERS[match["season"]], southern=reference.southern)

    def count_hence(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 3ヶ月後, 两周后."""
        count, unit = self._counted(match)
        return ago(reference, count, unit, 1)

    def past_count(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read ここ2週間, 过去两周."""
        count, unit = self._counted(match)
        return past(reference, count, unit, -1)

    def named_day(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 昨日, 昨天."""
        return reference.day and calendars.distant(reference.day, self.words.days[match["name"]], Unit.DAY)

    def weekday_of_week(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 先週の金曜, 上周五."""
        weekday = WEEKDAY_NUMBERS[match["weekday"].replace("天", "日")]
        return reference.day and calendars.weekday_of(reference.day, self.words.weeks[match["step"]], weekday)

    def lone_weekend(self, match: re.Match[str], reference: Reference) -> Period | None:  # noqa: ARG002 - as rules are called
        """Read 週末, 周末, この前の土日: the last that has begun."""
        return calendars.last_weekend(reference.day) if reference.day and reference.is_asked else None

    def weekend_of_week(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 先週末, 上周末."""
        return reference.day and calendars.weekend_of(reference.day, self.words.weeks[match["step"]])

    def week(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 先週, 上周."""
        return reference.day and calendars.week_of(reference.day, self.words.weeks[match["step"]])

    def day_of_month(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 先月の20日, 上个月20号."""
        month = self._stepped_month(match, reference)
        return month and calendars.day_of(month.first.year, month.first.month, _number(match["day"]))

    def month(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 先月, 上个月底."""
        return self._part(self._stepped_month(match, reference), match)

    def month_of_stepped_year(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 去年の3月, 去年三月五日."""
        year = self._stepped_year(match, reference)
        if year is None:
            return None
        if match["day"]:
            return self._days(year, match)
        return self._part(calendars.month_of(year, _number(match["month"])), match)

    def stepped_year_and_more(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 去年, 昨年の春, 今年初め."""
        year = self._stepped_year(match, reference)
        return None if year is None else self._inside(year, match, reference)

    def stepped_season(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read この前の夏, 这个夏天."""
        number = SEASON_NUMBERS[match["season"][0]]
        make: calendars.Maker = lambda year: calendars.season_of(year, number, southern=reference.southern)  # noqa: E731
        return reference.stepped(make, self.words.stepped[match["step"]])

    def stepped_weekday(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read この前の金曜."""
        if reference.day is None:
            return None
        behind = _days_behind(reference.day, match)
        is_back = self.words.stepped[match["step"]] < 0
        return calendars.distant(reference.day, -behind if is_back else DAYS_IN_WEEK - behind, Unit.DAY)

    def few_days_ago(self, _: re.Match[str], reference: Reference) -> Period | None:
        """Read 先日, 前几天."""
        return ago(reference, None, Unit.DAY, -1)

    def recently(self, _: re.Match[str], reference: Reference) -> Period | None:
        """Read 最近: some thirty days."""
        return reference.day and calendars.stretch(reference.day, -_RECENT_DAYS, Unit.DAY)

    def bare_weekday(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 金曜日, 周五: the latest for a question, the nearest in a text."""
        if reference.day is None:
            return None
        behind = _days_behind(reference.day, match) % DAYS_IN_WEEK
        looks_back = (reference.is_asked and behind) or behind <= DAYS_IN_WEEK // 2
        return calendars.distant(reference.day, -behind if looks_back else DAYS_IN_WEEK - behind, Unit.DAY)

    def lone_part(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 年末, 年初."""
        return reference.nearest(lambda year: self._part(calendars.years_of(year, year), match))

    def lone_season(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 夏天, 夏に."""
        number = SEASON_NUMBERS[match["season"][0]]
        return reference.nearest(lambda year: calendars.season_of(year, number, southern=reference.southern))

    def lone_holiday(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read クリスマス, 圣诞节."""
        month, first, last = self.words.holidays[match["holiday"]]
        return reference.nearest(lambda year: calendars.days_of(year, month, first, last))

    def _days(self, year: int, match: re.Match[str]) -> Period | None:
        return calendars.days_of(
            year, _number(match["month"]), _number(match["day"]), _number(match["to"] or match["day"])
        )

    def _inside(self, year: int, match: re.Match[str], reference: Reference) -> Period | None:
        if match["season"]:
            return calendars.season_of(year, SEASON_NUMBERS[match["season"][0]], southern=reference.southern)
        if match["holiday"]:
            month, first, last = self.words.holidays[match["holiday"]]
            return calendars.days_of(year, month, first, last)
        return self._part(calendars.years_of(year, year), match)

    def _part(self, period: Period | None, match: re.Match[str]) -> Period | None:
        part = match["part"]
        return calendars.part_of(period, self.words.parts[part]) if period and part else period

    def _counted(self, match: re.Match[str]) -> tuple[int | None, Unit]:
        unit = self.words.units[match["unit"]]
        if match["count"] == _HALF and unit in {Unit.YEAR, Unit.MONTH}:
            return (6, Unit.MONTH) if unit is Unit.YEAR else (15, Unit.DAY)
        return (None if _FEW & set(match["count"]) else read_number(match["count"])), unit

    def _stepped_month(self, match: re.Match[str], reference: Reference) -> Period | None:
        return reference.day and calendars.month_from(reference.day, self.words.months[match["step"]])

    def _stepped_year(self, match: re.Match[str], reference: Reference) -> int | None:
        return None if reference.day is None else reference.day.year + self.words.years[match["step"]]


def _number(text: str) -> int:
    return read_number(text) or 0


def _days_behind(day: date, match: re.Match[str]) -> int:
    weekday = WEEKDAY_NUMBERS[match["weekday"].replace("天", "日")]
    return (day.weekday() - weekday - 1) % DAYS_IN_WEEK + 1


_MONTH = rf"(?P<month>{MONTH_NUMBER})\s?月"
_DAY = rf"(?P<day>{DAY_NUMBER})\s?[日号號]"
_TO_DAY = rf"(?:\s?(?:から|[~\-–—到至])\s?(?P<to>{DAY_NUMBER})\s?[日号號])?"
_DECADE = r"(?P<decade>[12]\d\d0|\d0|[二三四五六七八九]十|[一二][〇零一二三四五六七八九]{2}[〇零])\s?年代"


def first_rules(words: CjkWords) -> tuple[Rule, ...]:
    """Make the rules for dates that begin with a number or a year."""
    read = CjkReaders(words)
    part = rf"(?:の?(?P<part>{any_of(words.parts)}))?"
    holiday = rf"(?P<holiday>{any_of(words.holidays)})"
    inside = rf"(?:の?(?:{words.season}|{holiday}|(?P<part>{any_of(words.parts)})))?"
    return (
        *numeric_rules(),
        rule(rf"{YEAR}\s?{_MONTH}\s?{_DAY}{_TO_DAY}", read.days_of_year),
        rule(rf"{YEAR}\s?{_MONTH}(?:份)?{part}", read.month_of_year),
        rule(rf"(?P<short>(?<![0-9])\d\d)年\s?{_MONTH}(?:\s?{_DAY})?", read.short_year),
        rule(rf"(?P<century>\d\d?|[一二]?十[一二三四五六七八九]?)世[紀纪](?:の)?{_DECADE}{part}", read.decade),
        rule(rf"(?P<century>)(?P<previous>上(?:个|個)?世[紀纪]|前世紀の?)?(?<!\d){_DECADE}{part}", read.decade),
        rule(rf"(?P<century>\d\d?|[一二]?十[一二三四五六七八九]?|[一二三四五六七八九])世[紀纪]{part}", read.century),
        rule(rf"{YEAR}度?{inside}(?!代)", read.year_and_more),
        rule(rf"(?<!\d){_MONTH}\s?{_DAY}{_TO_DAY}", read.yearless_days, lacks_year=True),
        rule(rf"(?<![\d年ヶヵカか]){words.lone_month}(?:份)?{part}(?![日曜光])", read.yearless_month, lacks_year=True),
        rule(rf"(?P<age>{any_of(words.ages)}){part}", read.age),
        rule(
            rf"(?<!\d)(?P<count>{SMALL}{{1,4}})\s?(?P<unit>{any_of(words.units)})(?:間|间)?{words.ago}(?:[の的](?:{words.season}))?",
            read.count_ago,
        ),
        rule(rf"(?<!\d)(?P<count>{SMALL}{{1,4}})\s?(?P<unit>{any_of(words.units)})(?:間|间)?{words.hence}", read.count_hence),
        rule(rf"{words.span_before}の?\s?(?P<count>{SMALL}{{1,4}})\s?(?P<unit>{any_of(words.units)})(?:間|间)?", read.past_count),
    )  # fmt: skip


def relative_rules(words: CjkWords) -> tuple[Rule, ...]:
    """Make the rules for dates that are told from the day they are said."""
    read = CjkReaders(words)
    part = rf"の?(?P<part>{any_of(words.parts)})"
    holiday = rf"(?P<holiday>{any_of(words.holidays)})"
    return (
        rule(rf"(?P<name>{any_of(words.days)})", read.named_day),
        rule(rf"(?P<step>{any_of(words.weeks)})の?{words.week_weekday}", read.weekday_of_week),
        rule(rf"(?P<step>{any_of(words.weeks)})の?(?:{words.weekend})", read.weekend_of_week),
        rule(rf"(?P<step>{any_of(words.weeks)})", read.week),
        rule(rf"(?P<step>{any_of(words.months)})の?(?P<day>{DAY_NUMBER})\s?[日号號]", read.day_of_month),
        rule(rf"(?P<step>{any_of(words.months)})(?:{part})?", read.month),
        rule(
            rf"(?P<step>{any_of(words.years)})の?(?:{_MONTH}(?:份)?(?:\s?{_DAY}{_TO_DAY})?)(?:{part})?",
            read.month_of_stepped_year,
        ),
        rule(
            rf"(?P<step>{any_of(words.years)})(?:の?(?:{words.season}|{holiday}|{part}))?", read.stepped_year_and_more
        ),
        rule(rf"(?P<step>{any_of(words.stepped)})(?:{words.season})", read.stepped_season),
        rule(rf"(?P<step>{any_of(words.stepped)}){words.weekday}", read.stepped_weekday),
        rule(words.lone_weekend, read.lone_weekend),
        rule(words.few_days_ago, read.few_days_ago),
        rule(words.recently, read.recently, is_vague=True),
        rule(words.weekday, read.bare_weekday),
        rule(words.lone_part, read.lone_part, lacks_year=True),
        rule(words.lone_season, read.lone_season, lacks_year=True),
        rule(holiday, read.lone_holiday, lacks_year=True),
    )
