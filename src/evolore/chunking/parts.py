"""Parts of a text that is too long to hold: where one may end and the next begin."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.document import MediaType
from evolore.domain.language import Language

if TYPE_CHECKING:
    from evolore.chunking.units import Heading

PART_CHARACTERS = 1_000_000
"""The longest part. A section that two parts share becomes two; shorter texts are one part."""

_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<rest>[^\r\n]*)", re.MULTILINE)
_HEADING = re.compile(r"^(?P<rank>#{1,6})[ \t]", re.MULTILINE)
_BREAKS = (
    re.compile(r"\n[^\S\n]*\r?\n(?=\S)"),
    re.compile(r"\n"),
    re.compile(r"[。！？]|[.!?](?=\s)"),
    re.compile(r"\s"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPlace:
    """The context of a part of a document, known before it is read."""

    language: Language  #: Whose sentence rules apply.
    source: str  #: Where it came from.
    start: int = 0  #: The part's first character in the document.
    number: int = 1  #: The outline number its first chunk gets.
    above: tuple[Heading, ...] = ()  #: The headings that are open where it begins, outermost first.
    fence: str = ""  #: The mark of the listing that is open there; empty for none.


def parts_of(texts: Iterable[str], media_type: MediaType, *, most: int = PART_CHARACTERS) -> Iterator[str]:
    """Join texts and cut them into parts, at the highest heading in a part's second half, or else at a wide gap.

    Args:
        texts: The document, in pieces of any length.
        media_type: How it is marked up.
        most: The longest part, in characters.

    Returns:
        Parts that, joined, are the document; how it came in pieces makes no difference. None for an empty one.
    """
    waiting = ""
    fence = ""
    for text in texts:
        waiting += text
        while len(waiting) > most:
            end = _end_of_part(waiting[:most], media_type, fence)
            yield waiting[:end]
            fence = open_fence(waiting[:end], fence) if media_type is MediaType.MARKDOWN else ""
            waiting = waiting[end:]
    if waiting:
        yield waiting


def open_fence(text: str, before: str = "") -> str:
    """Return the mark of the listing that is still open where a part ends.

    Args:
        text: The part, of a Markdown document.
        before: The mark of the one that was open where the part begins.

    Returns:
        Three or more backticks or tildes, or nothing.
    """
    return _fences(text, before)[1]


def _end_of_part(text: str, media_type: MediaType, fence: str) -> int:
    half = len(text) // 2
    fences = _fences(text, fence)[0] if media_type is MediaType.MARKDOWN else []
    if media_type is MediaType.MARKDOWN:
        headings = [match for match in _HEADING.finditer(text, half) if not _is_inside(match.start(), fences)]
        if headings:
            return min(headings, key=lambda match: (len(match["rank"]), -match.start())).start()
    for pattern in _BREAKS:
        ends = [end for match in pattern.finditer(text, half) if not _is_inside(end := match.end(), fences)]
        if ends:
            return ends[-1]
    # All of it is one listing: its lines are whole at least.
    return text.rfind("\n", half) + 1 or len(text)


def _fences(text: str, before: str) -> tuple[list[tuple[int, int]], str]:
    """Return where fenced listings begin and end, and the mark of one that stays open; that one ends with the text."""
    found: list[tuple[int, int]] = []
    start, mark = 0, before
    for match in _FENCE.finditer(text):
        if not mark:
            is_one = "`" not in match["mark"] or "`" not in match["rest"]
            start, mark = (match.start(), match["mark"]) if is_one else (0, "")
        elif match["mark"].startswith(mark) and not match["rest"].strip():
            found.append((start, match.end()))
            mark = ""
    return ([*found, (start, len(text))] if mark else found), mark


def _is_inside(place: int, stretches: list[tuple[int, int]]) -> bool:
    index = bisect_left(stretches, (place,)) - 1  # they ascend, and none overlaps the next
    return index >= 0 and place <= stretches[index][1]
