"""What of two readings is left once their common words are taken away, and whether those stand in one order."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from evolore.text.contrasts.reading import STUB

if TYPE_CHECKING:
    from collections.abc import Sequence

if TYPE_CHECKING:
    from evolore.text.contrasts.reading import Reading

_ALIKE = 0.75
"""Two spellings of a word share so much of their letters."""

_READ = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u9fff]+|\d+(?:[.:]\d+)*|[\u3040-\u30ff\u3400-\u9fff]")
_JOINING = frozenset(("and", "or", "と", "や", "和", "跟", "与", "或"))

_SHORTEST_SPELLING = 4
_SAME_BEGINNING = 5


def left_over(a: Reading, b: Reading) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the content words that only the one text holds and those that only the other does, each in its order.

    Words of four letters or more that are spelled almost alike count as one ("ホットドック" and "ホットドッグ").

    >>> from evolore.domain.language import Language
    >>> from evolore.text.contrasts.reading import read
    >>> left_over(read("A woman cuts an onion.", Language.EN), read("A woman peels an onion.", Language.EN))
    (('cut',), ('peel',))
    """
    ours, theirs = _lacking(a, b), _lacking(b, a)
    begun = {word[:STUB] for word in theirs}
    for one in tuple(ours):
        if one[:STUB] not in begun:  # so none of them is spelled alike
            continue
        twin = next((other for other in theirs if _is_spelled_alike(one, other)), None)
        if twin is not None:
            ours.remove(one)
            theirs.remove(twin)
    return tuple(ours), tuple(theirs)


def _in_order(words: Sequence[str], counts: Counter[str]) -> list[str]:
    left = counts.copy()
    found: list[str] = []
    for word in words:
        if left[word] > 0:
            left[word] -= 1
            found.append(word)
    return found


def _lacking(a: Reading, b: Reading) -> list[str]:
    """Give the words that the first text holds more often than the second, the first so many of each, in order."""
    held = b.counts
    left = {word: count - held.get(word, 0) for word, count in a.counts.items() if count > held.get(word, 0)}
    found: list[str] = []
    if not left:
        return found
    for word in a.words:
        if left.get(word, 0) > 0:
            left[word] -= 1
            found.append(word)
    return found


def _is_spelled_alike(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _SHORTEST_SPELLING or one[0] != other[0]:
        return False
    begins = _SAME_BEGINNING if one.isascii() else _SAME_BEGINNING - 2
    return one.startswith(other[:begins]) and SequenceMatcher(None, one, other, autojunk=False).ratio() >= _ALIKE


def shared_share(a: Reading, b: Reading) -> float:
    """Give how much of both texts' content words the two have in common, 0–1: Dice's measure."""
    total = len(a.words) + len(b.words)
    if not total:
        return 0.0
    ours, theirs = left_over(a, b)
    return 1.0 - (len(ours) + len(theirs)) / total


def is_reordered(a: Reading, b: Reading) -> bool:
    """Tell whether the first common content words stand in another order: who did it, and to whom."""
    ours = [word for word in a.words if word in b.counts]
    theirs = [word for word in b.words if word in a.counts]
    return ours != theirs and sorted(ours) == sorted(theirs) and not _is_joined(ours, theirs, a, b)


def changes_places(a: str, b: str) -> bool:
    """Tell whether two texts say the same words with two of them changed over: "the 1st … the 5th".

    A phrase that was moved as a whole, and what "and" joins, may stand in another order. Words of letters and numbers are
    compared, and single characters where words are not spaced; those that one text lacks are left aside.

    >>> changes_places("An A in maths and a B in French.", "A B in maths and an A in French.")
    True
    >>> changes_places("We moved to Leeds last year.", "Last year we moved to Leeds!")
    False
    >>> changes_places("东门十点关，西门开着", "西门十点关，东门开着"), changes_places("Ann and Bob came", "Bob and Ann came")
    (True, False)
    """
    ours, theirs = _READ.findall(_plain(a)), _READ.findall(_plain(b))
    common = Counter(ours) & Counter(theirs)
    common.pop("the", None)
    ours, theirs = _in_order(ours, common), _in_order(theirs, common)
    start = next((place for place, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other), None)
    if start is None:
        return False
    end = len(ours) - next(
        place for place, (one, other) in enumerate(zip(ours[::-1], theirs[::-1], strict=True)) if one != other
    )
    ours, theirs = ours[start:end], theirs[start:end]
    if any(ours[place:] + ours[:place] == theirs for place in range(1, len(ours))):
        return False
    return not any(
        word in _JOINING and [*ours[place + 1 :], word, *ours[:place]] == theirs for place, word in enumerate(ours)
    )


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _is_joined(ours: list[str], theirs: list[str], a: Reading, b: Reading) -> bool:
    """Tell whether what changed places is joined by "and", or was moved together with its preposition."""
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    kept = {place for block in blocks for place in range(block.a, block.a + block.size)}
    moved = [word for place, word in enumerate(ours) if place not in kept]
    if len(moved) > max(1, len(ours) // 3):
        return False
    are_listed = " and " in a.text and " and " in b.text
    return are_listed or all(_is_in_phrase(word, a.text) and _is_in_phrase(word, b.text) for word in moved)


def _is_in_phrase(word: str, text: str) -> bool:
    start = re.escape(word[:_SHORTEST_SPELLING])
    return re.search(rf"\b(?:in|on|at|from|with|for|near|during|since|until)\s+(?:\w+\s+)?{start}", text) is not None
