"""What time does to the ranking, and how much."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.checks import check_share
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from evolore.domain.answers import Intent


class Decay(StrEnum):
    """What time does to the ranking."""

    SEED = "seed"
    RIVAL = "rival"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecaySettings:
    """How far a newer account of the same matter pushes an older one down.

    Args:
        decay: ``rival``: time counts between items about the same matter; ``seed``: the cost of seed 001 orders the
            first candidates; ``none``: time does not count.
        candidates: How many of the best are compared with each other, at least 1.
        emotional: How fast an account of a feeling grows old beside a newer one, a day's share, at least 0.
        factual: The same of a datum.
        technical: The same of how something works or is done.
        temporal: The same of a date or duration.
        relational: The same of how people or things hang together.
        floor: What a newer rival counts for at once, however soon after the older it came, 0–1.
        penalty: What an old item loses to a newer rival at the most, at a time weight of 1 and without arousal, in
            standard deviations of the words' scores, at least 0.
        matter: From what probability on two items are about the same matter, 0–1.
        reach: How far a newer account that says what changed is lifted to stand above the older one, and how far one
            that changes nothing sinks below it, at the most, in the same unit, at least 0.
        margin: By how much it then stands above, in the same unit, at least 0.
        arousal_gap: How much more strongly felt than another account one must be to win over it, 0–1.
    """

    decay: Decay = Decay.RIVAL
    candidates: int = 20
    emotional: float = 0.005
    factual: float = 0.02
    technical: float = 0.05
    temporal: float = 0.05
    relational: float = 0.02
    floor: float = 0.3
    penalty: float = 1.5
    matter: float = 0.4
    reach: float = 3.5
    margin: float = 0.1
    arousal_gap: float = 0.4

    def __post_init__(self) -> None:
        for name in ("floor", "matter", "arousal_gap"):
            check_share(getattr(self, name), name)
        for field in fields(self):
            value: float | Decay = getattr(self, field.name)
            if not isinstance(value, Decay) and not (math.isfinite(value) and value >= 0.0):
                raise InvalidValue(f"{field.name} is {value}: give a finite number of at least 0.")
        if self.candidates < 1:
            raise InvalidValue(f"candidates is {self.candidates}: give at least 1.")

    def rate(self, intent: Intent) -> float:
        """Give a day's share for what a question is after.

        >>> from evolore.domain.answers import Intent
        >>> DecaySettings().rate(Intent.TECHNICAL)
        0.05
        """
        return getattr(self, intent.value)
