"""Stated facts: what a statement says of the speaker or of a thing, as a key and a value from the text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SPEAKER = "speaker"
"""The subject of what a statement says of its own speaker."""


class FactKind(StrEnum):
    """Whether a statement says that a value holds, or that it holds no longer."""

    IS = "is"
    ENDS = "ends"


class FactOrigin(StrEnum):
    """Who read a fact: the project's own patterns, or a chat model."""

    PATTERN = "pattern"
    CHAT = "chat"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedFact:
    """What a statement says of one key."""

    subject: str  #: ``SPEAKER``, or the words of what it is about, in one spelling and order.
    attribute: str  #: What of it: an attribute such as ``home``, or the kind of value, such as ``clock``.
    value: str  #: The value as written in the text.
    normal: frozenset[str]  #: The value in one spelling, by which two are compared.
    kind: FactKind = FactKind.IS  #: Whether it holds, or holds no longer.
    is_update: bool = False  #: Whether the statement says that something changed.
    is_single: bool = False  #: Whether the attribute holds one value at a time.
    #: Other values of the clause by their kinds, such as a day: two facts that differ in one may both hold.
    clues: tuple[tuple[str, frozenset[str]], ...] = ()
    origin: FactOrigin = FactOrigin.PATTERN  #: Who read it.

    @property
    def key(self) -> tuple[str, str]:
        """Subject and attribute."""
        return self.subject, self.attribute
