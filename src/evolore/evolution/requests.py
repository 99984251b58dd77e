"""What trying candidates asks of a judge: its flow answers, and never says which answer is whose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.judging import Order

if TYPE_CHECKING:
    from evolore.domain.judging import JudgeReply
    from evolore.domain.lineage import TrialStage


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchKey:
    """Names one match.

    Args:
        stage: What it is played for.
        candidate_id: Whose answer stands against that of the original.
        question: What both answer.
        attempt: 0 for the first time; above, it is played again, with answers and verdicts made anew, from no cache.
    """

    stage: TrialStage
    candidate_id: str
    question: str
    attempt: int = 0

    @property
    def requests(self) -> tuple[JudgeRequest, JudgeRequest]:
        """What is asked of the judge: both orders, the original first."""
        return (
            JudgeRequest(match=self, order=Order.ORIGINAL_FIRST),
            JudgeRequest(match=self, order=Order.CANDIDATE_FIRST),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """The answers of original and candidate to a question are to be compared, shown as the first and the second.

    Args:
        match: Which.
        order: Which of them is shown first; the judge is not told.
    """

    match: MatchKey
    order: Order


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What was said to a request."""

    request: JudgeRequest
    reply: JudgeReply
