"""Feedback from people's ratings of answers and documents (seed 003), and the step by which one rating or use moves an item."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evolore.domain.checks import check_count, check_name, check_time
from evolore.domain.outcome import Rating
from evolore.domain.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Result):
    """One person's rating, as it concerns one document.

    A later one of the same person about the same answer, or about the document itself, takes the place of the earlier.
    """

    id: str  #: Time-ordered.
    document_id: str  #: The document.
    version: int  #: The version of it that was rated.
    rating: Rating  #: Whether it served.
    rated_at: datetime  #: When it was said last.
    principal: str | None = None  #: Who said it; None if not named.
    comment: str | None = None  #: Why. It is a person's word, and evidence only where it is confirmed.
    query_id: str | None = None  #: The question whose answer was rated; None for a rating of the document itself.
    question: str | None = None  #: What was asked; None for a rating of the document itself.
    job_id: str | None = None  #: The job that took it up; None while it is not processed.

    def __post_init__(self) -> None:
        check_count(self.version, "version")
        check_time(rated_at=self.rated_at)
        check_name(self.principal, "principal")


def people(feedback: Iterable[Feedback]) -> int:
    """Count the people behind some feedback: one each, however often they rated; of those without a name each rating."""
    principals = [one.principal for one in feedback]
    return len(set(principals) - {None}) + principals.count(None)


LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.1, 1.0
"""Ratings move confidence no further than this."""

RESONANCE_RATE = 0.2
"""The share of the way towards how strongly a use was felt that arousal goes."""

DEFLATION_FACTOR = 0.9
"""What all arousals are scaled by once their mean is too high."""

UNKNOWN_AROUSAL = 0.5
"""The first arousal of an episode that has neither a stated nor an estimated one."""

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
    """Return a confidence after a step, bounded; one that is below the least stays where it is or rises.

    >>> stepped(0.5, 0.1), stepped(0.95, 0.1), stepped(0.15, -0.1), stepped(0.05, -0.1)
    (0.6, 1.0, 0.1, 0.05)
    """
    return round(min(MOST_CONFIDENCE, max(min(confidence, LEAST_CONFIDENCE), confidence + step)), _DIGITS)
