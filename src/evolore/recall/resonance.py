"""How arousal moves when a memory is used, and what keeps it from swelling."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RATE = 0.2
"""The share of the way that one use goes."""

MOST_MEAN = 0.6
"""The mean arousal above which all is scaled down."""

DEFLATION = 0.9
"""What all is scaled by then."""

UNKNOWN = 0.5
"""Where an episode starts whose arousal nobody stated or estimated; recall takes it for the same."""


def resonate(arousal: float, resonance: float) -> float:
    """Move an arousal towards how strongly a use was felt: a + 0.2·(r - a); both 0-1, and so is the result.

    >>> round(resonate(0.5, 1.0), 2)
    0.6
    """
    return min(1.0, max(0.0, arousal + RATE * (resonance - arousal)))


def unresonate(arousal: float, resonance: float) -> float:
    """Give the arousal from which a use of some strength moved to this one; both 0-1, and so is the result.

    >>> round(unresonate(resonate(0.5, 1.0), 1.0), 2)
    0.5
    """
    return min(1.0, max(0.0, (arousal - RATE * resonance) / (1.0 - RATE)))


def is_inflated(arousals: npt.NDArray[np.float64]) -> bool:
    """Tell whether the mean of arousals is above 0.6; of none it is not."""
    return bool(len(arousals)) and float(arousals.mean()) > MOST_MEAN


def deflate(arousals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Scale all arousals by 0.9, which keeps their order.

    >>> import numpy as np
    >>> [round(one, 2) for one in deflate(np.array([0.5, 1.0])).tolist()]
    [0.45, 0.9]
    """
    return arousals * DEFLATION
