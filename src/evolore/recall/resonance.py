"""How arousal moves when a memory is used, and what keeps it from swelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.steps import DEFLATION_FACTOR, RESONANCE_RATE

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MOST_MEAN = 0.6
"""The mean arousal above which all is scaled down."""


def resonate(arousal: float, resonance: float) -> float:
    """Move an arousal towards how strongly a use was felt: a + 0.2·(r - a); both 0-1, and so is the result.

    >>> round(resonate(0.5, 1.0), 2)
    0.6
    """
    return min(1.0, max(0.0, arousal + RESONANCE_RATE * (resonance - arousal)))


def is_inflated(arousals: npt.NDArray[np.float64]) -> bool:
    """Tell whether the mean of arousals is above 0.6; of none it is not."""
    return bool(len(arousals)) and float(arousals.mean()) > MOST_MEAN


def deflate(arousals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Scale all arousals by 0.9, which keeps their order.

    >>> import numpy as np
    >>> [round(one, 2) for one in deflate(np.array([0.5, 1.0])).tolist()]
    [0.45, 0.9]
    """
    return arousals * DEFLATION_FACTOR
