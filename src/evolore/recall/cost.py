"""The cost of seed 001: a sum of distance, arousal and age; lower is better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evolore.domain.checks import check_least
from evolore.text.vectors import Float32s, Float64s

DECAY_RATE = 0.05
"""A day's share of the decay: about 14 days halve it (seed 001, phase 2)."""

UNKNOWN_DECAY = 0.5
UNKNOWN_AROUSAL = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cost:
    """The three parts of what each item costs, each at least 0 where the distance is; shape (items,)."""

    distance: Float64s  #: ``α · distance``.
    arousal: Float64s  #: ``β · (1 - arousal)``.
    time: Float64s  #: ``γ · (1 - decay) · (1 - arousal)``.

    @property
    def total(self) -> Float64s:
        """The sum, shape (items,)."""
        return self.distance + self.arousal + self.time


def time_decay(age_days: Float64s, *, rate: float = DECAY_RATE) -> Float64s:
    """Return how fresh things are: ``e^(-rate · age_days)``, 1 for today and the future, 0.5 where the age is not known.

    >>> time_decay(np.array([0.0, 14.0, -3.0, np.nan])).round(2).tolist()
    [1.0, 0.5, 1.0, 0.5]

    Args:
        age_days: How long ago, in days; below 0 for the future, NaN for a missing date.
        rate: A day's share, at least 0.

    Raises:
        InvalidValue: The rate is below 0 or not a finite number.
    """
    check_least(0, rate=rate)
    fresh = np.exp(-rate * np.maximum(np.asarray(age_days, dtype=np.float64), 0.0))
    return np.where(np.isnan(fresh), UNKNOWN_DECAY, fresh)


def seed_cost(
    distance: Float64s,
    arousal: Float64s,
    age_days: Float64s,
    *,
    weights: tuple[float, float, float],
    rate: float = DECAY_RATE,
) -> Cost:
    """Add up ``α · distance + β · (1 - arousal) + γ · (1 - e^(-rate · age_days)) · (1 - arousal)``.

    The formula is that of seed 001, phase 3; with γ = 0 it is the earlier score of two terms.

    NaN for an arousal counts as 0.5; ages are as ``time_decay`` takes them.
    """
    alpha, beta, gamma = weights
    calm = 1.0 - np.where(np.isnan(arousal), UNKNOWN_AROUSAL, arousal)
    return Cost(
        distance=alpha * np.asarray(distance, dtype=np.float64),
        arousal=beta * calm,
        time=gamma * (1.0 - time_decay(age_days, rate=rate)) * calm,
    )


SEED_CANDIDATES = 100
"""How many of the best the seed's cost orders; below them the order stays."""

_LEAST_SIMILARITY = 1e-3
"""The least that α counts for, so that the other parts have a unit."""


def weigh_by_cost(
    scores: Float32s,
    *,
    arousal: Float32s,
    age_days: Float64s,
    weights: tuple[float, float, float],
    rate: float = DECAY_RATE,
) -> tuple[Float32s, Float32s]:
    """Return what arousal and time must add to scores so that they order the candidates as the seed's cost does.

    The distance is ``1 - (score - lowest) / (highest - lowest)``. Both terms are at least 0, so that no candidate falls
    below what was none.

    Returns:
        What arousal and what time adds, shape (n,) each.
    """
    if not scores.size:
        return np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.float32)
    lowest, highest = float(scores.min()), float(scores.max())
    unit = (highest - lowest) or 1.0
    distance = 1.0 - (scores.astype(np.float64) - lowest) / unit
    cost = seed_cost(distance, arousal.astype(np.float64), age_days, weights=weights, rate=rate)
    per_cost = unit / max(weights[0], _LEAST_SIMILARITY)
    gains = [per_cost * (part.max() - part) for part in (cost.arousal, cost.time)]
    return np.asarray(gains[0], dtype=np.float32), np.asarray(gains[1], dtype=np.float32)
