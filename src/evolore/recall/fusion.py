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
    if not values.size:
        return 1.0
    # The mean is taken exactly: values that are all alike must not seem to differ.
    centred = values - np.float32(values.mean(dtype=np.float64))
    deviation = math.sqrt(float(centred @ centred) / values.size)
    return deviation if deviation > _FLAT else 1.0


def word_agreement(own: npt.NDArray[np.float32], terms: TermScores) -> float:
    """Tell how far one item holds all the words of the question: 1 when the best item is best for every term.

    ``max_i Σ_t s(t, i) / Σ_t max_i s(t, i)``; 0 when no item holds any. Unlike the height of the best score above
    the others it hardly depends on how many items there are.

    Args:
        own: Sum of each item's own scores, shape (items,).
        terms: The scores.
    """
    attainable = sum(float(scores.max()) for _, scores in terms.rows())
    return float(own.max()) / attainable if attainable > 0.0 else 0.0


def vagueness(agreement: float, *, is_emotional: bool, settings: RecallSettings) -> float:
    """Tell how little a question's words say about what it wants: 0 for one that is asked in the words of its answer.

    Args:
        agreement: 0–1, from ``word_agreement``.
        is_emotional: Whether the question is after a feeling.
        settings: From where on a question is vague.

    Returns:
        0–1.
    """
    below = settings.vague_below + (settings.vague_emotional if is_emotional else 0.0)
    return min(1.0, max(0.0, (below - agreement) / _VAGUE_WIDTH))


def dense_weight(agreement: float, *, settings: RecallSettings, vague: float = 0.0) -> float:
    """Give the weight of meaning against words: it grows as the words agree less on one item.

    ``min(max_dense_weight, dense_weight · (1 + vague_weight · vague) · (0.5 / agreement) ** dense_growth)``. A question in
    the words of its answer is served by words; one that tells of a feeling shares few words with anything, and is served by meaning.

    Args:
        agreement: 0–1, from ``word_agreement``.
        settings: The four weights.
        vague: 0–1, from ``vagueness``.
    """
    distrust = _EVEN_AGREEMENT / max(agreement, _LEAST_AGREEMENT)
    more = 1.0 + settings.vague_weight * vague
    return min(settings.max_dense_weight, settings.dense_weight * more * distrust**settings.dense_growth)
