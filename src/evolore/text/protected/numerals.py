"""Numbers as they are written in three languages, as exact decimals."""

from __future__ import annotations

import re
from decimal import Decimal

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
