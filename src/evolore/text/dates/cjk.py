"""The rules that Japanese and Chinese share, made from a language's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.text.dates.cjk_readers import CjkReaders
from evolore.text.dates.cjk_words import DAY_NUMBER, MONTH_NUMBER, SMALL, YEAR, any_of
from evolore.text.dates.grammar import rule
from evolore.text.dates.shared import numeric_rules

if TYPE_CHECKING:
    from evolore.text.dates.cjk_words import CjkWords
    from evolore.text.dates.grammar import Rule

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
