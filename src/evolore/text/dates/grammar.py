"""Grammar of dates, in any language: rules and what they find, ranges and bounds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, replace
from datetime import date
from enum import StrEnum
from functools import cache

from evolore.domain.times import Period
from evolore.text.dates.calendars import Maker, Unit, day_of, distant, joined, month_of, stretch, years_of

FOLDED = str.maketrans("０１２３４５６７８９／．－：〜～−‐‑　ＱＨ", "0123456789/.-:~~--- QH")
"""Characters that are written in two widths or shapes, one for one, so that places in a text stay."""


def fold(text: str) -> str:
    """Write full-width digits and signs in their plain form; every character keeps its place."""
    return text if text.isascii() else text.translate(FOLDED)


_YEARS_AROUND = (-1, 0, 1)
MOST_READ = 20_000
"""A longer text is read to here only; what is remembered or cut is far shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What relative expressions are held against."""

    day: date | None  #: The day it was said or asked; None where that is not known, and then "yesterday" says nothing.
    #: Whether "in May" means the last May rather than the nearest: questions to a memory look back.
    is_asked: bool = False
    southern: bool = False  #: Whether summer is in December.

    def nearest(self, make: Maker) -> Period | None:
        """Choose the year of what was said without one."""
        if self.day is None:
            return None
        found = [period for years in _YEARS_AROUND if (period := make(self.day.year + years)) is not None]
        if self.is_asked:
            found = [period for period in found if period.first <= self.day] or found
            return found[-1] if found else None
        return min(found, key=self._distance, default=None)

    def stepped(self, make: Maker, step: int) -> Period | None:
        """Choose the last year whose stretch is over (step -1), this year (0), or the first to begin yet (1)."""
        if self.day is None:
            return None
        if step == 0:
            return make(self.day.year)
        years = (-1, -2) if step < 0 else (0, 1)
        found = [period for year in (0, *years) if (period := make(self.day.year + year)) is not None]
        fitting = (one for one in found if (one.last < self.day if step < 0 else one.first > self.day))
        return next(fitting, None)

    def _distance(self, period: Period) -> int:
        assert self.day is not None
        return max((period.first - self.day).days, (self.day - period.last).days, 0)


@dataclass(frozen=True, slots=True)
class Rule:
    """A wording and what it says."""

    #: A regular expression that ignores case; its groups have names, and ``at``, where
    #: there is one, is where the date begins.
    pattern: str
    #: Returns the stretch from the match, or None where it says nothing.
    read: Callable[[re.Match[str], Reference], Period | None]
    _: KW_ONLY
    lacks_year: bool = False  #: Whether it says nothing about the year, so that another date beside it may name it.
    is_vague: bool = False  #: Whether it says little, and nothing beside a date that says more.


class DayBound(StrEnum):
    """What words beside a date make of it."""

    SINCE = "since"
    UNTIL = "until"
    BEFORE = "before"
    AFTER = "after"
    AROUND = "around"


@dataclass(frozen=True, slots=True, kw_only=True)
class DateRules:
    """The rules of a language."""

    #: Their patterns and readers; where several match at one place, the first that reads something holds.
    rules: tuple[Rule, ...]
    any_rule: re.Pattern[str]  #: One pattern that matches wherever one of them does.
    joins: re.Pattern[str]  #: What is between two dates that are the ends of a range.
    #: What is between them where a word before or after makes a range of them, as in "between … and …".
    pairs: re.Pattern[str]
    pair_before: re.Pattern[str]  #: That word, where it comes before.
    pair_after: re.Pattern[str]  #: That word, where it comes after.
    #: Words right before (first) or right after (second) a date, and what they make of it.
    bounds: tuple[tuple[DayBound, re.Pattern[str] | None, re.Pattern[str] | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DateHit:
    """An expression in a text."""

    start: int  #: Where it begins.
    end: int  #: Where it ends.
    period: Period | None  #: What it says; None for what it alone does not determine.
    rule: Rule  #: By which rule.
    match: re.Match[str]  #: And what that matched.
    is_joined: bool = False  #: Whether it was put together from two.

    @property
    def is_range(self) -> bool:
        """Whether both of its ends are stated."""
        groups = self.match.groupdict()
        return self.is_joined or bool(groups.get("to") or groups.get("last"))


def union(rules: tuple[Rule, ...], *, at: str = "") -> re.Pattern[str]:
    """Make one pattern of all, without the names of their groups; where a group is repeated, anything passes."""
    unnamed = (re.sub(r"\(\?P=\w+\)", ".", re.sub(r"\(\?P<\w+>", "(?:", one.pattern)) for one in rules)
    return re.compile(f"{at}(?:{'|'.join(unnamed)})", re.IGNORECASE)


def find(text: str, grammar: DateRules, reference: Reference, *, most: int = MOST_READ) -> Iterator[DateHit]:
    """Return the expressions of a folded text, from left to right, none inside another."""
    position = 0
    while (hit := grammar.any_rule.search(text, position, most)) is not None:
        found = _read(text, hit.start(), grammar, reference, most)
        position = max(hit.end() if found is None else found.end, position + 1)
        if found is not None:
            yield found


def reread(found: DateHit, reference: Reference) -> Period | None:
    """Read an expression again, held against another day."""
    return found.rule.read(found.match, reference)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a rule's pattern once a date begins: all of a language take 6 ms, and most questions hold none."""
    return re.compile(pattern, re.IGNORECASE)


