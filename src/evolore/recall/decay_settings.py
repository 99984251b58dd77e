"""What time does to the ranking, and how much."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import StrEnum

from evolore.domain.checks import check_share
from evolore.errors import InvalidValue
from evolore.recall.cost import DECAY_RATE


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
        rate: A day's share of the decay, at least 0: how fast things grow old, with ``seed`` beside now, with ``rival``
            beside a newer account.
        candidates: How many of the best are compared with each other, at least 1.
        penalty: What an item marked as superseded loses, at a time weight of 1, in the unit of scores, at least 0.
        reach: How far an account is lifted to stand above another that it wins over, for each unit by which what binds them is
            more than it must be, at least 0.
        margin: By how much it then stands above, in the same unit, at least 0.
        arousal_gap: How much more strongly felt than another account one must be to win over it, 0–1.
    """

    decay: Decay = Decay.RIVAL
    rate: float = DECAY_RATE
    candidates: int = 20
    penalty: float = 0.1
    reach: float = 4.0
    margin: float = 0.005
    arousal_gap: float = 0.4

    def __post_init__(self) -> None:
        check_share(self.arousal_gap, "arousal_gap")
        for field in fields(self):
            value: float | Decay = getattr(self, field.name)
            if not isinstance(value, Decay) and not (math.isfinite(value) and value >= 0.0):
                raise InvalidValue(f"{field.name} is {value}: give a finite number of at least 0.")
        if self.candidates < 1:
            raise InvalidValue(f"candidates is {self.candidates}: give at least 1.")
