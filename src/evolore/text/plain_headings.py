"""Headings of plain text: numbered, underlined, in capitals, or named as a chapter is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+\Z")
_WORD: Final = re.compile(r"\S")
_LONGEST: Final = 80
_SENTENCE_ENDS: Final = tuple("。．，、；：！？,;!?…」』")
_UNDERLINE: Final = re.compile(r"([=\-~^*#+_])\1{2,}\Z")
_UNDERLINE_LEVELS: Final = {"=": 1, "#": 1, "*": 1}
_CHAPTER: Final = re.compile(
    r"(?:(?P<part>(?i:part|book|volume|act))|(?P<chapter>(?i:chapter|appendix|annex|canto))|(?i:section|article|scene|lesson))"
    r"[ \t]+(?:\d{1,3}|[IVXLC]{1,7}|[A-Z]|(?i:one|two|three|four|five|six|seven|eight|nine|ten))"
    r"(?:[.:]?\Z|[.:—–-][ \t]+\S|[ \t]+[—–-]?[ \t]*[A-Z\d\"'“‘(])"
)
_EAST_ASIAN_CHAPTER: Final = re.compile(
    r"第[ \t]?[0-9０-９〇零一二三四五六七八九十百千两]{1,7}[ \t]?"
    r"(?:(?P<part>[部卷巻编編篇])|(?P<chapter>[章回话話课課幕集])|[节節条條款])(?P<rest>.*)"
)
_OPENING: Final = re.compile(
    r"(?:序章|終章|终章|楔子|前言|序言|引言|尾声|后记|後記|附[录録錄].{0,9}|はじめに|おわりに|まえがき|あとがき)"
)
_NUMBERED: Final = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})(?P<mark>[.．、)]?)(?P<space>\s*)(?P<title>.*)")
_EAST_ASIAN_NUMBERED: Final = re.compile(
    r"(?:(?P<open>[（(])(?P<inner>[一二三四五六七八九十]{1,3})[）)]|(?P<outer>[一二三四五六七八九十]{1,3})[、．])\s*(?P<title>.+)"
)
_SIGNED: Final = re.compile(r"[■◆▼◎◇□][ \u3000]?\w.*|【[^】]+】|[〈《][^〉》]+[〉》]")
_ROMAN: Final = re.compile(r"([IVX]{1,5})\.[ \t]+[A-Z]")
_ROMANS: Final = {
    "X" * tens + ones: 10 * tens + value
    for tens in (0, 1)
    for value, ones in enumerate(("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"), start=1)
}
_MOST_LOWER: Final = 4
"""A line with a full stop and more words that begin with a small letter is a sentence."""

_VALUES: Final = {sign: value for value, sign in enumerate("一二三四五六七八九", start=1)}
_OUTER_UNKNOWN: Final = -1
_SHORT: Final = 16
_FURTHEST_STEP: Final = 3
"""A heading that was not seen as one leaves a gap in the numbers."""

_CHAPTER_LEVEL: Final = 2
_DEEPEST: Final = 6
_FEWEST_LETTERS: Final = 3


class PlainHeading(NamedTuple):
    """A heading of a plain text."""

    start: int  #: Its first character.
    end: int  #: The first character of the next line that has words, an underline left out.
    level: int  #: Its rank, 1 for the highest.
    title: str


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str  #: Without the white space around.
    indent: int
    is_free: bool  #: Whether a blank line, or nothing, comes before.
    below: str  #: The next line, without white space at its end.
    next_words: str  #: The next line that has words, blank lines skipped.


def plain_headings(text: str) -> list[PlainHeading]:
    r"""Find the headings of a plain text, in order; where lines may be a list, an address or a date, they are none.

    >>> [one.title for one in plain_headings("1. Scope.\n\nAll of it.\n\n2. Terms.\n\nOf use.\n")]
    ['1. Scope.', '2. Terms.']
    """
    lines = list(_lines(text))
    short = [line for line in lines if len(line.text) <= _LONGEST]
    times = Counter(line.text for line in short)
    found: dict[int, PlainHeading] = {}
    for line in short:
        once = times[line.text] == 1
        if level := _underlined(line) or _chapter(line) or (once and (_in_capitals(line) or _signed(line))):
            found[line.start] = _heading(text, line, level)
    for read in (_number, _east_asian_number, _roman_number):
        for line, number in _in_sequence(lines, read):
            level = min(_CHAPTER_LEVEL + len(number), _DEEPEST)
            found.setdefault(line.start, _heading(text, line, level))
    return [found[start] for start in sorted(found)]


def _heading(text: str, line: _Line, level: int) -> PlainHeading:
    rule = _UNDERLINE.match(line.below.strip())
    end = text.find(line.below, line.start + len(line.text)) + len(line.below) if rule else line.start + len(line.text)
    found = _WORD.search(text, end)
    return PlainHeading(line.start, found.start() if found else len(text), level, " ".join(line.text.split()))


def _lines(text: str) -> Iterator[_Line]:
    """Yield the lines that have words, with what is around them."""
    whole = _LINE.findall(text)
    following = ""
    next_words = [following := (line.strip() or following) for line in reversed(whole)][::-1]
    start, before = 0, ""
    for place, line in enumerate(whole):
        if stripped := line.strip():
            below = whole[place + 1].rstrip() if place + 1 < len(whole) else ""
            is_free = not before or _UNDERLINE.match(before) is not None
            after = next_words[place + 1] if place + 1 < len(whole) else ""
            indent = len(line) - len(line.lstrip())
            yield _Line(start + indent, stripped, indent, is_free, below, after)
        start, before = start + len(line), stripped


def _underlined(line: _Line) -> int:
    rule = _UNDERLINE.match(line.below.strip())
    is_title = line.is_free and any(map(str.isalnum, line.text)) and not re.search(r"\s{2}|\t|\|", line.text)
    if not rule or not is_title or line.text.endswith((".", *_SENTENCE_ENDS)) or 2 * len(rule[0]) < len(line.text):
        return 0
    return _UNDERLINE_LEVELS.get(rule[1], 2)


def _is_sentence(text: str) -> bool:
    if text.endswith(_SENTENCE_ENDS) or "。" in text:
        return True
    return text.endswith(".") and sum(word[0].islower() for word in text.split()) > _MOST_LOWER


def _chapter(line: _Line) -> int:
    if _is_sentence(line.text) or not line.next_words:
        return 0
    found = _EAST_ASIAN_CHAPTER.match(line.text)
    if found:
        is_one = not found["rest"] or found["rest"][0] in " \t\u3000:：（(" or (line.is_free and not line.below)
    else:
        found = _CHAPTER.match(line.text)
        is_alone = not line.below or len(line.text) <= _SHORT
        is_one = line.is_free and is_alone and line.text[0].isupper()
    if found and is_one:
        return 1 if found["part"] else _CHAPTER_LEVEL if found["chapter"] else _CHAPTER_LEVEL + 1
    is_opening = line.is_free and not line.below and _OPENING.fullmatch(line.text)
    return _CHAPTER_LEVEL if is_opening else 0


def _signed(line: _Line) -> int:
    """Return the level of a line that East Asian writers set off by a sign or by brackets."""
    is_title = line.is_free and _SIGNED.fullmatch(line.text) is not None and not line.text.endswith(_SENTENCE_ENDS[:-2])
    return _CHAPTER_LEVEL + 1 if is_title and line.next_words and line.next_words[0] != line.text[0] else 0


def _in_capitals(line: _Line) -> int:
    """Return the level of a line at the margin in capitals with its text below."""
    is_apart = line.is_free and not line.indent and bool(line.next_words) and not line.next_words.isupper()
    is_above = not line.below or line.below[0].isspace()
    letters = sum(map(str.isalpha, line.text))
    is_title = line.text.isupper() and letters >= _FEWEST_LETTERS and not line.text.endswith((".", *_SENTENCE_ENDS))
    has_digits = any(map(str.isdigit, line.text))
    return _CHAPTER_LEVEL if is_apart and is_above and is_title and not has_digits else 0


def _number(line: _Line) -> tuple[int, ...]:
    """Return the number that a line between blank lines begins with, if a title follows it."""
    found = _NUMBERED.match(line.text)
    if not found or not line.is_free or line.below or not found["title"]:
        return ()
    number, title = found["number"].split("."), found["title"]
    is_set_off = bool(found["mark"]) or len(number) > 1 or found["space"] == "\u3000"
    is_set_off = is_set_off or line.next_words.startswith(f"{found['number']}.1")
    is_title = (title[0].isupper() or (title[0].isalpha() and title[0] > "\u2e80")) and not _is_sentence(title)
    has_space = bool(found["space"]) or title[0] > "\u2e80"
    is_plain = all(one == "0" or not one.startswith("0") for one in number)
    return tuple(map(int, number)) if is_set_off and is_title and has_space and is_plain else ()


def _east_asian_number(line: _Line) -> tuple[int, ...]:
    found = _EAST_ASIAN_NUMBERED.match(line.text)
    if not found or _is_sentence(line.text):
        return ()
    tens, ten, ones = (found["inner"] or found["outer"]).rpartition("十")
    value = 10 * _VALUES.get(tens, 1 if ten else 0) + _VALUES.get(ones, 0)
    return (_OUTER_UNKNOWN, value) if found["inner"] else (value,)


def _roman_number(line: _Line) -> tuple[int, ...]:
    found = _ROMAN.match(line.text)
    is_title = found and line.is_free and not line.below and not _is_sentence(line.text)
    return (_ROMANS[found[1]],) if found and is_title and found[1] in _ROMANS else ()


def _in_sequence(
    lines: Sequence[_Line], read: Callable[[_Line], tuple[int, ...]]
) -> Iterator[tuple[_Line, tuple[int, ...]]]:
    """Yield the numbered lines that go on counting and have something else than the next number below them."""
    last: tuple[int, ...] = ()
    for place, line in enumerate(lines):
        number = read(line) if len(line.text) <= _LONGEST else ()
        if number and number[0] == _OUTER_UNKNOWN:
            number = (*last[:1], *number[1:])
        if not number or not line.next_words or not _follows(number, last):
            continue
        below = read(lines[place + 1]) if place + 1 < len(lines) else ()
        if len(below) != len(number):
            last = number
            yield line, number


def _follows(number: tuple[int, ...], last: tuple[int, ...]) -> bool:
    """Return whether a number comes next: one level deeper or the same or a higher level counted on."""
    if not last:
        return number[0] <= 1
    if len(number) > len(last):
        return len(number) == len(last) + 1 and number[: len(last)] == last and number[-1] <= 1
    shared = number[:-1] == last[: len(number) - 1]
    return shared and 0 < number[-1] - last[len(number) - 1] <= _FURTHEST_STEP
