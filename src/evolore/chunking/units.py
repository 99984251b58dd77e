"""Units: the stretches a document is never cut inside of while they fit, and the blocks and lines they are read from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from markdown_it.token import Token

from evolore.chunking.settings import CHARACTERS, Sizes
from evolore.domain.language import Language
from evolore.text.pipe_tables import table_head
from evolore.text.plain_headings import plain_headings
from evolore.text.sections import block_tokens, line_starts, plain_title, short_title
from evolore.text.sentences import sentence_starts

_HTML_HEADING = re.compile(r"<h([1-6])\b[^<>]{0,200}>(.{1,300}?)</h\1\s{0,9}>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]{1,300}>")


class UnitKind(IntEnum):
    """What a unit is."""

    SENTENCE = 0
    LIST_ITEM = 1
    HEADING = 2
    TABLE_ROW = 3
    CODE = 4
    FRONT_MATTER = 5
    TURN = 6


class Spacing(IntEnum):
    """The break before a unit."""

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
    """A heading that opens a section."""

    unit: int  #: Which unit it is, from 0.
    level: int  #: Its rank, 1 for the highest.
    title: str  #: Its text without markup signs.


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """The units of a document, column by column, because there may be a million of them."""

    starts: list[int]  #: The character each starts at, ascending, the first 0; each ends where the next starts.
    end: int  #: Where the last ends: the length of the text.
    kinds: list[UnitKind]  #: What each is.
    gaps: list[Spacing]  #: What is before each.
    heads: list[str]  #: The head of the table each is a lower row of, else empty.
    headings: tuple[Heading, ...] = ()  #: Those that open a section, in text order.

    def edge(self, index: int) -> int:
        """Return the character a unit starts at, or the end of the text for the index after the last."""
        return self.starts[index] if index < len(self.starts) else self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a document of one kind, which may hold several sentences."""

    start: int  #: Its first character.
    kind: UnitKind  #: What it is; only sentences, list items and turns are cut further.
    level: int = 0  #: The rank of a heading, else 0.
    title: str = ""  #: The text of a heading, else empty.
    head: str | None = None  #: Of a table's row below the first, the first, empty where it has no words; else None.


_COLONS = (":", "：")
_LOOKED_BACK = 100
# A short line between blank lines that no full stop ends: what plain text has for a heading.
_TITLE_LINE = re.compile(r"\n[^\S\n]*\r?\n[^\n]{1,60}(?<![.。．!?！？…,，、;；」』）)\]\"”’'|`])\Z")
_FEWEST_CHARACTERS = 16
"""A shorter unit is joined to the next of its paragraph or list: a chunk's edge needs no finer grain, and a million
tiny lines cost no more than a hundred thousand."""

_ANNOUNCED = (Spacing.AFTER_HEADING, Spacing.AFTER_COLON)
_INDENTS = ("  ", "\t")
_SPACED = (Spacing.NEWLINE, Spacing.BLANK_LINE, Spacing.AFTER_TITLE)
_JOINABLE = (Spacing.BEFORE_INDENTED, Spacing.NEWLINE, Spacing.INSIDE_PARAGRAPH, Spacing.INSIDE_TABLE)

_WHOLE_LIST_ITEM = 300
"""A list item of at most this many characters is one unit; a longer one is cut into sentences."""


def read_units(
    text: str, blocks: list[Block], language: Language, *, most: int, sizes: Sizes = CHARACTERS, is_code: bool = False
) -> Units:
    """Cut blocks into units.

    A heading over a block that is longer than ``most`` is one unit with it: it would be left alone otherwise.
    """
    starts: list[int] = []
    kinds: list[UnitKind] = []
    gaps: list[Spacing] = []
    heads: list[str] = []
    headings: list[Heading] = []
    for block, end in zip(blocks, [*(block.start for block in blocks[1:]), len(text)], strict=True):
        if block.kind is UnitKind.HEADING:
            headings.append(Heading(unit=len(starts), level=block.level, title=block.title))
        fits = sizes.between(block.start, end) <= most
        block_starts = [block.start] if _is_whole(block, end, fits=fits) else _sentences(text, block, end, language)
        for start in block_starts:
            is_first = start == block.start
            gap = _gap(text, start, kinds[-1] if kinds else None, block if is_first else None)
            if is_code and gap in _SPACED and text.startswith(_INDENTS, start):
                gap = Spacing.BEFORE_INDENTED
            is_stranded = gap in _ANNOUNCED and is_first and not fits and len(block_starts) == 1
            if is_stranded or (bool(starts) and start - starts[-1] < _FEWEST_CHARACTERS and gap in _JOINABLE):
                continue
            starts.append(start)
            kinds.append(block.kind)
            gaps.append(gap)
            heads.append(block.head or "")
    return Units(starts=starts, end=len(text), kinds=kinds, gaps=gaps, heads=heads, headings=tuple(headings))


