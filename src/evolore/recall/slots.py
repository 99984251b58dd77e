"""Whether two texts say something of the same kind about different things: another department, another system."""

from __future__ import annotations

import re
import unicodedata

_LEAST_SHARED = 2
_MODIFIER = re.compile(r"([^\W_]{2,}?)(?:の|的|「|』|'s)?$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PLACE_WORDS = frozenset(("at", "in", "for", "of", "from", "on"))
_IS_TIME = re.compile(
    r"\d|(?:this|that|last|next|now|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?$|week|month|year|day|morning|evening|"
    r"night|spring|summer|autumn|winter|jan|feb|mar|apr|may$|jun|jul|aug|sep|oct|nov|dec|good|one$|two$|three$|first|"
    r"half|noon|midnight|dawn|some|all$|it$|me$|us$|him$|them$|least|most"
)
_ARTICLES = frozenset(("the", "our", "my", "a", "an", "your", "his", "her", "their"))


def is_of_another(newer: str, older: str, question: str) -> bool:
    """Tell whether the newer text says of another thing what the older says of the one asked about.

    Both, or the question, name the same kind of thing; before it the older has a word that the question has too, and
    the newer another word.

    >>> is_of_another("経理の佐藤さんの内線が変わった", "営業の佐藤さんの内線は2214", "佐藤(営業)の内線番号は？")
    True
    >>> is_of_another("营业部的刘洋搬了", "营业部的刘洋坐在C区", "营业部的刘洋在哪？")
    False
    """
    newer, older, question = _fold(newer), _fold(older), _fold(question)
    if newer.isascii() and older.isascii():
        return _is_of_another_by_words(newer, older, question)
    return _differs(older, newer, older, question) or _differs(question, newer, older, question)


def _differs(source: str, newer: str, older: str, question: str) -> bool:
    """Look for a stretch of ``source`` in the newer text, with another modifier before it."""
    for start, end, place in _shared(source, newer):
        said, other = _before(source[:start]), _before(newer[:place])
        if said and other and said != other and said in older and said in question:
            if other not in question and other not in older:
                return True
        del end
    return False


def _before(text: str) -> str:
    bare = re.sub(r"[のと的はがをにでもへや、。 ]+$", "", text)
    run = re.search(r"[\u3400-\u9fff\u30a1-\u30ffーA-Za-z0-9]{2,}$", bare)
    return run.group()[-2:] if run else ""


def _shared(source: str, other: str) -> list[tuple[int, int, int]]:
    """List the longest stretches both have, as start and end in the one and start in the other."""
    found: list[tuple[int, int, int]] = []
    start = 0
    while start < len(source) - 1:
        end = start + _LEAST_SHARED
        place = other.find(source[start:end])
        if place < 0 or not re.search(r"[\u3400-\u9fff\u30a1-\u30ff]", source[start:end]):
            start += 1
            continue
        while end < len(source) and other.find(source[start : end + 1]) >= 0:
            end += 1
            place = other.find(source[start:end])
        found.append((start, end, place))
        start = end
    return found


def _is_of_another_by_words(newer: str, older: str, question: str) -> bool:
    there, asked, said = (_placed(text) for text in (newer, question, older))
    old_words, new_words = frozenset(_WORD.findall(older)), frozenset(_WORD.findall(newer))
    for word, objects in there.items():
        wanted = asked.get(word, frozenset()) & (old_words | said.get(word, frozenset()))
        if wanted and not wanted & new_words and not objects & (old_words | frozenset(_WORD.findall(question))):
            return True
    return False


def _placed(text: str) -> dict[str, frozenset[str]]:
    """Give what stands behind each word of place, without articles."""
    words = _WORD.findall(text)
    found: dict[str, set[str]] = {}
    for place, word in enumerate(words[:-1]):
        if word in _PLACE_WORDS:
            following = [one for one in words[place + 1 : place + 3] if one not in _ARTICLES]
            if following and not _IS_TIME.match(following[0]):
                found.setdefault(word, set()).add(following[0])
    return {word: frozenset(objects) for word, objects in found.items()}


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
