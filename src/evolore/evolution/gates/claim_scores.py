"""How likely a clause says something else than the one it came from: signs weighed as labelled rewrites weigh them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.evolution.gates.verdicts import Level

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimWeights:
    """What ``benchmarks/fit_gates.py`` found.

    Args:
        offset: What a clause without signs has.
        weights: What each sign adds, by name.
        refuse: From this score on a clause is certainly turned.
        doubt: From this one on it may be; at most ``refuse``.
    """

    offset: float
    weights: Mapping[str, float]
    refuse: float
    doubt: float

    def score(self, signs: Mapping[str, float]) -> float:
        """Give the log odds that a clause with these signs says something else."""
        return self.offset + sum(weight * signs.get(name, 0.0) for name, weight in self.weights.items())

    def level(self, score: float) -> Level | None:
        """Give how sure a score is; None where there is nothing to object to."""
        if score >= self.refuse:
            return Level.REFUSE
        return Level.DOUBT if score >= self.doubt else None
