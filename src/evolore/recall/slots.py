"""Whether a text is about another thing of the same kind than an earlier one: another department, another system."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

_LEAST_SHARED = 2
_SUBJECT = 6
"""Within so many characters from the start stands what a Japanese or Chinese text is about."""

_HAS_WORD = re.compile(r"[\u3400-\u9fff\u30a1-\u30ff]")
_PARTICLES = re.compile(r"[のと的はがをにでもへや ]+$")
_LAST_WORD = re.compile(r"[\u3400-\u9fff\u30a1-\u30ffーA-Za-z0-9]{1,2}$")
_SELF = frozenset("我你您他她它咱这那本私僕俺家们")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PLACE_WORDS = frozenset(("at", "in", "for", "of", "from", "on"))
_ARTICLES = frozenset(("the", "our", "my", "a", "an", "your", "his", "her", "their"))
_OURS = frozenset(("i", "my", "our", "we", "us", "me"))
_THEIRS = frozenset(("his", "her", "their", "its"))
_REACH = 3
_NO_PLACE = re.compile(
    r"\d|(?:this|that|last|next|now|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?$|week|month|year|day|morning|evening|"
    r"night|spring|summer|autumn|winter|jan|feb|mar|apr|may$|jun|jul|aug|sep|oct|nov|dec|good|one$|two$|three$|first|"
    r"half|noon|midnight|dawn|some|all$|it$|me$|us$|him$|them$|least|most"
)


def is_of_another(newer: str, older: str, question: str) -> bool:
    """Tell whether the newer text says of another thing what the older says of the one asked about.

    In Japanese and Chinese, it begins with a word that the older text or the question has too, with another modifier
    before it, and theirs is in both. In English, it names another place or purpose behind "at", "in", "for", "of", or
    has somebody else's of what is asked as one's own.

    >>> is_of_another("経理の佐藤さんの内線が変わった", "営業の佐藤さんの内線は2214", "佐藤(営業)の内線番号は？")
    True
    >>> is_of_another("营业部的刘洋搬了", "营业部的刘洋坐在C区", "营业部的刘洋在哪？")
    False
    >>> is_of_another("At home the line is faster.", "Cabin line: slow.", "How fast is the line at the cabin?")
    True

    Args:
        newer: What came later.
        older: What came before.
        question: What is asked.
    """
    newer, older, question = _fold(newer), _fold(older), _fold(question)
    if newer.isascii() and older.isascii():
        return _names_another_place(newer, older, question)
    return _has_another_modifier(older, newer, older, question) or _has_another_modifier(
        question, newer, older, question
    )


def _has_another_modifier(source: str, newer: str, older: str, question: str) -> bool:
    """Look for stretches of ``source`` in the newer text."""
    for start, place in _shared(source, newer):
        said, other = _word_before(source[:start]), _word_before(newer[:place])
        is_asked = len(said) > 1 and said in older and said in question
        is_other = bool(other) and other[-1] not in _SELF and other not in question and other not in older
        if is_asked and is_other:
            return True
    return False


def _word_before(text: str) -> str:
    word = _LAST_WORD.search(_PARTICLES.sub("", text))
    return word.group() if word else ""


def _shared(source: str, other: str) -> list[tuple[int, int]]:
    """List where the longest stretches that the other text begins with start in the one and in the other."""
    found: list[tuple[int, int]] = []
    start = 0
    while start <= len(source) - _LEAST_SHARED:
        end = start + _LEAST_SHARED
        place = other.find(source[start:end])
        if place < 0 or not _HAS_WORD.search(source[start:end]):
            start += 1
            continue
        while end < len(source) and other.startswith(source[start : end + 1], place):
            end += 1
        if place <= _SUBJECT:
            found.append((start, place))
        start = end
    return found


def _is_somebody_elses(newer: str, question: str) -> bool:
    """Tell whether a question about what is mine or ours meets "her dentist", "their front door"."""
    asked = frozenset(_WORD.findall(question))
    words = _WORD.findall(newer)
    return bool(asked & _OURS) and any(
        word in _THEIRS and asked.intersection(words[place + 1 : place + 1 + _REACH])
        for place, word in enumerate(words)
    )


def _names_another_place(newer: str, older: str, question: str) -> bool:
    if _is_somebody_elses(newer, question):
        return True
    asked = _places(question)
    known, said = frozenset(_WORD.findall(f"{older} {question}")), frozenset(_WORD.findall(older))
    named = frozenset(_WORD.findall(newer))
    for word, places in _places(newer).items():
        wanted = asked.get(word, frozenset()) & said
        if wanted and not wanted & named and not places & known:
            return True
    return False


def _places(text: str) -> dict[str, frozenset[str]]:
    """Give the word behind each word of place, articles left out."""
    words = [word for word in _WORD.findall(text) if word not in _ARTICLES]
    found: dict[str, set[str]] = {}
    for word, following in pairwise(words):
        if word in _PLACE_WORDS and not _NO_PLACE.match(following):
            found.setdefault(word, set()).add(following)
    return {word: frozenset(places) for word, places in found.items()}


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
