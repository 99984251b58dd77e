"""The words of a quote, in the spelling a reading has them in."""

from __future__ import annotations

from evolore.text.tokens import analyse


def content_stems(quote: str) -> frozenset[str]:
    """Give the stems, or the single characters and katakana words, of what a reading quoted.

    >>> sorted(content_stems("running"))
    ['run']
    """
    kana = "".join(one for one in quote if one not in "ーッ")
    return frozenset([*analyse(quote), *analyse(kana), *(one for one in quote if not one.isascii())])
