"""Questions in texts: which turns of a conversation ask and do not tell."""

from __future__ import annotations

import re

ENDING_CHARACTERS = 40
"""So much of the end of a text is looked at."""

_ASKS = re.compile(
    r"(?:[?？⁇⁈‽]|[かのよね]な?[？?]|(?:です|ます|でしょう|でした|ました|ません)か[。．.]?|[吗呢嗎][。．.]?)[\s\"”’'）)」』!！~～]*\Z"
)


def ends_with_question(text: str) -> bool:
    """Tell whether a text ends by asking something: what it tells, if anything, stands before.

    Args:
        text: In English, Japanese, Chinese or another language that writes question marks.

    >>> ends_with_question("Sounds fun! Where did you go?")
    True
    >>> ends_with_question("いつ着きますか。")
    True
    >>> ends_with_question("I asked where. Nobody knew.")
    False
    """
    return _ASKS.search(text, max(0, len(text) - ENDING_CHARACTERS)) is not None
