"""Decide whether an episode is split, and into which parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evolore.episodes.calibration import Calibration, Piece, log_odds_of
from evolore.episodes.conflict import NO_CONFLICT, Conflict, Cut, conflict, cut_conflict
from evolore.episodes.merging import joint_groups
from evolore.episodes.settings import EpisodeSettings
from evolore.errors import InvalidValue
from evolore.text.vectors import Vectors, unit

_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """A part of an episode that is split."""

    #: The places of its sentences in the episode's text, ascending, at least one; two in a part of several.
    sentences: tuple[int, ...]
    #: The places of the neighbours it belongs with, ascending; one at least in a part of several.
    neighbours: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What was found of an episode among its neighbours."""

    conflict: Conflict  #: How strongly they pull it apart.
    #: How it would be split, in the order of their first sentences; one part where it is of one matter.
    parts: tuple[Portion, ...]


def is_mixed(characters: int, merge_count: int, settings: EpisodeSettings) -> bool:
    """Return whether an episode may hold its matters in no order: it is long, or was merged often.

    >>> from evolore.episodes.settings import EpisodeSettings
    >>> is_mixed(499, 4, EpisodeSettings()), is_mixed(500, 0, EpisodeSettings()), is_mixed(9, 5, EpisodeSettings())
    (False, True, True)
    """
    return characters >= settings.candidate_characters or merge_count >= settings.merges_first


def split_confidence(confidence: float, settings: EpisodeSettings) -> float:
    """Return the confidence of a part of what had a confidence."""
    return round(confidence * settings.split_decay, _DIGITS)


def weigh(
    sentences: Sequence[Piece], neighbours: Sequence[Piece], *, calibration: Calibration, settings: EpisodeSettings
) -> Weighed:
    """Sort an episode's sentences and neighbours into matters, and measure their conflict.

    The order of the neighbours does not matter.

    Neighbours are the accumulated edges and the neighbours of its sentences: the nearest to its own vector alone would hide
    a conflict.
    """
    if not sentences:
        raise InvalidValue("An episode without a sentence cannot be split: use at least one.")
    order = sorted(
        range(len(neighbours)), key=lambda place: (neighbours[place].text, neighbours[place].vector.tolist())
    )
    odds = log_odds_of([neighbours[place] for place in order], sentences, calibration)
    count = len(neighbours)
    labels = joint_groups(odds, neighbours=count, most=settings.max_splits)
    found = conflict(odds, labels, neighbours=count, weights=settings.conflict_weights)
    if labels.any():  # that there are several matters is settled; which, a single neighbour may show
        finer = joint_groups(odds, neighbours=count, most=settings.max_splits, fewest=1)
        labels = finer if finer.any() else labels
    members = [np.flatnonzero(labels == group).tolist() for group in range(int(labels.max()) + 1)]
    parts = [
        Portion(
            sentences=tuple(place - count for place in places if place >= count),
            neighbours=tuple(sorted(order[place] for place in places if place < count)),
        )
        for places in members
    ]
    return Weighed(conflict=found, parts=tuple(sorted(parts, key=lambda part: part.sentences)))


def sorted_into(
    sides: Sequence[Sequence[int]], sentences: Sequence[Piece], neighbours: Sequence[Piece], *, calibration: Calibration
) -> tuple[Portion, ...]:
    """Sort sentences into contexts, each into the one whose neighbours it is likeliest of one matter with.

    Returns:
        Contexts that hold a sentence, in the order of their first sentences.
    """
    odds = log_odds_of(neighbours, sentences, calibration)[len(neighbours) :, : len(neighbours)]
    best = np.stack([odds[:, list(side)].mean(axis=1) for side in sides], axis=1).argmax(axis=1)
    found = [
        Portion(sentences=tuple(np.flatnonzero(best == place).tolist()), neighbours=tuple(sorted(side)))
        for place, side in enumerate(sides)
        if (best == place).any()
    ]
    return tuple(sorted(found, key=lambda part: part.sentences))


