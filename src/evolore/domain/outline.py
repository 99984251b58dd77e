"""Outline codes: the place of a chunk in its document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.errors import InvalidOutlineCode, InvalidValue

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

_FORM = re.compile(r"[1-9][0-9]*(?:\.[1-9][0-9]*)*", re.ASCII)
_MAX_SHOWN = 60


class Relation(StrEnum):
    """How one place of an outline relates to another; exactly one of these holds (seed 002, section 8.2)."""

    SAME = "same"
    ANCESTOR = "ancestor"
    DESCENDANT = "descendant"
    SIBLING = "sibling"
    COUSIN = "cousin"
    NONE = "none"


@dataclass(frozen=True, slots=True, order=True)
class OutlineCode:
    """A chunk's place in its document, such as ``1.1.2``.

    Codes are ordered as a table of contents is: a code before its descendants, siblings by number, so that ``1.2``
    comes before ``1.10``. Source: seed 002, section 3.3, in its dot form.

    Raises:
        InvalidOutlineCode: No parts, or one below 1.

    >>> OutlineCode.parse("1.2") < OutlineCode.parse("1.10")
    True
    >>> [str(code) for code in OutlineCode.parse("1.1.2").ancestors]
    ['1', '1.1']
    """

    parts: tuple[int, ...]  #: The numbers from the top down, each at least 1; at least one of them.

    def __post_init__(self) -> None:
        if not self.parts or any(part < 1 for part in self.parts):
            raise InvalidOutlineCode(
                f"{self.parts!r} is not an outline code: use one or more whole numbers of at least 1, "
                "such as (1, 1, 2)."
            )

    @classmethod
    def parse(cls, text: str) -> OutlineCode:
        """Read a code from its dot form.

        Raises:
            InvalidOutlineCode: The text is not positive whole numbers joined by dots.
        """
        if not _FORM.fullmatch(text):
            shown = text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
            raise InvalidOutlineCode(
                f'{shown!r} is not an outline code: write positive whole numbers joined by dots, such as "1.1.2".'
            )
        return cls(tuple(int(part) for part in text.split(".")))

    def __str__(self) -> str:
        return ".".join(map(str, self.parts))

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> CoreSchema:
        """Read it from its dot form."""
        return {"type": "function-plain", "function": {"type": "no-info", "function": cls.parse}}

    @property
    def depth(self) -> int:
        """How many levels down it is; a top-level code has depth 1."""
        return len(self.parts)

    @property
    def number(self) -> int:
        """Its place among its siblings, from 1."""
        return self.parts[-1]

    @property
    def parent(self) -> OutlineCode | None:
        """The code one level up, or None at the top."""
        return OutlineCode(self.parts[:-1]) if self.depth > 1 else None

    @property
    def ancestors(self) -> tuple[OutlineCode, ...]:
        """Every code above it, outermost first; empty at the top."""
        return tuple(OutlineCode(self.parts[:end]) for end in range(1, self.depth))

    def child(self, number: int) -> OutlineCode:
        """Return the code of its ``number``-th child, counted from 1.

        Raises:
            InvalidValue: The number is below 1.
        """
        if number < 1:
            raise InvalidValue(f"{number} is not a child's number: children are counted from 1.")
        return OutlineCode((*self.parts, number))

    def is_descendant_of(self, other: OutlineCode) -> bool:
        """Return whether it is anywhere below ``other``; no code is its own descendant."""
        return self.depth > other.depth and self.parts[: other.depth] == other.parts

    def is_sibling_of(self, other: OutlineCode) -> bool:
        """Return whether both have one parent; no code is its own sibling."""
        return self != other and self.parts[:-1] == other.parts[:-1]

    def relation_to(self, other: OutlineCode) -> Relation:
        """Return what it is to ``other``: its ancestor, descendant, sibling, cousin (their parents are siblings), the same, or none.

        >>> OutlineCode.parse("1.2").relation_to(OutlineCode.parse("1.2.7"))
        <Relation.ANCESTOR: 'ancestor'>
        """
        if self == other:
            return Relation.SAME
        if other.is_descendant_of(self):
            return Relation.ANCESTOR
        if self.is_descendant_of(other):
            return Relation.DESCENDANT
        if self.is_sibling_of(other):
            return Relation.SIBLING
        above, beside = self.parent, other.parent
        return Relation.COUSIN if above and beside and above.is_sibling_of(beside) else Relation.NONE