def _read(text: str, start: int, grammar: DateRules, reference: Reference, most: int) -> DateHit | None:
    for one in grammar.rules:
        match = _compiled(one.pattern).match(text, start, most)
        if match is None:
            continue
        period = one.read(match, reference)
        if period is None and not one.lacks_year:
            continue
        at = match.start("at") if "at" in match.re.groupindex else match.start()
        return DateHit(start=at if at >= 0 else match.start(), end=match.end(), period=period, rule=one, match=match)
    return None


_MOST_MONTHS = 12
_CENTURY = 100
_FEW = (7, 2)
_VERSION = re.compile(r"(?:\b(?:version|ver\.|release|build)|バージョン|版本)[ \u3000]?$", re.IGNORECASE)
_LONGEST_VERSION = 10


def iso_day(match: re.Match[str], _: Reference) -> Period | None:
    """Read year, month, day; "version 2020.1.1" is none."""
    return None if _is_version(match) else day_of(int(match["year"]), int(match["month"]), int(match["day"]))


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
    return years_of(first, first - first % _CENTURY + int(last))


def ago(reference: Reference, count: int | None, unit: Unit, sign: int) -> Period | None:
    """Return the stretch so many units ago (sign -1) or ahead (1); None as count means a few, two to seven."""
    if reference.day is None:
        return None
    if count is not None:
        return distant(reference.day, sign * count, unit)
    ends = [distant(reference.day, sign * few, unit) for few in _FEW]
    return joined(*ends) if sign < 0 else joined(*reversed(ends))


def past(reference: Reference, count: int | None, unit: Unit, sign: int) -> Period | None:
    """Return the last (sign -1) or next so many units, to or from the day it was said; None as count is a few, seven."""
    return reference.day and stretch(reference.day, sign * (count or _FEW[0]), unit)


def _is_version(match: re.Match[str]) -> bool:
    before = match.string[max(0, match.start() - _LONGEST_VERSION) : match.start()]
    return match["sign"] == "." and _VERSION.search(before) is not None


@cache
def numeric_rules() -> tuple[Rule, ...]:
    """Make the rules for dates in digits, to come before those of a language."""
    return (
        Rule(r"(?P<year>[12]\d{3})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})(?!\d|\.\d)", iso_day),
        Rule(r"(?P<one>\d{1,2})(?P<sign>[./])(?P<other>\d{1,2})(?P=sign)(?P<year>[12]\d{3})(?!\d|\.\d)", two_ended_day),
        Rule(r"(?P<year>[12]\d{3})-(?P<month>0[1-9])(?![-\d]|年)", iso_month),
        Rule(
            r"(?<!\d[-/.])(?P<year>[12]\d{3})年?\s?(?:[-–—~/]|--)\s?(?P<last>[12]\d{3}|\d\d)(?![-/.]?\d|[月日])年?度?",
            year_range,
        ),
    )


_LONGEST_JOIN = 14
_BESIDE = 16
_YEAR_REACH = 30
"""How far before a date its year may be where it is known when the text was said, and the year may be that one."""


