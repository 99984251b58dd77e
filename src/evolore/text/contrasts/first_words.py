"""With which words a wording can begin: a text without them need not be searched for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WORD = re.compile(r"\w+")
_BEGINNING = re.compile(r"(\w+)(\??)(?=$|[ '-])")


def words_in(text: str) -> frozenset[str]:
    """Give the words of a text, as a word boundary of a pattern sees them."""
    return frozenset(_WORD.findall(text))


def first_words(patterns: Iterable[str]) -> frozenset[str] | None:
    """Give the words with which what these patterns match, as whole words, can begin; None where that is not said.

    >>> sorted(first_words(["sleeps?|at rest", "on the (?:desk|table)"]))
    ['at', 'on', 'sleep', 'sleeps']
    >>> first_words(["gr[ae]y"])
    """
    found: set[str] = set()
    for pattern in patterns:
        for wording in _alternatives(pattern):
            beginning = _BEGINNING.match(wording)
            if beginning is None:
                return None
            word, may_be_shorter = beginning.groups()
            found |= {word, word[:-1]} if may_be_shorter else {word}
    return None if "" in found else frozenset(found)


def _alternatives(pattern: str) -> Iterator[str]:
    """Give what stands between the bars that stand in no bracket."""
    depth = start = 0
    for place, character in enumerate(pattern):
        depth += (character == "(") - (character == ")")
        if character == "|" and not depth:
            yield pattern[start:place]
            start = place + 1
    yield pattern[start:]
