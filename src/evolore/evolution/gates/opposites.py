"""Opposites: a word that gave way to what it excludes, with as many denials about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.text.protected.polarity_words import polarity_of

if TYPE_CHECKING:
    from evolore.evolution.gates.readings import Reading

_UNLESS = re.compile(r"(?<![a-z])(?:unless|without)(?![a-z])|除非", re.IGNORECASE)
_EXCEPTS = re.compile(
    r"(?<![a-z])(?:except(?:ing)?|excluding|but not|unless|other than|apart from)(?![a-z])|除[きくい]て?|以外|除[^,。]{1,8}外|除外|除非|例外",
    re.IGNORECASE,
)
_ONLY = re.compile(r"(?<![a-z])(?:only|until)(?![a-z])|だけ|のみ|しか|はじめて|仅|只|才", re.IGNORECASE)
_CLAUSE = re.compile(r"[,、，.。;；:：]| but | and ")
_SCOPE = 16


def find_opposed(one: Reading, other: Reading) -> tuple[str, str, bool] | None:
    """Give a word of the one, its opposite in the other, and whether nothing else may make up for it."""
    for first, second in polarity_of(one.language).opposites:
        for side, against in ((first, second), (second, first)):
            ours = side.search(one.plain)
            theirs = against.search(other.plain) if ours else None
            if not ours or not theirs or _is_kept(one, other, side, against):
                continue
            is_exception = _EXCEPTS.search(ours.group()) is not None
            parity = _is_denied(one, ours) + _is_denied(other, theirs) + count_unless(one) + count_unless(other)
            if is_exception or parity % 2 == 0:
                return ours.group(), theirs.group(), is_exception or _reservations(one) == _reservations(other)
    return None


def is_freed(one: Reading, other: Reading) -> bool:
    """Tell whether a word is denied in the one and stands free in the other, which denies nothing near it."""
    if len(one.denials) != 1 or other.denials or one.kinds & {"doubles", "supposes"}:
        return False
    words = polarity_of(one.language)
    for side in (side for pair in words.opposites for side in pair):
        ours = side.search(one.plain)
        theirs = side.search(other.plain) if ours else None
        if not (ours and theirs) or words.softens.search(ours.group()):
            continue
        if _is_denied(one, ours) and not _is_denied(other, theirs):
            return True
    return False


def _is_kept(one: Reading, other: Reading, side: re.Pattern[str], against: re.Pattern[str]) -> bool:
    """Tell whether either text names both sides."""
    return bool(against.search(side.sub(" ", one.plain)) or side.search(against.sub(" ", other.plain)))


def _reservations(reading: Reading) -> tuple[bool, bool]:
    """Tell whether a text makes an exception, and whether it holds for some alone."""
    return bool(_EXCEPTS.search(reading.plain) or _UNLESS.search(reading.plain)), bool(_ONLY.search(reading.plain))


def _is_denied(reading: Reading, word: re.Match[str]) -> bool:
    """Tell whether a word stands under a denial: before it, in Japanese behind it, in its own clause."""
    text = reading.plain
    reach = 2 * _SCOPE if reading.language is Language.EN else _SCOPE
    before = _CLAUSE.split(text[max(0, word.start() - reach) : word.start()])[-1]
    behind = _CLAUSE.split(text[word.end() : word.end() + _SCOPE])[0]
    denies = polarity_of(reading.language).denies
    return any(denies.search(part) for part in (before, behind))


def count_unless(reading: Reading) -> int:
    """Count what denies by a condition: "unless", "without"."""
    return len(_UNLESS.findall(reading.plain))
