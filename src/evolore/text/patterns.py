"""Patterns that are compiled when they are first looked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial


def lazy_pattern(text: str, flags: re.RegexFlag = re.NOFLAG) -> Callable[[], re.Pattern[str]]:
    r"""Return a pattern that its first call compiles: one with a class of Han takes 1 to 5 ms, and few texts need it.

    >>> letters = lazy_pattern(r"[^\W\d_]+")
    >>> letters().findall("3 servers")
    ['servers']
    """
    return cache(partial(re.compile, text, flags))
