"""What is kept of questions, and what recall learns from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from evolore.domain.checks import check_text, check_time
from evolore.domain.queries import check_given

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    import numpy as np
    import numpy.typing as npt

    from evolore.domain.answers import Intent
    from evolore.domain.language import Language
    from evolore.domain.queries import Entering, Given, Outcome, QueryEdge
    from evolore.ports.embedding import Vectors


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NewQuery:
    """A question that is to be taken down.

    Args:
        text: As it was asked.
        language: The language it is in.
        intent: What it is after.
        vector: As a question, of unit length, shape (dimension,).
        asked_at: The moment it was asked from.
        outcome: What it led to, as far as is known.
        is_stated: Whether the caller stated that.
        given: What was handed to the reader, best first, each once.
        answer_id: The answer it was asked for.
        id: Its id, where it has one already.
    """

    text: str
    language: Language
    intent: Intent
    vector: Vectors
    asked_at: datetime
    outcome: Outcome
    is_stated: bool = False
    given: tuple[Given, ...] = ()
    answer_id: str | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        check_text(self.text, "The question")
        check_time(self.asked_at, "asked_at")
        check_given(self.given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconsidered:
    """What a question leaves once a rating of somebody else than who asked counts no longer.

    Args:
        query_id: The question.
        outcome: What it led to, as the other ratings say.
        edges: All edges that it leaves, those that enter the graph at once among them.
        entering: Those that enter at once.
        is_uncited: Whether nobody who is left said what the answer rests on.
    """

    query_id: str
    outcome: Outcome
    edges: tuple[QueryEdge, ...]
    entering: tuple[Entering, ...] = ()
    is_uncited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """What was taken back of what one principal taught, or would be.

    Args:
        event_id: The event that tells of it, which ``undo`` takes back; None where there was nothing, or it was only
            foreseen.
        queries: How many of the principal's questions had edges in the graph, or ratings.
        edges: How many edges left the graph, of the principal's questions or because of the principal's ratings.
        ratings: How many ratings no longer count.
        episodes: How many episodes got another confidence or arousal.
        has_taught: Whether there was anything to take back.
        feedback: How many ratings of documents no longer count.
        answers: How many answers were erased with the questions.
        lingering_in: Files of the store that may still hold what was erased, because another process reads an older state
            or writes, or the disk has no room. Once that is over, the next ``forget`` takes it out, and so does ``doctor``
            with ``repair``.
    """

    event_id: str | None
    queries: int = 0
    edges: int = 0
    ratings: int = 0
    episodes: int = 0
    has_taught: bool = False
    feedback: int = 0
    answers: int = 0
    lingering_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lessons:
    """What some questions teach: arrows to episodes, each with the principal who taught it; one behind the other.

    Args:
        rows: Which of the questions asked about each belongs to, shape (lessons,).
        target_ids: The episodes, in the order of the lessons.
        weights: How heavy each arrow is, above 0 and up to 1, float32, shape (lessons,): 1 where an answer that was
            rated good rests on the episode, else the weight of the edge in the graph.
        is_rated: Whether it rests on a rating, shape (lessons,).
        principals: A number for each principal that teaches; -1 for nobody in particular, who counts as one.
        taught_at: Since when each is taught by what was recorded, seconds since 1970 UTC, shape (lessons,): since it was
            rated and cited, or the edge entered the graph.
    """

    rows: npt.NDArray[np.int32]
    target_ids: Sequence[str]
    weights: npt.NDArray[np.float32]
    is_rated: npt.NDArray[np.bool_]
    principals: npt.NDArray[np.int32]
    taught_at: npt.NDArray[np.float64]


class QueryIndex(Protocol):
    """The questions of a namespace that teach anything, or did before others said otherwise, at one moment."""

    @property
    def count(self) -> int:
        """How many there are; their numbers lie below."""
        ...

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """When each was asked, seconds since 1970 UTC, shape (questions,)."""
        ...

    @property
    def ids(self) -> Sequence[str]:
        """The id of each."""
        ...

    @property
    def centre(self) -> npt.NDArray[np.float32] | None:
        """The mean of their vectors, shape (dimension,); None where they are too few to have one that says anything."""
        ...

    def nearest(
        self, vector: npt.NDArray[np.float32], *, count: int, as_of: float | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Give the numbers of about the ``count`` nearest questions to a unit vector and their cosines, nearest first.

        Only those that taught anything at ``as_of``, seconds since 1970 UTC, or do now.
        """
        ...

    def rows_of(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Give the unit vectors of some questions, shape (questions, dimension), in their order."""
        ...

    def tokens_of(self, numbers: npt.NDArray[np.int32]) -> Sequence[frozenset[str]]:
        """Give the words of some questions as the analyser of questions cuts them."""
        ...

    def lessons_of(self, numbers: npt.NDArray[np.int32], *, as_of: float | None = None) -> Lessons:
        """Give what some questions taught at ``as_of``, seconds since 1970 UTC, or teach now."""
        ...
