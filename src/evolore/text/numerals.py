"""Numbers as they are written in three languages, as exact decimals, and every number a text holds in any reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from evolore.domain.language import Language
from evolore.text.word_files import any_of, lazy_pattern, read_shared_words

_DIGITS = dict(
    zip("〇零一二三四五六七八九两兩壱弐参元", (0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 2, 1, 2, 3, 1), strict=True)
)
"""元 is the first year of an era; as money it comes after a number and is never in one."""
_PLACES = {"十": 10, "百": 100, "千": 1000, "拾": 10}
_GROUPS = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
_ONES = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_LARGE = "hundred thousand million billion trillion"
_WORDS = {word: value for value, word in enumerate(f"zero {_ONES} {_TEENS}".split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), 2)
}
COUNTS = {"a": 1, "an": 1, "couple": 2} | _WORDS
"""English words for small numbers, an article among them."""

_SCALES = dict(zip(_LARGE.split(), (100, 1000, 10**6, 10**9, 10**12), strict=True)) | {
    "k": 1000, "m": 10**6, "bn": 10**9, "b": 10**9
}  # fmt: skip
_ORDINAL_ONES = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
sixteenth seventeenth eighteenth nineteenth
"""
ORDINALS = {word: number for number, word in enumerate(_ORDINAL_ONES.split(), 1)} | {
    f"{word[:-1]}ieth": 10 * number for number, word in enumerate(_TENS.split(), 2)
}
"""English ordinals in one word."""


_DECIMAL = re.compile(r"\d+(?:\.\d+)?")
_PIECE = re.compile(r"\d[\d,]*(?:\.\d+)?|.")

HAN_NUMERALS = "〇零一二三四五六七八九十百千万萬億亿兆两兩壱弐参拾"
PLAIN_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
HAN_NUMBER = rf"(?:{PLAIN_NUMBER}|[{HAN_NUMERALS}]{{1,24}})(?:[十百千万萬億亿兆]{{1,4}}(?:{PLAIN_NUMBER}|[{HAN_NUMERALS}]{{1,24}})?){{0,6}}"
_TENS_PATTERN = any_of(_TENS.split())
_WORD = any_of(_WORDS.keys() - {"zero"})
SCALED = rf"(?:{any_of(_LARGE.split())})(?![a-z])"
_SIMPLE = rf"(?:(?:{_TENS_PATTERN})(?:[ -](?:{any_of(_ONES.split())})(?![a-z]))?|(?:{_WORD}))"
WORDED_NUMBER = (
    rf"(?!(?:{_WORD})-(?:[a-z]+th|first|second|third)(?![a-z]))"
    rf"(?:{_SIMPLE}|(?:half )?an?(?=[ -]{SCALED}))(?:[ -]{SCALED}(?:(?: and)? {_SIMPLE})?)*"
)
_MOST_WORDS = 40  # "hundred hundred …" is no number, and each word would make it longer
SCALE_WORDS = rf" {SCALED}|(?:[kKM]|bn)(?![A-Za-z0-9])"


def read_digits(text: str, scale: str = "") -> Decimal:
    """Read digits, with or without thousands separators, and a scale behind them.

    >>> read_digits("1,200"), read_digits("1.5", "million")
    (Decimal('1200'), Decimal('1500000.0'))
    """
    return Decimal(text.replace(",", "")) * _SCALES.get(scale.strip().casefold(), 1)


def read_words(text: str) -> Decimal:
    """Read an English number in words.

    >>> read_words("twenty-five"), read_words("two hundred and fifty thousand"), read_words("half a million")
    (Decimal('25'), Decimal('250000'), Decimal('500000.0'))
    """
    total = current = Decimal(0)
    for word in re.split(r"[ -]", text.casefold())[:_MOST_WORDS]:
        if word in _SCALES:
            current = (current or 1) * _SCALES[word]
            if _SCALES[word] >= 1000:  # noqa: PLR2004 - thousands close a group
                total, current = total + current, Decimal(0)
        else:
            current += Decimal("0.5") if word == "half" else _WORDS.get(word, 0)
    return total + current


def read_count(word: str) -> int | None:
    """Read a small number in digits or in one English word, an article among them; None for anything else.

    >>> read_count("12"), read_count("three"), read_count("a"), read_count("couple"), read_count("some")
    (12, 3, 1, 2, None)
    """
    return int(word) if word.isdigit() else COUNTS.get(word.casefold())


def read_han(text: str) -> Decimal | None:
    """Read digits and Chinese numerals, mixed as people mix them; None for what is no number.

    >>> [str(read_han(one)) for one in ("三十", "二〇二六", "3万5千", "1.5億", "十二万三千", "百")]
    ['30', '2026', '35000', '150000000.0', '123000', '100']
    """
    if not any(sign in _PLACES or sign in _GROUPS for sign in text):
        digits = "".join(str(_DIGITS.get(sign, sign)) for sign in text.replace(",", ""))
        return Decimal(digits) if _DECIMAL.fullmatch(digits) else None
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


