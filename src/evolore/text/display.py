"""Text of others where it is shown: nothing in it acts on what shows it."""

from __future__ import annotations

import re

# What a terminal would act on, and what reorders the characters around it.
_ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Write control characters as escapes; newlines and tabs stay.

    >>> print(visible("red \x1b[31m"))
    red \x1b[31m
    """
    return _ACTIVE.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def one_line(text: str) -> str:
    """Write a text on one line, control characters as escapes."""
    return visible(" ".join(text.split()))
