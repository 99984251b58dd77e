"""What was answered while a new text was before some people only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialAnswer:
    """An answer that was given to a known principal under a canary.

    Args:
        at: When it was given.
        principal: Who asked.
        is_new: Whether the new text was before them.
        is_about: Whether a passage of the old or the new text was handed over.
        is_bad: Whether who asked rated it BAD.
    """

    at: datetime
    principal: str
    is_new: bool
    is_about: bool
    is_bad: bool
