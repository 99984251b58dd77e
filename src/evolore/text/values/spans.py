"""Kinds of values, and a text in one width, each character with its place in the original."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Spot:
    """A span by its places in a folded text."""

    kind: SpanKind
    value: str
    start: int
    end: int
    is_soft: bool = False
    is_light: bool = False


class SpanKind(StrEnum):
    """What a rewrite must keep."""

    CODE = "code"
    URL = "url"
    EMAIL = "email"
    PATH = "path"
    IDENTIFIER = "identifier"
    VERSION = "version"
    DATE = "date"
    TIME = "time"
    NUMBER = "number"
    LIMIT = "limit"
    RATE = "rate"
    NAME = "name"
    BODY = "body"


_SAME_SIGNS = str.maketrans({
    "〜": "~", "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "‒": "-", "’": "'", "‘": "'", "：": ":", "，": ",",
    "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u3000": " ",
})  # fmt: skip
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_GAP = re.compile(
    r"(?<=\d) (?=[\u3040-\u30ff\u4e00-\u9fff])|(?<=[\u3040-\u30ff\u4e00-\u9fff]) (?=\d)"
    r"|(?<![\d+])(?<!\d[ .,:/-])[1-9]\d{0,2}(?: \d{3})+(?![\d ]*\d|[.,:/-]\d)"
)
"""Spaces that only set a text: between digits and Chinese characters, and between thousands."""

# A half-width kana and its voiced mark are two characters that fold to one.
_PIECE = re.compile("[\uff66-\uff9d][\uff9e\uff9f]|.", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """A text as it is compared."""

    text: str  #: In NFKC character by character, dashes, tildes and apostrophes in one shape; its case is kept.
    offsets: tuple[int, ...]  #: Where each character comes from in the original, and at last the original's length.


def fold(text: str) -> Folded:
    """Fold a text.

    >>> fold("５０００円").text
    '5000円'
    >>> fold("㎏まで").offsets
    (0, 0, 1, 2, 3)
    >>> fold("11 点，20 000 m").text
    '11点,20000 m'
    """
    folded = _in_one_width(text)
    dropped = {
        place for match in _GAP.finditer(folded.text) for place in range(*match.span()) if folded.text[place] == " "
    }
    if not dropped:
        return folded
    kept = [place for place in range(len(folded.text)) if place not in dropped]
    return Folded(
        text="".join(folded.text[place] for place in kept),
        offsets=(*(folded.offsets[place] for place in kept), folded.offsets[-1]),
    )


def _in_one_width(text: str) -> Folded:
    if text.isascii():
        return Folded(text=text, offsets=tuple(range(len(text) + 1)))
    pieces: list[str] = []
    offsets: list[int] = []
    for match in _PIECE.finditer(text):
        piece = "" if _INVISIBLE.match(match.group()) else match.group().translate(_SAME_SIGNS)
        piece = unicodedata.normalize("NFKC", piece).translate(_SAME_SIGNS)
        pieces.append(piece)
        offsets += [match.start()] * len(piece)
    return Folded(text="".join(pieces), offsets=(*offsets, len(text)))


@lru_cache(maxsize=4096)
def fold_text(text: str) -> str:
    """Return a text as it is compared, without places."""
    return fold(text).text
