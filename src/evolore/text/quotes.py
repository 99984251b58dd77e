"""Quotes: where a text holds what is said to stand in it, word for word but for white space."""

from __future__ import annotations

import re

from evolore.domain.knowledge import Span


def find_quote(quote: str, text: str) -> Span | None:
    r"""Give where a quote first stands in a text; None where it does not.

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