def expressions(text: str, grammar: DateRules, reference: Reference) -> Iterator[DateHit]:
    """Return the expressions of a folded text with ranges put together; what says nothing is left out."""
    founds = _with_years(text, tuple(_joined(text, find(text, grammar, reference), grammar)), grammar, reference)
    return (found for found in founds if found.period is not None)


def bound_of(text: str, found: DateHit, grammar: DateRules) -> DayBound | None:
    """Return what the words beside an expression make of it; a range is closed already."""
    if found.is_range or found.rule.is_vague:
        return None
    before, end = text[max(0, found.start - _BESIDE) : found.start], found.end
    for bound, opening, closing in grammar.bounds:
        if bound is DayBound.AROUND and not _tells_year(found):
            continue  # "about this morning" says what was talked of
        if (opening and opening.search(before)) or (closing and closing.match(text, end, end + _BESIDE)):
            return bound
    return None


def opened(period: Period, bound: DayBound | None) -> Period:
    """Open a stretch at the end that "since" or "until" leaves open; else return it as it is."""
    if bound is DayBound.SINCE:
        return Period(first=period.first, last=date.max)
    return Period(first=date.min, last=period.last) if bound is DayBound.UNTIL else period


def _with_years(text: str, founds: tuple[DateHit, ...], grammar: DateRules, reference: Reference) -> Iterator[DateHit]:
    """Complete dates without a year by that of a date before them, or of one they are listed with."""
    told: DateHit | None = None
    reach = len(text) if reference.day is None else _YEAR_REACH
    for place, found in enumerate(founds):
        if _tells_year(found):
            told = found
        elif found.rule.lacks_year and not found.is_joined:
            teller = _listed_with(text, found, founds[place + 1 : place + 2], grammar) or told
            if teller is not None and found.start - teller.end <= reach:
                yield _in_year_of(found, teller, reference)
                continue
        yield found


def _tells_year(found: DateHit) -> bool:
    """Return whether a date can be read without knowing when it was said."""
    return reread(found, Reference(day=None)) is not None


def _listed_with(text: str, found: DateHit, following: tuple[DateHit, ...], grammar: DateRules) -> DateHit | None:
    for after in following:
        if grammar.pairs.fullmatch(text, found.end, after.start) and _tells_year(after):
            return after
    return None


def _in_year_of(found: DateHit, teller: DateHit, reference: Reference) -> DateHit:
    if teller.period is None or teller.period.last == date.max:
        return found
    year = replace(reference, day=date(teller.period.last.year, 12, 31), is_asked=True)
    return replace(found, period=reread(found, year) or found.period)


def _joined(text: str, founds: Iterable[DateHit], grammar: DateRules) -> Iterator[DateHit]:
    held: DateHit | None = None
    for found in founds:
        both = held and _range(text, held, found, grammar)
        if held is not None and both is None:
            yield held
        held = both or found
    if held is not None:
        yield held


def _range(text: str, start: DateHit, end: DateHit, grammar: DateRules) -> DateHit | None:
    between = text[start.end : end.start]
    if len(between) > _LONGEST_JOIN or not _is_range(text, between, start, end, grammar):
        return None
    period = joined(*_in_one_year(start, end))
    return None if period is None else replace(end, start=start.start, period=period, is_joined=True)


def _is_range(text: str, between: str, start: DateHit, end: DateHit, grammar: DateRules) -> bool:
    if grammar.joins.fullmatch(between):
        return True
    if not grammar.pairs.fullmatch(between):
        return False
    before = text[max(0, start.start - _BESIDE) : start.start]
    return bool(grammar.pair_before.search(before) or grammar.pair_after.match(text, end.end))


def _in_one_year(start: DateHit, end: DateHit) -> tuple[Period | None, Period | None]:
    """Return the periods of both ends; one that names no year is read by the year of the other."""
    if start.rule.lacks_year and not end.rule.lacks_year and end.period is not None:
        return reread(start, Reference(day=end.period.last, is_asked=True)), end.period
    if end.rule.lacks_year and start.period is not None:
        later = Reference(day=start.period.last)
        made = reread(end, later)
        return start.period, made if made is None or made.last >= start.period.last else reread(end, _year_on(later))
    return start.period, end.period


def _year_on(reference: Reference) -> Reference:
    day = reference.day
    return (
        reference
        if day is None or day.year == date.max.year
        else replace(reference, day=day.replace(day=1, year=day.year + 1))
    )
