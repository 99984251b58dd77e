"""What the readers of protected spans hand to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolore.text.protected.spans import SpanKind


@dataclass(frozen=True, slots=True)
class Found:
    """A span by its places in a folded text."""

    kind: SpanKind
    value: str
    start: int
    end: int
    is_soft: bool = False
    is_light: bool = False
