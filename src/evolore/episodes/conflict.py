"""How strongly the neighbours of an episode pull it apart: the seed's three measures, on calibrated quantities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.text.vectors import logistic

if TYPE_CHECKING:
    from evolore.text.linkage import Labels
    from evolore.text.vectors import Floats

_SEMANTIC, _DIRECTIONAL, _CLUSTER = 0.5, 0.3, 0.2
_DIGITS = 4
_INDEPENDENT_PAIRS = 2.5
"""Chosen between 1.6 and 3.5, as high as long texts of one section are not often torn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """What pulls an episode apart; all are 0–1, and higher means more conflict.

    Args:
        semantic: How unlikely it is that all its groups are of one matter.
        directional: How far that lies beyond undecided.
        cluster: How widely its neighbours are spread.
    """

    semantic: float
    directional: float
    cluster: float

    @property
    def total(self) -> float:
        """The seed's sum: half the first, three tenths of the second, two tenths of the third.

        >>> Conflict(semantic=1.0, directional=1.0, cluster=0.0).total
        0.8
        """
        parts = _SEMANTIC * self.semantic + _DIRECTIONAL * self.directional + _CLUSTER * self.cluster
        return round(parts, _DIGITS)


def conflict(odds: Floats, labels: Labels, *, neighbours: int) -> Conflict:
    """Measure the conflict of an episode whose neighbours and sentences are sorted into groups.

    With ``P`` for the probability that all groups are of one matter: ``semantic = 1 - P``,
    ``directional = max(0, 1 - 2·P)``, and ``cluster`` is ``(n - 1) / n`` times the mean of ``1 - p`` over the pairs of
    its n neighbours. ``P`` is that of the mean log-odds of the pairs between groups, counted two and a half
    times: a mean of many pairs says more than one pair. Counted once it would be the probability of the mean cosine,
    with which two thirds of the episodes of two matters pass unseen. With one group there is no conflict but the spread.

    Args:
        odds: Log-odds of one matter for every pair, neighbours first, shape (m, m), symmetric, 0 on the diagonal.
        labels: The group of each, shape (m,).
        neighbours: How many of them are neighbours.
    """
    spread = _spread(odds[:neighbours, :neighbours])
    between = labels[:, None] != labels
    if not between.any():
        return Conflict(semantic=0.0, directional=0.0, cluster=spread)
    one_matter = float(logistic(_INDEPENDENT_PAIRS * float(odds[between].mean())))
    return Conflict(
        semantic=round(1.0 - one_matter, _DIGITS),
        directional=round(max(0.0, 1.0 - 2.0 * one_matter), _DIGITS),
        cluster=spread,
    )


def _spread(odds: Floats) -> float:
    count = len(odds)
    if count < 2:  # noqa: PLR2004 - one alone is not spread
        return 0.0
    pairs = odds[np.triu_indices(count, 1)]
    return round((count - 1) / count * float((1.0 - logistic(pairs)).mean()), _DIGITS)