def plain_blocks(text: str) -> list[Block]:
    """Return the headings of a plain text and the text between; paragraphs and lines are found with the sentences."""
    blocks = [Block(start=0, kind=UnitKind.SENTENCE)]
    for heading in plain_headings(text):
        start = heading.start if len(blocks) > 1 or text[: heading.start].strip() else 0
        if blocks[-1].start == start:
            blocks.pop()
        blocks.append(Block(start=start, kind=UnitKind.HEADING, level=heading.level, title=short_title(heading.title)))
        if heading.end < len(text):
            blocks.append(Block(start=heading.end, kind=UnitKind.SENTENCE))
    return blocks


def _is_whole(block: Block, end: int, *, fits: bool) -> bool:
    """Return whether a block is one unit; ``fits`` says whether a chunk can hold it."""
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


def _gap(text: str, start: int, before: UnitKind | None, block: Block | None) -> Spacing:
    """Name what is before a unit; ``block`` is the block it opens, if it opens one."""
    if before is None:
        return Spacing.START
    if block is not None and block.kind is UnitKind.HEADING:
        return Spacing.BEFORE_HEADING
    if before is UnitKind.HEADING:
        return Spacing.AFTER_HEADING
    if block is not None and block.kind is UnitKind.TURN:
        return Spacing.BEFORE_TURN
    if block is not None and block.head is not None:
        return Spacing.INSIDE_TABLE
    return _gap_of_white_space(text[max(0, start - _LOOKED_BACK) : start])


def _gap_of_white_space(tail: str) -> Spacing:
    content = tail.rstrip()
    space = tail[len(content) :]
    breaks = space.count("\n") + space.count("\r") - space.count("\r\n")
    if not breaks:
        return Spacing.INSIDE_PARAGRAPH
    if content.endswith(_COLONS):
        return Spacing.AFTER_COLON
    if breaks > 1:
        return Spacing.AFTER_TITLE if _TITLE_LINE.search(content) else Spacing.BLANK_LINE
    return Spacing.NEWLINE


_TURN = re.compile(
    r"""^[^\S\r\n]*(?:[-*>][ ]+)?(?:\*\*|__)?
    (?:[\[(（【]?(?:\d{1,4}[-/.]\d\d?[-/.]\d{1,4},?[ T])?\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?:[ ]?[AaPp][Mm])?
    [\])）】]?[ \t]*(?:[-–—][ \t]*)?)?
    (?P<name>[^\W\d_][\w.'’・·\- ]{0,30}?)
    (?:[ ]?[\[(（][^\])）\r\n]{1,30}[\])）])?
    (?:\*\*|__)?[ \t]*(?::(?=\*\*|__|[\s"“]|$|[^\x00-\x7f])|：)""",
    re.VERBOSE | re.MULTILINE,
)
"""A line that begins with who speaks: a date, a time, a name, a remark in brackets, a colon; bold or in a list."""

_FEWEST_TURNS = 6
_MOST_NAMES_PER_TURN = 1 / 3
"""In a conversation few speak often; labels such as "Note:" and "Price:" hardly come again."""

_SHORTEST_CYCLE = 3
"""Two who speak by turns are a conversation; three labels or more that always follow in one order are records, unless
what they say is sentences."""
_SENTENCE_SHARE = 0.5
_SENTENCE = re.compile(r"[^\r\n]*[.!?。！？…][\"”’」』*_]*[^\S\r\n]*$", re.MULTILINE)

_LINE = re.compile(r"^[^\S\r\n]*\S", re.MULTILINE)
_INDENTED = re.compile(r"^(?:\t|  )[ \t]*\S", re.MULTILINE)
_LOOKED_AT = 100_000
_CODE_SHARE = 0.25


def with_turns(text: str, blocks: list[Block]) -> list[Block]:
    """Make the turns of a transcript blocks of their own.

    Returns:
        The same blocks where there are no turns. Otherwise paragraphs and list items end where a turn begins, and
        what follows a turn belongs to it, up to the next one or a heading, table or listing.
    """
    starts = _turn_starts(text)
    if not starts:
        return blocks
    merged: list[Block] = []
    for block in _divided(blocks, starts, len(text)):
        is_speech = block.kind in (UnitKind.SENTENCE, UnitKind.LIST_ITEM)
        if not (is_speech and merged and merged[-1].kind is UnitKind.TURN):
            merged.append(block)
    return merged


def _divided(blocks: list[Block], starts: list[int], end: int) -> Iterator[Block]:
    """Yield the blocks, those of speech cut where turns begin."""
    ends = [*(block.start for block in blocks[1:]), end]
    waiting = iter([*starts, end + 1])
    turn = next(waiting)
    for block, stop in zip(blocks, ends, strict=True):
        while turn < block.start:
            turn = next(waiting)
        if turn != block.start or block.kind not in (UnitKind.SENTENCE, UnitKind.LIST_ITEM):
            yield block
        while turn < stop:
            if block.kind in (UnitKind.SENTENCE, UnitKind.LIST_ITEM):
                yield Block(start=turn, kind=UnitKind.TURN)
            turn = next(waiting)


