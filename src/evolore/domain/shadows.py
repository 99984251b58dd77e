"""Texts on trial: the new text of a document stands beside it, under a source of its own, until it is before everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.checks import check_time
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from datetime import datetime

SHADOW_SCHEME = "canary:"
"""What the sources of texts on trial begin with; nothing else may."""

SHADOWS_END = "canary;"
"""The first text in order behind all that begin so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """The new text of a document while it is before some people only.

    Args:
        document_id: The document that holds it.
        promotion_id: The promotion that it is part of.
        original_id: The document in whose place those people see it; None where it is a new one.
        percent: How many percent of principals see it.
        begun_at: Since when.
    """

    document_id: str
    promotion_id: str
    original_id: str | None
    percent: int
    begun_at: datetime

    def __post_init__(self) -> None:
        check_time(self.begun_at, "begun_at")


def shadow_source(promotion_id: str, source: str) -> str:
    """Give the source of a text on trial.

    >>> shadow_source("0001", "/docs/refunds.md")
    'canary:0001//docs/refunds.md'
    """
    return f"{SHADOW_SCHEME}{promotion_id}/{source}"


def is_shadow_source(source: str) -> bool:
    """Tell whether a source is that of a text on trial."""
    return source.startswith(SHADOW_SCHEME)


def shown_source(source: str) -> str:
    """Give the source that people are told: that of the document in whose place a text on trial stands.

    >>> shown_source("canary:0001//docs/refunds.md"), shown_source("/docs/refunds.md")
    ('/docs/refunds.md', '/docs/refunds.md')
    """
    return source.partition("/")[2] if is_shadow_source(source) else source


def refuse_shadow_source(source: str) -> None:
    """Refuse a source that only a text on trial may have.

    Raises:
        InvalidValue: It begins as theirs do.
    """
    if is_shadow_source(source):
        raise InvalidValue(
            f"The source {source!r} begins with {SHADOW_SCHEME!r}, which is kept for texts on trial: give another."
        )
