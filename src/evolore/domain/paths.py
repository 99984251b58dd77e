"""Where in documents a question looks: below a code, or below headings."""

from __future__ import annotations

import re
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
