"""Units that may be quoted of a passage: sentences, list items, table rows and code, and what each needs to be understood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from evolore.domain.document import Span
from evolore.text.question_words import ends_with_question
from evolore.text.sentences import sentence_spans


class PartKind(StrEnum):
    """What a unit is."""

    SENTENCE = "sentence"
    ITEM = "item"
    HEADING = "heading"
    TABLE_HEAD = "table_head"
    TABLE_ROW = "table_row"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerUnit:
    """A stretch of a passage that is quoted whole or not at all."""

    span: Span  #: Where it is; without the white space around, and not empty.
    kind: PartKind  #: What it is.
    block: int  #: The number of the paragraph, list, table or code it belongs to, from 0.
    announces: bool = False  #: Whether it only leads to what follows: a heading, a question, what ends in a colon.
    asks: bool = False  #: Whether it ends by asking.


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_HEADING = re.compile(r"[^\S\r\n]{0,3}#{1,6}[^\S\r\n]+\S")
_FENCE = re.compile(r"[^\S\r\n]*(`{3,}|~{3,})")
_ITEM = re.compile(r"\s*(?:[-*+•・●○■□◆◇▪‣]\s*(?=[^\s*-])|\(?\d{1,3}[.)）、](?!\d)\s*|[①-⑳]\s*)")
_ROW = re.compile(r"(?:\s*+\|.*\||(?!\s*+[-*+] )[^|]++\|[^|]*+\|.*)\s*\Z")
_RULE = re.compile(r"\s*+\|?(?:[\s:-]+\|)+[\s:-]*\Z")
_NOTHING = re.compile(r"[\s*_=\-—–|#>`~]*\Z")
_COLON = re.compile(r"[:：][\s*_]*\Z")
_LONGEST_ITEM = 300


def answer_units(text: str) -> tuple[AnswerUnit, ...]:
    r"""Return what may be quoted of a passage, in text order.

    >>> [(unit.kind.value, unit.span.of("Pack:\n- rope\n- a lamp")) for unit in answer_units("Pack:\n- rope\n- a lamp")]
    [('sentence', 'Pack:'), ('item', '- rope'), ('item', '- a lamp')]
    """
    found: list[AnswerUnit] = []
    for block, (kind, start, end) in enumerate(_blocks(text)):
        number = _list_number(found, kind, block)
        found += (unit for span in _spans(text, kind, start, end) if (unit := _unit(text, *span, kind, number)))
    return tuple(found)


def _list_number(found: Sequence[AnswerUnit], kind: PartKind, block: int) -> int:
    """Return the block of a unit: the items of one list, and the rows of one table, share one number."""
    if not found:
        return block
    before = found[-1]
    goes_on = (kind is PartKind.ITEM and before.kind is PartKind.ITEM) or (
        kind is PartKind.TABLE_ROW and before.kind in {PartKind.TABLE_ROW, PartKind.TABLE_HEAD}
    )
    return before.block if goes_on else block


def _unit(text: str, start: int, end: int, kind: PartKind, block: int) -> AnswerUnit | None:
    words = text[start:end]
    if _NOTHING.match(words):
        return None
    start += len(words) - len(words.lstrip())
    words = words.strip()
    is_text = kind in {PartKind.SENTENCE, PartKind.ITEM}
    asks = is_text and ends_with_question(words)
    announces = kind is PartKind.HEADING or asks or (is_text and bool(_COLON.search(words)))
    return AnswerUnit(span=Span(start, start + len(words)), kind=kind, block=block, announces=announces, asks=asks)


def _spans(text: str, kind: PartKind, start: int, end: int) -> Iterator[tuple[int, int]]:
    is_cut = kind is PartKind.SENTENCE or (kind is PartKind.ITEM and end - start > _LONGEST_ITEM)
    if not is_cut:
        yield start, end
        return
    for one in sentence_spans(text[start:end]):
        yield start + one.start, start + one.end


def _blocks(text: str) -> Iterator[tuple[PartKind, int, int]]:
    """Yield headings, list items, rows, code and paragraphs: kind, start, end."""
    lines = [(match.start(), match.end()) for match in _LINE.finditer(text) if match.group()]
    place = 0
    while place < len(lines):
        kind, count = _block_at(text, lines, place)
        if kind is not None:
            yield kind, lines[place][0], lines[place + count - 1][1]
        place += count


def _block_at(text: str, lines: Sequence[tuple[int, int]], place: int) -> tuple[PartKind | None, int]:
    """Return what begins at a line, and how many lines it has; None for a blank or a rule."""
    line = _line(text, lines, place)
    if not line.strip() or _RULE.match(line):
        return None, 1
    if fence := _FENCE.match(line):
        return PartKind.CODE, _code_lines(text, lines, place, fence.group(1))
    if _HEADING.match(line):
        return PartKind.HEADING, 1
    if _ROW.match(line):
        is_head = place + 1 < len(lines) and bool(_RULE.match(_line(text, lines, place + 1)))
        return (PartKind.TABLE_HEAD if is_head else PartKind.TABLE_ROW), 1
    kind = PartKind.ITEM if _ITEM.match(line) else PartKind.SENTENCE
    count = 1
    while place + count < len(lines) and not _opens(_line(text, lines, place + count)):
        count += 1
    return kind, count


def _opens(line: str) -> bool:
    """Return whether a line belongs to nothing above it."""
    if not line.strip() or _FENCE.match(line) or _HEADING.match(line):
        return True
    return bool(_ROW.match(line) or _ITEM.match(line))


def _code_lines(text: str, lines: Sequence[tuple[int, int]], place: int, fence: str) -> int:
    for count in range(1, len(lines) - place):
        if _line(text, lines, place + count).strip().startswith(fence):
            return count + 1
    return len(lines) - place


def _line(text: str, lines: Sequence[tuple[int, int]], place: int) -> str:
    start, end = lines[place]
    return text[start:end].rstrip("\r\n")


def lead_of(units: Sequence[AnswerUnit], place: int) -> int | None:
    """Return what leads to a unit: what announces its list, its table's header, the question above; None for nothing."""
    unit = units[place]
    first = place
    while first and units[first - 1].block == unit.block and units[first - 1].kind is unit.kind and not _is_prose(unit):
        first -= 1
    if not first:
        return None
    before = units[first - 1]
    if unit.kind is PartKind.TABLE_ROW:
        return first - 1 if before.kind is PartKind.TABLE_HEAD else None
    return first - 1 if before.announces else None


