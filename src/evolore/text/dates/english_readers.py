"""What English wordings of dates say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.text.dates import calendars
from evolore.text.dates.calendars import DAYS_IN_WEEK, Maker, Unit
from evolore.text.dates.english_words import (
    BEFORE_MONTH,
    BEFORE_SEASON,
    BEFORE_WEEKDAY,
    BEFORE_YEAR,
    COUNTED,
    DECADES,
    HOLIDAYS,
    NUMBERED,
    ORDINALS,
    PARTS,
    SEASONS,
    WEEKDAYS,
    count_word,
    month_number,
    stands_before,
)
from evolore.text.dates.numerals import read_english
from evolore.text.dates.shared import ago, past

if TYPE_CHECKING:
    import re
    from datetime import date

    from evolore.domain.periods import Period
    from evolore.text.dates.grammar import Reference

_STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}
NAMED_DAYS = {
    "the day before yesterday": -2, "the day after tomorrow": 2, "yesterday": -1, "tomorrow": 1, "today": 0,
    "tonight": 0, "last night": -1, "last evening": -1, "this morning": 0, "this afternoon": 0, "this evening": 0,
}  # fmt: skip
_RECENT_DAYS = 29
_CUELESS_YEARS = range(1700, 2100)
_NINETEEN_HUNDRED = 1900
_QUARTER_MONTHS = 3
_HALF_MONTHS = 6


def days_of_month(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "8 May 2023", "May 8-10", "8th of May"."""
    month, first, last = month_number(match["month"]), int(match["day"]), int(match["to"] or match["day"])
    return _yearly(match, reference, lambda year: calendars.days_of(year, month, first, last))


def month_of_year(match: re.Match[str], _: Reference) -> Period | None:
    """Read "May 2023", "early May 2023"."""
    return _part(calendars.month_of(int(match["year"]), month_number(match["month"])), match)


