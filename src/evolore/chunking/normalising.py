"""Tier 2, first half: what ends a sentence in texts whose sentences do not end."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from evolore.text.sentences import sentence_starts

if TYPE_CHECKING:
    from evolore.domain.language import Language

_TAG = r"<br\s*/?>|</?(?:p|div|li|ul|ol|tr|td|th|h[1-6])\b[^<>]{0,200}>"
_ESCAPE = r"\\r\\n|\\n"
_BULLET = r"[•●▪■◆★※‣⁃¦|\t\v\f\x1c-\x1e\x85\u2028\u2029]"
_DASH = r"(?<=\s)[-–—*](?=\s)"
_BEFORE_STAMP = r"\s(?=\[?\d{1,2}:\d{2}(?::\d{2})?\]?\s)"
_BEFORE_NUMBER = r"\s(?=(?:\(\d{1,3}\)|\d{1,3}[.)]|[①-⑳])\s)"
_SEMICOLON = r"(?<=;)\s|；"
_MISSING_SPACE = r"(?<=[a-z]{3})[.!?](?=[A-Z][a-z])"
_BREAK = re.compile(
    f"{_TAG}|{_ESCAPE}|{_BULLET}|{_DASH}|{_BEFORE_STAMP}|{_BEFORE_NUMBER}|{_SEMICOLON}|{_MISSING_SPACE}"
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)\s*")


def normalise(text: str) -> str:
    r"""Write line breaks for what separates without being one: tags, escapes, bullets, semicolons, time stamps.

    Every character stays at its place, so that a place in the result is the same place in the text.

    >>> normalise("milk; eggs<br>bread")
    'milk;\neggs\n   bread'
    """
    return _BREAK.sub(lambda found: "\n" + " " * (len(found[0]) - 1), text)


def normalised_starts(text: str, language: Language, *, is_prose: bool) -> list[int]:
    """Give where the units of a normalised text start, ascending; the first is 0.

    Args:
        text: Not empty.
        language: Whose rules of sentences apply.
        is_prose: Whether its lines hold sentences; the lines of code are units as they are.
    """
    whole = normalise(text)
    edges = list(dict.fromkeys(line.end() for line in _LINE.finditer(whole)))
    starts: list[int] = [0]
    for start, end in pairwise([0, *edges]):
        inner = sentence_starts(whole[start:end], language) if is_prose and end > start else [0]
        starts += [start + place for place in inner if start + place > starts[-1]]
    return [start for start in starts if start < len(text)]
