"""Outcomes of questions: what was handed over, how it was rated, and what that says of later ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evolore.domain.checks import check_count, check_name, check_share, check_text, check_time
from evolore.domain.episode import EdgeKind
from evolore.domain.language import Language
from evolore.domain.query import Intent
from evolore.domain.result import Result
from evolore.errors import InvalidValue

QUERY_EDGES = frozenset((EdgeKind.QUERY_INSIGHT, EdgeKind.QUERY_RETRIEVAL, EdgeKind.QUERY_BYPASS))
"""The kinds of edges that start at a question."""


class Outcome(StrEnum):
    """What a question led to.

    ``BYPASS``: a cached answer, or one episode that was surely meant. ``INSIGHT``: an answer that was rated good and
    joined what lay apart. ``RETRIEVAL``: all others.
    """

    BYPASS = "bypass"
    RETRIEVAL = "retrieval"
    INSIGHT = "insight"

    @classmethod
    def _missing_(cls, value: object) -> Outcome | None:
        # The seed's older name, still met in exported data.
        return cls.INSIGHT if value == "spike" else None


class Rating(StrEnum):
    """Whether an answer served."""

    GOOD = "good"
    BAD = "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An episode that was handed to the reader of an answer."""

    episode_id: str  #: Which.
    rank: int  #: Its place among the hits, from 1.
    is_cited: bool = False  #: Whether the answer rests on it.

    def __post_init__(self) -> None:
        check_count(self.rank, "rank")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """What one person said of an answer."""

    rating: Rating  #: Whether it served.
    at: datetime  #: Since when that is what the person says.
    principal: str | None = None  #: Who said it; None if not named.
    comment: str | None = None  #: Why.

    def __post_init__(self) -> None:
        check_time(at=self.at)
        check_name(self.principal, "principal")
        if self.comment is not None:
            check_text(self.comment, "comment")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRecord(Result):
    """A question that was asked, with what was handed over and what became of it."""

    id: str  #: Time-ordered, unique in its namespace.
    text: str  #: The question.
    language: Language  #: The language it is in.
    intent: Intent  #: What it is after.
    asked_at: datetime  #: The moment it was asked from.
    recorded_at: datetime  #: When it was recorded.
    outcome: Outcome  #: What it led to.
    is_stated: bool = False  #: Whether the caller stated the outcome.
    given: tuple[Given, ...] = ()  #: What was handed to the reader, best first, each once.
    ratings: tuple[Rated, ...] = ()  #: What people said of the answer, one each, oldest first.
    principal: str | None = None  #: On whose behalf it was asked.
    answer_id: str | None = None  #: The answer it was asked for.

    def __post_init__(self) -> None:
        check_time(asked_at=self.asked_at, recorded_at=self.recorded_at)
        check_given(self.given)

    @property
    def rating(self) -> Rating | None:
        """The rating that most people chose; None without ratings, or for a tie."""
        balance = sum(1 if one.rating is Rating.GOOD else -1 for one in self.ratings)
        return None if balance == 0 else Rating.GOOD if balance > 0 else Rating.BAD

    @property
    def cited_ids(self) -> tuple[str, ...]:
        """The episodes the answer rests on, best first."""
        return tuple(one.episode_id for one in self.given if one.is_cited)


def check_given(given: tuple[Given, ...]) -> None:
    """Refuse an episode that was handed over twice.

    Raises:
        InvalidValue: One is named twice.
    """
    ids = [one.episode_id for one in given]
    if len(set(ids)) != len(ids):
        twice = min(id_ for id_ in ids if ids.count(id_) > 1)
        raise InvalidValue(f"{twice!r} was handed over twice: name each episode once, with its best rank.")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryEdge:
    """An arrow from a question to an episode that was handed over for it."""

    query_id: str  #: The question.
    target_id: str  #: The episode.
    kind: EdgeKind  #: One of the query kinds.
    led_to_insight: bool = False  #: Whether the question led to insight.
    waits: bool = True  #: Whether it is not in the graph.

    def __post_init__(self) -> None:
        if self.kind not in QUERY_EDGES:
            raise InvalidValue(f"An edge of kind {self.kind.value!r} does not start at a question.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entering:
    """An edge that enters the graph."""

    edge: QueryEdge  #: Which.
    weight: float  #: 0–1, above 0.

    def __post_init__(self) -> None:
        check_share(weight=self.weight)
