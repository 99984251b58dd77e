"""Units: the stretches a document is never cut inside of while they fit, and what lies between them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from evolore.chunking.sizes import CHARACTERS, Sizes
from evolore.text.sentences import sentence_starts

if TYPE_CHECKING:
    from evolore.domain.language import Language


class UnitKind(IntEnum):
    """What a unit is."""

    SENTENCE = 0
    LIST_ITEM = 1
    HEADING = 2
    TABLE_ROW = 3
    CODE = 4
    FRONT_MATTER = 5
    TURN = 6


class Gap(IntEnum):
    """What stands before a unit."""

    START = 0
    INSIDE_PARAGRAPH = 1
    NEWLINE = 2
    BLANK_LINE = 3
    INSIDE_TABLE = 4
    BEFORE_HEADING = 5
    AFTER_HEADING = 6
    AFTER_COLON = 7
    AFTER_TITLE = 8
    BEFORE_TURN = 9
    BEFORE_INDENTED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading that opens a section.

    Args:
        unit: Which unit it is, from 0.
        level: Its rank, 1 for the highest.
        title: Its text without markup signs.
    """

    unit: int
    level: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """The units of a document, column by column, because there may be a million of them.

    Args:
        starts: The character each starts at, ascending, the first 0; each ends where the next starts.
        end: Where the last ends: the length of the text.
        kinds: What each is.
        gaps: What stands before each.
        headings: Those that open a section, in text order.
    """

    starts: list[int]
    end: int
    kinds: list[UnitKind]
    gaps: list[Gap]
    headings: tuple[Heading, ...] = ()

    def edge(self, index: int) -> int:
        """Give the character a unit starts at, or the end of the text for the index after the last."""
        return self.starts[index] if index < len(self.starts) else self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a document of one kind, which may hold several sentences.

    Args:
        start: Its first character.
        kind: What it is; only sentences, list items and turns are cut further.
        level: The rank of a heading, else 0.
        title: The text of a heading, else empty.
        is_table_body: Whether it is a row below the first.
    """

    start: int
    kind: UnitKind
    level: int = 0
    title: str = ""
    is_table_body: bool = False


_COLONS = (":", "：")
_LOOKED_BACK = 100
# A short line between blank lines that no full stop ends: what plain text has for a heading.
_TITLE_LINE = re.compile(r"\n[^\S\n]*\r?\n[^\n]{1,60}(?<![.。．!?！？…,，、;；」』）)\]\"”’'|`])\Z")
_FEWEST_CHARACTERS = 16
"""A shorter unit is joined to the next of its paragraph or list: a chunk's edge needs no finer grain, and a million
tiny lines cost no more than a hundred thousand."""

_ANNOUNCED = (Gap.AFTER_HEADING, Gap.AFTER_COLON)
_INDENTS = ("  ", "\t")
_SPACED = (Gap.NEWLINE, Gap.BLANK_LINE, Gap.AFTER_TITLE)
_JOINABLE = (Gap.BEFORE_INDENTED, Gap.NEWLINE, Gap.INSIDE_PARAGRAPH, Gap.INSIDE_TABLE)

_WHOLE_LIST_ITEM = 300
"""A list item of at most this many characters is one unit; a longer one is cut into sentences."""


def read_units(
    text: str,
    blocks: list[Block],
    language: Language,
    *,
    most: int,
    sizes: Sizes = CHARACTERS,
    is_code: bool = False,
) -> Units:
    """Cut blocks into units.

    Args:
        text: The document, not empty.
        blocks: Its blocks in order, the first at 0.
        language: Whose rules of sentences apply.
        most: The longest chunk, in the unit of ``sizes``. A heading over a block that is longer is one unit with it: it would
            be left alone otherwise.
        sizes: How long stretches of the text are.
        is_code: Whether indented lines go on with what stands above them.
    """
    starts: list[int] = []
    kinds: list[UnitKind] = []
    gaps: list[Gap] = []
    headings: list[Heading] = []
    ends = [*(block.start for block in blocks[1:]), len(text)]
    for block, end in zip(blocks, ends, strict=True):
        if block.kind is UnitKind.HEADING:
            headings.append(Heading(unit=len(starts), level=block.level, title=block.title))
        fits = sizes.between(block.start, end) <= most
        block_starts = [block.start] if _is_whole(block, end, fits=fits) else _sentences(text, block, end, language)
        for start in block_starts:
            is_first = start == block.start
            gap = _gap(text, start, kinds[-1] if kinds else None, block if is_first else None)
            if is_code and gap in _SPACED and text.startswith(_INDENTS, start):
                gap = Gap.BEFORE_INDENTED
            is_stranded = gap in _ANNOUNCED and is_first and not fits and len(block_starts) == 1
            if is_stranded or _is_tiny(starts, start, gap):
                continue
            starts.append(start)
            kinds.append(block.kind)
            gaps.append(gap)
    return Units(starts=starts, end=len(text), kinds=kinds, gaps=gaps, headings=tuple(headings))


def plain_blocks() -> list[Block]:
    """Give a plain text as one block: its paragraphs and lines are found with its sentences."""
    return [Block(start=0, kind=UnitKind.SENTENCE)]


def _is_whole(block: Block, end: int, *, fits: bool) -> bool:
    """Tell whether a block is one unit; ``fits`` says whether a chunk can hold it."""
    match block.kind:
        case UnitKind.SENTENCE:
            return False
        case UnitKind.LIST_ITEM:
            return end - block.start <= _WHOLE_LIST_ITEM
        case UnitKind.TURN:
            return fits
        case _:
            return True


def _sentences(text: str, block: Block, end: int, language: Language) -> list[int]:
    return [block.start + start for start in sentence_starts(text[block.start : end], language)]


def _is_tiny(starts: list[int], start: int, gap: Gap) -> bool:
    """Tell whether the unit before ``start`` is too short to stand alone and may be joined to it."""
    return bool(starts) and start - starts[-1] < _FEWEST_CHARACTERS and gap in _JOINABLE


def _gap(text: str, start: int, before: UnitKind | None, block: Block | None) -> Gap:
    """Name what stands before a unit; ``block`` is the block it opens, if it opens one."""
    if before is None:
        return Gap.START
    if block is not None and block.kind is UnitKind.HEADING:
        return Gap.BEFORE_HEADING
    if before is UnitKind.HEADING:
        return Gap.AFTER_HEADING
    if block is not None and block.kind is UnitKind.TURN:
        return Gap.BEFORE_TURN
    if block is not None and block.is_table_body:
        return Gap.INSIDE_TABLE
    return _gap_of_white_space(text[max(0, start - _LOOKED_BACK) : start])


def _gap_of_white_space(tail: str) -> Gap:
    content = tail.rstrip()
    space = tail[len(content) :]
    breaks = space.count("\n") + space.count("\r") - space.count("\r\n")
    if not breaks:
        return Gap.INSIDE_PARAGRAPH
    if content.endswith(_COLONS):
        return Gap.AFTER_COLON
    if breaks > 1:
        return Gap.AFTER_TITLE if _TITLE_LINE.search(content) else Gap.BLANK_LINE
    return Gap.NEWLINE
