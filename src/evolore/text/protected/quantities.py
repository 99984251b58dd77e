"""Numbers with units as they are compared: what is measured in one unit, and what is merely counted."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evolore.text.protected.spans import ProtectedSpan

_COUNTERS = frozenset(
    ("time", "item", "person", "piece", "rpage", "row", "char", "floor", "seat", "req", "user", "point", "th", "case",
     "copy", "pill", "company", "piecewise", "grade", "gradeyear")
)  # fmt: skip
"""Of these one stands for another, or for none: 4个, 4只 and 4 are one."""

_SPECIFIC = {
    **{name: name for name in ("person", "time", "pill", "floor", "seat", "rpage", "row", "char", "grade", "gradeyear",
       "company", "req")},
    "user": "person",
}  # fmt: skip
"""Of these two that differ count two things: 3人 is not 3回; a number alone, or of things, may stand for either."""

_TEMPERATURES = frozenset((frozenset(("degree", "F")), frozenset(("degree", "C"))))
_OF_CENTS = frozenset(("USD", "EUR"))
_FEW_TIMES = 4
_OF_THE_PRICE = "of the price"
"""A discount that tells what is paid, and is compared by what is taken off."""

_CONVERTED = {
    "day": (86400, "s"), "quarter": (3, "month"), "age": (12, "month"), "share": (10, "%"), "part": (100, "%"),
    "calendarday": (86400, "s"), "workweek": (5, "workday"), "night": (86400, "s"),
}  # fmt: skip
_FAMILIES = {
    **dict.fromkeys(("JPY", "USD", "EUR", "GBP", "CNY", "KRW", "cent"), "money"),
    **dict.fromkeys(("s", "ms", "workday", "month"), "duration"),
    **dict.fromkeys(("%", "pt%", "discount"), "share"),
    **dict.fromkeys(("C", "F", "degree"), "temperature"),
    **dict.fromkeys(("mm", "mile", "inch", "foot", "yard"), "length"),
    **dict.fromkeys(("mg", "lb", "t", "oz", "jin", "kilo"), "weight"),
    **dict.fromkeys(("m2", "yard2", "foot2", "tsubo", "mu", "hectare", "acre", "tatami"), "area"),
    **dict.fromkeys(("ml", "cup", "tablespoon", "teaspoon", "gallon", "pint"), "volume"),
    **dict.fromkeys(("bag", "box", "bottle", "glass", "can", "bucket", "bowl", "plate"), "container"),
    **dict.fromkeys(("byte", "bit", "KB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB"), "size"),
}
_FACTORS = {
    "s": (1, 60, 3600, 86400, 604800),
    "month": (1, 3, 12),
    "mm": (1, 10, 1000, 10**6),
    "mg": (1, 1000, 10**6),
    "ml": (1, 1000),
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in the unit it is compared in; no unit for what is counted, but maybe what kind of thing that is."""

    number: Decimal
    unit: str
    counted: str = ""

    @property
    def is_measured(self) -> bool:
        """Whether it has a unit of its own, which another one does not stand for."""
        return bool(self.unit)

    @property
    def family(self) -> str:
        """What it is a measure of: of one family, one quantity may have become another."""
        return _FAMILIES.get(self.unit, self.unit)

    @property
    def spellings(self) -> frozenset[Decimal]:
        """The numbers it may be written with, in whatever unit."""
        return frozenset((self.number / factor).normalize() for factor in _FACTORS.get(self.unit, (1,)))

    def is_same(self, other: Quantity) -> bool:
        """Tell whether both say the same; degrees may be those of either scale."""
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


def quantity_of(span: ProtectedSpan) -> Quantity:
    """Read the quantity of a span that is a number."""
    number, _, unit = span.value.partition(" ")
    if unit == "discount":
        is_share = span.quote.rstrip().endswith("折")
        return Quantity(_taken_off(Decimal(number), span.quote), "%", _OF_THE_PRICE if is_share else "")
    if unit == "time" and span.quote.endswith("度") and Decimal(number) > _FEW_TIMES:
        return Quantity(Decimal(number), "degree")
    if unit in _COUNTERS:
        return Quantity(Decimal(number), "", _SPECIFIC.get(unit, ""))
    factor, name = _CONVERTED.get(unit, (1, unit))
    return Quantity(Decimal(number) * factor, name)


def _taken_off(number: Decimal, quote: str) -> Decimal:
    """Give the percents of a discount: 2割引 takes off 20, 八折 20 and 九五折 5."""
    if not quote.rstrip().endswith("折"):
        return 10 * number
    return 100 - number if number > 10 else 100 - 10 * number  # noqa: PLR2004 - tenths or hundredths


def follows(quantity: Quantity, others: Iterable[Quantity], numbers: Iterable[Decimal]) -> bool:
    """Tell whether a quantity is worked out from others: half the fee, two of them together, two thirds of ninety."""
    own = {number for other in others if other.unit == quantity.unit for number in (other.number,)}
    known = {number for number in numbers if number}
    if own:
        return quantity.number in set(_worked_out(own, known))
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
                yield one / other