def read_whole(text: str) -> int:
    """Read a whole number in digits or Chinese numerals; 0 for anything else.

    >>> read_whole("19"), read_whole("二〇一九"), read_whole("千九百"), read_whole("元"), read_whole("半")
    (19, 2019, 1900, 1, 0)
    """
    return int(read_han(text) or 0)


def written(value: Decimal) -> str:
    """Write a number in one spelling: no needless zeros, no exponent.

    >>> written(Decimal("150000000.0")), written(Decimal("3.50"))
    ('150000000', '3.5')
    """
    return format(value.normalize(), "f")


_LOOSE_SCALED = lazy_pattern(rf"(?P<digits>{PLAIN_NUMBER})(?P<scale> ?(?:{any_of(_SCALES)})(?![A-Za-z]))?")
CARDINAL = any_of([*(_WORDS.keys() - {"zero"}), *_LARGE.split()])
_WORDED = lazy_pattern(rf"(?<![a-z])(?:{CARDINAL})(?:(?:[ -]| and )(?:{CARDINAL}))*(?![a-z])")
_ORDINAL = lazy_pattern(rf"(?<![a-z])(?:(?P<tens>{_TENS_PATTERN})[ -])?(?P<ones>{any_of(ORDINALS)})s?(?![a-z])")
_SPOKEN_WORD = re.compile(r"(?<![a-z])[a-z]+(?:-[a-z]+)?(?![a-z])")
_HAN_RUN = lazy_pattern(rf"(?<!\d)(?<![\d,][{HAN_NUMERALS}])[{HAN_NUMERALS}]+(?:点[{HAN_NUMERALS}]+)?")
_MIXED = lazy_pattern(
    rf"(?<!\d)(?:(?<!\d,)\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)[十百千万萬億亿兆]+(?:[\d{HAN_NUMERALS}]+)?"
)
_FEN = lazy_pattern(rf"(?<![{HAN_NUMERALS}\d])(?P<below>[{HAN_NUMERALS}\d]++)分(?:之|の)(?P<above>[{HAN_NUMERALS}\d]+)")
_DISCOUNT = lazy_pattern(rf"(?<![{HAN_NUMERALS}\d])(?P<share>[{HAN_NUMERALS}\d]++)折")


def loose_numbers(text: str, language: Language) -> frozenset[Decimal]:
    """Return every number that may be read in a folded text, no matter what it counts; too many rather than too few.

    >>> sorted(map(str, loose_numbers("Both leave on the thirty-first at half past 6.", Language.EN)))
    ['0.5', '2', '31', '3E+1', '6']
    """
    plain = text.casefold()
    found = {*_digits(plain), *_spoken(plain)}
    if language in {Language.JA, Language.ZH}:
        found.update(_han(plain))
    return frozenset(number.normalize() for number in found)


def _digits(text: str) -> Iterator[Decimal]:
    for match in _LOOSE_SCALED().finditer(text):
        yield read_digits(match["digits"])
        if match["scale"]:
            yield read_digits(match["digits"], match["scale"].strip())
        for part in match["digits"].split("."):
            yield Decimal(part.replace(",", ""))


def _spoken(text: str) -> Iterator[Decimal]:
    for match in _WORDED().finditer(text):
        yield read_words(match.group().replace(" and ", " "))
        yield from (read_words(word) for word in re.split("[ -]", match.group()) if word != "and")
    for match in _ORDINAL().finditer(text):
        tens = int(read_words(match["tens"])) if match["tens"] else 0
        yield Decimal(tens + ORDINALS[match["ones"]])
    spoken = read_shared_words("evolore.text", "units", "numbers").named("spoken")
    for match in _SPOKEN_WORD.finditer(text):
        words = (match.group(), *match.group().split("-"))
        yield from (Decimal(spoken[word]) for word in words if word in spoken)


def _han(text: str) -> Iterator[Decimal]:
    for match in _HAN_RUN().finditer(text):
        whole, _, part = match.group().partition("点")
        number, decimals = read_han(whole), read_han(part) if part else None
        yield from (one for one in (number, decimals) if one is not None)
        if number is not None and decimals is not None:
            yield Decimal(f"{number}.{''.join(str(read_han(sign)) for sign in part)}")
    for match in _MIXED().finditer(text):
        number = read_han(match.group())
        if number is not None:
            yield number
    yield from _parts(text)
    spoken = read_shared_words("evolore.text", "units", "numbers").named("spoken_han")
    yield from (Decimal(number) for word, number in spoken.items() if word in text)


def _parts(text: str) -> Iterator[Decimal]:
    """Yield fractions and discounts: 三分之二, 九折."""
    for match in _FEN().finditer(text):
        below, above = read_han(match["below"]), read_han(match["above"])
        if below and above is not None:
            yield above / below
    for match in _DISCOUNT().finditer(text):
        share = read_han(match["share"])
        if share is not None:
            yield 100 - share if share > 10 else 100 - 10 * share  # noqa: PLR2004 - nine tenths or 95 hundredths are paid
