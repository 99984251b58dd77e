"""What people said of documents, by rating answers that rest on them or the documents themselves (seed 003)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.checks import check_count, check_name, check_time

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from evolore.domain.queries import Rating


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One person's rating, as it concerns one document.

    A later one of the same person about the same answer, or about the document itself, takes the place of the earlier.

    Args:
        id: Time-ordered.
        document_id: The document.
        version: The version of it that was rated.
        rating: Whether it served.
        rated_at: When it was said last.
        principal: Who said it; None where nobody was named.
        comment: Why. It is a person's word and never evidence.
        query_id: The question whose answer was rated; None for a rating of the document itself.
        question: What was asked; None for a rating of the document itself.
        job_id: The job that took it up; None while it is not processed.
    """

    id: str
    document_id: str
    version: int
    rating: Rating
    rated_at: datetime
    principal: str | None = None
    comment: str | None = None
    query_id: str | None = None
    question: str | None = None
    job_id: str | None = None

    def __post_init__(self) -> None:
        check_count(self.version, "version")
        check_time(self.rated_at, "rated_at")
        check_name(self.principal, "principal")


def people(feedback: Iterable[Feedback]) -> int:
    """Count the people behind some feedback: one each, however often they rated, and one for all who are not named."""
    return len({one.principal for one in feedback})
