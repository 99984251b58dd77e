"""What a language's rules are made of, and how a text is read by them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from evolore.domain.periods import Period
    from evolore.text.dates.calendars import Maker

_YEARS_AROUND = (-1, 0, 1)
MOST_READ = 20_000
"""A longer text is read to here only; what is remembered or cut is far shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What relative expressions are held against.

    Args:
        day: The day it was said or asked; None where that is not known, and then "yesterday" says nothing.
        is_asked: Whether "in May" means the last May rather than the nearest: questions to a memory look back.
        southern: Whether summer is in December.
    """

    day: date | None
    is_asked: bool = False
    southern: bool = False

    def nearest(self, make: Maker) -> Period | None:
        """Choose the year of what was said without one.

        Args:
            make: Gives the stretch in a year.
        """
        if self.day is None:
            return None
        found = [period for years in _YEARS_AROUND if (period := make(self.day.year + years)) is not None]
        if self.is_asked:
            found = [period for period in found if period.first <= self.day] or found
            return found[-1] if found else None
        return min(found, key=self._distance, default=None)

    def stepped(self, make: Maker, step: int) -> Period | None:
        """Choose the last year whose stretch is over (step -1), this year (0), or the first to begin yet (1).

        Args:
            make: Gives the stretch in a year.
            step: Which.
        """
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A wording and what it says.

    Args:
        pattern: A regular expression; its groups have names, and ``at``, where there is one, is where the date begins.
        read: Gives the stretch from the match, or None where it says nothing.
        lacks_year: Whether it says nothing about the year, so that another date beside it may tell.
        is_vague: Whether it says little, and nothing beside a date that says more.
    """

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str], Reference], Period | None]
    lacks_year: bool = False
    is_vague: bool = False


class Bound(StrEnum):
    """What words beside a date make of it."""

    SINCE = "since"
    UNTIL = "until"
    BEFORE = "before"
    AFTER = "after"
    AROUND = "around"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """The rules of a language.

    Args:
        rules: Their patterns and readers; where several match at one place, the first that reads something holds.
        any_rule: One pattern that matches wherever one of them does.
        joins: What stands between two dates that are the ends of a range.
        pairs: What stands between them where a word before or after makes a range of them, as in "between … and …".
        pair_before: That word, where it stands before.
        pair_after: That word, where it stands after.
        bounds: Words that stand right before (first) or right after (second) a date, and what they make of it.
    """

    rules: tuple[Rule, ...]
    any_rule: re.Pattern[str]
    joins: re.Pattern[str]
    pairs: re.Pattern[str]
    pair_before: re.Pattern[str]
    pair_after: re.Pattern[str]
    bounds: tuple[tuple[Bound, re.Pattern[str] | None, re.Pattern[str] | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An expression in a text.

    Args:
        start: Where it begins.
        end: Where it ends.
        period: What it says; None for what cannot be told from it alone.
        rule: By which rule.
        match: And what that matched.
        is_joined: Whether it was put together from two.
    """

    start: int
    end: int
    period: Period | None
    rule: Rule
    match: re.Match[str]
    is_joined: bool = False

    @property
    def is_range(self) -> bool:
        """Whether both of its ends are told."""
        groups = self.match.groupdict()
        return self.is_joined or bool(groups.get("to") or groups.get("last"))


def rule(
    pattern: str,
    read: Callable[[re.Match[str], Reference], Period | None],
    *,
    lacks_year: bool = False,
    is_vague: bool = False,
) -> Rule:
    """Make a rule of a pattern that does not tell small letters from large ones."""
    return Rule(pattern=re.compile(pattern, re.IGNORECASE), read=read, lacks_year=lacks_year, is_vague=is_vague)


def union(rules: tuple[Rule, ...], *, at: str = "") -> re.Pattern[str]:
    """Make one pattern of all, without the names of their groups; where a group is repeated, anything passes.

    Args:
        rules: What to look for.
        at: What has to hold where any of them begins.
    """
    unnamed = (re.sub(r"\(\?P=\w+\)", ".", re.sub(r"\(\?P<\w+>", "(?:", one.pattern.pattern)) for one in rules)
    return re.compile(f"{at}(?:{'|'.join(unnamed)})", re.IGNORECASE)


def find(text: str, grammar: Grammar, reference: Reference) -> Iterator[Found]:
    """Give the expressions of a folded text, from left to right, none inside another."""
    position = 0
    while (hit := grammar.any_rule.search(text, position, MOST_READ)) is not None:
        found = _read(text, hit.start(), grammar, reference)
        position = max(hit.end() if found is None else found.end, position + 1)
        if found is not None:
            yield found


def reread(found: Found, reference: Reference) -> Period | None:
    """Read an expression again, held against another day."""
    return found.rule.read(found.match, reference)


def _read(text: str, start: int, grammar: Grammar, reference: Reference) -> Found | None:
    for one in grammar.rules:
        match = one.pattern.match(text, start, MOST_READ)
        if match is None:
            continue
        period = one.read(match, reference)
        if period is None and not one.lacks_year:
            continue
        at = match.start("at") if "at" in one.pattern.groupindex else match.start()
        return Found(start=at if at >= 0 else match.start(), end=match.end(), period=period, rule=one, match=match)
    return None
