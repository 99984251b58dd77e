"""What the gates let pass: every number of theirs in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evolore.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """What a candidate must keep to.

    Args:
        least_size: The shortest a candidate may be, as a multiple of its original's characters; above 0, at most 1.
        most_size: The longest, likewise; at least 1.
        size_slack: So many characters more or less are always let pass; at least 0.
        nearly_same: Candidates whose words are alike by this much or more are one, 0-1 (Jaccard's measure).
        kept_share: A sentence is kept when this share of its content words is found again, 0-1.
        known_share: A sentence is known when this share of its content words stands in the original or the evidence, 0-1.
        sure_similar: A sentence whose nearest counterpart is less similar than this in meaning may be lost or invented, 0-1.

    Raises:
        InvalidValue: A value outside its range.
    """

    least_size: float = 0.5
    most_size: float = 2.5
    size_slack: int = 200
    nearly_same: float = 0.98
    kept_share: float = 0.35
    known_share: float = 0.35
    sure_similar: float = 0.42

    def __post_init__(self) -> None:
        if not 0.0 < self.least_size <= 1.0:
            raise InvalidValue(f"least_size is {self.least_size}: give a number above 0 and at most 1.")
        if not (math.isfinite(self.most_size) and self.most_size >= 1.0):
            raise InvalidValue(f"most_size is {self.most_size}: give a number of at least 1.")
        if self.size_slack < 0:
            raise InvalidValue(f"size_slack is {self.size_slack}: give a number of at least 0.")
        for name in ("nearly_same", "kept_share", "known_share", "sure_similar"):
            value: float = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise InvalidValue(f"{name} is {value}: give a number from 0 to 1.")
