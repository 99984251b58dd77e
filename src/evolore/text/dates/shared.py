"""Wordings that every language shares: numeric dates and ranges of years; and readers for several languages."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from evolore.text.dates.calendars import day_of, distant, joined, month_of, stretch, years_of
from evolore.text.dates.grammar import rule

if TYPE_CHECKING:
    from evolore.domain.periods import Period
    from evolore.text.dates.calendars import Unit
    from evolore.text.dates.grammar import Reference, Rule

_MOST_MONTHS = 12
_CENTURY = 100
_FEW = (7, 2)
_VERSION = re.compile(r"(?:\b(?:version|ver\.|release|build)|バージョン|版本)[ \u3000]?$", re.IGNORECASE)
_LONGEST_VERSION = 10


def iso_day(match: re.Match[str], _: Reference) -> Period | None:
    """Read year, month, day; "version 2020.1.1" is none."""
    if _is_version(match):
        return None
    return day_of(int(match["year"]), int(match["month"]), int(match["day"]))


def two_ended_day(match: re.Match[str], _: Reference) -> Period | None:
    """Read day and month in either order before a year; where both could be months, the month is taken to be first."""
    if _is_version(match):
        return None
    one, other = int(match["one"]), int(match["other"])
    if match["sign"] == "." or one > _MOST_MONTHS:
        one, other = other, one
    return day_of(int(match["year"]), one, other)


def iso_month(match: re.Match[str], _: Reference) -> Period | None:
    """Read year and month."""
    return month_of(int(match["year"]), int(match["month"]))


def year_range(match: re.Match[str], _: Reference) -> Period | None:
    """Read two years, the second perhaps by its last two digits."""
    first, last = int(match["year"]), match["last"]
    if len(last) == len(match["year"]):
        return years_of(first, int(last))
    closed = first - first % _CENTURY + int(last)
    return years_of(first, closed)


def ago(reference: Reference, count: int | None, unit: Unit, sign: int) -> Period | None:
    """Give when so many units ago (sign -1) or hence (1) was; None as count stands for a few, two to seven."""
    if reference.day is None:
        return None
    if count is not None:
        return distant(reference.day, sign * count, unit)
    ends = [distant(reference.day, sign * few, unit) for few in _FEW]
    return joined(*ends) if sign < 0 else joined(*reversed(ends))


def past(reference: Reference, count: int | None, unit: Unit, sign: int) -> Period | None:
    """Give the last (sign -1) or next so many units, to or from the day it was said; None as count is a few, seven."""
    return reference.day and stretch(reference.day, sign * (count or _FEW[0]), unit)


def _is_version(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - _LONGEST_VERSION) : match.start()]
    return match["sign"] == "." and _VERSION.search(before) is not None


@cache
def numeric_rules() -> tuple[Rule, ...]:
    """Make the rules for dates in digits, to come before those of a language."""
    return (
        rule(r"(?P<year>[12]\d{3})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})(?!\d|\.\d)", iso_day),
        rule(r"(?P<one>\d{1,2})(?P<sign>[./])(?P<other>\d{1,2})(?P=sign)(?P<year>[12]\d{3})(?!\d|\.\d)", two_ended_day),
        rule(r"(?P<year>[12]\d{3})-(?P<month>0[1-9])(?![-\d]|年)", iso_month),
        rule(
            r"(?<!\d[-/.])(?P<year>[12]\d{3})年?\s?(?:[-–—~/]|--)\s?(?P<last>[12]\d{3}|\d\d)(?![-/.]?\d|[月日])年?度?",
            year_range,
        ),
    )
