"""Numbers as people write them: full-width digits, Chinese numerals, English words."""

from __future__ import annotations

FOLDED = str.maketrans("０１２３４５６７８９／．－：〜～−‐‑　ＱＨ", "0123456789/.-:~~--- QH")
"""Characters that are written in two widths or shapes, one for one, so that places in a text stay."""

_DIGITS = {character: index for index, character in enumerate("〇一二三四五六七八九")} | {
    "零": 0, "元": 1, "两": 2, "兩": 2
}  # fmt: skip
_PLACES = {"十": 10, "百": 100, "千": 1000}
_ENGLISH = {
    word: number
    for number, words in enumerate(
        (
            *(("zero",), ("a", "an", "one"), ("two", "couple"), ("three",), ("four",), ("five",), ("six",), ("seven",)),
            *(("eight",), ("nine",), ("ten",), ("eleven",), ("twelve",)),
        )
    )
    for word in words
}


def fold(text: str) -> str:
    """Write full-width digits and signs in their plain form; every character keeps its place."""
    return text if text.isascii() else text.translate(FOLDED)


def read_number(text: str) -> int | None:
    """Read digits or Chinese numerals, in places ("二〇一九") or with units ("二十三"); None for anything else.

    >>> read_number("19"), read_number("二〇一九"), read_number("三十七"), read_number("千九百"), read_number("半")
    (19, 2019, 37, 1900, None)
    """
    if text.isascii():
        return int(text) if text.isdigit() else None
    if not _PLACES.keys() & set(text):
        digits = [int(one) if one.isascii() and one.isdigit() else _DIGITS.get(one) for one in text]
        return None if None in digits else int("".join(map(str, digits)))
    return _with_units(text)


def read_english(word: str) -> int | None:
    """Read a small number in digits or words; None for anything else.

    >>> read_english("12"), read_english("three"), read_english("a"), read_english("some")
    (12, 3, 1, None)
    """
    return int(word) if word.isdigit() else _ENGLISH.get(word.lower())


def _with_units(text: str) -> int | None:
    total = pending = 0
    for character in text:
        if character in _PLACES:
            total += (pending or 1) * _PLACES[character]
            pending = 0
        elif character in _DIGITS:
            pending = _DIGITS[character]
        elif character.isascii() and character.isdigit():
            pending = pending * 10 + int(character)
        else:
            return None
    return total + pending
