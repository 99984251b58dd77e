"""Choice of the text a question is answered from while a new one is before some people."""

from __future__ import annotations

from evolore.evolution.hashing import hashed_share
from evolore.evolution.settings import WHOLE_PERCENT


def sees_new(canary_id: str, percent: int, principal: str | None) -> bool:
    """Return whether a principal is answered from the new text while ``percent`` of all principals are.

    It is always the same within a stage, and what was new to somebody stays so as stages grow. Nobody known is answered
    from the old text until the last stage, because no stage could be kept for them.

    Args:
        canary_id: What names the canary; another one splits principals otherwise.
        percent: How many, 0-100.
        principal: Who asks; None for nobody known.
    """
    if percent in {0, WHOLE_PERCENT}:
        return percent == WHOLE_PERCENT
    return bool(principal) and WHOLE_PERCENT * hashed_share("evolore.canary", canary_id, principal) < percent
