"""Whether what a model wrote is in the language it was to be written in."""

from __future__ import annotations

import re

from evolore.domain.language import Language
from evolore.text.protected.marks import FENCE
from evolore.text.scripts import detect_language

_CODE = re.compile(r"`[^`\n]+`|https?://\S+|(?<!\S)[^\s@]++@[^\s.]++\.\S+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_CJK = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_SHORT = 40
"""A Japanese heading or a row of a table this long may hold no kana."""

_LEAST_LATIN_SHARE = 0.5
_FEW_WORDS = 15
"""Shorter English may hold none of its commonest words: a heading, a list of names."""


def is_written_in(text: str, language: Language, *, beside: str = "") -> bool:
    """Tell whether a text is in a language, as far as script and commonest words tell; code and addresses do not count.

    Args:
        text: What was written.
        language: What it was to be written in.
        beside: What it takes the place of, which may be in another language than its document.

    >>> is_written_in("返金は14日以内です。", Language.EN)
    False
    >>> is_written_in("Refunds take 14 days.", Language.EN)
    True
    """
    plain = _plain(text)
    letters = len(_LETTER.findall(plain))
    if not letters or _fits(plain, letters, language):
        return True
    spoken = detect_language(_plain(beside)) if beside else language
    return spoken is not language and _fits(plain, letters, spoken)


def _plain(text: str) -> str:
    return _CODE.sub(" ", FENCE.sub(" ", text))


def _fits(text: str, letters: int, language: Language) -> bool:
    spoken = detect_language(text)
    if language is Language.JA:
        return spoken is Language.JA or (spoken is Language.ZH and len(text.strip()) <= _SHORT)
    if language is Language.ZH:
        return spoken is Language.ZH
    is_latin = len(_LATIN.findall(text)) >= _LEAST_LATIN_SHARE * letters
    is_short = is_latin and len(_WORD.findall(text)) < _FEW_WORDS
    if language is Language.EN:
        return spoken is Language.EN or (is_short and spoken is Language.UND)
    return spoken is Language.UND or (is_short and not _CJK.search(text))
