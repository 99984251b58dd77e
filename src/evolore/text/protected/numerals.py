"""Numbers as they are written in three languages, as exact decimals, and every number a text holds in any reading."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.text.protected.spans import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_DIGITS = dict(zip("〇零一二三四五六七八九两兩壱弐参", (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 2, 1, 2, 3), strict=True))
_PLACES = {"十": 10, "百": 100, "千": 1000, "拾": 10}
_GROUPS = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
_ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), 2)
}
_SCALES = {
    "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12, "k": 1000, "m": 10**6,
    "bn": 10**9, "dozen": 12,
}  # fmt: skip
_ORDINALS = {
    word: value
    for value, word in enumerate(
        ["third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"], 3
    )
}
_PIECE = re.compile(r"\d[\d,]*(?:\.\d+)?|.")

_WORD = "|".join(sorted((word for word in _WORDS if word != "zero"), key=len, reverse=True))
HAN_NUMERALS = "〇零一二三四五六七八九十百千万萬億亿兆两兩壱弐参拾"
PLAIN_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
HAN_NUMBER = rf"(?:{PLAIN_NUMBER}|[{HAN_NUMERALS}]{{1,24}})(?:[十百千万萬億亿兆]{{1,4}}(?:{PLAIN_NUMBER}|[{HAN_NUMERALS}]{{1,24}})?){{0,6}}"
_SIMPLE = rf"(?:(?:{_TENS.replace(' ', '|')})(?:[ -](?:{'|'.join(_ONES.split()[1:10])})(?![a-z]))?|(?:{_WORD}))"
_SCALED = r"(?:hundred|thousand|million|billion)(?![a-z])"
WORDED_NUMBER = (
    rf"(?!(?:{_WORD})-(?:[a-z]+th|first|second|third)(?![a-z])){_SIMPLE}(?:[ -]{_SCALED}(?:(?: and)? {_SIMPLE})?)*"
)
_MOST_WORDS = 40  # "hundred hundred …" is no number, and each word would make it longer
SCALE_WORDS = r" (?:hundred|thousand|million|billion|trillion)(?![A-Za-z])|(?:[kKM]|bn)(?![A-Za-z0-9])"


def read_digits(text: str, scale: str = "") -> Decimal:
    """Read digits, with or without thousands separators, and a scale behind them.

    >>> read_digits("1,200"), read_digits("1.5", "million")
    (Decimal('1200'), Decimal('1500000.0'))
    """
    return Decimal(text.replace(",", "")) * _SCALES.get(scale.strip().casefold(), 1)


def read_words(text: str) -> Decimal:
    """Read an English number in words.

    >>> read_words("twenty-five"), read_words("two hundred and fifty thousand")
    (Decimal('25'), Decimal('250000'))
    """
    total = current = 0
    for word in re.split(r"[ -]", text.casefold())[:_MOST_WORDS]:
        if word in _SCALES:
            current = (current or 1) * _SCALES[word]
            if _SCALES[word] >= 1000:  # noqa: PLR2004 - thousands close a group
                total, current = total + current, 0
        else:
            current += _WORDS.get(word, 0)
    return Decimal(total + current)


def read_ordinal(word: str) -> int | None:
    """Read an English ordinal from the third on; the first two mean too much else."""
    return _ORDINALS.get(word.casefold())


def read_han(text: str) -> Decimal | None:
    """Read digits and Chinese numerals, mixed as people mix them; None for what is no number.

    >>> [str(read_han(one)) for one in ("三十", "二〇二六", "3万5千", "1.5億", "十二万三千", "百")]
    ['30', '2026', '35000', '150000000.0', '123000', '100']
    """
    if not any(sign in _PLACES or sign in _GROUPS for sign in text):
        return _in_places(text)
    total = below = Decimal(0)
    pending: Decimal | None = None
    for piece in _PIECE.findall(text):
        if piece in _GROUPS:
            total += (below + (pending or 0) or 1) * _GROUPS[piece]
            below, pending = Decimal(0), None
        elif piece in _PLACES:
            below += (1 if pending is None else pending) * _PLACES[piece]
            pending = None
        elif piece in _DIGITS:
            pending = Decimal(_DIGITS[piece])
        elif piece[0].isdecimal():
            pending = read_digits(piece)
        else:
            return None
    return total + below + (pending or 0)


def written(value: Decimal) -> str:
    """Write a number in one spelling: no needless zeros, no exponent.

    >>> written(Decimal("150000000.0")), written(Decimal("3.50"))
    ('150000000', '3.5')
    """
    return format(value.normalize(), "f")


def _in_places(text: str) -> Decimal | None:
    if text and text[0].isdecimal() and text.isascii():
        return read_digits(text)
    digits = [str(_DIGITS[sign]) if sign in _DIGITS else sign for sign in text]
    return Decimal("".join(digits)) if digits and all(digit.isdecimal() for digit in digits) else None


_LOOSE_SCALED = re.compile(
    rf"(?P<digits>{PLAIN_NUMBER})(?P<scale> ?(?:hundred|thousand|million|billion|bn|m|k)(?![A-Za-z]))?"
)
_LOOSE_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"


_CARDINAL = "|".join(
    sorted([*_LOOSE_ONES.split(), *_TENS.split(), "hundred", "thousand", "million", "billion"], key=len)[::-1]
)
_WORDED = re.compile(rf"(?<![a-z])(?:{_CARDINAL})(?:(?:[ -]| and )(?:{_CARDINAL}))*(?![a-z])")
_ORDINAL_ONES = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
_LOOSE_ORDINALS = {word: number for number, word in enumerate(_ORDINAL_ONES.split(), 1)} | {
    f"{word[:-1]}ieth": 10 * number for number, word in enumerate(_TENS.split(), 2)
}
_ORDINAL = re.compile(
    rf"(?<![a-z])(?:(?P<tens>{_TENS.replace(' ', '|')})[ -])?(?P<ones>{'|'.join(sorted(_LOOSE_ORDINALS, key=len)[::-1])})s?(?![a-z])"
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
    for match in _LOOSE_SCALED.finditer(text):
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
        yield Decimal(tens + _LOOSE_ORDINALS[match["ones"]])
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
