"""How far one rating moves confidence, and one use arousal: what is moved, and what replays it, count alike."""

from __future__ import annotations

from enum import StrEnum

LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.1, 1.0
"""Ratings move confidence no further than this."""

RESONANCE_RATE = 0.2
"""The share of the way towards how strongly a use was felt that arousal goes."""

DEFLATION_FACTOR = 0.9
"""What all arousals are scaled by once their mean is too high."""

UNKNOWN_AROUSAL = 0.5
"""Where an episode starts whose arousal nobody stated or estimated."""

RESONANCE = "resonance"
"""The reason of an event by which a use moved how strongly episodes were felt: a rating as any other use."""

DEFLATION = "deflation"
"""The reason of an event that scaled all arousals down."""

TAKEN_BACK = "taken_back"
"""The reason of an event that takes an effect of a rating back where later ones kept it from being undone."""

_DIGITS = 6


class Effect(StrEnum):
    """Why a rating moves the confidence of an episode; also the reason of the event."""

    SELECTED = "selected"
    HELPFUL = "helpful"
    UNHELPFUL = "unhelpful"

    @property
    def step(self) -> float:
        """How far it moves confidence where no bound is met: a tenth, and half as much again where it helped.

        >>> [effect.step for effect in Effect]
        [0.1, 0.15, -0.1]
        """
        return {Effect.SELECTED: 0.1, Effect.HELPFUL: 0.15, Effect.UNHELPFUL: -0.1}[self]


def stepped(confidence: float, step: float) -> float:
    """Give a confidence after a step, bounded; one that is below the least stays where it is or rises.

    >>> stepped(0.5, 0.1), stepped(0.95, 0.1), stepped(0.15, -0.1), stepped(0.05, -0.1)
    (0.6, 1.0, 0.1, 0.05)
    """
    return round(min(MOST_CONFIDENCE, max(min(confidence, LEAST_CONFIDENCE), confidence + step)), _DIGITS)
