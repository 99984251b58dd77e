"""Tier 4: cutting a unit that is longer than a chunk may be at the best gap under the limit."""

from __future__ import annotations

import math
import re
import unicodedata

from evolore.chunking.settings import CHARACTERS, Sizes

# From the best place to cut to the worst; the cut is made behind the match.
_PREFERENCES = (
    re.compile(r"(?:\r\n|\r|\n)(?:[^\S\r\n]*(?:\r\n|\r|\n))+"),
    re.compile(r"\r\n|\r(?!\n)|\n"),
    re.compile(r"[。！？!?；;]+[」』）】”’)\]\"']*\s*|\.\s+"),
    re.compile(r"[、，,：:]\s*"),
    re.compile(r"\s+"),
)
_EARLIEST = 0.5
"""A good gap that would leave less than this share of a piece is passed over for a worse one nearer the limit."""

_LONGEST_CLUSTER = 64
"""How far a cut is moved back so as not to fall inside one visible character, in characters."""


def hard_split(text: str, start: int, end: int, *, most: int, sizes: Sizes = CHARACTERS) -> tuple[list[int], bool]:
    """Cut a stretch of text into pieces of at most ``most``, of about equal length.

    Returns:
        Where the second and later pieces start, ascending; and whether some cut fell inside a word.
    """
    cuts: list[int] = []
    falls_in_word = False
    while end - start > 1 and (left := sizes.between(start, end)) > most:
        even = math.ceil(left / math.ceil(left / most))
        latest = sizes.reach(start, min(most, even + (most - even) // 2))
        gap = _best_gap(text, min(latest, sizes.reach(start, int(even * _EARLIEST))), latest)
        falls_in_word |= gap is None
        start = gap if gap is not None and is_between_clusters(text, gap) else _cluster_edge(text, start, latest)
        cuts.append(start)
    return cuts, falls_in_word


def _best_gap(text: str, earliest: int, latest: int) -> int | None:
    window = text[earliest:latest]
    for preference in _PREFERENCES:
        last = None
        for match in preference.finditer(window):
            last = match.end()
        if last:
            return earliest + last
    return None


def _cluster_edge(text: str, start: int, latest: int) -> int:
    """Move a cut back to where a visible character begins, if one begins near."""
    for cut in range(latest, max(start, latest - _LONGEST_CLUSTER), -1):
        if is_between_clusters(text, cut):
            return cut
    return latest


def is_between_clusters(text: str, cut: int) -> bool:
    """Return whether a cut keeps CRLF, surrogate pairs, marks, joined emoji and flags whole."""
    before, after = text[cut - 1], text[cut : cut + 1]
    if not after:
        return True
    if before == "\u200d" or after in "\u200d\u3099\u309a" or "\ufe00" <= after <= "\ufe0f":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff" or ("\U0001f1e6" <= after <= "\U0001f1ff" and _splits_flag(text, cut)):
        return False
    if before == "\r" and after == "\n":
        return False
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return False
    return not unicodedata.category(after).startswith("M")


def _splits_flag(text: str, cut: int) -> bool:
    """Return whether an odd number of regional indicators is before the cut: flags are pairs of them."""
    first = cut
    while first > max(0, cut - _LONGEST_CLUSTER) and "\U0001f1e6" <= text[first - 1] <= "\U0001f1ff":
        first -= 1
    return (cut - first) % 2 == 1
