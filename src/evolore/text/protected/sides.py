"""A text as one side of a comparison: its protected spans, and whether it says what a span of the other side says."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.text.numerals import loose_numbers
from evolore.text.protected import protected_spans
from evolore.text.values import Value
from evolore.text.values.moments import is_compatible, is_one_time, minutes_of, read_dates, weekdays_of
from evolore.text.values.quantities import SAME_PERIOD, Quantity, as_rate, beside, quantity_of
from evolore.text.values.spans import SpanKind, fold_text

VERBATIM = frozenset(
    {SpanKind.CODE, SpanKind.PATH, SpanKind.URL, SpanKind.EMAIL, SpanKind.VERSION, SpanKind.IDENTIFIER}
)
"""What is compared as it is written."""

ALTERNATE = "other "
"""How a rate begins that counts every second one: "every other week"."""

PERIODS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")
"""What is counted per time; a night is a day."""

_HALF_DAY = 12
_RATES = {
    "second": r"second|(?<![a-z])secs?(?![a-z])|/ ?s(?![a-z])|秒",
    "minute": r"minute|(?<![a-z])min(?![a-z])|分(?![之のか割部])",
    "hour": r"hour|(?<![a-z])(?:h|hr|hrs)(?![a-z])|時間|時給|毎時|小时|时薪|钟头|時に",
    "day": r"day|daily|night|morning|evening|日|天|晚|夜|朝|早",
    "week": r"week|fortnight|(?:mon|tues|wednes|thurs|fri|satur|sun)day|週|周|星期|礼拜|曜",
    "month": r"month|月",
    "quarter": r"quarter|四半期|季",
    "year": r"year|annual|annum|p\.a|年|12 months|twelve months",
}
_RATE_WORDS = {noun: re.compile(words) for noun, words in _RATES.items()}
_ALTERNATE = re.compile(r"隔[日週周月年天]|(?:every|each) (?:other|second) [a-z]+")
_FORTNIGHTLY = re.compile(r"(?:alternate|alternating|bi-?) ?(?P<unit>day|week|month|year)")
_SETTLED = frozenset({SpanKind.NUMBER, SpanKind.DATE, SpanKind.TIME})
_LIMITING = re.compile(
    r"larger|greater|增|増|多了|before|by |until|under|below|over|above|more than|less than|fewer|older|younger|earlier|later|least|most|exceed"
    r"|未満|未满|以[上下前后後降]|まで|不[满足到]|之?前|超|満たな"
)
_RANGES = re.compile(
    r"week-?days?|week-?ends?|mon\S{0,20} ?(?:-|to|through) ?fri|平日|週末|土日|周末|工作日|每天|毎日|daily|every day"
)


@dataclass(frozen=True)
class Variant:
    """One side: a text, or several that count as one."""

    texts: tuple[str, ...]  #: What it says.
    language: Language  #: What it is written in.
    #: The values that both sides say: they are no other value's number written without its unit.
    settled: frozenset[tuple[SpanKind, str]] = frozenset()

    @property
    def values(self) -> frozenset[tuple[SpanKind, str]]:
        """The values of its spans."""
        return frozenset((span.kind, span.canonical) for span in self.spans)

    @cached_property
    def spans(self) -> tuple[Value, ...]:
        """Its protected spans, each value once, in order."""
        found: dict[tuple[SpanKind, str], Value] = {}
        for text in self.texts:
            for span in protected_spans(text, self.language):
                found.setdefault((span.kind, span.canonical), span)
        return tuple(found.values())

    @cached_property
    def plain(self) -> str:
        """Its words in one width and in small letters."""
        return fold_text("\n".join(self.texts)).casefold()

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its numbers with their units."""
        return tuple(quantity_of(span) for span in self.spans if span.kind is SpanKind.NUMBER)

    @cached_property
    def rated(self) -> dict[Quantity, list[Value]]:
        """What its numbers are counted per, of those that have it beside them."""
        found: dict[Quantity, list[Value]] = {}
        for text in self.texts:
            spans = protected_spans(text, self.language)
            rates = [rate for span in spans if (rate := as_rate(span, text))]
            numbers = [span for span in spans if span.kind is SpanKind.NUMBER and not span.is_soft]
            for rate in rates:
                for number in beside(rate, numbers, text):
                    found.setdefault(quantity_of(number), []).append(rate)
        return found

    def _numbers(self, text: str) -> frozenset[Decimal]:
        return loose_numbers(fold_text(text), self.language)

    @cached_property
    def bare_numbers(self) -> frozenset[Decimal]:
        """Every number that may be read in it and that counts nothing that is measured."""
        return self._numbers(self._without_measured)

    @cached_property
    def _measured_numbers(self) -> frozenset[Decimal]:
        """The numbers of what is measured, as they are written."""
        spans = [span for span in self.spans if span.kind is SpanKind.NUMBER and quantity_of(span).is_measured]
        return self._numbers("; ".join(span.quote for span in spans))

    @cached_property
    def all_numbers(self) -> frozenset[Decimal]:
        """Every number that may be read in it."""
        return self._numbers("\n".join(self.texts))

    @cached_property
    def _without_measured(self) -> str:
        kept: list[str] = []
        for text in self.texts:
            cut = list(text)
            for span in protected_spans(text, self.language):
                is_measured = span.kind is SpanKind.NUMBER and quantity_of(span).is_measured
                is_settled = span.kind in _SETTLED and (span.kind, span.canonical) in self.settled and not span.is_soft
                if is_measured or is_settled or span.kind in {SpanKind.URL, SpanKind.CODE, SpanKind.PATH}:
                    cut[span.span.start : span.span.end] = " " * (span.span.end - span.span.start)
            kept.append("".join(cut))
        return "\n".join(kept)

    @cached_property
    def dates(self) -> tuple[tuple[int, int, int], ...]:
        """Year, month and day of each date; 0 for an unstated part."""
        return tuple(date for span in self.spans if span.kind is SpanKind.DATE for date in read_dates(span))

    @cached_property
    def weekdays(self) -> frozenset[str]:
        """The weekdays that are named, and those of its dates and of the days after them."""
        named = {
            span.canonical for span in self.spans if span.kind is SpanKind.DATE and span.canonical.startswith("weekday")
        }
        return frozenset(named | {f"weekday {number}" for date in self.dates for number in weekdays_of(date)})

    def says(self, span: Value) -> bool:
        """Return whether this side says what a span says, in any notation."""
        if any(other.kind is span.kind and other.canonical == span.canonical for other in self.spans):
            return True
        readers = {SpanKind.DATE: self._dates, SpanKind.TIME: self._times, SpanKind.RATE: self._rates}
        if span.kind is SpanKind.NUMBER:
            return self._counts(quantity_of(span), is_bare=" " not in span.canonical.removesuffix(" th"))
        return span.kind is SpanKind.LIMIT or readers.get(span.kind, self._words)(span)

    def _counts(self, quantity: Quantity, *, is_bare: bool) -> bool:
        if any(quantity.is_same(other) for other in self.quantities):
            return True
        if quantity.is_measured:
            return False
        number = quantity.number.normalize()
        return number in self.bare_numbers or (is_bare and number in self._measured_numbers)

    def may_count(self, quantity: Quantity) -> bool:
        """Return whether the number is here by itself, its unit understood: "8 to 10 hours", "kilometre 30"."""
        is_part = quantity.unit == "%" and (quantity.number / 100).normalize() in self.all_numbers
        return is_part or any(number in self.bare_numbers for number in quantity.spellings)

    def may_mean(self, span: Value) -> bool:
        """Return whether the number of something measured is here as written, by itself: "24 a year"."""
        written = self._numbers(span.quote) - {Decimal(1)}
        return quantity_of(span).is_measured and bool(written) and written <= self.bare_numbers

    def _dates(self, span: Value) -> bool:
        if span.canonical in self.weekdays:
            return True
        return any(is_compatible(date, other) for date in read_dates(span) for other in self.dates)

    @cached_property
    def tells_of_days(self) -> bool:
        """Whether days are named together: "weekdays", "Mon-Fri", 平日."""
        return _RANGES.search(self.plain) is not None

    def may_date(self, span: Value) -> bool:
        """Return whether the parts of a date are here separately: 3/1, "the first of March", "18-20 May"."""
        is_year_told = any(other[0] for other in self.dates)
        dates = (date if is_year_told or not any(date[1:]) else date[1:] for date in read_dates(span))
        return any(all(Decimal(part).normalize() in self._date_numbers for part in date if part) for date in dates)

    @cached_property
    def _date_numbers(self) -> frozenset[Decimal]:
        spans = (
            span
            for span in self.spans
            if span.kind is SpanKind.DATE and (span.kind, span.canonical) not in self.settled
        )
        dates = (date for span in spans for date in read_dates(span))
        return self.bare_numbers | {Decimal(part).normalize() for date in dates for part in date if part}

    def _times(self, span: Value) -> bool:
        return any(is_one_time(span, other) for other in self.spans if other.kind is SpanKind.TIME)

    def may_time(self, span: Value) -> bool:
        """Return whether the hour and the minute are here in words that are not read as a time."""
        hour, _, minute = (span.canonical).partition(":")
        hours = {Decimal(int(hour)).normalize(), Decimal(int(hour) % _HALF_DAY).normalize()}
        is_there = bool(hours & self.bare_numbers) or (int(hour) == _HALF_DAY and "noon" in self.plain)
        return is_there and (minute == "00" or Decimal(int(minute)).normalize() in self.bare_numbers)

    def works_out(self, span: Value) -> bool:
        """Return whether a time is one of its times and one of its durations later or earlier."""
        times = [minutes_of(other) for other in self.spans if other.kind is SpanKind.TIME]
        spells = [quantity.number / 60 for quantity in self.quantities if quantity.unit == "s"]
        return any(abs(minutes_of(span) - time) == spell for time in times for spell in spells)

    def limits(self, span: Value) -> bool:
        """Return whether a number is beside what limits it: "before the 25th", 18歳未満."""
        places = [
            other.span for other in self.all_spans if (other.kind, other.canonical) == (span.kind, span.canonical)
        ]
        text = "\n".join(self.texts)
        return any(_LIMITING.search(text[max(0, one.start - 12) : one.end + 8].casefold()) for one in places)

    def composes(self, span: Value) -> bool:
        """Return whether code is put together from parts that are here: ``retries: 5`` from ``retries`` and 5."""
        parts = [part for part in re.split(r"[\s`:=]+", span.quote) if part]
        text = "\n".join(self.texts)
        return span.kind is SpanKind.CODE and len(parts) > 1 and all(_stands_alone(part, text) for part in parts)

    @cached_property
    def all_spans(self) -> tuple[Value, ...]:
        """Its protected spans, every occurrence, by their places in its texts as one."""
        found: list[Value] = []
        start = 0
        for text in self.texts:
            shift = start
            found += [
                replace(span, span=Span(span.span.start + shift, span.span.end + shift))
                for span in protected_spans(text, self.language)
            ]
            start += len(text) + 1
        return tuple(found)

    def _rates(self, span: Value) -> bool:
        if span.canonical.startswith(ALTERNATE):
            return span.canonical in self._alternate
        words = _RATE_WORDS.get(SAME_PERIOD.get(span.canonical, span.canonical))
        plain = _ALTERNATE.sub(" ", self.plain)
        return words.search(plain) is not None if words else span.canonical.casefold() in plain

    @cached_property
    def _alternate(self) -> frozenset[str]:
        """Units of which every second one is meant, in words or in numbers: 隔週, "every two weeks"."""
        told = {quantity.number / 86400 for quantity in self.quantities if quantity.unit == "s"}
        told |= {30 * quantity.number for quantity in self.quantities if quantity.unit == "month"}
        by_days = {"other day": 2, "other week": 14, "other month": 60, "other year": 720}
        named = {span.canonical for span in self.spans if span.kind is SpanKind.RATE}
        words = {f"other {match['unit']}" for match in _FORTNIGHTLY.finditer(self.plain)}
        return frozenset(named | words | {name for name, days in by_days.items() if days in told})

    def _words(self, span: Value) -> bool:
        is_exact = span.kind in VERBATIM and span.kind is not SpanKind.EMAIL
        if is_exact and not (span.kind is SpanKind.IDENTIFIER and span.canonical.isalpha()):
            return any(
                _stands_alone(value, fold_text(text))
                for value in {span.canonical, fold_text(span.quote)}
                for text in self.texts
            )
        word = span.canonical.casefold()
        if word.isascii():
            return re.search(rf"(?<![a-z0-9]){re.escape(word.removesuffix('s'))}", self.plain) is not None
        return word in self.plain


def _stands_alone(value: str, text: str) -> bool:
    start = text.find(value) if value else -1
    while start >= 0:
        end = start + len(value)
        if not (_joins(text[start - 1 : start], value[:1]) or _joins(value[-1:], text[end : end + 1])):
            return True
        start = text.find(value, start + 1)
    return False


def _joins(one: str, other: str) -> bool:
    """Return whether two characters belong to one word in Latin letters or one number."""
    return all(sign and sign.isascii() and (sign.isalnum() or sign == "_") for sign in (one, other))
