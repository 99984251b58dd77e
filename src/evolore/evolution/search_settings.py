"""How candidates come to be: by operators, or by a search; and how long that is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evolore.domain.checks import check_count


class Strategy(StrEnum):
    """How candidates come to be; gates, trials and people decide about them all alike."""

    OPERATORS = "operators"
    GEPA = "gepa"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """How long a search for better texts is.

    Args:
        rounds: How often a chat model is asked to rewrite, at least 1.
        most_questions: How many of the questions that gave rise to the job rewrites are tried by at the most, the first ones,
            at least 1.
        at_once: On how many of them each rewrite is tried first, at least 1; one that does no worse there is tried on all.

    Raises:
        InvalidValue: A value outside its range.
    """

    rounds: int = 6
    most_questions: int = 8
    at_once: int = 3

    def __post_init__(self) -> None:
        for name in ("rounds", "most_questions", "at_once"):
            check_count(getattr(self, name), name)
