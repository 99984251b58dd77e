"""Lessons that a question inherits from earlier ones about the same matter: a gain for the episodes that served them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evolore.text.vectors import Float32s, Float64s, Int32s, logistic

_SECONDS_PER_DAY = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Taught:
    """Lessons of earlier questions, one behind the other, all arrays in the same order."""

    episode_ids: Sequence[str]  #: Whom each lesson is about.
    #: How strong each is, 0–1: how likely its question is about the same matter, times its weight, times what its age
    #: leaves of it. float32, shape (lessons,).
    strengths: Float32s
    principals: Int32s  #: A number for who taught each, shape (lessons,).


def left_by_age(seconds: Float64s, *, half_life_days: float) -> Float32s:
    """Return what is left of lessons by their age, 0–1: a half after each half-life, all of what lies in the future.

    >>> left_by_age(np.array([0.0, 86_400.0, 172_800.0]), half_life_days=1.0).tolist()
    [1.0, 0.5, 0.25]
    """
    days = np.maximum(seconds, 0.0) / _SECONDS_PER_DAY
    return np.exp2(-days / half_life_days).astype(np.float32)


def gains(taught: Taught, *, principal_share: float) -> Mapping[str, float]:
    """Return what episodes gain, 0–1.

    Of what one principal taught of an episode, only the strongest lesson counts, however many there are; principals add
    up as independent witnesses do: ``1 − Π (1 − principal_share · strength)``. So a thousand ratings of one principal
    are worth as much as one, and no episode gains more than 1.

    >>> lessons = Taught(
    ...     episode_ids=["a", "a", "a", "b"],
    ...     strengths=np.float32([1.0, 0.5, 1.0, 0.5]),
    ...     principals=np.int32([7, 7, 8, 7]),
    ... )
    >>> dict(gains(lessons, principal_share=0.5))
    {'a': 0.75, 'b': 0.25}

    Args:
        taught: The lessons.
        principal_share: The most that a single principal can add, 0–1.
    """
    best: dict[tuple[str, int], float] = {}
    found = zip(taught.episode_ids, taught.principals.tolist(), taught.strengths.tolist(), strict=True)
    for id_, principal, strength in found:
        if strength > best.get((id_, principal), 0.0):
            best[id_, principal] = strength
    missed: dict[str, float] = {}
    for id_, principal in sorted(best):
        missed[id_] = missed.get(id_, 1.0) * (1.0 - principal_share * best[id_, principal])
    return {id_: 1.0 - share for id_, share in missed.items()}


_OFFSET = -8.1
_BY_MEANING = 4.9
_BY_WORDS = 8.4
"""Fitted to the pairs of questions of six conversations: two are about one matter where their evidence overlaps."""

_DECIMALS = 4


def shared_words(words: frozenset[str], others: Sequence[frozenset[str]]) -> Float32s:
    """Return how many of the words of two questions both hold, as a share of those either holds, shape (others,).

    >>> shared_words(frozenset({"when", "move"}), [frozenset({"move"}), frozenset()]).tolist()
    [0.5, 0.0]
    """
    shares = (len(words & other) / len(words | other) if words | other else 0.0 for other in others)
    return np.fromiter(shares, dtype=np.float32, count=len(others))


def same_matter(cosines: Float32s, shared: Float32s) -> Float32s:
    """Return the probability that questions are about the same matter, rounded to 1e-4, in their shape.

    Names distinguish "When did Ana move?" from "When did Bo move?", which are close in every model; so what is known
    of one passes to the other only where their words agree too.

    Args:
        cosines: Of their vectors around the centre of their language, -1–1.
        shared: The result of ``shared_words``, 0–1.

    >>> [f"{share:.2f}" for share in same_matter(np.float32([1.0, 0.9, 0.9]), np.float32([1.0, 0.6, 0.1]))]
    ['0.99', '0.79', '0.05']
    """
    odds = _OFFSET + _BY_MEANING * cosines.astype(np.float64) + _BY_WORDS * shared
    return np.round(logistic(odds), _DECIMALS).astype(np.float32)
