"""What the lines of a text say about its structure: who speaks from where, and whether it is code."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from evolore.chunking.units import Block, UnitKind

if TYPE_CHECKING:
    from collections.abc import Iterator

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

    Args:
        text: The document.
        blocks: Its blocks in order, the first at 0.

    Returns:
        The same blocks where nobody speaks in turns. Otherwise paragraphs and list items end where a turn begins, and
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
    """Give the blocks, those of speech cut where turns begin."""
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
    """Give where turns begin, ascending; none where the text is no conversation."""
    found = [(match.start(), match["name"]) for match in _TURN.finditer(text)]
    names = Counter(name for _, name in found)
    speakers = {name for name, turns in names.items() if turns > 1}
    turns = [start for start, name in found if name in speakers]
    is_conversation = len(speakers) > 1 and len(turns) >= _FEWEST_TURNS
    if not is_conversation or len(speakers) > len(turns) * _MOST_NAMES_PER_TURN:
        return []
    in_order = [name for _, name in found if name in speakers]
    return turns if not _is_cycle(in_order, len(speakers)) or _are_sentences(text, turns) else []


def _is_cycle(names: list[str], period: int) -> bool:
    """Tell whether names come again and again in one order, as the labels of records do."""
    if period < _SHORTEST_CYCLE or len(set(names[:period])) < period:
        return False
    return all(name == before for before, name in zip(names, names[period:], strict=False))


def _are_sentences(text: str, lines: list[int]) -> bool:
    """Tell whether many of the lines that begin at these places end as sentences do."""
    return sum(1 for start in lines if _SENTENCE.match(text, start)) > _SENTENCE_SHARE * len(lines)


def reads_as_code(text: str) -> bool:
    """Tell whether many of the first lines of a text are indented, as in programs and nested lists."""
    head = text[:_LOOKED_AT]
    lines = sum(1 for _ in _LINE.finditer(head))
    return sum(1 for _ in _INDENTED.finditer(head)) > _CODE_SHARE * lines
