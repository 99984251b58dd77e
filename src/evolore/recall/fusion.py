"""Fusion: how words and meaning are brought to one scale, and which of them to trust."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.recall.evidence import TermScores
    from evolore.recall.settings import RecallSettings

_EVEN_AGREEMENT = 0.5
"""Where ``dense_weight`` holds as it is; about the median of factual questions, twice that of emotional ones."""

_VAGUE_WIDTH = 0.1

_LEAST_AGREEMENT = 1e-3
"""Keeps the weight finite where no item holds any of the words."""

_FLAT = 1e-6
"""Values that spread less than this are told apart by rounding alone: embedders repeat themselves to 2e-7."""


def scale_of(values: npt.NDArray[np.float32]) -> float:
    """Give the standard deviation, or 1 where the values hardly differ and dividing would magnify rounding."""
    deviation = _deviation(values)
    return deviation if deviation > _FLAT else 1.0


def is_flat(values: npt.NDArray[np.float32]) -> bool:
    """Tell whether values hardly differ, so that ``scale_of`` leaves them in the unit they are in."""
    return _deviation(values) <= _FLAT


def _deviation(values: npt.NDArray[np.float32]) -> float:
    if not values.size:
        return 0.0
    # The mean is taken exactly: values that are all alike must not seem to differ.
    centred = values - np.float32(values.mean(dtype=np.float64))
    return math.sqrt(float(centred @ centred) / values.size)


def best_coverage(own: npt.NDArray[np.float32], attainable: float) -> float:
    """Tell how much of the question's words the item that holds most of them holds, 0–1.

    Args:
        own: Sum of each item's own scores, shape (items,).
        attainable: What no item reaches, from ``TermScores``.
    """
    return float(own.max(initial=0.0)) / attainable


def vagueness(coverage: float, *, settings: RecallSettings) -> float:
    """Tell how little a question's words say about what it wants: 0 for one that is asked in the words of its answer.

    Args:
        coverage: 0–1, from ``best_coverage``.
        settings: From where on a question is vague.

    Returns:
        0–1.
    """
    return min(1.0, max(0.0, (settings.vague_below - coverage) / _VAGUE_WIDTH))


def dense_weight(*, settings: RecallSettings, vague: float = 0.0) -> float:
    """Give the weight of meaning against words: ``dense_weight · (1 + vague_weight · vague)``."""
    return settings.dense_weight * (1.0 + settings.vague_weight * vague)
