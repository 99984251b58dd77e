"""What vectors of texts say once the centre of their language is the origin; several systems compare them so."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]

_LEAST_LENGTH = 1e-6
_LARGEST_EXPONENT = 60.0


def unit(vectors: npt.NDArray[np.floating]) -> Vectors:
    """Make vectors of unit length; one of no length keeps it.

    Args:
        vectors: Shape (…, dimension).
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, _LEAST_LENGTH), dtype=np.float32)


def centred(vectors: Vectors, centre: Vectors) -> Vectors:
    """Move vectors so that a centre lies at the origin, and make them of unit length again.

    Args:
        vectors: Unit vectors, shape (n, dimension).
        centre: What is common to them, shape (dimension,), or of each, shape (n, dimension).
    """
    return unit(np.asarray(vectors - centre, dtype=np.float32))


def logistic(log_odds: npt.ArrayLike) -> Floats:
    """Give probabilities for log-odds, in their shape.

    >>> logistic([0.0, 1000.0]).tolist()
    [0.5, 1.0]
    """
    exponents = np.clip(np.asarray(log_odds, dtype=np.float64), -_LARGEST_EXPONENT, _LARGEST_EXPONENT)
    return np.asarray(1.0 / (1.0 + np.exp(-exponents)), dtype=np.float64)
