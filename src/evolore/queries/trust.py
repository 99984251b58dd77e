"""How ratings move the confidence of what an answer rests on."""

from __future__ import annotations

from enum import StrEnum

from evolore.domain.queries import Rating

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.1, 1.0
"""Ratings move confidence no further than this."""

_STEP = 0.1
_HELPFUL_FACTOR = 1.5
_DIGITS = 6


class Effect(StrEnum):
    """Why a rating moves the confidence of an episode; also the reason of the event."""

    SELECTED = "selected"
    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"


def effect_of(rating: Rating, *, is_helpful: bool) -> Effect:
    """Say what a rating does to what the answer rests on."""
    if rating is Rating.BAD:
        return Effect.UNHELPFUL
    return Effect.HELPFUL if is_helpful else Effect.SELECTED


def trusted(confidence: float, effect: Effect, *, times: int = 1) -> float:
    """Give a confidence after an effect: a tenth more, half as much again where it helped, or a tenth less; 0.1–1.

    Args:
        confidence: 0–1, before.
        effect: What moves it.
        times: 1 to let it move, -1 to take that back.

    >>> [trusted(0.5, effect) for effect in Effect]
    [0.6, 0.65, 0.4]
    >>> trusted(0.95, Effect.SELECTED), trusted(0.15, Effect.UNHELPFUL)
    (1.0, 0.1)
    """
    steps = {Effect.SELECTED: 1.0, Effect.HELPFUL: _HELPFUL_FACTOR, Effect.UNHELPFUL: -1.0}
    moved = confidence + times * _STEP * steps[effect]
    return round(min(MOST_CONFIDENCE, max(min(confidence, LEAST_CONFIDENCE), moved)), _DIGITS)
