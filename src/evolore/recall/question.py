"""The question as it is embedded."""

from __future__ import annotations

import re

_MARKS = re.compile(r'[\s"“”„«»‹›<>「」『』《》]+')


def plain_question(text: str) -> str:
    """Give a question without quotation marks, brackets and line ends: they move its vector, and mean nothing.

    Args:
        text: As it was asked.

    Returns:
        One line; the text as it is where nothing else is in it.

    >>> plain_question('Ann: "I miss it."')
    'Ann: I miss it.'
    """
    return _MARKS.sub(" ", text).strip() or text
