"""Numbers with their units, and what they are limited by and counted per."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.text.protected.finding import Found
from evolore.text.protected.numerals import (
    HAN_NUMBER,
    HAN_NUMERALS,
    PLAIN_NUMBER,
    SCALE_WORDS,
    WORDED_NUMBER,
    read_digits,
    read_han,
    read_ordinal,
    read_words,
    written,
)
from evolore.text.protected.spans import SpanKind
from evolore.text.protected.units import CODE_BEFORE, SIGN_BEFORE, in_smallest, unit_at, unit_before

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SIGN = rf"(?P<money>{SIGN_BEFORE}|{CODE_BEFORE}) ?"
_MINUS = r"(?P<minus>(?:(?<=[\s(:は为是])-|(?<![A-Za-z])minus |マイナス|氷点下|零下|负))?"
_DIGITS = re.compile(
    rf"(?:{_SIGN})?{_MINUS}(?<![\d.])(?<![A-Za-z](?=\d))(?P<digits>{PLAIN_NUMBER})(?:(?P<scale>{SCALE_WORDS})|(?P<ordinal>(?:st|nd|rd|th)(?![A-Za-z])))?"
)
_HAN = re.compile(rf"(?:{_SIGN})?(?P<nth>第)?{_MINUS}(?<![\d.])(?P<percent>百分之)?(?P<han>{HAN_NUMBER}|半)")
_WORDED = re.compile(
    rf"(?<![A-Za-z-])(?:(?P<article>an?|one)|(?P<words>{WORDED_NUMBER})|(?P<half>half an?|half)|(?P<dozen>a dozen)|(?P<nth>third|fourth|fifth|sixth|seventh|eighth|ninth|tenth))(?: dozen)?(?![A-Za-z])",
    re.IGNORECASE,
)
_AND_HALF = re.compile(r" and a half(?![A-Za-z])|半(?![数分年天月日径角期])")
_RANGE_SIGN = re.compile(r"\s?(?:-|~|to|and|or|から|到|至|,|、|/|と|又は|または|或|或者|ないし)\s?")
_DURATIONS = ("s", "month", "day")
_NOT_COUNTED = re.compile(
    r"一(?:[部般緒致種样起些直切旦律边定番]|度に|人ひとり|次性|方面|下)|十分(?:な|に|で)|万一|千万(?!円|元|人)|百合|三角|四[季則]|万能|唯一|統一|统一|同一|単一|单一|第三者|第三方|一目|一覧|一览|一括|一時|一気|一員|一连|一旁|一路|一共|一向|一再|一贯|一系列|百科|五感|九州|四国|千葉|三重|八王子|一時的|万が一|一二三"
)
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

    @property
    def value(self) -> str:
        """The amount in the smallest unit it is an exact multiple of; a bare decimal as it is written."""
        if not self.unit and "." in self.quote:
            return self.quote
        number, unit = in_smallest(self.number, self.unit)
        return f"{written(number)} {unit}".strip()

    @property
    def found(self) -> Found:
        """The amount as a span."""
        return Found(SpanKind.NUMBER, self.value, self.start, self.end, is_soft=self.is_soft)


def without_list_marks(text: str) -> str:
    """Blank the numbers of list items and steps: they count lines, not things."""
    return _LIST_MARK.sub(lambda match: " " * len(match.group()), text)


def find_amounts(text: str, language: Language) -> tuple[Amount, ...]:
    """Give the numbers of a folded text in its order; of a range, both ends with the unit behind it."""
    is_chinese = language is Language.ZH
    if language in {Language.JA, Language.ZH}:
        found = list(
            _han_amounts(_NOT_COUNTED.sub(lambda match: " " * len(match.group()), text), is_chinese=is_chinese)
        )
    else:
        found = sorted([*_digit_amounts(text), *_worded_amounts(text)], key=lambda one: one.start)
    return tuple(_with_shared_units(text, _apart(found)))


def _digit_amounts(text: str) -> Iterator[Amount]:
    for match in _DIGITS.finditer(text):
        number = read_digits(match["digits"], match["scale"] or "")
        end = match.end()
        if match["ordinal"]:
            yield Amount(number, "th", match.start(), end, match["digits"])
            continue
        unit, end = _unit(text, match, end, is_chinese=False)
        number, end = _and_half(text, number, end)
        yield Amount(-number if match["minus"] else number, unit, match.start(), end, match["digits"])


def _unit(text: str, match: re.Match[str], end: int, *, is_chinese: bool) -> tuple[str, int]:
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


def _and_half(text: str, number: Decimal, end: int, start: int = 0) -> tuple[Decimal, int]:
    half = _AND_HALF.match(text, end)
    if not half and start and "半" in text[start:end]:
        return number + Decimal("0.5"), end
    return (number + Decimal("0.5"), half.end()) if half else (number, end)


def _worded_amounts(text: str) -> Iterator[Amount]:
    for match in _WORDED.finditer(text):
        if match["nth"]:
            before = text[max(0, match.start() - 4) : match.start()].casefold()
            if before.endswith("the ") and (nth := read_ordinal(match["nth"])):
                yield Amount(Decimal(nth), "th", match.start(), match.end(), match.group())
            continue
        gap = 1 if text[match.end() : match.end() + 1] in {" ", "-"} else 0
        unit, end = unit_at(text, match.end() + gap)
        unit, end = (unit, end) if gap and unit else ("", match.end())
        if match["words"]:
            number, end = _and_half(text, read_words(match["words"]), end)
            is_one = number == 1
            yield Amount(number, unit, match.start(), end, match["words"], is_soft=is_one)
        elif unit and unit not in {"ml*1000", "mg*1000", "A", "t", "V", "s", "day*1"}:
            number = Decimal("0.5") if match["half"] else Decimal(1)
            number, end = _and_half(text, number, end)
            is_soft = match["article"] is not None and number == 1
            yield Amount(number, unit, match.start(), end, match.group(), is_soft=is_soft)


def _han_amounts(text: str, *, is_chinese: bool) -> Iterator[Amount]:
    for match in _HAN.finditer(text):
        quote = match["han"]
        if (
            quote[0].isascii()
            and match.start("han")
            and text[match.start("han") - 1].isascii()
            and text[match.start("han") - 1].isalpha()
        ):
            continue
        number = Decimal("0.5") if quote == "半" else read_han(quote)
        if number is None:
            continue
        is_written_out = quote[0] in HAN_NUMERALS or quote == "半"
        if match["percent"]:
            yield Amount(number, "%", match.start(), match.end(), quote)
            continue
        unit, end = _unit(text, match, match.end(), is_chinese=is_chinese)
        if match["nth"]:
            yield Amount(number, "th", match.start(), end, quote)
        elif not is_written_out or unit:
            number, end = _and_half(text, number, end, match.end()) if quote != "半" else (number, end)
            is_soft = (
                is_written_out
                and (number == 1 or quote == "半")
                and unit not in {"month*12", "month", "JPY", "CNY", "share"}
            )
            yield Amount(-number if match["minus"] else number, unit, match.start(), end, quote, is_soft=is_soft)


def _apart(found: Sequence[Amount]) -> list[Amount]:
    kept: list[Amount] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
        elif kept[-1].is_soft:
            kept[-1] = one
    return kept


def _with_shared_units(text: str, found: Sequence[Amount]) -> Iterator[Amount]:
    """Lend the unit behind a range to its first end: "10-20 GB"."""
    units = [one.unit for one in found]
    for index in range(len(found) - 2, -1, -1):
        between = text[found[index].end : found[index + 1].start]
        if not units[index] and units[index + 1] and _RANGE_SIGN.fullmatch(between):
            units[index] = units[index + 1]
    for one, unit in zip(found, units, strict=True):
        yield Amount(one.number, unit, one.start, one.end, one.quote, is_soft=one.is_soft)
