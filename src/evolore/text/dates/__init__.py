"""Dates in texts and questions, in English, Japanese and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import assert_never

from evolore.domain.language import Language
from evolore.domain.times import AskedOrder, AskedTime, Period, TimeSide
from evolore.text.dates import english
from evolore.text.dates.cjk import chinese_grammar, japanese_grammar
from evolore.text.dates.grammar import (
    MOST_READ,
    DateHit,
    DateRules,
    DayBound,
    Reference,
    bound_of,
    expressions,
    fold,
    opened,
)
from evolore.text.word_files import read_words

__all__ = ["DATES_VERSION", "MOST_PERIODS", "asked_period", "mentioned_periods"]

DATES_VERSION = 1
"""What is read as a date, and as which. It grows with every change of the rules, because periods are stored."""

MOST_PERIODS = 64
"""More dates than this make a table or a chronicle, of which the first are kept."""

MOST_ASKED = 8
"""A question with more dates than this quotes a list; the first are kept."""

_MASK = "\x1a"
_RELATIONS = {DayBound.BEFORE: TimeSide.BEFORE, DayBound.AFTER: TimeSide.AFTER, DayBound.AROUND: TimeSide.AROUND}


def grammar_of(language: Language, *, is_relative: bool = True) -> DateRules:
    """Return the rules of a language, English ones where it has none; all, or only those that need no day."""
    match language:
        case Language.JA:
            return japanese_grammar(is_relative=is_relative)
        case Language.ZH:
            return chinese_grammar(is_relative=is_relative)
        case Language.EN | Language.UND:
            return english.grammar(is_relative=is_relative)
        case _:
            assert_never(language)


def mentioned_periods(
    text: str, *, language: Language, said_at: datetime | None, southern: bool = False
) -> tuple[Period, ...]:
    """Return the stretches of days that a text speaks of, as far as its wording states them.

    Absolute dates are read as written; relative ones, such as "yesterday", and those without a year against the day
    it was said. "Since 2015" has no end and runs to ``date.max``, "until 2020" from ``date.min``.

    Args:
        text: Any text; of one over 20,000 characters the beginning is read.
        language: What it is written in.
        said_at: When it was said, in the zone whose calendar day is meant; None where that is not known.
        southern: Whether seasons are those of the southern hemisphere.

    Returns:
        Each once, in the order of the text, at most ``MOST_PERIODS``.

    >>> from evolore.domain.language import Language
    >>> [f"{one.first} {one.last}" for one in mentioned_periods("From 2010 to 2014.", language=Language.EN, said_at=None)]
    ['2010-01-01 2014-12-31']
    """
    folded = fold(text)
    grammar = grammar_of(language)
    reference = Reference(day=said_at.date() if said_at else None, southern=southern)
    periods: dict[Period, None] = {}
    for found in expressions(folded, grammar, reference):
        if found.period is not None:
            periods[opened(found.period, bound_of(folded, found, grammar))] = None
        if len(periods) == MOST_PERIODS:
            break
    return tuple(periods)


def asked_period(question: str, *, language: Language, as_of: datetime, southern: bool = False) -> AskedTime | None:
    """Return what a question asks about time; None where it says nothing.

    Dates without a year are the last that have begun: questions to a memory look back. Dates inside quotation marks and
    names, such as "Blade Runner 2049", are not what is asked. Where an event is named instead of a date ("before we moved"),
    its words are in ``event``: find it as one finds anything, and pass its time to ``AskedTime.at``.

    Args:
        question: As it was asked.
        language: What it is written in.
        as_of: When it is asked, in the zone whose calendar day is meant.
        southern: Whether seasons are those of the southern hemisphere.

    >>> from datetime import UTC, datetime
    >>> from evolore.domain.language import Language
    >>> asked = asked_period("What did I buy yesterday?", language=Language.EN, as_of=datetime(2023, 6, 14, tzinfo=UTC))
    >>> [one.first.isoformat() for one in asked.periods]
    ['2023-06-13']
    """
    folded = fold(question[:MOST_READ])
    words, grammar = _question_words(language), grammar_of(language)
    plain = words.titles.sub(lambda match: _MASK * len(match.group()), folded)
    reference = Reference(day=as_of.date(), is_asked=True, southern=southern)
    founds = tuple(expressions(plain, grammar, reference))[:MOST_ASKED]
    founds = tuple(found for found in founds if not found.rule.is_vague) or founds
    relation, periods = _asked_ranges(plain, founds, grammar)
    event = None
    if not periods:
        relation, event = _event(plain, folded, words)
    masked = plain
    for found in founds:  # "last" in "last Friday" is not an order
        masked = masked[: found.start] + _MASK * (found.end - found.start) + masked[found.end :]
    order, asks_when = _order(masked, words), words.when.search(plain) is not None
    if not (periods or event or order or asks_when):
        return None
    is_alone = bool(periods) and not asks_when and not words.subject.search(words.talk.sub(" ", masked))
    return AskedTime(
        periods=periods, relation=relation, event=event, order=order, asks_when=asks_when, is_alone=is_alone
    )


def _asked_ranges(text: str, founds: tuple[DateHit, ...], grammar: DateRules) -> tuple[TimeSide, tuple[Period, ...]]:
    """Return the dates with one relation to what is sought, and that relation: the first found other than "within"."""
    bounds = [bound_of(text, found, grammar) for found in founds]
    relations = [_RELATIONS.get(bound, TimeSide.WITHIN) if bound else TimeSide.WITHIN for bound in bounds]
    chosen = next((one for one in relations if one is not TimeSide.WITHIN), TimeSide.WITHIN)
    kept = {
        opened(found.period, bound): None
        for found, bound, relation in zip(founds, bounds, relations, strict=True)
        if relation is chosen and found.period is not None
    }
    return chosen, tuple(period for period in kept if not any(_is_within(other, period) for other in kept))


def _is_within(inner: Period, outer: Period) -> bool:
    """Return whether a date says more exactly what another says: "1951" beside "4 October 1951" asks for nothing more."""
    return inner != outer and outer.first <= inner.first and inner.last <= outer.last


def _event(text: str, unmasked: str, words: _QuestionWords) -> tuple[TimeSide, str | None]:
    for relation, pattern in words.events:
        match = pattern.search(text)
        name = match and next((name for name, found in match.groupdict().items() if found), None)
        event = unmasked[match.start(name) : match.end(name)].strip() if match and name else ""
        if event and not words.no_event.search(event):
            return relation, event
    return TimeSide.WITHIN, None


def _order(text: str, words: _QuestionWords) -> AskedOrder | None:
    if words.first.search(text):
        return AskedOrder.FIRST
    return AskedOrder.LAST if words.last.search(text) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _QuestionWords:
    """Patterns for one language."""

    when: re.Pattern[str]  #: What asks for a time.
    first: re.Pattern[str]  #: What asks for the first of several.
    last: re.Pattern[str]  #: And for the last.
    #: Clauses in place of a date, in the group ``event``, and how what is sought lies to them.
    events: tuple[tuple[TimeSide, re.Pattern[str]], ...]
    no_event: re.Pattern[str]  #: What shows that such a clause is none.
    titles: re.Pattern[str]  #: Names that may hold a date and do not mean it.
    talk: re.Pattern[str]  #: What only asks for an account: "what did we talk about", "what happened".
    subject: re.Pattern[str]  #: What names a subject where it is beside a date and such words.


_AS_WRITTEN = ("titles", "subject")
"""Patterns that distinguish capitals from small letters."""


@cache
def _question_words(language: Language) -> _QuestionWords:
    """Return the patterns of a language; English ones where it has none."""
    words = read_words("evolore.text", "time_questions", language).patterns()
    flags = re.NOFLAG if language in {Language.JA, Language.ZH} else re.IGNORECASE
    patterns = {name: re.compile(text, re.NOFLAG if name in _AS_WRITTEN else flags) for name, text in words.items()}
    events = tuple((relation, patterns.pop(relation)) for relation in (TimeSide.BEFORE, TimeSide.AFTER))
    return _QuestionWords(events=events, **patterns)
