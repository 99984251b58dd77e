"""Two dates that are one range, and words beside a date that open or close it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from evolore.domain.periods import Period
from evolore.text.dates.calendars import joined
from evolore.text.dates.grammar import Bound, Reference, find, reread

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evolore.text.dates.grammar import Found, Grammar

_LONGEST_JOIN = 14
_BESIDE = 16
_YEAR_REACH = 30
"""How far before a date its year may stand where it is known when the text was said, and the year may be that one."""


def expressions(text: str, grammar: Grammar, reference: Reference) -> Iterator[Found]:
    """Give the expressions of a folded text with ranges put together; what says nothing is left out."""
    founds = _with_years(text, tuple(_joined(text, find(text, grammar, reference), grammar)), grammar, reference)
    return (found for found in founds if found.period is not None)


def bound_of(text: str, found: Found, grammar: Grammar) -> Bound | None:
    """Tell what the words beside an expression make of it; a range is closed already."""
    if found.is_range or found.rule.is_vague:
        return None
    before, end = text[max(0, found.start - _BESIDE) : found.start], found.end
    for bound, opening, closing in grammar.bounds:
        if bound is Bound.AROUND and not _tells_year(found):
            continue  # "about this morning" says what was talked of
        if (opening and opening.search(before)) or (closing and closing.match(text, end, end + _BESIDE)):
            return bound
    return None


def opened(period: Period, bound: Bound | None) -> Period:
    """Open a stretch at the end that "since" or "until" leaves open; else give it as it is."""
    if bound is Bound.SINCE:
        return Period(first=period.first, last=date.max)
    return Period(first=date.min, last=period.last) if bound is Bound.UNTIL else period


def _with_years(text: str, founds: tuple[Found, ...], grammar: Grammar, reference: Reference) -> Iterator[Found]:
    """Let dates without a year take that of a date before them, or of one they are listed with."""
    told: Found | None = None
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


def _tells_year(found: Found) -> bool:
    """Tell whether a date can be read without knowing when it was said."""
    return reread(found, Reference(day=None)) is not None


def _listed_with(text: str, found: Found, following: tuple[Found, ...], grammar: Grammar) -> Found | None:
    for after in following:
        if grammar.pairs.fullmatch(text, found.end, after.start) and _tells_year(after):
            return after
    return None


def _in_year_of(found: Found, teller: Found, reference: Reference) -> Found:
    if teller.period is None or teller.period.last == date.max:
        return found
    year = replace(reference, day=date(teller.period.last.year, 12, 31), is_asked=True)
    return replace(found, period=reread(found, year) or found.period)


def _joined(text: str, founds: Iterable[Found], grammar: Grammar) -> Iterator[Found]:
    held: Found | None = None
    for found in founds:
        both = held and _range(text, held, found, grammar)
        if held is not None and both is None:
            yield held
        held = both or found
    if held is not None:
        yield held


def _range(text: str, start: Found, end: Found, grammar: Grammar) -> Found | None:
    between = text[start.end : end.start]
    if len(between) > _LONGEST_JOIN or not _is_range(text, between, start, end, grammar):
        return None
    period = joined(*_in_one_year(start, end))
    return None if period is None else replace(end, start=start.start, period=period, is_joined=True)


def _is_range(text: str, between: str, start: Found, end: Found, grammar: Grammar) -> bool:
    if grammar.joins.fullmatch(between):
        return True
    if not grammar.pairs.fullmatch(between):
        return False
    before = text[max(0, start.start - _BESIDE) : start.start]
    return bool(grammar.pair_before.search(before) or grammar.pair_after.match(text, end.end))


def _in_one_year(start: Found, end: Found) -> tuple[Period | None, Period | None]:
    """Let the end that names a year tell it to the one that does not."""
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
