"""Dates in Japanese and Chinese: what wordings say, the rules they share, and those of each language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache

from evolore.domain.language import Language
from evolore.domain.times import Period
from evolore.text.dates import calendars
from evolore.text.dates.calendars import DAYS_IN_WEEK, CalendarPart, Unit
from evolore.text.dates.grammar import DateRules, DayBound, Reference, Rule, ago, numeric_rules, past, union
from evolore.text.numerals import read_whole
from evolore.text.word_files import any_of, read_words

SMALL = r"[0-9〇零一二三四五六七八九十百两兩数數几幾半]"
MONTH_NUMBER = r"(?:1[0-2]|0?[1-9](?!\d)|十[一二]?|[一二三四五六七八九])"
DAY_NUMBER = r"(?:3[01]|[12]\d|0?[1-9](?!\d)|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
YEAR = r"(?<!元前)(?P<year>(?<!\d)[12]\d{3}|(?<!\d)[3-9]\d\d|[一二][〇零一二三四五六七八九]{3}|千[一二三四五六七八九十百]{1,6})\s?年"
WEEKDAY_NUMBERS = {name: day for names in ("月火水木金土日", "一二三四五六天") for day, name in enumerate(names)}
SEASON_NUMBERS = {"春": 0, "夏": 1, "秋": 2, "冬": 3}


_STEPS = ("days", "weeks", "months", "years", "stepped")
_SPANS = ("holidays", "ages")


@dataclass(frozen=True, slots=True, kw_only=True)
class CjkWords:
    """The words of a language, which its file explains."""

    #: Tables of words, each with the step it makes from the day it was said: "yesterday" is -1.
    steps: Mapping[str, Mapping[str, int]]
    units: Mapping[str, Unit]  #: What is counted.
    parts: Mapping[str, CalendarPart]  #: Parts of a century, decade, year or month.
    #: Tables of holidays, month, first and last day of each, and of ages, first and last year of each.
    spans: Mapping[str, Mapping[str, tuple[int, ...]]]
    patterns: Mapping[str, str]  #: The rest, as regular expressions.


@cache
def _cjk_words(language: Language) -> CjkWords:
    """Read the words of a language."""
    words = read_words("evolore.text", "dates", language)
    spans = {name: words.named(name).items() for name in _SPANS}
    return CjkWords(
        steps={name: {word: int(step) for word, step in words.named(name).items()} for name in _STEPS},
        units={word: Unit(unit) for word, unit in words.named("units").items()},
        parts={word: CalendarPart[part.upper()] for word, part in words.named("parts").items()},
        spans={name: {word: tuple(map(int, days.split())) for word, days in table} for name, table in spans.items()},
        patterns={
            name: pattern.replace("{month}", MONTH_NUMBER)
            for name, pattern in words.patterns(but=(*_STEPS, *_SPANS, "units", "parts")).items()
        },
    )


_NINETEEN_HUNDRED = 1900
_TWO_DIGIT_TURN = 50
_RECENT_DAYS = 29
_HALF = "半"
_FEW = frozenset("数數几幾半")
_MOST_YEARS_AGO = 1000


@dataclass(frozen=True, slots=True)
class CjkReaders:
    """Readers of the matches of one language's rules."""

    words: CjkWords  #: Its words.

    def short_year(self, match: re.Match[str], _: Reference) -> Period | None:
        """Read 98年5月."""
        short = int(match["short"])
        year = short + (_NINETEEN_HUNDRED if short >= _TWO_DIGIT_TURN else _NINETEEN_HUNDRED + 100)
        month = read_whole(match["month"])
        return (
            calendars.day_of(year, month, read_whole(match["day"])) if match["day"] else calendars.month_of(year, month)
        )

    def decade(self, match: re.Match[str], _: Reference) -> Period | None:
        """Read 1990年代, 90年代, 20世纪90年代."""
        start = read_whole(match["decade"])
        if match["century"]:
            start += (read_whole(match["century"]) - 1) * 100
        elif start < 100:  # noqa: PLR2004 - two digits
            start += _NINETEEN_HUNDRED + (100 if start < 20 else 0)  # noqa: PLR2004 - 00年代 and 10年代 are ours
        return self.part(calendars.decade_of(start), match)

    def year_and_more(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 2019年, 2021年春, 2022年末, 2021年圣诞节; a number under 1000 before 前 counts years."""
        year = read_whole(match["year"])
        if year < _MOST_YEARS_AGO and match.string[match.end() : match.end() + 1] in {*"前后後以来來多余餘間间"}:
            return None
        return self.inside(year, match, reference)

    def yearless_days(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 5月8日."""
        return reference.nearest(lambda year: self.days(year, match))

    def yearless_month(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 5月, 5月上旬."""
        return self.part(reference.nearest(lambda year: calendars.month_of(year, read_whole(match["month"]))), match)

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

    def month_of_stepped_year(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 去年の3月, 去年三月五日."""
        year = self.stepped_year(match, reference)
        if year is None:
            return None
        if match["day"]:
            return self.days(year, match)
        return self.part(calendars.month_of(year, read_whole(match["month"])), match)

    def stepped_season(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read この前の夏, 这个夏天."""
        number = SEASON_NUMBERS[match["season"][0]]
        make: calendars.Maker = lambda year: calendars.season_of(year, number, southern=reference.southern)  # noqa: E731
        return reference.stepped(make, self.words.steps["stepped"][match["step"]])

    def stepped_weekday(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read この前の金曜."""
        if reference.day is None:
            return None
        behind = calendars.days_behind(reference.day, WEEKDAY_NUMBERS[match["weekday"]])
        is_back = self.words.steps["stepped"][match["step"]] < 0
        return calendars.distant(reference.day, -behind if is_back else DAYS_IN_WEEK - behind, Unit.DAY)

    def bare_weekday(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 金曜日, 周五: the latest for a question, the nearest in a text."""
        if reference.day is None:
            return None
        behind = calendars.days_behind(reference.day, WEEKDAY_NUMBERS[match["weekday"]]) % DAYS_IN_WEEK
        looks_back = (reference.is_asked and behind) or behind <= DAYS_IN_WEEK // 2
        return calendars.distant(reference.day, -behind if looks_back else DAYS_IN_WEEK - behind, Unit.DAY)

    def lone_season(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read 夏天, 夏に."""
        number = SEASON_NUMBERS[match["season"][0]]
        return reference.nearest(lambda year: calendars.season_of(year, number, southern=reference.southern))

    def lone_holiday(self, match: re.Match[str], reference: Reference) -> Period | None:
        """Read クリスマス, 圣诞节."""
        return reference.nearest(lambda year: self._holiday(year, match))

    def days(self, year: int, match: re.Match[str]) -> Period | None:
        """Read the days of a month."""
        return calendars.days_of(
            year, read_whole(match["month"]), read_whole(match["day"]), read_whole(match["to"] or match["day"])
        )

    def inside(self, year: int, match: re.Match[str], reference: Reference) -> Period | None:
        """Read a season, a holiday or a part of a year."""
        if match["season"]:
            return calendars.season_of(year, SEASON_NUMBERS[match["season"][0]], southern=reference.southern)
        return self._holiday(year, match) if match["holiday"] else self.part(calendars.years_of(year, year), match)

    def part(self, period: Period | None, match: re.Match[str]) -> Period | None:
        """Return the part that is named, if any."""
        part = match["part"]
        return calendars.part_of(period, self.words.parts[part]) if period and part else period

    def _holiday(self, year: int, match: re.Match[str]) -> Period | None:
        return calendars.days_of(year, *self.words.spans["holidays"][match["holiday"]])

    def _counted(self, match: re.Match[str]) -> tuple[int | None, Unit]:
        unit = self.words.units[match["unit"]]
        if match["count"] == _HALF and unit in {Unit.YEAR, Unit.MONTH}:
            return (6, Unit.MONTH) if unit is Unit.YEAR else (15, Unit.DAY)
        return (None if _FEW & set(match["count"]) else read_whole(match["count"])), unit

    def stepped_year(self, match: re.Match[str], reference: Reference) -> int | None:
        """Read 去年, 来年."""
        return None if reference.day is None else reference.day.year + self.words.steps["years"][match["step"]]


_MONTH = rf"(?P<month>{MONTH_NUMBER})\s?月"
_DAY = rf"(?P<day>{DAY_NUMBER})\s?[日号號]"
_TO_DAY = rf"(?:\s?(?:から|[~\-–—到至])\s?(?P<to>{DAY_NUMBER})\s?[日号號])?"
_DECADE = r"(?P<decade>[12]\d\d0|\d0|[二三四五六七八九]十|[一二][〇零一二三四五六七八九]{2}[〇零])\s?年代"


def _first_rules(words: CjkWords) -> tuple[Rule, ...]:
    """Make the rules for dates that begin with a number or a year."""
    read, patterns = CjkReaders(words), words.patterns
    parts, holidays = any_of(words.parts), any_of(words.spans["holidays"])
    part = rf"(?:の?(?P<part>{parts}))?"
    inside = rf"(?:の?(?:{patterns['season']}|(?P<holiday>{holidays})|(?P<part>{parts})))?"
    return (
        *numeric_rules(),
        Rule(rf"{YEAR}\s?{_MONTH}\s?{_DAY}{_TO_DAY}", lambda match, _: read.days(read_whole(match["year"]), match)),
        Rule(
            rf"{YEAR}\s?{_MONTH}(?:份)?{part}",
            lambda match, _: read.part(
                calendars.month_of(read_whole(match["year"]), read_whole(match["month"])), match
            ),
        ),
        Rule(rf"(?P<short>(?<![0-9])\d\d)年\s?{_MONTH}(?:\s?{_DAY})?", read.short_year),
        Rule(rf"(?P<century>\d\d?|[一二]?十[一二三四五六七八九]?)世[紀纪](?:の)?{_DECADE}{part}", read.decade),
        Rule(rf"(?P<century>)(?P<previous>上(?:个|個)?世[紀纪]|前世紀の?)?(?<!\d){_DECADE}{part}", read.decade),
        Rule(
            rf"(?P<century>\d\d?|[一二]?十[一二三四五六七八九]?|[一二三四五六七八九])世[紀纪]{part}",
            lambda match, _: read.part(calendars.century_of(read_whole(match["century"])), match),
        ),
        Rule(rf"{YEAR}度?{inside}(?!代)", read.year_and_more),
        Rule(rf"(?<!\d){_MONTH}\s?{_DAY}{_TO_DAY}", read.yearless_days, lacks_year=True),
        Rule(
            rf"(?<![\d年ヶヵカか]){patterns['lone_month']}(?:份)?{part}(?![日曜光])",
            read.yearless_month,
            lacks_year=True,
        ),
        Rule(
            rf"(?P<age>{any_of(words.spans['ages'])}){part}",
            lambda match, _: calendars.years_of(*words.spans["ages"][match["age"]]),
        ),
    )


def _relative_rules(words: CjkWords) -> tuple[Rule, ...]:
    """Make the rules for dates that are relative to the day of speaking."""
    read, patterns, steps = CjkReaders(words), words.patterns, words.steps
    part = rf"の?(?P<part>{any_of(words.parts)})"
    holiday = rf"(?P<holiday>{any_of(words.spans['holidays'])})"
    count = rf"(?P<count>{SMALL}{{1,4}})\s?(?P<unit>{any_of(words.units)})(?:間|间)?"
    days, weeks, months, years, stepped = (rf"(?P<step>{any_of(steps[name])})" for name in _STEPS)

    def stepped_month(match: re.Match[str], reference: Reference) -> Period | None:
        return reference.day and calendars.month_from(reference.day, steps["months"][match["step"]])

    def weekday_of_week(match: re.Match[str], reference: Reference) -> Period | None:
        week, weekday = steps["weeks"][match["step"]], WEEKDAY_NUMBERS[match["weekday"]]
        return reference.day and calendars.weekday_of(reference.day, week, weekday)

    def stepped_year_and_more(match: re.Match[str], reference: Reference) -> Period | None:
        year = read.stepped_year(match, reference)
        return None if year is None else read.inside(year, match, reference)

    def day_of_month(match: re.Match[str], reference: Reference) -> Period | None:
        month = stepped_month(match, reference)
        return month and calendars.day_of(month.first.year, month.first.month, read_whole(match["day"]))

    return (
        Rule(rf"(?<!\d){count}{patterns['ago']}(?:[の的](?:{patterns['season']}))?", read.count_ago),
        Rule(rf"(?<!\d){count}{patterns['hence']}", read.count_hence),
        Rule(rf"{patterns['span_before']}の?\s?{count}", read.past_count),
        Rule(days, lambda match, on: on.day and calendars.distant(on.day, steps["days"][match["step"]], Unit.DAY)),
        Rule(rf"{weeks}の?{patterns['week_weekday']}", weekday_of_week),
        Rule(
            rf"{weeks}の?(?:{patterns['weekend']})",
            lambda match, on: on.day and calendars.weekend_of(on.day, steps["weeks"][match["step"]]),
        ),
        Rule(weeks, lambda match, on: on.day and calendars.week_of(on.day, steps["weeks"][match["step"]])),
        Rule(rf"{months}の?(?P<day>{DAY_NUMBER})\s?[日号號]", day_of_month),
        Rule(rf"{months}(?:{part})?", lambda match, on: read.part(stepped_month(match, on), match)),
        Rule(rf"{years}の?(?:{_MONTH}(?:份)?(?:\s?{_DAY}{_TO_DAY})?)(?:{part})?", read.month_of_stepped_year),
        Rule(rf"{years}(?:の?(?:{patterns['season']}|{holiday}|{part}))?", stepped_year_and_more),
        Rule(rf"{stepped}(?:{patterns['season']})", read.stepped_season),
        Rule(rf"{stepped}{patterns['weekday']}", read.stepped_weekday),
        Rule(
            patterns["lone_weekend"], lambda _, on: calendars.last_weekend(on.day) if on.day and on.is_asked else None
        ),
        Rule(patterns["few_days_ago"], lambda _, on: ago(on, None, Unit.DAY, -1)),
        Rule(
            patterns["recently"],
            lambda _, on: on.day and calendars.stretch(on.day, -_RECENT_DAYS, Unit.DAY),
            is_vague=True,
        ),
        Rule(patterns["weekday"], read.bare_weekday),
        Rule(
            patterns["lone_part"],
            lambda match, on: on.nearest(lambda year: read.part(calendars.years_of(year, year), match)),
            lacks_year=True,
        ),
        Rule(patterns["lone_season"], read.lone_season, lacks_year=True),
        Rule(holiday, read.lone_holiday, lacks_year=True),
    )


def _rules(language: Language, *, is_relative: bool) -> tuple[Rule, ...]:
    words = _cjk_words(language)
    return (*_first_rules(words), *(_relative_rules(words) if is_relative else ()))


@cache
def chinese_grammar(*, is_relative: bool = True) -> DateRules:
    """Make the rules of Chinese; on first use, since patterns take some milliseconds to compile."""
    republic = r"民[国國](?P<number>\d\d?|[一二三四五六七八九十]{1,4}|元)年"
    rules = (
        Rule(republic, lambda match, _: calendars.months_of(1911 + read_whole(match["number"]), 1, 12)),
        *_rules(Language.ZH, is_relative=is_relative),
    )
    return DateRules(
        rules=rules,
        any_rule=union(rules, at=r"(?=[0-9年〇零一二三四五六七八九十千两兩几幾数半民唐宋元明清昨前大今后後上这這本下去过過最近星周週礼禮春夏秋冬平圣聖情妇劳儿国万教])"),
        joins=re.compile(r"\s?(?:到|至|[~\-–—])\s?"),
        pairs=re.compile(r"\s?[和与與跟]\s?"),
        pair_before=re.compile(r"(?!)"),
        pair_after=re.compile(r"之?[间間]"),
        bounds=(
            (DayBound.BEFORE, None, re.compile(r"(?:之|以)?前(?!后|後|半|期|任)")),
            (DayBound.SINCE, re.compile(r"自从?$|自從$"), re.compile(r"(?:之|以)[来來]|以[后後]|起")),
            (DayBound.AFTER, None, re.compile(r"之?[后後](?!半|期|来)")),
            (DayBound.UNTIL, re.compile(r"(?:直到|截至|截止到?)$"), re.compile(r"为止|為止")),
            (DayBound.AROUND, re.compile(r"(?:大约|大約|约)$"), re.compile(r"左右|前[后後]|上下")),
        ),
    )  # fmt: skip


_ERAS = {
    "令和": Period(first=date(2019, 5, 1), last=date.max),
    "平成": Period(first=date(1989, 1, 8), last=date(2019, 4, 30)),
    "昭和": Period(first=date(1926, 12, 25), last=date(1989, 1, 7)),
    "大正": Period(first=date(1912, 7, 30), last=date(1926, 12, 24)),
    "明治": Period(first=date(1868, 1, 25), last=date(1912, 7, 29)),
}
_ERA = f"(?P<era>{any_of(_ERAS)})"
_NUMBER = r"(?:\d\d?|元|[一二三四五六七八九十]{1,3})"


def _year_of_era(match: re.Match[str], reference: Reference) -> Period | None:
    era = _ERAS[match["era"]]
    year = era.first.year - 1 + read_whole(match["number"])
    if match["month"]:
        month = read_whole(match["month"])
        day = read_whole(match["day"]) if match["day"] else None
        made = calendars.month_of(year, month) if day is None else calendars.day_of(year, month, day)
    elif match["season"]:
        made = calendars.season_of(year, "春夏秋冬".index(match["season"]), southern=reference.southern)
    else:
        made = calendars.years_of(year, era.first.year - 1 + read_whole(match["last"] or match["number"]))
    return calendars.clipped(made, era)


def _decade_of_era(match: re.Match[str], _: Reference) -> Period | None:
    era = _ERAS[match["era"]]
    return calendars.clipped(calendars.decade_of(era.first.year - 1 + read_whole(match["number"])), era)


def _rules_of_eras() -> tuple[Rule, ...]:
    return (
        Rule(rf"{_ERA}(?P<number>\d0|[二三四五六]?十)年代", _decade_of_era),
        Rule(
            rf"{_ERA}\s?(?P<number>{_NUMBER})年(?:度)?(?:\s?(?P<month>{MONTH_NUMBER})月(?:\s?(?P<day>{DAY_NUMBER})日)?"
            rf"|の?(?P<season>[春夏秋冬])|\s?(?:から|[~\-–])\s?(?P<last>{_NUMBER})年)?",
            _year_of_era,
        ),
        Rule(rf"{_ERA}(?:の?時代|年間|初期|中期|末期|初頭)", lambda match, _: _ERAS[match["era"]]),
    )


@cache
def japanese_grammar(*, is_relative: bool = True) -> DateRules:
    """Make the rules of Japanese; on first use, since patterns take some milliseconds to compile."""
    rules = (*_rules_of_eras(), *_rules(Language.JA, is_relative=is_relative))
    return DateRules(
        rules=rules,
        any_rule=union(rules, at=r"(?=[0-9年一二三四五六七八九十千数半令平昭大明奈鎌室戦江昨きお今本あゆ先来再去こ前次過直最近月火水木金土日春夏秋冬クゴ元正バハ七])"),
        joins=re.compile(r"\s?(?:から|より|[~\-–—]|ないし)\s?"),
        pairs=re.compile(r"\s?[とや]\s?"),
        pair_before=re.compile(r"(?!)"),
        pair_after=re.compile(r"の(?:間|あいだ)"),
        bounds=(
            (DayBound.BEFORE, None, re.compile(r"(?:より(?:も|ずっと)?|の)?前(?!後|半|期|任)")),
            (DayBound.AFTER, None, re.compile(r"(?:より(?:も)?|の)後(?!半|期)|よりあと|のあと")),
            (DayBound.SINCE, None, re.compile(r"以降|以来|から(?!の間|翌|数)")),
            (DayBound.UNTIL, None, re.compile(r"まで|以前")),
            (DayBound.AROUND, None, re.compile(r"頃|ごろ|前後|あたり|くらい|ぐらい")),
        ),
    )  # fmt: skip
