"""The dates that a text speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.text.dates.grammar import Reference
from evolore.text.dates.joining import bound_of, expressions, opened
from evolore.text.dates.languages import grammar_of
from evolore.text.dates.numerals import fold

if TYPE_CHECKING:
    from datetime import datetime

    from evolore.domain.language import Language
    from evolore.domain.periods import Period

DATES_VERSION = 1
"""What is read as a date, and as which. It grows with every change of the rules, because periods are stored."""

MOST_PERIODS = 64
"""More dates than this make a table or a chronicle, of which the first are kept."""


def mentioned_periods(
    text: str, *, language: Language, said_at: datetime | None, southern: bool = False
) -> tuple[Period, ...]:
    """Give the stretches of days that a text speaks of, as far as its wording tells.

    Absolute dates are read as they stand; relative ones, such as "yesterday", and those without a year against the day
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
