"""What a protected span is, and what its readers hand to each other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolore.domain.knowledge import Span


@dataclass(frozen=True, slots=True)
class Found:
    """A span by its places in a folded text."""

    kind: SpanKind
    value: str
    start: int
    end: int
    is_soft: bool = False
    is_light: bool = False


class SpanKind(StrEnum):
    """What a rewrite must keep."""

    CODE = "code"
    URL = "url"
    EMAIL = "email"
    PATH = "path"
    IDENTIFIER = "identifier"
    VERSION = "version"
    DATE = "date"
    TIME = "time"
    NUMBER = "number"
    LIMIT = "limit"
    RATE = "rate"
    NAME = "name"
    BODY = "body"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectedSpan:
    """A stretch of a text that a rewrite must keep.

    Args:
        kind: What it is.
        value: What it says, in one spelling: "5,000 JPY", "5000 JPY" and "５０００円" have one value.
        quote: As it is written.
        span: Where it stands.
        is_soft: Whether it may come and go: "an hour", 一つ. It stands for the same in digits, where there is need.
        is_light: Whether it may come, and not go: a small number in words, as in "in three sizes".
    """

    kind: SpanKind
    value: str
    quote: str
    span: Span
    is_soft: bool = False
    is_light: bool = False
