"""Fusion: how much of a question its words say, and which of words and meaning to trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from evolore.recall.settings import RecallSettings

_VAGUE_WIDTH = 0.1


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
