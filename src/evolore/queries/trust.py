"""How ratings move the confidence of what an answer rests on."""

from __future__ import annotations

from evolore.domain.queries import Rating
from evolore.domain.steps import Effect, stepped


def effect_of(rating: Rating, *, is_helpful: bool) -> Effect:
    """Say what a rating does to what the answer rests on."""
    if rating is Rating.BAD:
        return Effect.UNHELPFUL
    return Effect.HELPFUL if is_helpful else Effect.SELECTED


def trusted(confidence: float, effect: Effect) -> float:
    """Give a confidence after an effect: a tenth more, half as much again where it helped, or a tenth less; 0.1–1.

    >>> [trusted(0.5, effect) for effect in Effect]
    [0.6, 0.65, 0.4]
    >>> trusted(0.95, Effect.SELECTED), trusted(0.15, Effect.UNHELPFUL)
    (1.0, 0.1)
    """
    return stepped(confidence, effect.step)
