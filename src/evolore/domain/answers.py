"""Questions and what comes back: hits with their score terms, answers with citations, ratings."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.checks import check_count, check_name, check_share, check_text, check_time
from evolore.domain.filters import Filter
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from datetime import datetime

    from evolore.domain.episodes import Episode
    from evolore.domain.knowledge import Span
    from evolore.domain.outline import OutlineCode

MAX_QUERY_CHARACTERS = 10_000
"""A longer question is refused: it is a document, to be added rather than asked."""


class Intent(StrEnum):
    """What a question is after (seed 001)."""

    EMOTIONAL = "emotional"
    FACTUAL = "factual"
    TECHNICAL = "technical"
    TEMPORAL = "temporal"
    RELATIONAL = "relational"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question put to the memory.

    Args:
        text: The question, 1 to 10,000 characters, not blank.
        limit: How many hits at the most, at least 1.
        as_of: The moment it is asked from, with a zone; what came later is not seen. None for no bound.
        filter: Which items it is put to; the others are not seen.
        principal: On whose behalf it is asked.
        depth: How deep in its document the passage wanted is likely to stand, from 1 for the top; None for any.
        expand: Whether siblings come back as the chunk above them; None for what the settings say.
    """

    text: str
    limit: int = 5
    as_of: datetime | None = None
    filter: Filter = field(default_factory=Filter)
    principal: str | None = None
    depth: int | None = None
    expand: bool | None = None

    def __post_init__(self) -> None:
        check_text(self.text, "The question")
        if len(self.text) > MAX_QUERY_CHARACTERS:
            raise InvalidValue(
                f"The question has {len(self.text):,} characters: ask with at most {MAX_QUERY_CHARACTERS:,}, "
                "or add the text as a document."
            )
        check_count(self.limit, "limit")
        if self.depth is not None:
            check_count(self.depth, "depth")
        check_time(self.as_of, "as_of")
        check_name(self.principal, "principal")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTerm:
    """One reason for a hit's score.

    Args:
        name: Which evidence.
        value: What it added to the score; the terms of a hit sum to its score.
    """

    name: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """The chunk that several hits stand in, given in their stead.

    Args:
        outline: Its place; None for the whole document.
        span: Where it lies in the document's text.
        heading_path: The headings above it, outermost first.
        text: What it says.
        folded: The hits it stands for, best first, with the ranks they had; at least two.
    """

    outline: OutlineCode | None
    span: Span
    heading_path: tuple[str, ...] = ()
    text: str = ""
    folded: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An episode that answers a question, or several that stand together.

    Args:
        episode: What was found; the best of them where several were.
        rank: 1 for the best.
        score: Higher is better; comparable within one recall only.
        terms: What the score is the sum of.
        expansion: What is given in their stead where several siblings were found; None for an episode alone.
    """

    episode: Episode
    rank: int
    score: float
    terms: tuple[ScoreTerm, ...] = ()
    expansion: Expansion | None = None

    @property
    def text(self) -> str:
        """What is to be read: the expansion's text, or the episode's."""
        return self.episode.text if self.expansion is None else self.expansion.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """An episode that was pushed down by another about the same matter.

    Args:
        episode_id: The episode.
        rival_id: The one that it stands behind; None where it is only marked as superseded.
        penalty: By how much it fell or was overtaken, above 0, in the unit of scores.
        reason: Why, to be read by a person.
    """

    episode_id: str
    rival_id: str | None
    penalty: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What a question brought back.

    Args:
        query: The question.
        hits: Best first; ties stand in the order they were recorded.
        searched: How many episodes were weighed.
        intent: What the question is taken to be after; how fast an account of it grows old follows it.
        intent_confidence: How likely that is, 0–1.
        suppressed: What was pushed down by another account of the same matter, the most first.
    """

    query: Query
    hits: tuple[Hit, ...]
    searched: int
    intent: Intent
    intent_confidence: float
    suppressed: tuple[Suppressed, ...] = ()

    def __post_init__(self) -> None:
        check_share(self.intent_confidence, "intent_confidence")


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
