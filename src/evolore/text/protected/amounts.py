"""Numbers with their units: what the languages share."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from evolore.text.protected.numerals import written
from evolore.text.protected.spans import Found, SpanKind
from evolore.text.protected.units import CODE_BEFORE, SIGN_BEFORE, in_smallest, unit_at, unit_before

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MONEY_BEFORE = rf"(?:(?P<money>{SIGN_BEFORE}|{CODE_BEFORE}) ?)?"
MINUS = r"(?P<minus>(?:(?<=[\s(:は为是在到至约約を、,。])-|(?<![A-Za-z])minus |マイナス|氷点下|零下|负))?"
RANGE_SIGN = re.compile(r"\s?(?:-|~|to|and|or|から|到|至|、|/|と|又は|または|或|或者|ないし)\s?")
_AND_HALF = re.compile(r" and a half(?![A-Za-z])|半(?![数分年天月日径角期])")
_DECIMAL = re.compile(r"\d+\.\d+")
_DURATIONS = ("s", "month", "day")
_LENGTHS = ("mm", "mg")
_AND = re.compile(r"[ ,]{0,2}(?:and |と|零|又)?")
_LIST_MARK = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|#{1,6})[ \t]+)?(?:\(?\d{1,2}[.):、](?!\d)|(?:[Ss]tep|手順|ステップ|步骤|第)[ ]?(?:\d{1,2}|[一二三四五六七八九十])(?:步)?[.:、]?(?=[\s:、]|$))|[①-⑳]",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit, by its places in a folded text."""

    number: Decimal
    unit: str
    start: int
    end: int
    quote: str
    is_soft: bool = False
    is_light: bool = False

    @property
    def found(self) -> Found:
        """The amount as a span."""
        return Found(SpanKind.NUMBER, self.value, self.start, self.end, is_soft=self.is_soft, is_light=self.is_light)

    @property
    def value(self) -> str:
        """The amount in the smallest unit it is an exact multiple of; a bare decimal as it is written."""
        if not self.unit and _DECIMAL.fullmatch(self.quote) and Decimal(self.quote) == self.number:
            return self.quote
        number, unit = in_smallest(self.number, self.unit)
        return f"{written(number)} {unit}".strip()


def without_list_marks(text: str) -> str:
    """Blank the numbers of list items and steps: they count lines, not things."""
    return _LIST_MARK.sub(lambda match: " " * len(match.group()), text)


def unit_of(text: str, match: re.Match[str], end: int, *, is_chinese: bool) -> tuple[str, int]:
    """Give the unit before or behind a number, and where the amount ends."""
    gap = 1 if text[end : end + 1] in {" ", "-"} else 0
    unit, stop = unit_at(text, end + gap)
    if unit and text.startswith("半", stop) and (longer := unit_at(text, stop + 1))[0].startswith(_DURATIONS):
        return longer[0], longer[1]
    if unit and gap and text[end] == "-" and not text[stop - 1].isalpha():
        unit, stop = "", end
    if match["money"]:
        sign = unit_before(match["money"], is_chinese=is_chinese)
        return sign, stop if unit == sign else end
    return (unit, stop) if unit else ("", end)


def and_half(text: str, number: Decimal, end: int, start: int = 0) -> tuple[Decimal, int]:
    """Add the half that stands behind a unit, or inside it from ``start`` on: 两个半小时."""
    half = _AND_HALF.match(text, end)
    if not half and start and "半" in text[start:end]:
        return number + Decimal("0.5"), end
    return (number + Decimal("0.5"), half.end()) if half else (number, end)


def put_in_order(text: str, found: Sequence[Amount]) -> Iterator[Amount]:
    """Drop what lies over another, and lend the unit behind a range to its first end: "10-20 GB"."""
    kept = _apart(found)
    units = [one.unit for one in kept]
    for index in range(len(kept) - 2, -1, -1):
        between = text[kept[index].end : kept[index + 1].start]
        if not units[index] and units[index + 1] and RANGE_SIGN.fullmatch(between):
            units[index] = units[index + 1]
    yield from _summed(text, [replace(one, unit=unit) for one, unit in zip(kept, units, strict=True)])


def _summed(text: str, found: Sequence[Amount]) -> Iterator[Amount]:
    """Put together what is told in two units: "1 hour 20 minutes", 2時間30分."""
    last: Amount | None = None
    for one in found:
        if last and _AND.fullmatch(text[last.end : one.start]) and (whole := _sum(last, one, text)):
            last = whole
            continue
        if last:
            yield last
        last = one
    if last:
        yield last


def _sum(one: Amount, other: Amount, text: str) -> Amount | None:
    (base, factor), (same, smaller) = (_base(each.unit) for each in (one, other))
    is_close = one.end == other.start or text[one.end : other.start] == " "
    if base not in _DURATIONS and not (base in _LENGTHS and is_close):
        return None
    if base != same or factor <= smaller or other.number * smaller >= factor:
        return None
    number = (one.number * factor + other.number * smaller) / smaller
    return Amount(number, other.unit, one.start, other.end, text[one.start : other.end])


def _base(unit: str) -> tuple[str, Decimal]:
    name, _, factor = unit.partition("*")
    return name, Decimal(factor or 1)


def _apart(found: Sequence[Amount]) -> list[Amount]:
    kept: list[Amount] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif kept[-1].is_soft:
            kept[-1] = one
    return kept
