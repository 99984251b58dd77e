"""How names are written: one spelling for what is stored, asked and compared."""

from __future__ import annotations

import re
import unicodedata

TITLE_MARK = "="
"""Stands before the name of the title a text stands under; no name begins with it."""

_QUALIFIER = re.compile(r"(?<!\s)\s*+\([^()]*\)\s*$")
_SPACES = re.compile(r"\s+")
_EDGES = " .,:;'\"-_=&・"


def unfolded(text: str) -> str:
    """Bring a text to NFKC with straight apostrophes; its capitals stay."""
    return text.replace("’", "'") if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")


def fold_name(name: str) -> str:
    """Give the one spelling of a name that is in NFKC: case-folded, without an article before it or a possessive after.

    >>> fold_name("The Hudson's  Bay Company's")
    "hudson's bay company"
    """
    folded = _SPACES.sub(" ", name.casefold()).strip(_EDGES)
    folded = folded.removesuffix("'s").removeprefix("the ")
    return folded.strip(_EDGES)


def name_of_title(title: str) -> str:
    """Give the name that a document's title stands for, without the qualifier in parentheses that tells namesakes apart.

    >>> name_of_title("Pulse (1988 film)"), name_of_title("The Hateful Eight"), name_of_title("銀河 （小説）")
    ('pulse', 'hateful eight', '銀河')
    """
    whole = unfolded(title)
    return fold_name(_QUALIFIER.sub("", whole)) or fold_name(whole)
