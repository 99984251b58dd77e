"""What was answered while a new text was before some people only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialAnswer:
    """An answer that was given to a known principal under a canary.

    Args:
        id: Time-ordered.
        principal: Who asked.
        is_new: Whether the new text was before them.
        is_about: Whether a passage of the old or the new text was handed over.
        is_bad: Whether who asked rated it BAD.
    """

    id: str
    principal: str
    is_new: bool
    is_about: bool
    is_bad: bool
