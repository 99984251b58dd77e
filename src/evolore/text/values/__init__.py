"""Values of a text, one canonical form for every notation: amounts with units, dates, times, what is written for machines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, product

from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.text.numerals import COUNTS, HAN_NUMERALS, ORDINALS
from evolore.text.values.amounts import find_amounts, without_list_marks
from evolore.text.values.marks import find_addresses, find_code, find_identifiers, find_paths, find_rates, find_versions
from evolore.text.values.moments import find_dates, find_times, is_compatible, is_one_time, read_dates
from evolore.text.values.quantities import quantity_of
from evolore.text.values.spans import Folded, SpanKind, Spot, fold
from evolore.text.word_files import read_shared_words

__all__ = ["NUMBER_WORDS", "SpanKind", "Value", "apart", "blanked", "find_values", "read_values", "value_of"]

_REMEMBERED = 1 << 12
_MARKS: tuple[Callable[[str], Iterable[Spot]], ...] = (find_code, find_addresses, find_paths, find_versions)
_COMPARED = frozenset((SpanKind.NUMBER, SpanKind.DATE, SpanKind.TIME, SpanKind.VERSION))
_NOUN = re.compile(r"[ -]?([A-Za-z]+)")
_DAY_OF_MONTH = ("日", "号", "號")
_OTHER_NUMBERS = "minus half quarter quarters third once twice thrice fortnight fortnights noon midnight midday"
NUMBER_WORDS = frozenset((*COUNTS, *ORDINALS, *_OTHER_NUMBERS.split()))
"""Words in lower case with which a number or a time begins that begins with a Latin letter."""

_DATE, _CLOCK = "date", "clock"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A value of a text, or a name that a rewrite must keep."""

    kind: SpanKind  #: What it is.
    canonical: str  #: What it says, in one spelling: "5,000 JPY", "5000 JPY" and "５０００円" have one.
    quote: str  #: As it is written.
    span: Span  #: Where it is.
    #: Whether it may come and go: "an hour", 一つ. Where needed, it counts as the same value in digits.
    is_soft: bool = False
    is_light: bool = False  #: Whether it may come, and not go: a small number in words, as in "in three sizes".
    noun: str = ""  #: The word behind a number that has no unit: "3 eggs".

    @property
    def unit(self) -> str:
        """What it measures or counts; empty if unknown."""
        if self.kind is not SpanKind.NUMBER:
            return {SpanKind.DATE: _DATE, SpanKind.TIME: _CLOCK}.get(self.kind, "")
        named = self.canonical.partition(" ")[2]
        if named == "day" and self.quote.endswith(_DAY_OF_MONTH):
            return _DATE
        if named == "age":
            return named
        if named == "th" and self.quote.startswith("第"):
            return self.quote.lstrip(f"第{HAN_NUMERALS}0123456789")
        quantity = quantity_of(self)
        return quantity.family or quantity.counted or self.noun or named.removesuffix("th")

    def is_of_kind(self, other: Value) -> bool:
        """Return whether two may say the same thing otherwise: in one unit, or where one leaves it out."""
        return self.unit == other.unit or not self.unit or not other.unit

    def is_same(self, other: Value) -> bool:
        """Return whether two are one value in any notation; one may leave out a unit, a year, or the half of the day."""
        if self.kind is not other.kind:
            return self._is_part_of(other) or other._is_part_of(self)
        if self.kind is SpanKind.TIME:
            return is_one_time(self, other)
        if self.kind is SpanKind.NUMBER:
            one, two = quantity_of(self), quantity_of(other)
            is_bare = not (one.unit or one.counted) or not (two.unit or two.counted)
            return one.is_same(two) or (is_bare and bool(one.spellings & two.spellings))
        dates = product(read_dates(self), read_dates(other)) if self.kind is SpanKind.DATE else ()
        return self.canonical == other.canonical or any(is_compatible(one, two) for one, two in dates)

    def _is_part_of(self, other: Value) -> bool:
        """Return whether a number alone is the hour of a time, or a part of a date."""
        if self.kind is not SpanKind.NUMBER or self.unit not in {"", _DATE}:
            return False
        number, (hour, _, minute) = self.canonical.partition(" ")[0], other.canonical.partition(":")
        if other.kind is SpanKind.TIME:
            return minute == "00" and number in {hour, str(int(hour) % 12)}
        parts = {str(part)[-length:] for date in read_dates(other) for part in date if part for length in (2, 4)}
        return other.kind is SpanKind.DATE and number in parts


