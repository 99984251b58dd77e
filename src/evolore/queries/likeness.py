"""How likely two questions are about the same matter: by their meaning and by their words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.text.vectors import logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_OFFSET = -8.1
_BY_MEANING = 4.9
_BY_WORDS = 8.4
"""Fitted to the pairs of questions of six conversations: two are about one matter where their evidence overlaps."""

_DECIMALS = 4


def shared_words(words: frozenset[str], others: Sequence[frozenset[str]]) -> npt.NDArray[np.float32]:
    """Give how many of the words of two questions both hold, as a share of those either holds, shape (others,).

    >>> shared_words(frozenset({"when", "move"}), [frozenset({"move"}), frozenset()]).tolist()
    [0.5, 0.0]
    """
    shares = (len(words & other) / len(words | other) if words | other else 0.0 for other in others)
    return np.fromiter(shares, dtype=np.float32, count=len(others))


def same_matter(cosines: npt.NDArray[np.float32], shared: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Give the probability that questions are about the same matter, rounded to 1e-4, in their shape.

    Names tell "When did Ana move?" from "When did Bo move?", which lie near each other in every model; so what is known
    of one passes to the other only where their words agree too.

    Args:
        cosines: Of their vectors around the centre of their language, -1–1.
        shared: What ``shared_words`` gives, 0–1.

    >>> [f"{share:.2f}" for share in same_matter(np.float32([1.0, 0.9, 0.9]), np.float32([1.0, 0.6, 0.1]))]
    ['0.99', '0.79', '0.05']
    """
    odds = _OFFSET + _BY_MEANING * cosines.astype(np.float64) + _BY_WORDS * shared
    return np.round(logistic(odds), _DECIMALS).astype(np.float32)
