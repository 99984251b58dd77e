"""Where in documents a question looks: below a code, or below headings."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from evolore.domain.checks import check_name
from evolore.domain.outline import OutlineCode
from evolore.errors import InvalidOutlineCode, InvalidValue

if TYPE_CHECKING:
    from collections.abc import Sequence

OutlinePath: TypeAlias = OutlineCode | tuple[str, ...]
"""A place of one document's outline, or headings that stand one below the other."""

MAX_HEADINGS = 20
MAX_HEADING_CHARACTERS = 4096
_BETWEEN = re.compile(r"(?:^|(?<!\s)\s+)[›>](?:\s+|$)")


def read_path(given: str | OutlineCode | Sequence[str]) -> OutlinePath:
    """Read a path as it is written: a code, or headings with `` › `` or `` > `` between them.

    What is a code is read as one; a heading that looks like a code is written with a sign before it, or given in a
    tuple.

    Raises:
        InvalidValue: It names nothing, or a heading is blank or too long.

    >>> read_path("1.2")
    OutlineCode(parts=(1, 2))
    >>> read_path("Handbook › Going live")
    ('Handbook', 'Going live')
    >>> read_path("> 2024")
    ('2024',)
    """
    if isinstance(given, OutlineCode):
        return given
    if not isinstance(given, str):
        return checked_headings(given)
    try:
        return OutlineCode.parse(given.strip())
    except InvalidOutlineCode:
        return checked_headings([part.strip() for part in _BETWEEN.split(given) if part.strip()])


def breadcrumb(title: str | None, headings: Sequence[str]) -> tuple[str, ...]:
    """Give what leads to a place, outermost first: the title, and the headings; a first one that the title says is left out.

    >>> breadcrumb("Larkfield: staff handbook", ("Staff handbook", "Money"))
    ('Larkfield: staff handbook', 'Money')
    """
    shown = [title] if title else []
    rest = headings[1:] if title and headings and _ends_with(title, headings[0]) else headings
    return tuple(" ".join(part.split()) for part in (*shown, *rest))


def lies_below(path: Sequence[str], title: str | None, headings: Sequence[str]) -> bool:
    """Tell whether these headings follow each other among a title and those below it, or in what ``breadcrumb`` shows of them.

    Of letters that differ in width only, and of blanks, any will do.
    """
    wanted = [_written_plainly(part) for part in path]
    return any(
        _holds_run([_written_plainly(part) for part in whole], wanted)
        for whole in ((title or "", *headings), breadcrumb(title, headings))
    )


def _holds_run(whole: Sequence[str], run: Sequence[str]) -> bool:
    return any(whole[start : start + len(run)] == run for start in range(len(whole) - len(run) + 1))


@lru_cache(maxsize=1 << 14)
def _written_plainly(heading: str) -> str:
    return " ".join((heading if heading.isascii() else unicodedata.normalize("NFKC", heading)).split())


def _ends_with(title: str, heading: str) -> bool:
    """Tell whether a title says a heading, alone or last, behind the end of a word."""
    whole, end = _written_plainly(title).casefold(), _written_plainly(heading).casefold()
    before = whole[: -len(end)] if end and whole.endswith(end) else None
    return before is not None and not before[-1:].isalnum()


def checked_headings(given: Sequence[str]) -> tuple[str, ...]:
    """Check headings.

    Raises:
        InvalidValue: There is none or too many, or one is blank or too long.
    """
    headings = tuple(given)
    if not 1 <= len(headings) <= MAX_HEADINGS:
        raise InvalidValue(
            f"path names {len(headings)} headings: give 1 to {MAX_HEADINGS}, such as ('Handbook', 'Going live'), "
            'or an outline code such as "1.2".'
        )
    for heading in headings:
        check_name(heading, "A heading in path", most=MAX_HEADING_CHARACTERS)
    return headings