@lru_cache(maxsize=_REMEMBERED)
def read_values(text: str, language: Language) -> tuple[Value, ...]:
    """Return the amounts, dates, times, versions and telephone numbers of a text, in its order.

    Days of the week are words. A date such as 05/03/2026 has both its readings.

    >>> from evolore.domain.language import Language
    >>> [one.canonical for one in read_values("It takes 90 minutes.", Language.EN)]
    ['5400 s']
    >>> [one.canonical for one in read_values("On 05/03/2026.", Language.EN)]
    ['2026-3-5|2026-5-3']
    """
    folded = fold(text)
    found = (one for one in find_values(folded, language)[0] if _is_compared(one))
    return tuple(value_of(one, folded, text) for one in sorted(found, key=lambda one: (one.start, one.end, one.value)))


def _is_compared(one: Spot) -> bool:
    if one.kind is SpanKind.IDENTIFIER:
        return one.value.removeprefix("+").isdigit()
    return one.kind in _COMPARED and not one.value.startswith(("weekday", "Q", "season"))


def find_values(folded: Folded, language: Language) -> tuple[list[Spot], str]:
    """Return the values of a folded text by their places, and the text with all but its numbers blanked."""
    values: list[Spot] = []
    plain = folded.text
    readers: tuple[Callable[[str], Iterable[Spot]], ...] = (
        *_MARKS,
        lambda text: find_dates(text, language),
        find_times,
        find_identifiers,
        lambda text: find_rates(without_list_marks(text), language),
    )
    for read in readers:
        found = apart(read(plain))
        values += found
        plain = blanked(plain, found)
    plain = without_list_marks(plain)
    return [*values, *find_amounts(plain, language)], plain


def apart(found: Iterable[Spot]) -> list[Spot]:
    """Leave out what lies over another value that begins earlier or is longer; two of a range have one place."""
    kept: list[Spot] = []
    for one in sorted(found, key=lambda one: (one.start, one.start - one.end, one.is_soft)):
        last = kept[-1] if kept else None
        is_other_end = last and (one.start, one.end) == (last.start, last.end) and one.value != last.value
        if last is None or one.start >= last.end or is_other_end:
            kept.append(one)
    return kept


def blanked(text: str, found: Iterable[Spot]) -> str:
    """Write blanks over values, so that nothing is read there again."""
    for one in found:
        text = f"{text[: one.start]}{' ' * (one.end - one.start)}{text[one.end :]}"
    return text


def value_of(one: Spot, folded: Folded, text: str) -> Value:
    """Return what was found in a folded text as written in the text itself."""
    whole = folded.text
    begins = one.start + next((place for place, sign in enumerate(whole[one.start : one.end]) if sign != " "), 0)
    start, end = folded.offsets[begins], folded.offsets[max(one.start, one.end - 1)]
    stop = next((place for place in islice(folded.offsets, one.end, None) if place > end), len(text))
    span = Span(start, max(stop, end))
    is_of_noun = one.kind is SpanKind.NUMBER and one.value.partition(" ")[2] in {"", "th", "item"}
    noun = _NOUN.match(whole, one.end) if is_of_noun else None
    word = noun[1].casefold() if noun else ""
    return Value(
        kind=one.kind,
        canonical=one.value,
        quote=span.of(text),
        span=span,
        is_soft=one.is_soft,
        is_light=one.is_light,
        noun="" if word in read_shared_words("evolore.text", "units", "numbers").words("no_nouns") else _singular(word),
    )


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word  # noqa: PLR2004 - "gas"
