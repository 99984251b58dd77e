"""What the rules for Japanese and Chinese need to know of a language: its words, and which step they make."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evolore.text.dates.calendars import Part, Unit

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
