"""Answers with citations, and what people thought of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.checks import check_share, check_time

if TYPE_CHECKING:
    from datetime import datetime

    from evolore.domain.answers import Query
    from evolore.domain.knowledge import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """The place an answer rests on.

    Args:
        episode_id: The episode.
        span: Where in the episode's text.
    """

    episode_id: str
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A reply to a question, with what it rests on.

    Args:
        id: Time-ordered; what a rating names.
        query: The question.
        text: The reply.
        citations: In the order they are used; empty says that the sources do not tell.
    """

    id: str
    query: Query
    text: str
    citations: tuple[Citation, ...] = ()


class Rating(StrEnum):
    """What a person thought of an answer."""

    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One person's rating of one answer.

    Args:
        answer_id: The answer.
        rating: Good or bad.
        comment: Why, in the person's words.
        principal: Who rated; one person's ratings of one answer count once.
        given_at: When, with a zone.
        weight: How much it counts, 0–1.
    """

    answer_id: str
    rating: Rating
    given_at: datetime
    comment: str = ""
    principal: str = ""
    weight: float = field(default=1.0)

    def __post_init__(self) -> None:
        check_time(self.given_at, "given_at")
        check_share(self.weight, "weight")
