"""Every number a text holds in any reading: digits, words, ordinals, fractions, numerals inside words."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.text.protected.folding import fold_text
from evolore.text.protected.numerals import HAN_NUMERALS, PLAIN_NUMBER, read_digits, read_han, read_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCALED = re.compile(
    rf"(?P<digits>{PLAIN_NUMBER})(?P<scale> ?(?:hundred|thousand|million|billion|bn|m|k)(?![A-Za-z]))?"
)
_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_CARDINAL = "|".join(
    sorted([*_ONES.split(), *_TENS.split(), "hundred", "thousand", "million", "billion"], key=len)[::-1]
)
_WORDED = re.compile(rf"(?<![a-z])(?:{_CARDINAL})(?:(?:[ -]| and )(?:{_CARDINAL}))*(?![a-z])")
_ORDINAL_ONES = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
_ORDINALS = {word: number for number, word in enumerate(_ORDINAL_ONES.split(), 1)} | {
    f"{word[:-1]}ieth": 10 * number for number, word in enumerate(_TENS.split(), 2)
}
_ORDINAL = re.compile(
    rf"(?<![a-z])(?:(?P<tens>{_TENS.replace(' ', '|')})[ -])?(?P<ones>{'|'.join(sorted(_ORDINALS, key=len)[::-1])})s?(?![a-z])"
)
_SPOKEN = {
    "once": "1", "single": "1", "sole": "1", "alone": "1", "only": "1", "an": "1", "a": "1", "each": "1", "every": "1",
    "monolingual": "1", "twice": "2", "thrice": "3", "both": "2", "pair": "2", "pairs": "2", "couple": "2", "double": "2",
    "doubles": "2", "doubled": "2", "two-fold": "2", "twofold": "2", "either": "2", "neither": "2", "halves": "2",
    "bilingual": "2", "triple": "3", "triples": "3", "tripled": "3", "threefold": "3", "trio": "3", "quadruple": "4",
    "dozen": "12", "dozens": "12", "half": "0.5", "halved": "0.5", "halfway": "0.5", "quarter": "0.25", "quarters": "0.25",
    "fortnight": "2", "fortnightly": "2", "biweekly": "2", "bimonthly": "2", "biennial": "2", "zero": "0", "no": "0",
    "none": "0", "nil": "0", "score": "20", "decade": "10", "century": "100", "noon": "12", "midday": "12", "midnight": "0",
}  # fmt: skip
_SPOKEN_WORD = re.compile(r"(?<![a-z])[a-z]+(?:-[a-z]+)?(?![a-z])")
_HAN_RUN = re.compile(rf"(?<!\d)(?<![\d,][{HAN_NUMERALS}])[{HAN_NUMERALS}]+(?:点[{HAN_NUMERALS}]+)?")
_MIXED = re.compile(
    rf"(?<!\d)(?:(?<!\d,)\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)[十百千万萬億亿兆]+(?:[\d{HAN_NUMERALS}]+)?"
)
_HAN_SPOKEN = {
    "半": "0.5", "双": "2", "両": "2", "兩": "2", "两": "2", "倍": "2", "一刻": "15", "初": "1", "首": "1", "頭": "1",
    "头": "1", "最初": "1", "唯一": "1", "单": "1", "単": "1", "每": "1", "毎": "1", "ごと": "1", "ひと": "1", "ふた": "2",
    "再": "2", "翌": "1", "次": "1", "元": "1", "末": "12", "正午": "12", "中午": "12", "零时": "0", "零時": "0", "無": "0",
    "打": "12", "ダース": "12", "都": "2", "どちら": "2", "双方": "2", "双盲": "2", "ダブル": "2", "ペア": "2",
}  # fmt: skip
_FEN = re.compile(rf"(?<![{HAN_NUMERALS}\d])(?P<below>[{HAN_NUMERALS}\d]++)分(?:之|の)(?P<above>[{HAN_NUMERALS}\d]+)")
_DISCOUNT = re.compile(rf"(?<![{HAN_NUMERALS}\d])(?P<share>[{HAN_NUMERALS}\d]++)折")


def loose_numbers(text: str, language: Language) -> frozenset[Decimal]:
    """Give every number that may be read in a text, whatever it counts; too many rather than too few.

    >>> sorted(map(str, loose_numbers("Both leave on the thirty-first at half past 6.", Language.EN)))
    ['0.5', '2', '31', '3E+1', '6']
    """
    plain = fold_text(text).casefold()
    found = set(_digits(plain))
    found |= set(_spoken(plain))
    if language in {Language.JA, Language.ZH}:
        found |= set(_han(plain))
    return frozenset(number.normalize() for number in found)


def _digits(text: str) -> Iterator[Decimal]:
    for match in _SCALED.finditer(text):
        yield read_digits(match["digits"])
        if match["scale"]:
            yield read_digits(match["digits"], match["scale"].strip())
        for part in match["digits"].split("."):
            yield Decimal(part.replace(",", ""))


def _spoken(text: str) -> Iterator[Decimal]:
    for match in _WORDED.finditer(text):
        yield read_words(match.group().replace(" and ", " "))
        yield from (read_words(word) for word in re.split("[ -]", match.group()) if word != "and")
    for match in _ORDINAL.finditer(text):
        tens = int(read_words(match["tens"])) if match["tens"] else 0
        yield Decimal(tens + _ORDINALS[match["ones"]])
    for match in _SPOKEN_WORD.finditer(text):
        for word in (match.group(), *match.group().split("-")):
            if word in _SPOKEN:
                yield Decimal(_SPOKEN[word])


def _han(text: str) -> Iterator[Decimal]:
    for match in _HAN_RUN.finditer(text):
        whole, _, part = match.group().partition("点")
        number, decimals = read_han(whole), read_han(part) if part else None
        yield from (one for one in (number, decimals) if one is not None)
        if number is not None and decimals is not None:
            yield Decimal(f"{number}.{''.join(str(read_han(sign)) for sign in part)}")
    for match in _MIXED.finditer(text):
        number = read_han(match.group())
        if number is not None:
            yield number
    yield from _parts(text)
    yield from (Decimal(number) for word, number in _HAN_SPOKEN.items() if word in text)


def _parts(text: str) -> Iterator[Decimal]:
    """Give fractions and discounts: 三分之二, 九折."""
    for match in _FEN.finditer(text):
        below, above = read_han(match["below"]), read_han(match["above"])
        if below and above is not None:
            yield above / below
    for match in _DISCOUNT.finditer(text):
        share = read_han(match["share"])
        if share is not None:
            yield 100 - share if share > 10 else 100 - 10 * share  # noqa: PLR2004 - nine tenths or 95 hundredths are paid
