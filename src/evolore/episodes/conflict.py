"""Measures of how strongly the neighbours of an episode pull it apart: the seed's three, on calibrated quantities.

What was written in one go is cut between two sentences; what was merged is sorted into groups, by the same measures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evolore.episodes.calibration import chance
from evolore.text.vectors import Floats, Labels, logistic

_DIGITS = 4
_POWERS = (0.166, 0.414, 0.248)
_EACH = 3
_SURE = 0.5
_INDEPENDENT_PAIRS = 2.5
"""Chosen between 1.6 and 3.5, as high as long texts of one section are not often torn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """What pulls an episode apart; all are 0–1, and higher means more conflict."""

    semantic: float  #: How unlikely it is that all its groups are of one matter.
    directional: float  #: How far that lies beyond undecided.
    cluster: float  #: How widely its neighbours are spread.
    total: float  #: The three together.

    def in_words(self) -> str:
        """Return the total, and the three in brackets."""
        measures = f"semantic {self.semantic:.2f}, directional {self.directional:.2f}, cluster {self.cluster:.2f}"
        return f"conflict {self.total:.2f} ({measures})"


NO_CONFLICT = Conflict(semantic=0.0, directional=0.0, cluster=0.0, total=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What a cut of an episode's sentences in two would part."""

    conflict: Conflict  #: How much speaks for it.
    #: The places of the neighbours that belong with what comes before it, ascending; at least one.
    left: tuple[int, ...]
    right: tuple[int, ...]  #: The same of what comes behind it.


def cut_conflict(odds: Floats, *, among: int) -> Cut | None:
    """Measure how much speaks for parting two texts, each of which has neighbours of its own.

    ``semantic`` is how unlikely it is that both are of one matter. ``directional`` is how surely three neighbours belong
    to the one and not to the other, at the side where that is less sure: the mean of ``p · (1 - q)``, with the odds of
    being near by chance taken off. ``cluster`` is how unlikely it is that the three of either side are of one matter with
    those of the other. ``total`` is the product of their powers 0.166, 0.414 and 0.248, so that each of them can forbid
    the cut; of notes of one matter, 2 in 100 reach the seed's 0.7.

    Returns:
        None where there are fewer than three neighbours.
    """
    if len(odds) < 2 + _EACH:
        return None
    belongs: Floats = logistic(odds[:2, 2:] - chance(among))
    sides = belongs * (1.0 - belongs[::-1])
    best = np.argsort(-sides, axis=1, kind="stable")[:, :_EACH]
    semantic = 1.0 - float(logistic(odds[0, 1]))
    directional = float(np.take_along_axis(sides, best, axis=1).mean(axis=1).min())
    cluster = 1.0 - float(logistic(odds[2:, 2:][np.ix_(*best)]).mean())
    found = Conflict(
        semantic=round(semantic, _DIGITS),
        directional=round(directional, _DIGITS),
        cluster=round(cluster, _DIGITS),
        total=round(semantic ** _POWERS[0] * directional ** _POWERS[1] * cluster ** _POWERS[2], _DIGITS),
    )
    left, right = (
        tuple(sorted({int(best[side, 0]), *np.flatnonzero(sides[side] > _SURE).tolist()})) for side in (0, 1)
    )
    return Cut(conflict=found, left=left, right=right)


def conflict(odds: Floats, labels: Labels, *, neighbours: int, weights: tuple[float, float, float]) -> Conflict:
    """Measure the conflict of an episode whose neighbours and sentences are sorted into groups.

    With ``P`` for the probability that all groups are of one matter: ``semantic = 1 - P``,
    ``directional = max(0, 1 - 2·P)``, and ``cluster`` is ``(n - 1) / n`` times the mean of ``1 - p`` over the pairs of
    its n neighbours. ``P`` is that of the mean log-odds of the pairs between groups, counted two and a half
    times: a mean of many pairs says more than one pair. Counted once it would be the probability of the mean cosine,
    with which two thirds of the episodes of two matters pass unseen. With one group there is no conflict but the spread.
    """
    spread = _spread(odds[:neighbours, :neighbours])
    between = labels[:, None] != labels
    if not between.any():
        return _sum(0.0, 0.0, spread, weights)
    one_matter = float(logistic(_INDEPENDENT_PAIRS * float(odds[between].mean())))
    return _sum(round(1.0 - one_matter, _DIGITS), round(max(0.0, 1.0 - 2.0 * one_matter), _DIGITS), spread, weights)


def _sum(semantic: float, directional: float, cluster: float, weights: tuple[float, float, float]) -> Conflict:
    total = weights[0] * semantic + weights[1] * directional + weights[2] * cluster
    return Conflict(semantic=semantic, directional=directional, cluster=cluster, total=round(total, _DIGITS))


def _spread(odds: Floats) -> float:
    count = len(odds)
    if count < 2:  # noqa: PLR2004 - one alone is not spread
        return 0.0
    return round((count - 1) / count * float((1.0 - logistic(odds[np.triu_indices(count, 1)])).mean()), _DIGITS)
