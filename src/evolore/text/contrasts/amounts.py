"""Amounts: what a text counts or measures, whatever it is written in: digits, words, Chinese numerals, other widths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.language import Language

if TYPE_CHECKING:
    from collections.abc import Iterator

_CJK_DIGITS = dict(zip("〇零一二三四五六七八九两兩", (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 2), strict=True))
_CJK_PLACES = {"十": 10, "百": 100, "千": 1000}
_CJK_LARGE = {"万": 10_000, "萬": 10_000, "億": 10**8, "亿": 10**8}
_ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = (
    {word: number for number, word in enumerate(_ONES.split())}
    | {word: 10 * number for number, word in enumerate(_TENS.split(), 2)}
    | {"dozen": 12, "couple": 2}
)
_SCALES = {
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "k": 1000,
    "m": 10**6,
    "bn": 10**9,
    "b": 10**9,
}

_WORD = "|".join(sorted([*_WORDS, "hundred", "thousand", "million", "billion"], key=len, reverse=True))
_LATIN = re.compile(
    r"(?P<money>[$€£¥] ?)?(?<![\w.])(?P<digits>\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:[.:/]\d+)*)"
    r"(?:(?P<scale> ?(?:million|billion|thousand|bn)\b|[kmb]\b)|(?P<ordinal>(?:st|nd|rd|th)\b))?"
    r"[ -]?(?P<unit>%|°c|°f|[a-z]+)?"
    rf"|(?<!no )(?<!this )(?<!that )(?<!any)(?<!some)(?<!every)(?<!the )(?<!which )(?<!each )(?<!another )\b"
    rf"(?P<words>(?:{_WORD})(?:[ -](?:and )?(?:{_WORD}))*)\b(?:[ -](?P<counted>[a-z]+))?"
)
_MAY_COUNT = re.compile(rf"\d|{_WORD}")
"""What every amount holds: most sentences hold none, which this finds in two fifths of the time."""

_COUNTERS_JA = (
    "万円|千円|億円|円|ドル|ユーロ|元|%|割引|割|分の|ヶ月|か月|ヵ月|カ月|ケ月|箇月|週間|年間|日間|時間|分間|秒|"
    "年生|年|月|日|時|分|週|歳|才|人前|人|名|匹|頭|羽|個|つ|台|本|枚|冊|杯|軒|階建て|階|回|度|号室|号|番|機|隻|艘|脚|足|切れ|"
    "両|列|種類|畳|平米|坪|km|kg|cm|mm|mg|ml|gb|mb|tb|キロ|メートル|センチ|グラム|リットル|m|g|件|社|店|点|位|部屋|部|話|曲|品|行|語|倍|ポイント"
)
_COUNTERS_ZH = (
    "万元|亿元|美元|欧元|日元|元|块钱|块|%|个月|个星期|个礼拜|个小时|小时|分钟|秒钟|个|箱|罐|盒|袋|碗|包|盆|片|粒|勺|只|条|名|位|头|匹|辆|台|件|张|本|家|层|楼|岁|年级|年|月|号线|号|日|点钟|点|分|秒|"
    "人|次|天|周|星期|公里|千米|厘米|米|公斤|千克|斤|克|吨|升|度|杯|瓶|把|间|套|份|期|届|种|双|队|组|排|级|批|倍|折|栋|室|平米|平方米|平|km|kg|cm|gb|mb|tb|成|颗|棵|支|艘|架|部|遍|场|轮|门|科|字|页|集"
)
_NUMERAL_SIGNS = "〇零一二三四五六七八九十百千两兩"
# A numeral begins where its run of signs begins, gives nothing back, and has a longest length: else a run of n signs
# without a unit would be read from n places, and each reading tried at n lengths.
_NUMERAL = (
    r"(?:(?<!\d)(?:\d++(?:,\d{3})++(?:\.\d++)?|\d++(?:[.:/]\d++)*+)"
    rf"|(?<![{_NUMERAL_SIGNS}])[{_NUMERAL_SIGNS}]{{1,40}}+)[万萬億亿]?[{_NUMERAL_SIGNS}\d]{{0,40}}+"
)
_CJK = {
    Language.JA: re.compile(rf"(?P<value>{_NUMERAL})(?P<unit>{_COUNTERS_JA})(?P<half>半)?|(?P<bare>\d[\d,.:/]*\d|\d)"),
    Language.ZH: re.compile(
        rf"(?P<value>{_NUMERAL}|半)(?P<unit>{_COUNTERS_ZH})(?P<half>半)?|(?P<bare>\d[\d,.:/]*\d|\d)(?P<more>万|亿)?"
    ),
}
_NOT_COUNTED = re.compile(
    r"一(?:番(?!線|目)|部|般|緒|日中|度に|人で|人も|方|点|直|些|边|样|起|定|切|家人|次性|会儿|下)|十分(?:な|に|で)|[一二三四五六]月(?=曜)"
)
_PERCENT = re.compile(rf"百分之({_NUMERAL})")
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_HALF_HOUR = re.compile(r"([時点])半")
_UNITS = {
    "才": "歳", "名": "人", "位": "人", "か月": "ヶ月", "ヵ月": "ヶ月", "カ月": "ヶ月", "ケ月": "ヶ月", "箇月": "ヶ月",
    "キロ": "km", "公里": "km", "千米": "km", "公斤": "kg", "千克": "kg", "块钱": "元", "块": "元", "点钟": "点",
    "号": "日", "个小时": "小时", "percent": "%", "pct": "%", "dollars": "$", "dollar": "$", "usd": "$", "bucks": "$",
    "euros": "€", "euro": "€", "eur": "€", "pounds": "£", "pound": "£", "yen": "¥", "minutes": "minute", "mins": "minute",
    "min": "minute", "hours": "hour", "hrs": "hour", "hr": "hour", "h": "hour", "days": "day", "weeks": "week",
    "months": "month", "years": "year", "yrs": "year", "people": "person", "men": "man", "women": "woman",
    "children": "child", "kids": "child", "層": "階", "楼": "层", "星期": "周", "个星期": "周", "个礼拜": "周", "秒钟": "秒",
}  # fmt: skip
_NOT_UNITS = """
of and or to in on at by for with from the a an is are was were will per than more as but that who which since until
st nd rd th am pm years-old old other of. new big small large young little black white red brown
"""
_TIMES = frozenset(
    [
        "second",
        "minute",
        "hour",
        "day",
        "week",
        "month",
        "year",
        "秒",
        "分",
        "分間",
        "時間",
        "日間",
        "週間",
        "週",
        "ヶ月",
        "年間",
        "分钟",
        "小时",
        "天",
        "周",
        "个月",
    ]
)
_NO_UNIT = frozenset(_NOT_UNITS.split())


_LONGEST_NUMBER = 40
"""A number of more signs counts nothing that anybody counts: it stays as it is written, and nothing is computed of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A number and what it counts.

    Args:
        value: In one spelling: ``3``, ``1200``, ``10:30``, ``3.11.2``.
        unit: In one spelling where several are usual; empty where nothing tells.
        quote: As it stands in the text.
        is_article: Whether it is a mere article: "一个", and no more than that.
    """

    value: str
    unit: str
    quote: str
    is_article: bool = False

    def is_of_kind(self, other: Amount) -> bool:
        """Tell whether both may measure the same: in one unit, or times in two."""
        return self.unit == other.unit or not self.unit or not other.unit or self.is_other_time(other)

    def is_other_time(self, other: Amount) -> bool:
        """Tell whether both are spans of time in two units: two weeks, two months."""
        return self.unit != other.unit and self.unit in _TIMES and other.unit in _TIMES


def read_amounts(text: str, language: Language) -> tuple[Amount, ...]:
    """Read the amounts of a text in NFKC and lower case, in its order.

    >>> [(one.value, one.unit) for one in read_amounts("rent is $1,200, twenty-five minutes away", Language.EN)]
    [('1200', '$'), ('25', 'minute')]
    >>> [(one.value, one.unit) for one in read_amounts("家賃は八万五千円で3人", Language.JA)]
    [('85000', '円'), ('3', '人')]
    """
    if language in _CJK:
        return tuple(_cjk(_NOT_COUNTED.sub(" ", _HALF_HOUR.sub(r"\g<1>30分", _PERCENT.sub(r"\g<1>%", text))), language))
    return tuple(_latin(text))


def _latin(text: str) -> Iterator[Amount]:
    if not _MAY_COUNT.search(text):
        return
    for match in _LATIN.finditer(text):
        unit = (match["unit"] or match["counted"] or "").strip()
        if match["words"]:
            value = _spelled_out(match["words"])
        else:
            value = _scaled(match["digits"], (match["scale"] or "").strip())
        if match["money"]:
            unit = match["money"].strip()
        unit = "" if unit in _NO_UNIT else _UNITS.get(unit, _singular(unit))
        yield Amount(value=value, unit=unit, quote=match.group().strip())


def _cjk(text: str, language: Language) -> Iterator[Amount]:
    for match in _CJK[language].finditer(text):
        if match["bare"]:
            more = _CJK_LARGE.get((match.groupdict().get("more") or ""), 1)
            yield Amount(value=_times(match["bare"].strip(".,:/"), more), unit="", quote=match.group())
            continue
        value, unit = match["value"], match["unit"]
        if unit[0] in _CJK_LARGE and len(unit) > 1:
            value, unit = value + unit[0], unit[1:]
        number = "0.5" if value == "半" else _cjk_number(value) if len(value) <= _LONGEST_NUMBER else value
        if number is None:
            continue
        if match["half"]:
            number = f"{number}.5"
        is_article = language is Language.ZH and value == "一" and unit not in {"元", "年", "岁", "%", "天", "周", "月"}
        yield Amount(value=number, unit=_UNITS.get(unit, unit), quote=match.group(), is_article=is_article)


def _cjk_number(text: str) -> str | None:
    total, rest = 0, text
    for sign, size in sorted(_CJK_LARGE.items(), key=lambda one: -one[1]):
        if sign in rest:
            head, rest = rest.split(sign, 1)
            part = _cjk_number(head) if head else "1"
            if part is None or not _PLAIN.fullmatch(part):
                return None
            total += int(part) * size if part.isdecimal() else round(float(part) * size)
    if not rest:
        return str(total)
    if not total and re.fullmatch(r"[\d.,:/]+", rest):
        return _times(rest, 1)
    below = _below_ten_thousand(rest)
    return None if below is None else str(total + below)


def _below_ten_thousand(text: str) -> int | None:
    if not _CJK_PLACES.keys() & set(text):
        digits = "".join(str(_CJK_DIGITS[one]) if one in _CJK_DIGITS else one for one in text if one != ",")
        return int(digits) if digits.isdigit() else None
    total = pending = 0
    for one in text:
        if one in _CJK_PLACES:
            total += (pending or 1) * _CJK_PLACES[one]
            pending = 0
        elif one.isascii() and one.isdigit():
            pending = 10 * pending + int(one)
        else:
            pending = _CJK_DIGITS.get(one, 0)
    return total + pending


def _spelled_out(words: str) -> str:
    total = current = 0
    for word in re.split(r"[ -]", words)[:_LONGEST_NUMBER]:
        if word in _SCALES:
            current = (current or 1) * _SCALES[word]
            if _SCALES[word] >= 1000:  # noqa: PLR2004 - thousands close a group
                total, current = total + current, 0
        elif word != "and":
            current = current * _WORDS[word] if word == "dozen" and current else current + _WORDS[word]
    return str(total + current)


def _scaled(digits: str, scale: str) -> str:
    return _times(digits, _SCALES.get(scale, 1))


def _times(digits: str, factor: int) -> str:
    """Give a number without separators and needless zeros; what is no plain number stays as it is."""
    plain = digits.replace(",", "")
    if len(plain) > _LONGEST_NUMBER:
        return plain
    if _PLAIN.fullmatch(plain) and (factor > 1 or "." not in plain or "," in digits):
        if plain.isdecimal():
            return str(int(plain) * factor)
        value = float(plain) * factor
        return str(int(value)) if value == int(value) else repr(round(value, 6))
    return plain.removesuffix(":00")


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word  # noqa: PLR2004 - "gas"