def _turn_starts(text: str) -> list[int]:
    """Return where turns begin, ascending; none where the text is no conversation."""
    found = [(match.start(), match["name"]) for match in _TURN.finditer(text)]
    speakers = {name for name, turns in Counter(name for _, name in found).items() if turns > 1}
    turns = [start for start, name in found if name in speakers]
    is_conversation = len(speakers) > 1 and len(turns) >= _FEWEST_TURNS
    if not is_conversation or len(speakers) > len(turns) * _MOST_NAMES_PER_TURN:
        return []
    in_order = [name for _, name in found if name in speakers]
    return turns if not _is_cycle(in_order, len(speakers)) or _are_sentences(text, turns) else []


def _is_cycle(names: list[str], period: int) -> bool:
    """Return whether names come again and again in one order, as the labels of records do."""
    if period < _SHORTEST_CYCLE or len(set(names[:period])) < period:
        return False
    return all(name == before for before, name in zip(names, names[period:], strict=False))


def _are_sentences(text: str, lines: list[int]) -> bool:
    """Return whether many of the lines that begin at these places end as sentences do."""
    return sum(1 for start in lines if _SENTENCE.match(text, start)) > _SENTENCE_SHARE * len(lines)


def reads_as_code(text: str) -> bool:
    """Return whether many of the first lines of a text are indented, as in programs and nested lists."""
    head = text[:_LOOKED_AT]
    return sum(1 for _ in _INDENTED.finditer(head)) > _CODE_SHARE * sum(1 for _ in _LINE.finditer(head))


_KINDS: Final = {
    "front_matter": UnitKind.FRONT_MATTER,
    "fence": UnitKind.CODE,
    "code_block": UnitKind.CODE,
    "html_block": UnitKind.CODE,
    "tr_open": UnitKind.TABLE_ROW,
    "paragraph_open": UnitKind.SENTENCE,
    "hr": UnitKind.SENTENCE,
}


def markdown_blocks(text: str, *, is_beginning: bool = True, fence: str = "") -> list[Block]:
    """Read the blocks of a Markdown document.

    ``fence`` is the mark of the listing that a part of a document begins inside of.

    Returns:
        Blocks in text order, the first at 0. Markers, indents and blank lines belong to the block they precede
        or, at its end, behind. Headings inside quotes and lists open no section and are read as sentences.
    """
    starts = line_starts(text)
    blocks: list[Block] = []
    if fence:
        # The parser is shown the line that opened the listing; the text begins after it.
        starts = [0, *starts]
        text = f"{fence}\n{text}"
    for line, block in _blocks_by_line(block_tokens(text, is_beginning=is_beginning), starts):
        if not blocks:
            blocks.append(Block(start=0, kind=block.kind, level=block.level, title=block.title))
        elif starts[line] > blocks[-1].start:
            blocks.append(block)
    return blocks or [Block(start=0, kind=UnitKind.SENTENCE)]


def _blocks_by_line(tokens: list[Token], starts: list[int]) -> Iterator[tuple[int, Block]]:
    lists = 0
    head: str | None = None
    for index, token in enumerate(tokens):
        lists += token.nesting if token.type.startswith("list_item") else 0
        if token.type in {"table_open", "thead_close"}:
            head = _table_head(tokens, index) if token.type == "thead_close" else None
        if token.map is None:
            continue
        line = token.map[0]
        if token.type == "heading_open":
            yield line, _heading(token, tokens[index + 1].content, starts[line])
        elif token.type == "html_block" and (title := _HTML_HEADING.search(token.content)):
            words = plain_title(" ".join(_TAG.sub("", title[2]).split()))
            level = 0 if token.level or not words else int(title[1])
            kind = UnitKind.HEADING if level else UnitKind.SENTENCE
            yield line, Block(start=starts[line], kind=kind, level=level, title=words if level else "")
        elif token.type in _KINDS:
            kind = UnitKind.LIST_ITEM if lists and token.type == "paragraph_open" else _KINDS[token.type]
            yield line, Block(start=starts[line], kind=kind, head=head if token.type == "tr_open" else None)


def _table_head(tokens: list[Token], end: int) -> str:
    """Write the cells of the header row that ends before a token; empty where they have no words."""
    start = end
    while tokens[start].type != "table_open":
        start -= 1
    return table_head([token.content.strip() for token in tokens[start:end] if token.type == "inline"])


def _heading(token: Token, content: str, start: int) -> Block:
    if token.level:
        return Block(start=start, kind=UnitKind.SENTENCE)
    return Block(start=start, kind=UnitKind.HEADING, level=int(token.tag[1:]), title=plain_title(content))
