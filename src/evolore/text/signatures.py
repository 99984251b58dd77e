"""Signatures: the set of what a text is worded with, to tell near-duplicates by."""

from __future__ import annotations

import re

from evolore.text.tokens import analyse

_DIGITS = re.compile(r"\d")


def text_signature(text: str, *, without_numbers: bool = False) -> frozenset[str]:
    """Give the tokens of a text, each once; those that hold digits left out where wished.

    >>> sorted(text_signature("Wait 30 seconds.", without_numbers=True))
    ['second', 'wait']
    """
    tokens = analyse(text)
    return frozenset(token for token in tokens if not (without_numbers and _DIGITS.search(token)))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Give how much two signatures have in common, 0-1: Jaccard's measure; 1 where both are empty.

    >>> likeness(frozenset("ab"), frozenset("bc"))
    0.3333333333333333
    """
    return len(one & other) / len(one | other) if one or other else 1.0
