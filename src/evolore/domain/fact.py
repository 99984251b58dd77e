"""Stated facts: what a statement says of the speaker or of a thing, as a key and a value that stands in the text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SPEAKER = "speaker"
"""The subject of what a statement says of whoever makes it."""


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
    """What a statement says of one key.

    Args:
        subject: ``SPEAKER``, or the words of what it is about, in one spelling and order.
        attribute: What of it: an attribute such as ``home``, or the kind of value, such as ``clock``.
        value: The value as it stands in the text.
        normal: The value in one spelling, by which two are compared.
        kind: Whether it holds, or holds no longer.
        is_update: Whether the statement says that something changed.
        is_single: Whether the attribute holds one value at a time.
        clues: Other values of the clause by their kinds, such as a day: two facts that differ in one may both hold.
        origin: Who read it.
    """

    subject: str
    attribute: str
    value: str
    normal: frozenset[str]
    kind: FactKind = FactKind.IS
    is_update: bool = False
    is_single: bool = False
    clues: tuple[tuple[str, frozenset[str]], ...] = ()
    origin: FactOrigin = FactOrigin.PATTERN

    @property
    def key(self) -> tuple[str, str]:
        """Subject and attribute."""
        return self.subject, self.attribute
