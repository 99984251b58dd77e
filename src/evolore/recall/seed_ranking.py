"""The seed's cost as terms of a score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.recall.cost import DECAY_RATE, seed_cost

if TYPE_CHECKING:
    Floats = npt.NDArray[np.float32]

SEED_CANDIDATES = 100
"""How many of the best the seed's cost orders; below them the order stays."""

_LEAST_SIMILARITY = 1e-3
"""What α counts for at the least, so that there is a unit to give the other parts in."""


def weigh_by_cost(
    scores: Floats,
    *,
    arousal: Floats,
    age_days: npt.NDArray[np.float64],
    weights: tuple[float, float, float],
    rate: float = DECAY_RATE,
) -> tuple[Floats, Floats]:
    """Say what arousal and time must add to scores so that they order the candidates as the seed's cost does.

    The distance is ``1 - (score - lowest) / (highest - lowest)``. Both terms are at least 0, so that no candidate falls
    below what was none.

    Args:
        scores: Of the candidates, shape (n,).
        arousal: 0–1, NaN where it is not known.
        age_days: NaN where it is not known, below 0 for the future.
        weights: α, β, γ.
        rate: A day's share of the decay.

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
