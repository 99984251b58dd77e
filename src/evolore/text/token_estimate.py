"""How many tokens a language model would take a text for, where none of its tokenizers is at hand."""

from __future__ import annotations

import re

_CJK = r"\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
# One alternative a kind of piece: a word or the rest of a long one, digits, a CJK character, letters of other
# scripts, line breaks, and every other sign.
_PIECE = re.compile(rf"[A-Za-z\u00c0-\u024f]{{1,7}}|[0-9]{{1,3}}|[{_CJK}]|[^\W_{_CJK}]{{1,2}}|\n+|[^\w\s]|_")


def estimate_tokens(text: str) -> int:
    """Estimate a text's tokens by its script: rather too many than too few.

    A word of Latin letters counts one, and one more for every seven letters; up to three digits count one, a character
    of Chinese, Japanese or Korean one, two letters of another script one, a sign one, a run of line breaks one.
    Spaces belong to the word behind them.

    >>> estimate_tokens("The office moved to Osaka.")
    6
    >>> estimate_tokens("会議は三時から。")
    8
    """
    return sum(1 for _ in _PIECE.finditer(text))
