"""Choice of the text a question is answered from while a new one is before some people."""

from __future__ import annotations

from enum import StrEnum

from evolore.evolution.hashing import hashed_share
from evolore.evolution.settings import WHOLE_PERCENT


class Arm(StrEnum):
    """Which text a question is answered from."""

    CONTROL = "control"
    CANARY = "canary"


def arm_of(canary_id: str, percent: int, principal: str | None) -> Arm:
    """Return which text a principal is answered from while ``percent`` of all principals see the new one.

    Args:
        canary_id: What names the canary.
        percent: How many, 0-100.
        principal: Who asks; None for nobody known.
    """
    if percent in {0, WHOLE_PERCENT}:
        return Arm.CANARY if percent else Arm.CONTROL
    if not principal:
        return Arm.CONTROL
    place = hashed_share("evolore.canary", canary_id, principal)
    return Arm.CANARY if WHOLE_PERCENT * place < percent else Arm.CONTROL
