"""Stretches of the calendar: days, weeks, months, seasons, years, decades, centuries, and parts of them."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import MAXYEAR, MINYEAR, date
from enum import Enum

from evolore.domain.times import Period

Maker = Callable[[int], "Period | None"]
"""Returns the stretch in a year."""

MONTHS_IN_YEAR = 12
DAYS_IN_WEEK = 7
_SATURDAY = 5
_SEASON_MONTHS = 3
_DECADE_MONTHS = 120
_CENTURY_MONTHS = 1200
_DECADE = 10
_CENTURY = 100


class CalendarPart(Enum):
    """A part of a stretch, as the units of a century, a decade, a year and a month that it runs from and to.

    The units are years of a century and a decade, months of a year and days of a month.
    """

    EARLY = ((0, 33), (0, 4), (0, 4), (0, 10))
    MIDDLE = ((33, 67), (4, 7), (4, 8), (10, 20))
    LATE = ((67, 100), (7, 10), (8, 12), (20, 31))
    OPENING = ((0, 20), (0, 4), (0, 3), (0, 10))
    CLOSE = ((80, 100), (7, 10), (9, 12), (20, 31))
    FIRST_HALF = ((0, 50), (0, 5), (0, 6), (0, 15))
    SECOND_HALF = ((50, 100), (5, 10), (6, 12), (15, 31))


class Unit(Enum):
    """What time is counted in."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


def day_of(year: int, month: int, day: int) -> Period | None:
    """Return one day, or None where the calendar has no such day."""
    if not (MINYEAR <= year <= MAXYEAR and 1 <= month <= MONTHS_IN_YEAR and 1 <= day <= monthrange(year, month)[1]):
        return None
    found = date(year, month, day)
    return Period(first=found, last=found)


def days_of(year: int, month: int, day: int, last_day: int) -> Period | None:
    """Return some days of a month, or None where it does not have them or they run backwards."""
    return joined(day_of(year, month, day), day_of(year, month, last_day))


def month_of(year: int, month: int) -> Period | None:
    """Return a month, or None where no month has that number."""
    return months_of(year, month, 1)


def months_of(year: int, month: int, count: int) -> Period | None:
    """Return ``count`` months from the one named, or None where they leave the calendar."""
    last_year, last_month = divmod(year * MONTHS_IN_YEAR + month - 1 + count - 1, MONTHS_IN_YEAR)
    if not (1 <= month <= MONTHS_IN_YEAR and year >= MINYEAR and last_year <= MAXYEAR):
        return None
    last_day = monthrange(last_year, last_month + 1)[1]
    return Period(first=date(year, month, 1), last=date(last_year, last_month + 1, last_day))


def years_of(year: int, last_year: int) -> Period | None:
    """Return whole years, or None where they run backwards or leave the calendar."""
    if not MINYEAR <= year <= last_year <= MAXYEAR:
        return None
    return Period(first=date(year, 1, 1), last=date(last_year, MONTHS_IN_YEAR, 31))


def decade_of(year: int) -> Period | None:
    """Return the ten years that begin with one."""
    return years_of(year, year + _DECADE - 1)


def century_of(number: int) -> Period | None:
    """Return a century: the 19th runs from 1801 to 1900."""
    return years_of((number - 1) * _CENTURY + 1, number * _CENTURY)


def season_of(year: int, season: int, *, southern: bool = False) -> Period | None:
    """Return a season by whole months: spring is March to May, winter December to February of the next year."""
    return months_of(year, 1 + 2 + (season * _SEASON_MONTHS + 6 * southern) % MONTHS_IN_YEAR, _SEASON_MONTHS)


def week_of(day: date, weeks: int = 0) -> Period | None:
    """Return the week from Monday to Sunday that lies ``weeks`` after the day's own."""
    monday = shifted(day, weeks * DAYS_IN_WEEK - day.weekday())
    return None if monday is None else joined(_one(monday), _one(shifted(monday, DAYS_IN_WEEK - 1)))


def weekday_of(day: date, weeks: int, weekday: int) -> Period | None:
    """Return one day of the week that lies ``weeks`` after the day's own; 0 is Monday."""
    return _one(shifted(day, weeks * DAYS_IN_WEEK - day.weekday() + weekday))


