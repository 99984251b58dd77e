"""Values of a text, one canonical form for every notation: amounts with units, dates, times of day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from evolore.domain.document import Span
from evolore.text.dates import mentioned_periods
from evolore.text.protected import SpanKind, protected_spans
from evolore.text.protected.moments import is_one_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.language import Language
    from evolore.text.protected import ProtectedSpan

_NUMERIC_DATE = re.compile(r"(?<![\d./-])(\d{1,2})([/.])(\d{1,2})\2(\d{4})(?![\d/-]|\.\d)")
_REMEMBERED = 1 << 12
_MOST_READ = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value, and where it stands.

    Args:
        kind: A number, a date or a time.
        canonical: The same for every notation, such as ``5400 s`` or ``2026-05-03``; of an ambiguous date one reading.
        span: Where in the text.
        source: What it was read from; two times need it to be compared. None for a date.
    """

    kind: SpanKind
    canonical: str
    span: Span
    source: ProtectedSpan | None = None

    def is_same(self, other: Value) -> bool:
        """Tell whether two are one value; of two times one may leave out the half of the day."""
        if self.kind is not other.kind:
            return False
        if self.kind is SpanKind.TIME and self.source is not None and other.source is not None:
            return is_one_time(self.source, other.source)
        return self.canonical == other.canonical


@lru_cache(maxsize=_REMEMBERED)
def read_values(text: str, language: Language) -> tuple[Value, ...]:
    """Return the amounts, dates and times of a text, in its order; an ambiguous date in both readings.

    >>> from evolore.domain.language import Language
    >>> [one.canonical for one in read_values("It takes 90 minutes.", Language.EN)]
    ['5400 s']
    >>> [one.canonical for one in read_values("On 05/03/2026.", Language.EN)]
    ['2026-03-05', '2026-05-03']
    """
    read = text[:_MOST_READ]
    found = {(one.kind, one.canonical, one.span): one for one in (*_dates(read, language), *_others(read, language))}
    return tuple(sorted(found.values(), key=lambda one: (one.span.start, one.canonical)))


def _dates(text: str, language: Language) -> Iterator[Value]:
    for match in _NUMERIC_DATE.finditer(text):
        first, second, year = (int(match.group(number)) for number in (1, 3, 4))
        days = {day for day in (_day(year, first, second), _day(year, second, first)) if day is not None}
        for day in days:
            yield Value(kind=SpanKind.DATE, canonical=day.isoformat(), span=Span(*match.span()))
    for span in protected_spans(text, language):
        if span.kind is SpanKind.DATE:
            for period in mentioned_periods(span.quote, language=language, said_at=None):
                yield Value(kind=SpanKind.DATE, canonical=_written(period.first, period.last), span=span.span)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _written(first: date, last: date) -> str:
    return first.isoformat() if first == last else f"{first.isoformat()}/{last.isoformat()}"


def _others(text: str, language: Language) -> Iterator[Value]:
    for span in protected_spans(text, language):
        if span.kind in {SpanKind.NUMBER, SpanKind.TIME}:
            yield Value(kind=span.kind, canonical=span.value, span=span.span, source=span)
