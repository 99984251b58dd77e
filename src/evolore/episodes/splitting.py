"""Whether an episode is split, and into which parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.episodes.conflict import Conflict, conflict
from evolore.episodes.evidence import log_odds_of
from evolore.episodes.groups import joint_groups
from evolore.errors import InvalidValue
from evolore.text.vectors import unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.episodes.calibration import Calibration
    from evolore.episodes.evidence import Piece
    from evolore.episodes.settings import EpisodeSettings
    from evolore.text.vectors import Vectors

_OWN_SHARE = 0.7
_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of an episode that is split.

    Args:
        sentences: The places of its sentences in the episode's text, ascending, at least one; two in a part of several.
        neighbours: The places of the neighbours it belongs with, ascending; one at least in a part of several.
    """

    sentences: tuple[int, ...]
    neighbours: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What was found of an episode among its neighbours.

    Args:
        conflict: How strongly they pull it apart.
        parts: How it would be split, in the order of their first sentences; one part where it is of one matter.
    """

    conflict: Conflict
    parts: tuple[Part, ...]


def may_split(characters: int, merge_count: int, settings: EpisodeSettings) -> bool:
    """Tell whether an episode is looked at: it is long enough, or was merged often.

    >>> from evolore.episodes.settings import EpisodeSettings
    >>> may_split(499, 4, EpisodeSettings()), may_split(500, 0, EpisodeSettings()), may_split(9, 5, EpisodeSettings())
    (False, True, True)
    """
    if not settings.auto_split_enabled:
        return False
    return characters >= settings.candidate_characters or merge_count >= settings.merges_first


def split_confidence(confidence: float, settings: EpisodeSettings) -> float:
    """Give the confidence of a part of what had a confidence."""
    return round(confidence * settings.split_decay, _DIGITS)


def weigh(
    sentences: Sequence[Piece], neighbours: Sequence[Piece], *, calibration: Calibration, settings: EpisodeSettings
) -> Weighed:
    """Sort an episode's sentences and neighbours into matters, and measure their conflict.

    The order of the neighbours does not matter.

    Args:
        sentences: Of its text, in their order, at least one.
        neighbours: What lies around it: accumulated edges and the neighbours of its sentences. The nearest to its own
            vector alone would hide a conflict.
        calibration: Of the embedder and the episode's language.
        settings: How many parts there may be.

    Raises:
        InvalidValue: There is no sentence.
    """
    if not sentences:
        raise InvalidValue("An episode without a sentence cannot be split: give at least one.")
    order = sorted(
        range(len(neighbours)), key=lambda place: (neighbours[place].text, neighbours[place].vector.tolist())
    )
    odds = log_odds_of([neighbours[place] for place in order], sentences, calibration)
    count = len(neighbours)
    labels = joint_groups(odds, neighbours=count, most=settings.max_splits)
    found = conflict(odds, labels, neighbours=count)
    if labels.any():  # that there are several matters is settled; which, a single neighbour may tell
        finer = joint_groups(odds, neighbours=count, most=settings.max_splits, fewest=1)
        labels = finer if finer.any() else labels
    members = [np.flatnonzero(labels == group).tolist() for group in range(int(labels.max()) + 1)]
    parts = [
        Part(
            sentences=tuple(place - count for place in places if place >= count),
            neighbours=tuple(sorted(order[place] for place in places if place < count)),
        )
        for places in members
    ]
    return Weighed(conflict=found, parts=tuple(sorted(parts, key=lambda part: part.sentences)))


def plan_split(
    sentences: Sequence[Piece], neighbours: Sequence[Piece], *, calibration: Calibration, settings: EpisodeSettings
) -> tuple[Part, ...] | None:
    """Decide whether an episode is split, and how.

    It is where it has enough neighbours, they and its sentences fall into two groups or more, and their conflict
    reaches the threshold. Together the parts hold every sentence once.

    Args:
        sentences: Of its text, in their order, at least one.
        neighbours: As for ``weigh``.
        calibration: Of the embedder and the episode's language.
        settings: The thresholds.

    Returns:
        Two parts or more, in the order of their first sentences; None where it stays whole.

    Raises:
        InvalidValue: There is no sentence.
    """
    weighed = weigh(sentences, neighbours, calibration=calibration, settings=settings)
    has_groups = len(weighed.parts) > 1 and len(neighbours) >= settings.min_connections
    is_torn = weighed.conflict.total >= settings.conflict_threshold
    return weighed.parts if has_groups and is_torn and settings.auto_split_enabled else None


def split_vectors(texts: Vectors, neighbours: Vectors, parts: Sequence[Part]) -> Vectors:
    """Give the vectors of the parts: seven tenths of what their texts say, three of where their neighbours lie.

    Args:
        texts: The unit vectors of the parts' texts, shape (parts, dimension).
        neighbours: The unit vectors of all neighbours, shape (neighbours, dimension).
        parts: What the rows of the first belong to.

    Returns:
        Unit vectors, shape (parts, dimension).
    """
    centres = np.stack([unit(neighbours[list(part.neighbours)].mean(axis=0)) for part in parts])
    return unit(_OWN_SHARE * texts + (1.0 - _OWN_SHARE) * centres)