def companions(
    units: Sequence[AnswerUnit], place: int, *, is_manner: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the places of what a unit is quoted with, itself among them, and of what may follow while there is room.

    Returns:
        Both in text order: what must not be left out, and what goes on with it.
    """
    lead = lead_of(units, place)
    itself = () if units[place].asks else (place,)
    # A heading or a question above is what was asked, and says no more.
    needed = itself if lead is None or units[lead].kind is PartKind.HEADING or units[lead].asks else (lead, *itself)
    if not units[place].announces or place + 1 == len(units):
        return needed, _other_steps(units, place) if is_manner else ()
    following = units[place + 1]
    if following.kind is PartKind.HEADING or following.asks:
        return needed, ()
    last = place + 1
    while last + 1 < len(units) and not _is_prose(following) and units[last + 1].block == following.block:
        last += 1
    return (*needed, place + 1), tuple(range(place + 2, last + 1))


def _other_steps(units: Sequence[AnswerUnit], place: int) -> tuple[int, ...]:
    """Return the places of the other items of a list."""
    own = units[place]
    if own.kind is not PartKind.ITEM:
        return ()
    return tuple(
        other for other, one in enumerate(units) if other != place and (one.kind, one.block) == (own.kind, own.block)
    )


def _is_prose(unit: AnswerUnit) -> bool:
    return unit.kind is PartKind.SENTENCE
