"""Numbers with units as they are compared: units in one spelling, what is measured, what is counted per what."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from evolore.text.values.spans import SpanKind
from evolore.text.word_files import read_shared_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from evolore.text.values import Value

_LATIN = re.compile(r"[A-Za-z]")
CODE_BEFORE = r"(?:JPY|USD|EUR|GBP|CNY|RMB|KRW)(?= ?\d)"
_LONG_ENOUGH = 4
"""A word of so many letters is one unit in either case; shorter ones, such as Mb and MB, may not be."""


@dataclass(frozen=True, slots=True)
class _Behind:
    """Units that come after a number: their names, and a group each in a pattern, in the case as written and in any.

    Few characters begin one, and asking that first takes a hundredth of the time.
    """

    names: tuple[str, ...]
    begins: frozenset[str]
    exact: re.Pattern[str]
    any_case: re.Pattern[str]


def unit_at(text: str, place: int) -> tuple[str, int]:
    """Return the unit at a place of a folded text, and where it ends; no name where there is none.

    >>> unit_at("30 minutes", 3)
    ('s*60', 10)
    """
    units = _behind()
    if text[place : place + 1].casefold() not in units.begins:
        return "", place
    match = units.exact.match(text, place)
    if match is None:
        match = units.any_case.match(text, place)
        if match is None or match.end() - match.start() < _LONG_ENOUGH:
            return "", place
    return units.names[(match.lastindex or 1) - 1], match.end()


def unit_before(sign: str, *, is_chinese: bool) -> str:
    """Return the unit of a sign before a number; ¥ is the yuan in Chinese."""
    if sign == "¥" and is_chinese:
        return "CNY"
    return _signs().get(sign, "CNY" if sign == "RMB" else sign)


def in_smallest(value: Decimal, unit: str) -> tuple[Decimal, str]:
    """Return an amount in the smallest unit it is an exact multiple of.

    >>> in_smallest(Decimal(2), "s*60")
    (Decimal('120'), 's')
    """
    if unit == "share":
        return value * 10, "%"
    name, _, factor = unit.partition("*")
    return (value * Decimal(factor), name) if factor else (value, unit)


def sign_before() -> str:
    """Return a pattern for the signs of money before a number."""
    return "|".join(pattern for pattern, _ in sorted(_spellings()[1], key=lambda one: -len(one[0])))


@cache
def _behind() -> _Behind:
    longest_first = sorted(_spellings()[0], key=lambda one: -len(one[0].split("(?!", maxsplit=1)[0]))
    pattern = "|".join(f"({pattern})" for pattern, _ in longest_first)
    names = tuple(name for _, name in longest_first)
    first = (spelling[1:].partition("]")[0] if spelling[0] == "[" else spelling[0] for spelling, _ in longest_first)
    return _Behind(names, frozenset("".join(first).casefold()), re.compile(pattern), re.compile(pattern, re.IGNORECASE))


@cache
def _signs() -> dict[str, str]:
    codes = {code: code for code in ("JPY", "USD", "EUR", "GBP", "CNY", "KRW")}
    return {pattern.replace("\\", ""): name for pattern, name in _spellings()[1]} | codes


@cache
def _spellings() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return patterns with the names of units: those that come after a number, and those before it."""
    behind: list[tuple[str, str]] = []
    before: list[tuple[str, str]] = []
    for line in read_shared_words("evolore.text", "units", "units").lines("behind"):
        name, spellings = line.split(" ; ")
        for spelling in spellings.split():
            pattern = spelling.replace("_", "[ -]")
            if spelling.startswith("^"):
                before.append((re.escape(spelling[1:]), name))
            elif _LATIN.match(spelling) or spelling.startswith("°"):
                behind.append((rf"{pattern}(?![A-Za-z])", name))
            else:
                behind.append((pattern, name))
    return behind, before


_TEMPERATURES = frozenset((frozenset(("degree", "F")), frozenset(("degree", "C"))))
_OF_CENTS = frozenset(("USD", "EUR"))
_FEW_TIMES = 4
_OF_THE_PRICE = "of the price"
"""A discount that states what is paid, and is compared by what is taken off."""


