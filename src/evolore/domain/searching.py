"""What a search for better texts learns of them."""

from __future__ import annotations

from dataclasses import dataclass

from evolore.domain.checks import check_share

AS_GOOD = 0.5
"""The score of what is as good as what the search began with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTrace:
    """How texts did with one question.

    Args:
        question: What was asked.
        score: 0-1; one half is as good as the texts that the search began with.
        answer: What was answered; empty where nobody was asked.
        feedback: What is to be learned from it.
    """

    question: str
    score: float
    answer: str = ""
    feedback: str = ""

    def __post_init__(self) -> None:
        check_share(self.score, "score")