def days_behind(day: date, weekday: int) -> int:
    """Return how many days before a day that weekday was last, a week where the day is that."""
    return (day.weekday() - weekday - 1) % DAYS_IN_WEEK + 1


def weekend_of(day: date, weeks: int) -> Period | None:
    """Return Saturday and Sunday of the week that lies ``weeks`` after the day's own."""
    return joined(weekday_of(day, weeks, _SATURDAY), weekday_of(day, weeks, _SATURDAY + 1))


def last_weekend(day: date) -> Period | None:
    """Return the last weekend that has begun."""
    return weekend_of(day, 0 if day.weekday() >= _SATURDAY else -1)


def month_from(day: date, months: int) -> Period | None:
    """Return the month that lies ``months`` after the day's own."""
    year, month = divmod(day.year * MONTHS_IN_YEAR + day.month - 1 + months, MONTHS_IN_YEAR)
    return month_of(year, month + 1)


def year_from(day: date, years: int) -> Period | None:
    """Return the year that lies ``years`` after the day's own."""
    return years_of(day.year + years, day.year + years)


def distant(day: date, count: int, unit: Unit) -> Period | None:
    """Return when something ``count`` units after a day was, as exactly as people say it.

    Days are days; a week is meant with three days on both sides; months and years are whole ones.
    """
    if unit is Unit.MONTH:
        return month_from(day, count)
    if unit is Unit.YEAR:
        return year_from(day, count)
    slack = 0 if unit is Unit.DAY else DAYS_IN_WEEK // 2
    middle = count if unit is Unit.DAY else count * DAYS_IN_WEEK
    return joined(_one(shifted(day, middle - slack)), _one(shifted(day, middle + slack)))


def stretch(day: date, count: int, unit: Unit) -> Period | None:
    """Return the ``count`` units that end with a day or, where ``count`` is above 0, begin with it."""
    if unit in {Unit.DAY, Unit.WEEK}:
        other = shifted(day, count * (DAYS_IN_WEEK if unit is Unit.WEEK else 1))
    else:
        months = month_from(day, count * (MONTHS_IN_YEAR if unit is Unit.YEAR else 1))
        other = months and months.first.replace(day=min(day.day, months.last.day))
    return other and Period(first=min(day, other), last=max(day, other))


def part_of(period: Period, part: CalendarPart) -> Period:
    """Return a part of a century, decade, year or month; of anything else all of it."""
    months = _whole_months(period)
    first = period.first
    if months == 1:
        start, end = part.value[3]
        return Period(first=first.replace(day=start + 1), last=first.replace(day=min(end, period.last.day)))
    if months == MONTHS_IN_YEAR:
        start, end = part.value[2]
        return months_of(first.year, start + 1, end - start) or period
    if months in {_DECADE_MONTHS, _CENTURY_MONTHS}:
        start, end = part.value[1 if months == _DECADE_MONTHS else 0]
        return years_of(first.year + start, first.year + end - 1) or period
    return period


def clipped(period: Period | None, bounds: Period) -> Period | None:
    """Return what two stretches have in common, or None."""
    if period is None or period.last < bounds.first or bounds.last < period.first:
        return None
    return Period(first=max(period.first, bounds.first), last=min(period.last, bounds.last))


def joined(start: Period | None, end: Period | None) -> Period | None:
    """Return all from the beginning of one to the end of another, or None where that runs backwards."""
    if start is None or end is None or start.first > end.last:
        return None
    return Period(first=start.first, last=end.last)


def shifted(day: date, days: int) -> date | None:
    """Return the day that lies ``days`` later, or None where the calendar ends before."""
    number = day.toordinal() + days
    return date.fromordinal(number) if 1 <= number <= date.max.toordinal() else None


def _one(day: date | None) -> Period | None:
    return None if day is None else Period(first=day, last=day)


def _whole_months(period: Period) -> int | None:
    """Count the months of a stretch of whole ones."""
    last = period.last
    if period.first.day != 1 or last.day != monthrange(last.year, last.month)[1]:
        return None
    return (last.year - period.first.year) * MONTHS_IN_YEAR + last.month - period.first.month + 1
