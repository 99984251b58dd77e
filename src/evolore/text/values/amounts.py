"""Numbers with their units, in Latin letters and in Japanese and Chinese text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache

from evolore.domain.language import Language
from evolore.text.numerals import (
    HAN_NUMBER,
    HAN_NUMERALS,
    ORDINALS,
    PLAIN_NUMBER,
    SCALE_WORDS,
    SCALED,
    WORDED_NUMBER,
    read_count,
    read_digits,
    read_han,
    read_words,
    written,
)
from evolore.text.values.quantities import CODE_BEFORE, in_smallest, sign_before, unit_at, unit_before
from evolore.text.values.spans import SpanKind, Spot

MINUS = r"(?P<minus>(?:(?<=[\s(:は为是在到至约約を、,。于过過])-|(?<![A-Za-z])minus |マイナス|氷点下|零下|负))?"
RANGE_SIGN = re.compile(r"\s?(?:-|~|to|and|or|から|到|至|、|/|と|又は|または|或|或者|ないし)\s?")
_LONGEST = 28
"""Digits that are computed with exactly."""
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
    def found(self) -> Spot:
        """The amount as a span; a number that is too long to count anything is kept as it is written."""
        if len(self.quote) > _LONGEST and self.quote[0].isdecimal():
            return Spot(SpanKind.IDENTIFIER, self.quote.replace(",", ""), self.start, self.end)
        return Spot(SpanKind.NUMBER, self.value, self.start, self.end, is_soft=self.is_soft, is_light=self.is_light)

    @property
    def value(self) -> str:
        """The amount in the smallest unit it is an exact multiple of; a bare decimal as it is written."""
        if not self.unit and _DECIMAL.fullmatch(self.quote) and Decimal(self.quote) == self.number:
            return self.quote
        number, unit = in_smallest(self.number, self.unit)
        return f"{written(number)} {unit}".strip()


def money_before() -> str:
    """Return a pattern for a sign or code of money before a number, in the group ``money``."""
    return rf"(?:(?P<money>{sign_before()}|{CODE_BEFORE}) ?)?"


def without_list_marks(text: str) -> str:
    """Blank the numbers of list items and steps: they count lines, not things."""
    return _LIST_MARK.sub(_blanks, text)


def unit_of(text: str, match: re.Match[str], end: int, *, is_chinese: bool) -> tuple[str, int]:
    """Return the unit before or behind a number, and where the amount ends."""
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
    """Add the half that comes after a unit, or inside it from ``start`` on: 两个半小时."""
    half = _AND_HALF.match(text, end)
    if not half and start and "半" in text[start:end]:
        return number + Decimal("0.5"), end
    return (number + Decimal("0.5"), half.end()) if half else (number, end)


def find_amounts(text: str, language: Language) -> Iterator[Spot]:
    """Return the numbers with their units of a folded text, in its order.

    What lies over another is left out, and the unit behind a range holds for both its ends: "10-20 GB".
    """
    is_chinese = language is Language.ZH
    found = _han_amounts(text, is_chinese=is_chinese) if is_chinese or language is Language.JA else _latin_amounts(text)
    kept = _apart(sorted(found, key=lambda one: one.start))
    units = [one.unit for one in kept]
    for index in range(len(kept) - 2, -1, -1):
        between = text[kept[index].end : kept[index + 1].start]
        if not units[index] and units[index + 1] and RANGE_SIGN.fullmatch(between):
            units[index] = units[index + 1]
    for one in _summed(text, [replace(one, unit=unit) for one, unit in zip(kept, units, strict=True)]):
        yield one.found


def _summed(text: str, found: Sequence[Amount]) -> Iterator[Amount]:
    """Put together what is stated in two units: "1 hour 20 minutes", 2時間30分."""
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


_NOT_COUNTED = re.compile(
    rf"(?<![{HAN_NUMERALS}\d])(?:一(?:[部般緒致種样起些直切旦律边定番]|度に|人(?:ひとり|[もで])|次性|方|日中|家人|会儿|下)|十分(?:な|に|で)|万一|千万(?!円|元|人)|百合|三角|四[季則]|万能|唯一|統一|统一|同一|"
    r"単一|单一|第三者|第三方|一目|一覧|一览|一括|一時(?!間)|一気|一員|一连|一旁|一路|一共|一向|一再|一贯|一系列|百科|五感|九州|四国|千葉|三重|八王子|一二三|(?:[下上另每任逐某])一|(?:もう|再|今)?一度|再次)"
)
_SHARE = re.compile(
    rf"(?P<tens>[{HAN_NUMERALS}\d]{{1,2}})割(?P<ones>[{HAN_NUMERALS}\d]{{1,2}})分|(?P<tens_zh>[{HAN_NUMERALS}\d])成(?P<ones_zh>[一二三四五六七八九\d])(?![一-龥]*[成折])"
)
_PARTS = re.compile(
    rf"(?<![{HAN_NUMERALS}\d])(?P<below>[{HAN_NUMERALS}\d]++)分(?:之|の)(?P<above>[{HAN_NUMERALS}\d]+)|(?<![\d/])(?P<top>\d{{1,2}})/(?P<bottom>\d{{1,2}})(?=[片杯个個錠枚袋包本瓶])"
)
_HALVES = re.compile(r"半分(?![間间钟])|一半|半数")
_NEXT = re.compile("一二|[二两]三|三四|四五|五六|六七|七八|八九")
"""Two numbers in a row are either of them: 两三把."""

_CENTS = re.compile(
    rf"(?<![{HAN_NUMERALS}\d,])(?P<whole>[{HAN_NUMERALS}\d,]++)(?:円(?P<sen>[{HAN_NUMERALS}\d]{{1,3}})銭|[元块](?P<jiao>[{HAN_NUMERALS}\d])[角毛](?:(?P<fen>[{HAN_NUMERALS}\d])分)?)"
)
_MEGA = re.compile(r"兆(?=帕|瓦|赫|字节|比特)")
"""Before a unit it is mega, and no million million."""

_TENTHS = re.compile(rf"(?P<whole>[{HAN_NUMERALS}\d]{{1,4}})度(?P<tenths>[{HAN_NUMERALS}\d])分(?![間间钟])")
_METRES = re.compile(
    rf"(?P<whole>[{HAN_NUMERALS}\d]{{1,4}})(?:メートル|米)(?P<below>[{HAN_NUMERALS}]{{2,3}}|\d{{2}})(?![{HAN_NUMERALS}\d.厘センチミ]|[个個人名年月日分秒])"
)
_KE = re.compile(r"(?P<count>[一三])刻钟")
_SPECIAL: tuple[tuple[re.Pattern[str], Callable[[Mapping[str, Decimal]], tuple[Decimal, str]]], ...] = (
    (_SHARE, lambda read: (10 * (read["tens"] + read["tens_zh"]) + read["ones"] + read["ones_zh"], "%")),
    (_PARTS, lambda read: _part(read["above"] + read["top"], read["below"] + read["bottom"])),
    (_HALVES, lambda _: (Decimal("0.5"), "part")),
    (
        _CENTS,
        lambda read: (
            read["whole"] + (10 * read["jiao"] + read["fen"] + read["sen"]) / 100,
            "JPY" if read["sen"] else "CNY",
        ),
    ),
    (_TENTHS, lambda read: (read["whole"] + read["tenths"] / 10, "degree")),
    (_METRES, lambda read: (100 * read["whole"] + read["below"], "mm*10")),
    (_KE, lambda read: (15 * read["count"], "s*60")),
)
"""Wordings of two numbers: 二割五分, 三分之二, 19円80銭 and 三元五角, 38度5分 of which 5分 is no time, 一メートル二十, 一刻钟."""
_SOFT_AT_ONE = frozenset(
    ("time", "item", "person", "piece", "day", "row", "char", "th", "week", "day*7", "s*3600", "case")
)
_HARD_AT_ONE = frozenset(("JPY", "CNY", "USD", "%", "share", "month", "month*12"))
_LIGHT = frozenset(("time", "item", "person", "piece", "case", "count"))


def _han_amounts(text: str, *, is_chinese: bool) -> Iterator[Amount]:
    """Yield the numbers of a folded text in their order; numerals count where a unit or a range follows."""
    plain = _NOT_COUNTED.sub(_blanks, _MEGA.sub("M", text) if is_chinese else text)
    for pattern, number_of in _SPECIAL:
        for match in pattern.finditer(plain):
            read = {name: (read_han(one) if one else None) or Decimal(0) for name, one in match.groupdict().items()}
            number, unit = number_of(read)
            if unit:
                yield Amount(number, unit, *match.span(), match.group(), is_light=unit == "part")
                plain = f"{plain[: match.start()]}{_blanks(match)}{plain[match.end() :]}"
    for match in _han().finditer(plain):
        number = Decimal("0.5") if match["han"] == "半" else read_han(match["han"])
        if number is not None and not _is_in_word(plain, match):
            yield from _amount(plain, match, number, is_chinese=is_chinese)


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _part(above: Decimal, below: Decimal) -> tuple[Decimal, str]:
    """Return a fraction; hundredths are percents."""
    return (above / below, "part") if 0 < above < below != 100 else (above, "")  # noqa: PLR2004 - 百分之


def _is_in_word(text: str, match: re.Match[str]) -> bool:
    """Return whether digits end a word in Latin letters: "H2"."""
    before = text[match.start("han") - 1 : match.start("han")]
    return match["han"][0].isascii() and before.isascii() and before.isalpha()


def _amount(text: str, match: re.Match[str], number: Decimal, *, is_chinese: bool) -> Iterator[Amount]:
    quote = match["han"]
    is_numeral = quote[0] in HAN_NUMERALS or quote == "半"
    if match["point"] and not match["nth"]:
        number += Decimal(f"0.{''.join(str(read_han(sign)) for sign in match['point'][1:])}")
    if match["percent"]:
        yield Amount(number, "%", match.start(), match.end(), quote)
        return
    unit, end = unit_of(text, match, match.end(), is_chinese=is_chinese)
    if match["nth"]:
        yield Amount(number, "th", match.start(), end, quote, is_soft=number <= 2)  # noqa: PLR2004 - "first" is soft
        return
    if match["minus"] and unit == "time" and text[match.end() :].startswith("度"):
        unit = "degree"  # 零下18度 is no count
    if is_numeral and not unit and not _begins_range(text, match.end()):
        return
    if unit and _NEXT.fullmatch(quote):
        first = match.start("han")
        yield Amount((number - number % 10) / 10, unit, first, first + 1, quote[0])
        yield Amount(number % 10, unit, first + 1, end, quote[1])
        return
    if quote != "半":
        number, end = and_half(text, number, end, match.end())
    is_soft = number == 1 and (unit in _SOFT_AT_ONE or (is_numeral and unit not in _HARD_AT_ONE))
    is_light = is_numeral and unit in _LIGHT and number <= 10  # noqa: PLR2004 - counts of what is listed
    yield Amount(
        -number if match["minus"] else number, unit, match.start(), end, quote, is_soft=is_soft, is_light=is_light
    )


def _begins_range(text: str, end: int) -> bool:
    sign = RANGE_SIGN.match(text, end)
    return sign is not None and re.match(rf"[\d{HAN_NUMERALS}]", text[sign.end() :]) is not None


@cache
def _han() -> re.Pattern[str]:
    return re.compile(
        rf"{money_before()}(?P<nth>第)?{MINUS}(?<![\d.])(?P<percent>百分之)?(?P<han>{HAN_NUMBER}|半)(?P<point>(?<=[{HAN_NUMERALS}])点[〇零一二三四五六七八九]+(?![分钟]))?"
    )


_WORDED = re.compile(
    rf"(?<![A-Za-z-])(?:(?P<quarters>(?:a |three[ -]|one )?quarters?) of an hour|(?P<and_half>(?:{WORDED_NUMBER}) and a half)(?= [a-z])|a (?P<couple>couple)(?: of)?(?= [a-z])|(?P<article>an?|one)(?![ -]{SCALED})|(?P<words>{WORDED_NUMBER})|(?P<half>half an?|half)|(?P<nth>third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)|(?P<times>once|twice|thrice)|(?P<fortnight>fortnights?))(?![A-Za-z])",
    re.IGNORECASE,
)
_NO_ONE = re.compile(r"(?<![a-z])(?:no|this|that|the|which|each|another|any|some|every)[ -]?$", re.IGNORECASE)
_LONGEST_BEFORE = 8
_BELOW = {"third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_LATIN_PARTS = re.compile(
    rf"(?<![A-Za-z])(?P<above>an?|one|two|three|four|five|seven|nine)[ -](?P<below>{'|'.join(_BELOW)})s?(?! of an hour)(?![A-Za-z])(?= of|[.,;)]|$| the| to| full)"
    r"|(?<![\d/.])(?P<top>\d{1,2})/(?P<bottom>\d{1,2})(?= [A-Za-z])",
    re.IGNORECASE,
)
_OF_ONE = re.compile(r" (?:of an? )?")
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_UNCOUNTED = frozenset(("ml*1000", "mg*1000", "A", "t", "V", "s"))
"""Units of one letter: "a g" counts nothing."""


def _latin_amounts(text: str) -> Iterator[Amount]:
    """Yield the numbers in digits and in words, in their order."""
    parts = list(_latin_parts(text))
    yield from parts
    for one in parts:
        text = f"{text[: one.start]}{' ' * (one.end - one.start)}{text[one.end :]}"
    yield from (*_digits(text), *_words(text))


def _latin_parts(text: str) -> Iterator[Amount]:
    """Return fractions, of a unit or of anything: "two thirds", "a quarter", "3/4 of the fee", "1/4 litre"."""
    for match in _LATIN_PARTS.finditer(text):
        above = Decimal(match["top"] or read_count(match["above"]) or 0)
        below = Decimal(match["bottom"] or _BELOW[match["below"].casefold()])
        start, end = match.span()
        of_one = _OF_ONE.match(text, end)
        unit, stop = unit_at(text, of_one.end()) if of_one else ("", end)
        share, part = _part(above, below)
        if part and (unit or match["above"] or text.startswith(" of", end)):
            yield Amount(share, unit or part, start, stop if unit else end, match.group(), is_light=not unit)


def _digits(text: str) -> Iterator[Amount]:
    for match in _in_digits().finditer(text):
        number = read_digits(match["digits"], match["scale"] or "")
        if match["ordinal"]:
            yield Amount(number, "th", match.start(), match.end(), match["digits"], is_soft=number <= 2)  # noqa: PLR2004 - "first" is soft
            continue
        unit, end = unit_of(text, match, match.end(), is_chinese=False)
        number, end = and_half(text, number, end)
        yield Amount(-number if match["minus"] else number, unit, match.start(), end, match["digits"])


def _words(text: str) -> Iterator[Amount]:
    for match in _WORDED.finditer(text):
        start, end, quote = match.start(), match.end(), match.group()
        if match["times"]:
            number = Decimal(_TIMES[quote.casefold()])
            yield Amount(number, "time", start, end, quote, is_soft=number == 1, is_light=True)
        elif match["fortnight"]:
            yield Amount(Decimal(2), "day*7", start, end, quote)
        elif match["quarters"]:
            yield Amount(
                Decimal(45 if match["quarters"].casefold().startswith("three") else 15), "s*60", start, end, quote
            )
        elif match["nth"]:
            if text[max(0, start - 6) : start].casefold().endswith(("the ", "its ", "their ")):
                yield Amount(Decimal(ORDINALS[quote.casefold()]), "th", start, end, quote)
        else:
            yield from _counted(text, match)


def _counted(text: str, match: re.Match[str]) -> Iterator[Amount]:
    start, words = match.start(), match.group()
    has_gap = text[match.end() : match.end() + 1] in {" ", "-"}
    unit, stop = unit_at(text, match.end() + 1) if has_gap else ("", 0)
    end = stop if unit else match.end()
    if match["and_half"]:
        number = read_words(match["and_half"].casefold().removesuffix(" and a half")) + Decimal("0.5")
        yield Amount(number, unit, start, end, words)
    elif match["words"] or match["couple"]:
        number, end = and_half(text, read_words(words) if match["words"] else Decimal(2), end)
        is_light = unit in {"", "time"} and number <= 12  # noqa: PLR2004 - larger ones are seldom written out
        yield Amount(number, unit, start, end, words, is_soft=number == 1, is_light=is_light)
    elif unit and unit not in _UNCOUNTED:
        number, end = and_half(text, Decimal("0.5") if match["half"] else Decimal(1), end)
        yield Amount(number, unit, start, end, words, is_soft=number == 1 and unit != "item*12")
    elif words.casefold() == "one" and not _NO_ONE.search(text, max(0, start - _LONGEST_BEFORE), start):
        yield Amount(Decimal(1), "", start, end, words, is_soft=True)


@cache
def _in_digits() -> re.Pattern[str]:
    return re.compile(
        rf"{money_before()}{MINUS}(?<![\d.])(?<![A-Za-z](?=\d))(?P<digits>{PLAIN_NUMBER})(?:(?P<scale>{SCALE_WORDS}|(?(money)[mb](?![A-Za-z0-9])|(?!)))|(?P<ordinal>(?:st|nd|rd|th)(?![A-Za-z])))?"
    )
