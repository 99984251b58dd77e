"""The words beside a node: how wide they are drawn, and where their lines end."""

from __future__ import annotations

import re

from rich.cells import get_character_cell_size

_WIDE = 2
_NEVER_FIRST = re.compile(
    "[^、。，．：；！？）」』】〉》ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ…][、。，．：；！？）」』】〉》ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ…]?|."
)
"""A character with the one behind it where that begins no line."""
_NARROW_LETTERS = frozenset("fijltrI.,:;'|!()[]\" ")


def em_width(text: str) -> float:
    """Estimate how wide a text is drawn, in units of the font's size; rather too wide than too narrow."""
    return sum(map(_em, text))


def _em(character: str) -> float:
    cells = get_character_cell_size(character)
    if cells == 0:
        return 0.0
    if cells == _WIDE:
        return 1.05
    if character in _NARROW_LETTERS:
        return 0.36
    return 0.74 if character.isupper() or character in "mwMW@%&—…" else 0.6


def wrapped(text: str, *, width: float, lines: int) -> tuple[str, ...]:
    """Break a text into lines, between words where it has any; what does not fit ends in an ellipsis.

    Args:
        text: On one line.
        width: How wide a line may be, in units of the font's size.
        lines: How many there may be.
    """
    done: list[str] = []
    line = ""
    pieces = [piece for word in text.split(" ") if word for piece in _pieces(word, width)]
    for place, (piece, is_first) in enumerate(pieces):
        longer = f"{line} {piece}" if line and is_first else line + piece
        if em_width(longer) <= width:
            line = longer
        elif len(done) + 1 == lines:
            return (*done, _ended(longer if is_first else line + piece, width))
        else:
            done.append(line)
            line = piece
        if place == len(pieces) - 1:
            done.append(line)
    return tuple(done)


def _pieces(word: str, width: float) -> list[tuple[str, bool]]:
    """Give what of a word must stay together, and whether a space stands before it."""
    is_wide = any(get_character_cell_size(character) == _WIDE for character in word)
    parts = _NEVER_FIRST.findall(word) if is_wide or em_width(word) > width else [word]
    return [(part, place == 0) for place, part in enumerate(parts)]


def _ended(line: str, width: float) -> str:
    while line and em_width(line) + em_width("…") > width:
        line = line[:-1]
    return line.rstrip() + "…"