def bare_month(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "May" and "mid-May"; "may" and "march" are verbs."""
    if not (match["month"][0].isupper() and (match["part"] or stands_before(BEFORE_MONTH, match))):
        return None
    month = month_number(match["month"])
    return _part(reference.nearest(lambda year: calendars.month_of(year, month)), match)


def decade(match: re.Match[str], _: Reference) -> Period | None:
    """Read "the 1990s", "the 90s", "the nineties"; "the 1800s" is a century, "the 2000s" is none."""
    if match["word"]:
        start = DECADES[match["word"].lower()]
    else:
        start = int(match["year"] or _NINETEEN_HUNDRED + int(match["short"] or match["plain"]))
    is_century = start % 100 == 0 and start <= _NINETEEN_HUNDRED and not match["part"]
    return _part(calendars.years_of(start, start + (99 if is_century else 9)), match)


def century(match: re.Match[str], _: Reference) -> Period | None:
    """Read "19th century", "the late nineteenth century"."""
    number = int(match["number"]) if match["number"] else ORDINALS.index(match["word"].lower()) + 1
    return _part(calendars.century_of(number), match)


def season(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "summer of 2019"."""
    number = SEASONS[match["season"].lower()]
    return _yearly(match, reference, lambda year: calendars.season_of(year, number, southern=reference.southern))


def bare_season(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "in summer"."""
    return season(match, reference) if stands_before(BEFORE_SEASON, match) else None


def quarter(match: re.Match[str], _: Reference) -> Period | None:
    """Read "Q3 2021", "the second quarter of 2022", "the first half of 2022"."""
    number = int(match["q"]) if match["q"] else ORDINALS.index(match["word"].lower()) + 1
    months = _HALF_MONTHS if (match["kind"] or "").lower() == "half" else _QUARTER_MONTHS
    return calendars.months_of(int(match["year"]), (number - 1) * months + 1, months)


def holiday(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "Christmas 2021", "last Halloween", "at Christmas"."""
    month, first, last = HOLIDAYS[match["holiday"].lower().replace("’", "'")]
    if match["step"] and not match["year"]:
        return _stepped(match, reference, lambda year: calendars.days_of(year, month, first, last))
    return _yearly(match, reference, lambda year: calendars.days_of(year, month, first, last))


def stepped_unit(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "last week", "this month", "early next year"."""
    if reference.day is None:
        return None
    return _part(_unit_from(reference.day, match["unit"].lower(), _STEPS[match["step"].lower()]), match)


def lone_weekend(match: re.Match[str], reference: Reference) -> Period | None:  # noqa: ARG001 - as rules are called
    """Read "over the weekend": the last that has begun."""
    return calendars.last_weekend(reference.day) if reference.day and reference.is_asked else None


def second_unit(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "the week before last", "the year after next"."""
    if reference.day is None:
        return None
    return _unit_from(reference.day, match["unit"].lower(), -2 if match["side"][0] in "bB" else 2)


def stepped_weekday(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "last Friday", the latest before today; "this" and "next Friday" go by the week."""
    if reference.day is None:
        return None
    weekday, step = WEEKDAYS[match["weekday"].lower()[:3]], _STEPS[match["step"].lower()]
    if step >= 0:
        return calendars.weekday_of(reference.day, step, weekday)
    return calendars.distant(reference.day, -_days_behind(reference.day, weekday), Unit.DAY)


def bare_weekday(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "on Friday": the latest for a question, the nearest in a text."""
    if reference.day is None or not stands_before(BEFORE_WEEKDAY, match):
        return None
    behind = _days_behind(reference.day, WEEKDAYS[match["weekday"].lower()[:3]])
    looks_back = reference.is_asked or behind <= DAYS_IN_WEEK // 2
    return calendars.distant(reference.day, -behind if looks_back else DAYS_IN_WEEK - behind, Unit.DAY)


def stepped_season(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "last spring", the latest that is over; "this spring" is this year's."""
    number = SEASONS[match["season"].lower()]
    return _stepped(match, reference, lambda year: calendars.season_of(year, number, southern=reference.southern))


def stepped_month(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "last December", the latest that is over; "this December" is this year's."""
    number = month_number(match["month"])
    return _stepped(match, reference, lambda year: calendars.month_of(year, number))


def count_ago(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "three days ago", "a few weeks ago"."""
    return ago(reference, read_english(count_word(match["count"])), Unit(match["unit"].lower()), -1)


def seasons_ago(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "two summers ago": the last but one that is over."""
    number, count = SEASONS[match["season"].lower()], read_english(count_word(match["count"]))
    last = reference.stepped(lambda year: calendars.season_of(year, number, southern=reference.southern), -1)
    if last is None or not count:
        return None
    return calendars.season_of(last.first.year - count + 1, number, southern=reference.southern)


def count_hence(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "in two weeks", "three months from now"."""
    return ago(reference, read_english(count_word(match["count"])), Unit(match["unit"].lower()), 1)


def past_count(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "the past two weeks", "the next few days"."""
    sign = _STEPS[match["step"].lower()]
    return past(reference, read_english(count_word(match["count"])), Unit(match["unit"].lower()), sign)


def named_day(match: re.Match[str], reference: Reference) -> Period | None:
    """Read "yesterday", "tonight"."""
    days = NAMED_DAYS[" ".join(match["name"].lower().split())]
    return reference.day and calendars.distant(reference.day, days, Unit.DAY)


def recently(_: re.Match[str], reference: Reference) -> Period | None:
    """Read "recently": some thirty days."""
    return reference.day and calendars.stretch(reference.day, -_RECENT_DAYS, Unit.DAY)


def other_day(_: re.Match[str], reference: Reference) -> Period | None:
    """Read "the other day": two to seven days ago."""
    return ago(reference, None, Unit.DAY, -1)


def year_alone(match: re.Match[str], _: Reference) -> Period | None:
    """Read "in 2019"; a number with nothing before it is a year of 1700 to 2099, unless things are counted."""
    year = int(match["year"])
    if not stands_before(BEFORE_YEAR, match) and not _is_likely_year(year, match):
        return None
    return _part(calendars.years_of(year, year), match)


def _is_likely_year(year: int, match: re.Match[str]) -> bool:
    is_counted = COUNTED.match(match.string, match.end()) is not None
    return year in _CUELESS_YEARS and not is_counted and not stands_before(NUMBERED, match)


def _part(period: Period | None, match: re.Match[str]) -> Period | None:
    part = match["part"]
    return calendars.part_of(period, PARTS[part.lower()]) if period and part else period


def _yearly(match: re.Match[str], reference: Reference, make: Maker) -> Period | None:
    return make(int(match["year"])) if match["year"] else reference.nearest(make)


def _stepped(match: re.Match[str], reference: Reference, make: Maker) -> Period | None:
    return reference.stepped(make, _STEPS[match["step"].lower()])


def _unit_from(day: date, unit: str, step: int) -> Period | None:
    if unit == "week":
        return calendars.week_of(day, step)
    if unit == "weekend":
        return calendars.weekend_of(day, step)
    return calendars.month_from(day, step) if unit == "month" else calendars.year_from(day, step)


def _days_behind(day: date, weekday: int) -> int:
    return (day.weekday() - weekday - 1) % DAYS_IN_WEEK + 1