@cache
def _named(table: str) -> Mapping[str, str]:
    return read_shared_words("evolore.text", "units", "kinds").named(table)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in the unit it is compared in; no unit for what is counted, but maybe what kind of thing that is."""

    number: Decimal
    unit: str
    counted: str = ""

    @property
    def is_measured(self) -> bool:
        """Whether it has a unit of its own, which no other replaces."""
        return bool(self.unit)

    @property
    def family(self) -> str:
        """What it is a measure of: of one family, one quantity may have become another."""
        return _named("families").get(self.unit, self.unit)

    @property
    def spellings(self) -> frozenset[Decimal]:
        """The numbers it may be written with, in any unit."""
        return frozenset(
            (self.number / factor).normalize() for factor in map(int, _named("factors").get(self.unit, "1").split())
        )

    def is_same(self, other: Quantity) -> bool:
        """Return whether both say the same; degrees may be those of either scale."""
        if "kilo" in {self.unit, other.unit}:
            one, two = (self, other) if self.unit == "kilo" else (other, self)
            return one.number * (10**6 if two.unit in {"mm", "mg"} else 1) == two.number
        if _OF_THE_PRICE in {self.counted, other.counted} and self.unit == other.unit:
            return self.number == other.number or self.number + other.number == 100  # noqa: PLR2004 - 九折 is 九成
        if {self.unit, other.unit} & {"cent"} and {self.unit, other.unit} & _OF_CENTS:
            one, two = (self, other) if self.unit == "cent" else (other, self)
            return one.number == 100 * two.number
        if self.number != other.number:
            return False
        if self.counted and other.counted and self.counted != other.counted:
            return False
        return self.unit == other.unit or frozenset((self.unit, other.unit)) in _TEMPERATURES


@lru_cache(maxsize=1 << 12)
def quantity_of(span: Value) -> Quantity:
    """Read the quantity of a span that is a number."""
    number, _, unit = span.canonical.partition(" ")
    if unit == "discount":
        is_share = span.quote.rstrip().endswith("折")
        return Quantity(_taken_off(Decimal(number), span.quote), "%", _OF_THE_PRICE if is_share else "")
    if unit == "time" and span.quote.endswith("度") and Decimal(number) > _FEW_TIMES:
        return Quantity(Decimal(number), "degree")
    if unit in _named("counted"):
        return Quantity(Decimal(number), "", _named("counted")[unit].removeprefix("-"))
    factor, name = _named("converted").get(unit, f"1 {unit}").split(" ")
    return Quantity(Decimal(number) * int(factor), name)


def _taken_off(number: Decimal, quote: str) -> Decimal:
    """Return the percents of a discount: 2割引 takes off 20, 八折 20 and 九五折 5."""
    if not quote.rstrip().endswith("折"):
        return 10 * number
    return 100 - number if number > 10 else 100 - 10 * number  # noqa: PLR2004 - tenths or hundredths


_EXACT = Decimal("1e-6")
"""How near what is worked out has to be: two thirds of 90 are 60."""


def follows(quantity: Quantity, others: Iterable[Quantity], numbers: Iterable[Decimal]) -> bool:
    """Return whether a quantity is worked out from others: half the fee, two of them together, two thirds of ninety."""
    own = {number for other in others if other.unit == quantity.unit for number in (other.number,)}
    known = {number for number in numbers if number}
    if own:
        shares = {other.number for other in others if other.unit == "%"}
        return any(abs(one - quantity.number) < _EXACT for one in _worked_out(own, known | shares))
    return bool(quantity.spellings & {number.normalize() for number in _worked_out(known, known)})


def _worked_out(own: set[Decimal], known: set[Decimal]) -> Iterator[Decimal]:
    for one in own:
        yield from (one / 2, one * 2, 100 - one)
        for other in own | known:
            yield from (
                one + other,
                one - other,
                one - other + 1,
                one * other,
                one * (1 - other / 100),
                one * other / 100,
            )
            if other:
                yield from (one / other, 100 * one / other)


_ONE_PERIOD = {
    "1 s": "second", "60 s": "minute", "3600 s": "hour", "1 day": "day", "7 day": "week", "1 month": "month",
    "12 month": "year", "1 night": "day", "1 time": "time",
}  # fmt: skip
SAME_PERIOD = {"night": "day", "朝": "day", "晩": "day", "晚": "day", "毎晩": "day"}
_NEAR_RATE = 14
_PER = re.compile(r"に|あたり|当たり|之内|以?内|里|(?=[約约]?[\d¥$])")
_PARTED = re.compile(r"[.;:!?。；：！？，、()（）\n|]|, ")


def as_rate(span: Value, text: str) -> Value | None:
    """Read what something is counted per; a single period means "per period": 1分間に."""
    if span.kind is SpanKind.RATE:
        return replace(span, canonical=SAME_PERIOD.get(span.canonical, span.canonical))
    is_period = span.kind is SpanKind.NUMBER and span.canonical in _ONE_PERIOD
    if is_period and (_PER.match(text, span.span.end) or span.quote.casefold().startswith(("a ", "an "))):
        return replace(span, canonical=_ONE_PERIOD[span.canonical])
    return None


def beside(rate: Value, numbers: Sequence[Value], text: str) -> Iterator[Value]:
    """Yield the number next to a rate on either side."""
    for side in (True, False):
        near = [
            (gap, index)
            for index, one in enumerate(numbers)
            if (one.span.start > rate.span.start) is side
            and one.span != rate.span
            and (gap := _gap(one, rate, text)) is not None
        ]
        if near:
            yield numbers[min(near)[1]]


def _gap(number: Value, rate: Value, text: str) -> int | None:
    """Return how far a number is from a rate in one sentence; None where that is too far."""
    first, second = sorted((number.span, rate.span), key=lambda span: span.start)
    between = text[first.end : second.start]
    is_near = len(between) <= _NEAR_RATE and not _PARTED.search(between)
    return len(between) if is_near else None
