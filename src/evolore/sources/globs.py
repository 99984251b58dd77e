"""Which files of a folder are meant, by patterns on their paths below it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import PurePath

    from evolore.ports import PathFilter

_PART = re.compile(r"(\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]]{0,255}\])")
_SPECIAL, _ESCAPED = re.compile(r"([\\\[\]^&~|])"), r"\\\1"
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def takes(where: PathFilter, below: PurePath) -> bool:
    """Tell whether a path below a folder is among those that are meant.

    A pattern takes a path or a folder with all it holds. ``*`` and ``?`` stand for characters other than ``/``, ``**``
    for any, ``[a-z]`` for one of some. A pattern without ``/`` takes a name at any depth. Case counts.
    """
    is_included = not where.include or any(_fits(pattern, below) for pattern in where.include)
    return is_included and not any(_fits(pattern, below) for pattern in where.exclude)


def _fits(pattern: str, below: PurePath) -> bool:
    wanted = _compiled(pattern)
    return any(wanted.fullmatch(path.as_posix()) for path in (below, *below.parents) if path.name)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    pattern = pattern.removeprefix("./").rstrip("/")
    anywhere = "" if "/" in pattern else "(?:.*/)?"
    try:
        return re.compile(anywhere + "".join(map(_translated, _PART.split(pattern.lstrip("/")))), re.DOTALL)
    except re.error:  # a range that runs backwards, such as [z-a]: it stands for itself
        return re.compile(anywhere + re.escape(pattern.lstrip("/")))


def _translated(part: str) -> str:
    if part in _WILD:
        return _WILD[part]
    if part.startswith("[") and part.endswith("]") and len(part) > len("[]"):
        inside = part[1:-1]
        negation, inside = ("^/", inside[1:]) if inside[0] in "!^" else ("", inside)
        return f"[{negation}{_SPECIAL.sub(_ESCAPED, inside)}]"
    return re.escape(part)
