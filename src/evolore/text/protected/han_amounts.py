"""Numbers in Japanese and Chinese text: digits of either width, Chinese numerals, and both mixed."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from evolore.text.protected.amounts import MINUS, MONEY_BEFORE, RANGE_SIGN, Amount, and_half, unit_of
from evolore.text.protected.numerals import HAN_NUMBER, HAN_NUMERALS, read_han

if TYPE_CHECKING:
    from collections.abc import Iterator

_HAN = re.compile(
    rf"{MONEY_BEFORE}(?P<nth>第)?{MINUS}(?<![\d.])(?P<percent>百分之)?(?P<han>{HAN_NUMBER}|半)(?P<point>(?<=[{HAN_NUMERALS}])点[〇零一二三四五六七八九]+(?![分钟]))?"
)
_NOT_COUNTED = re.compile(
    r"一(?:[部般緒致種样起些直切旦律边定番]|度に|人ひとり|次性|方面|下)|十分(?:な|に|で)|万一|千万(?!円|元|人)|百合|三角|四[季則]|万能|唯一|統一|统一|同一|"
    r"単一|单一|第三者|第三方|一目|一覧|一览|一括|一時(?!間)|一気|一員|一连|一旁|一路|一共|一向|一再|一贯|一系列|百科|五感|九州|四国|千葉|三重|八王子|一二三|(?:[下上另每任逐某])一|(?:もう|再|今)?一度|再次"
)
_SHARE = re.compile(
    rf"(?P<tens>[{HAN_NUMERALS}\d]{{1,2}})割(?P<ones>[{HAN_NUMERALS}\d]{{1,2}})分|(?P<tens_zh>[{HAN_NUMERALS}\d])成(?P<ones_zh>[一二三四五六七八九\d])(?![一-龥]*[成折])"
)
_PARTS = re.compile(
    rf"(?<![{HAN_NUMERALS}\d])(?P<below>[{HAN_NUMERALS}\d]++)分(?:之|の)(?P<above>[{HAN_NUMERALS}\d]+)|(?<![\d/])(?P<top>\d{{1,2}})/(?P<bottom>\d{{1,2}})(?=[片杯个個錠枚袋包本瓶])"
)
_CENTS = re.compile(
    rf"(?<![{HAN_NUMERALS}\d,])(?P<whole>[{HAN_NUMERALS}\d,]++)(?:円(?P<sen>[{HAN_NUMERALS}\d]{{1,3}})銭|[元块](?P<jiao>[{HAN_NUMERALS}\d])[角毛](?:(?P<fen>[{HAN_NUMERALS}\d])分)?)"
)
_MEGA = re.compile(r"兆(?=帕|瓦|赫|字节|比特)")
"""Before a unit it is mega, and no million million."""

_TENTHS = re.compile(rf"(?P<whole>[{HAN_NUMERALS}\d]{{1,4}})度(?P<tenths>[{HAN_NUMERALS}\d])分(?![間间钟])")
_KE = re.compile(r"(?P<count>[一三])刻钟")
_SOFT_AT_ONE = frozenset(
    ("time", "item", "person", "piece", "day", "row", "char", "th", "week", "day*7", "s*3600", "case")
)
_HARD_AT_ONE = frozenset(("JPY", "CNY", "USD", "%", "share", "month", "month*12"))
_LIGHT = frozenset(("time", "item", "person", "piece", "case"))


def han_amounts(text: str, *, is_chinese: bool) -> Iterator[Amount]:
    """Give the numbers of a folded text in their order; numerals count where a unit or a range follows."""
    plain = _NOT_COUNTED.sub(lambda match: " " * len(match.group()), _MEGA.sub("M", text) if is_chinese else text)
    for match in _SHARE.finditer(plain):
        tens, ones = (read_han(match[name] or match[f"{name}_zh"]) for name in ("tens", "ones"))
        if tens is not None and ones is not None:
            yield Amount(10 * tens + ones, "%", match.start(), match.end(), match.group())
    plain = _SHARE.sub(lambda match: " " * len(match.group()), plain)
    for one in (*_parts(plain), *_cents(plain), *_tenths(plain)):
        yield one
        plain = f"{plain[: one.start]}{' ' * (one.end - one.start)}{plain[one.end :]}"
    for match in _KE.finditer(plain):
        yield Amount(15 * (read_han(match["count"]) or Decimal(1)), "s*60", match.start(), match.end(), match.group())
    plain = _KE.sub(lambda match: " " * len(match.group()), plain)
    for match in _HAN.finditer(plain):
        number = Decimal("0.5") if match["han"] == "半" else read_han(match["han"])
        if number is not None and not _is_in_word(plain, match):
            yield from _amount(plain, match, number, is_chinese=is_chinese)


def _parts(text: str) -> Iterator[Amount]:
    """Give fractions: 三分之二, 3分の2, 2/3. Hundredths are percents."""
    for match in _PARTS.finditer(text):
        below, above = (read_han(one) for one in (match["below"] or match["bottom"], match["above"] or match["top"]))
        if below and above and above < below and below != 100:  # noqa: PLR2004 - 百分之
            yield Amount(above / below, "part", match.start(), match.end(), match.group(), is_light=True)


def _cents(text: str) -> Iterator[Amount]:
    """Give money with its hundredths: 19円80銭, 三元五角."""
    for match in _CENTS.finditer(text):
        whole, sen, jiao, fen = (
            read_han(one) if one else Decimal(0) for one in match.group("whole", "sen", "jiao", "fen")
        )
        number = (whole or 0) + (sen or 0) / Decimal(100) + (jiao or 0) / Decimal(10) + (fen or 0) / Decimal(100)
        yield Amount(number, "JPY" if match["sen"] else "CNY", match.start(), match.end(), match.group())


def _tenths(text: str) -> Iterator[Amount]:
    """Give temperatures with their tenths: 38度5分, of which 5分 is no time."""
    for match in _TENTHS.finditer(text):
        whole, tenths = read_han(match["whole"]), read_han(match["tenths"])
        if whole is not None and tenths is not None:
            yield Amount(whole + tenths / 10, "degree", match.start(), match.end(), match.group())


def _is_in_word(text: str, match: re.Match[str]) -> bool:
    """Tell whether digits end a word in Latin letters: "H2"."""
    before = text[match.start("han") - 1 : match.start("han")]
    return match["han"][0].isascii() and before.isascii() and before.isalpha()


def _amount(text: str, match: re.Match[str], number: Decimal, *, is_chinese: bool) -> Iterator[Amount]:
    quote = match["han"]
    is_numeral = quote[0] in HAN_NUMERALS or quote == "半"
    number += _decimals(match["point"]) if match["point"] and not match["nth"] else 0
    if match["percent"]:
        yield Amount(number, "%", match.start(), match.end(), quote)
        return
    unit, end = unit_of(text, match, match.end(), is_chinese=is_chinese)
    if match["nth"]:
        yield Amount(number, "th", match.start(), end, quote, is_soft=number <= 2)  # noqa: PLR2004 - "first" is soft
        return
    if is_numeral and not unit and not _begins_range(text, match.end()):
        return
    if quote != "半":
        number, end = and_half(text, number, end, match.end())
    is_soft = number == 1 and (unit in _SOFT_AT_ONE or (is_numeral and unit not in _HARD_AT_ONE))
    is_light = is_numeral and unit in _LIGHT and number <= 10  # noqa: PLR2004 - counts of what is listed
    yield Amount(
        -number if match["minus"] else number, unit, match.start(), end, quote, is_soft=is_soft, is_light=is_light
    )


def _decimals(point: str) -> Decimal:
    """Read what stands behind 点: 二点五."""
    return Decimal(f"0.{''.join(str(read_han(sign)) for sign in point[1:])}")


def _begins_range(text: str, end: int) -> bool:
    sign = RANGE_SIGN.match(text, end)
    return sign is not None and re.match(rf"[\d{HAN_NUMERALS}]", text[sign.end() :]) is not None
