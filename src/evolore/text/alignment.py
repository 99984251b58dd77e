"""Alignment of a rewritten text with the text it was written from, and the search for a quote in a text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from evolore.domain.document import Span

# A word, or one character of a script that is written without spaces.
_TOKEN = re.compile(r"[\u3005-\u3007\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u3005-\u9fff]+")
_OPENING = "“‘\"'«「『（(【〔〈《[{¿¡"
_SHINGLES = (4, 3, 2, 1)
"""Stretches of so many tokens that occur once on both sides are taken for the same."""

_REACH = 6
"""A place is known when tokens this near on both sides of it are."""


@dataclass(frozen=True, slots=True)
class _Tokens:
    words: list[str]
    starts: list[int]

    @classmethod
    def of(cls, text: str) -> _Tokens:
        found = list(_TOKEN.finditer(text))
        words = [unicodedata.normalize("NFKC", token[0]).casefold() for token in found]
        return cls(words, [token.start() for token in found])


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Which tokens of a rewrite are which of the original, in one order on both sides."""

    original: str  #: The text that was rewritten.
    share: float  #: How much of the rewrite was found in the original, 0–1.
    _ours: _Tokens
    _theirs: _Tokens
    _pairs: list[tuple[int, int]]

    def places(self, offsets: list[int]) -> list[int]:
        """Return where these places of the rewrite lie in the original, ascending, each once.

        A place whose surroundings were not found is left out, and so are the text's two ends.
        """
        found = {place for offset in offsets if (place := self._place(offset))}
        return sorted(place for place in found if place < len(self.original))

    def _place(self, offset: int) -> int | None:
        token = bisect_left(self._theirs.starts, offset)
        index = bisect_left(self._pairs, (token, -1))
        before = self._pairs[index - 1] if index else None
        after = self._pairs[index] if index < len(self._pairs) else None
        if before is None or after is None or after[0] - token > _REACH or token - before[0] > _REACH:
            return None
        start = self._ours.starts[max(before[1] + 1, after[1] - (after[0] - token))]
        while start and self.original[start - 1] in _OPENING:
            start -= 1
        return start


def align(original: str, rewritten: str) -> Alignment:
    """Find the tokens of a rewrite in its original; time grows with n log n."""
    ours, theirs = _Tokens.of(original), _Tokens.of(rewritten)
    pairs: dict[int, int] = {}
    for size in _SHINGLES:
        for their, our in _once_in_both(theirs.words, ours.words, size):
            for step in range(size):
                pairs.setdefault(their + step, our + step)
    kept = _extended(_longest_ascending(sorted(pairs.items())), theirs.words, ours.words)
    share = len(kept) / len(theirs.words) if theirs.words else 0.0
    return Alignment(original=original, share=share, _ours=ours, _theirs=theirs, _pairs=kept)


def _once_in_both(theirs: list[str], ours: list[str], size: int) -> list[tuple[int, int]]:
    def once(words: list[str]) -> dict[tuple[str, ...], int]:
        shingles = [tuple(words[start : start + size]) for start in range(len(words) - size + 1)]
        counts = Counter(shingles)
        return {shingle: start for start, shingle in enumerate(shingles) if counts[shingle] == 1}

    here = once(ours)
    return [(start, here[shingle]) for shingle, start in once(theirs).items() if shingle in here]


def _extended(pairs: list[tuple[int, int]], theirs: list[str], ours: list[str]) -> list[tuple[int, int]]:
    """Add the same words next to what is known, and next to the two ends: they may occur more than once."""
    found: list[tuple[int, int]] = []
    for (their, our), (their_end, our_end) in pairwise([(-1, -1), *pairs, (len(theirs), len(ours))]):
        room = min(their_end - their, our_end - our) - 1
        ahead = next((step for step in range(room) if theirs[their + 1 + step] != ours[our + 1 + step]), room)
        found += [(their + 1 + step, our + 1 + step) for step in range(ahead)]
        room -= ahead
        back = next((step for step in range(room) if theirs[their_end - 1 - step] != ours[our_end - 1 - step]), room)
        found += [(their_end - step, our_end - step) for step in range(back, 0, -1)]
        found.append((their_end, our_end))
    return found[:-1]


def _longest_ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest list of pairs that ascends on both sides, by patience sorting."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int | None] = []
    for index, (_, ours) in enumerate(pairs):
        pile = bisect_left(tops, ours)
        before.append(ends[pile - 1] if pile else None)
        if pile == len(tops):
            tops.append(ours)
            ends.append(index)
        else:
            tops[pile], ends[pile] = ours, index
    kept: list[tuple[int, int]] = []
    last = ends[-1] if ends else None
    while last is not None:
        kept.append(pairs[last])
        last = before[last]
    return kept[::-1]


def find_quote(quote: str, text: str) -> Span | None:
    r"""Return where a quote first occurs in a text; None where it does not.

    White space counts as white space, however much of it there is: a line break in one may be a blank in the other.

    >>> find_quote("two days", "It takes two\n  days.")
    Span(start=9, end=19)
    >>> find_quote("three days", "It takes two days.") is None
    True
    """
    words = quote.split()
    if not words:
        return None
    match = re.search(r"\s+".join(map(re.escape, words)), text)
    return None if match is None else Span(*match.span())