def weigh_in_order(
    sentences: Sequence[Piece],
    neighbours: Sequence[Piece],
    *,
    calibration: Calibration,
    settings: EpisodeSettings,
    among: int,
) -> Weighed | None:
    """Find the cut between two sentences for which most speaks, and the next ones while they reach the threshold.

    Returns:
        The conflict of the first cut, and the parts; None where there is nothing to cut or too few neighbours.
    """
    first = _best_cut(sentences, neighbours, calibration, among=among)
    if first is None:
        return None
    place, cut = first
    cuts = {place: cut}
    stretches = [(0, place), (place, len(sentences))]
    while len(stretches) < settings.max_splits and cut.conflict.total >= settings.conflict_threshold:
        tried = [
            (start + found[0], found[1])
            for start, end in stretches
            if (found := _best_cut(sentences[start:end], neighbours, calibration, among=among)) is not None
        ]
        at, best = max(tried, key=lambda one: one[1].conflict.total, default=(0, None))
        if best is None or best.conflict.total < settings.conflict_threshold:
            break
        cuts[at] = best
        stretches = list(pairwise(sorted((0, *cuts, len(sentences)))))
    parts = tuple(
        Portion(sentences=tuple(range(start, end)), neighbours=cuts[end].left if end in cuts else cuts[start].right)
        for start, end in stretches
    )
    return Weighed(conflict=cut.conflict, parts=parts)


def plan_split(
    sentences: Sequence[Piece],
    neighbours: Sequence[Piece],
    *,
    calibration: Calibration,
    settings: EpisodeSettings,
    among: int = 0,
    mixed: bool = True,
) -> Weighed:
    """Decide whether an episode is split, and how.

    It is where its neighbours pull it apart: between two sentences, or where it may be mixed into groups of sentences.
    Together the parts hold every sentence once.

    Returns:
        The conflict that decided, and two parts or more in the order of their first sentences, or one where it stays
        whole.
    """
    if not sentences:
        raise InvalidValue("An episode without a sentence cannot be split: use at least one.")
    found: list[Weighed] = []
    if len(neighbours) >= settings.min_connections:
        cut = weigh_in_order(sentences, neighbours, calibration=calibration, settings=settings, among=among)
        found += [] if cut is None else [cut]
        if mixed:
            found.append(weigh(sentences, neighbours, calibration=calibration, settings=settings))
    torn = [one for one in found if _is_torn(one, settings)]
    if torn:
        return max(torn, key=lambda one: len(one.parts))
    whole = (Portion(sentences=tuple(range(len(sentences))), neighbours=()),)
    return Weighed(conflict=found[0].conflict if found else NO_CONFLICT, parts=whole)


def _is_torn(weighed: Weighed, settings: EpisodeSettings) -> bool:
    return (
        settings.auto_split_enabled and len(weighed.parts) > 1 and weighed.conflict.total >= settings.conflict_threshold
    )


def _best_cut(
    sentences: Sequence[Piece], neighbours: Sequence[Piece], calibration: Calibration, *, among: int
) -> tuple[int, Cut] | None:
    best: tuple[int, Cut] | None = None
    for place in range(1, len(sentences)):
        sides = [_joined(sentences[:place]), _joined(sentences[place:])]
        cut = cut_conflict(log_odds_of([*sides, *neighbours], [], calibration), among=among)
        if cut is not None and (best is None or cut.conflict.total > best[1].conflict.total):
            best = place, cut
    return best


def _joined(sentences: Sequence[Piece]) -> Piece:
    """Read sentences as one text; its vector is that of their sum."""
    vectors = np.stack([one.vector for one in sentences])
    return Piece(text="\n".join(one.text for one in sentences), vector=unit(vectors.sum(axis=0)))


def split_vectors(texts: Vectors, neighbours: Vectors, parts: Sequence[Portion], *, own_share: float) -> Vectors:
    """Return the vectors of the parts, each the weighted sum of its text and of the mean of its neighbours.

    Returns:
        Unit vectors, shape (parts, dimension).
    """
    centres = np.stack([unit(neighbours[list(part.neighbours)].mean(axis=0)) for part in parts])
    return unit(own_share * texts + (1.0 - own_share) * centres)
