"""A key that a server quotes is blanked before its words are told."""

from __future__ import annotations

_PIECE = 8
"""So many characters of a key in a row tell something of it."""

_BLANK = "[key]"


def without_key(text: str, key: str | None) -> str:
    """Blank a key, and any piece of it of eight characters or more, in whichever case.

    >>> without_key("Bad key SK-1234-5678-90 given", "sk-1234-5678-90")
    'Bad key [key] given'
    >>> without_key("Bad key sk-1234-****", "sk-1234-5678-90")
    'Bad key [key]****'
    """
    if not key:
        return text
    size, low, wanted = min(_PIECE, len(key)), text.lower(), key.lower()
    pieces = {wanted[start : start + size] for start in range(len(wanted) - size + 1)}
    told: list[str] = []
    end = 0
    for start in range(len(low) - size + 1):
        if low[start : start + size] in pieces:
            told += [text[end:start], _BLANK] if start > end or not told else []
            end = start + size
    return "".join((*told, text[end:]))
