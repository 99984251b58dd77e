"""Matches from verdicts in both orders, and how far the judge behind them is to be believed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.judging import NoVerdict, Order, SameAnswer, Scores, Side, Verdict
from evolore.domain.lineage import Match, MatchOutcome
from evolore.evolution.tally import Interval, wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.judging import JudgeReply
    from evolore.domain.lineage import TrialStage
    from evolore.evolution.settings import EvolutionSettings


_EVEN_LENGTH = 1.1
"""Answers whose lengths differ by less than this factor are of one length."""


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


class Doubt(StrEnum):
    """Why a judge is not believed."""

    POSITION = "position"
    LENGTH = "length"
    SILENCE = "silence"


def match_of(key: MatchKey, replies: Sequence[JudgeReply]) -> Match:
    """Make a match of the replies in both orders, the one with the original first leading.

    A candidate wins what it wins in both orders; what only one of them says, or position decided, is a tie. Where a
    verdict is missing the original wins, so that nothing can be confirmed by silence.
    """
    original_first, candidate_first = replies
    return Match(
        candidate_id=key.candidate_id,
        question=key.question,
        outcome=_outcome(original_first, candidate_first),
        stage=key.stage,
        attempt=key.attempt,
        replies=(original_first, candidate_first),
    )


def _outcome(original_first: JudgeReply, candidate_first: JudgeReply) -> MatchOutcome:
    if isinstance(original_first, NoVerdict) or isinstance(candidate_first, NoVerdict):
        return MatchOutcome.A
    if isinstance(original_first, SameAnswer) or isinstance(candidate_first, SameAnswer):
        return MatchOutcome.TIE
    sides = (original_first.counted, candidate_first.counted)
    if sides == (Side.SECOND, Side.FIRST):
        return MatchOutcome.B
    return MatchOutcome.A if sides == (Side.FIRST, Side.SECOND) else MatchOutcome.TIE


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeReport:
    """How a judge behaved over all matches of a job.

    Args:
        matches: How many.
        ties: How many nobody won.
        silent: How many lack a verdict.
        contradictory: How many verdicts preferred the answer with the lower scores; they count for neither.
        by_position: How many matches position decided: the first answer in both orders, or the second in both.
        first_share: Share of those in which it was the first; one half of none.
        position_share: 95 % interval of the share of matches that position decided.
        by_length: How many were won by one of two answers of clearly different length.
        longer_share: 95 % interval of the share of those that the longer won.
        original: Mean scores of the original's answers; None where there are no verdicts.
        candidates: Mean scores of the candidates' answers, by candidate.
        judges: Names and versions that gave verdicts.
        doubts: Why it is not believed; nothing may be approved without a person then.
    """

    matches: int
    ties: int
    silent: int
    contradictory: int
    by_position: int
    first_share: float
    position_share: Interval
    by_length: int
    longer_share: Interval
    original: Scores | None
    candidates: tuple[tuple[str, Scores], ...]
    judges: tuple[str, ...]
    doubts: tuple[Doubt, ...]


def report_judge(matches: Sequence[Match], settings: EvolutionSettings) -> JudgeReport:
    """Measure position bias, ties and length bias of a judge; of what it was not asked nothing is counted.

    A bias is doubted once the lower end of its interval is above what the settings allow. A judge that prefers the longer
    answer cannot be told from a good one while every longer answer is better, so then a person decides.
    """
    matches = [match for match in matches if not match.is_same]
    kinds = Counter(_by_position(match) for match in matches)
    by_position = kinds[Side.FIRST] + kinds[Side.SECOND]
    silent = sum(any(isinstance(reply, NoVerdict) for reply in match.replies) for match in matches)
    longer = [won for won in map(_longer_won, matches) if won is not None]
    measured = {
        Doubt.POSITION: (wilson(by_position, len(matches)), settings.most_position_share),
        Doubt.LENGTH: (wilson(sum(longer), len(longer)), settings.most_longer_share),
        Doubt.SILENCE: (wilson(silent, len(matches)), settings.most_silent_share),
    }
    verdicts = [reply for match in matches for reply in match.replies if isinstance(reply, Verdict)]
    return JudgeReport(
        matches=len(matches),
        ties=sum(match.outcome is MatchOutcome.TIE for match in matches),
        silent=silent,
        contradictory=sum(verdict.contradicts_itself for verdict in verdicts),
        by_position=by_position,
        first_share=kinds[Side.FIRST] / by_position if by_position else 0.5,
        position_share=measured[Doubt.POSITION][0],
        by_length=len(longer),
        longer_share=measured[Doubt.LENGTH][0],
        original=_mean(scores for match in matches for scores, _ in _scores(match)),
        candidates=_by_candidate(matches),
        judges=tuple(sorted({verdict.judge for verdict in verdicts})),
        doubts=tuple(doubt for doubt, (interval, most) in measured.items() if interval.low > most),
    )


def _verdicts(match: Match) -> tuple[Verdict, Verdict] | None:
    """Give both verdicts, the one with the original first leading; None where one is missing."""
    found = [reply for reply in match.replies if isinstance(reply, Verdict)]
    return (found[0], found[1]) if len(found) == 2 else None  # noqa: PLR2004 - both orders


def _by_position(match: Match) -> Side | None:
    """Say which position won in both orders; None where none did."""
    both = _verdicts(match)
    if both is None or both[0].preferred is Side.TIE or both[0].preferred is not both[1].preferred:
        return None
    return both[0].preferred


def _longer_won(match: Match) -> bool | None:
    """Say whether the longer answer won; None where there is no winner or no longer answer."""
    both = _verdicts(match)
    if both is None or match.outcome is MatchOutcome.TIE:
        return None
    original, candidate = both[0].first_characters, both[0].second_characters
    if max(original, candidate) < _EVEN_LENGTH * min(original, candidate) or original == candidate:
        return None
    return (candidate > original) is (match.outcome is MatchOutcome.B)


def _scores(match: Match) -> list[tuple[Scores, Scores]]:
    """Give the scores of original and candidate, in each order that has a verdict."""
    found: list[tuple[Scores, Scores]] = []
    for place, reply in enumerate(match.replies):
        if isinstance(reply, Verdict):
            found.append((reply.first, reply.second) if place == 0 else (reply.second, reply.first))
    return found


def _by_candidate(matches: Sequence[Match]) -> tuple[tuple[str, Scores], ...]:
    found: list[tuple[str, Scores]] = []
    for candidate in dict.fromkeys(match.candidate_id for match in matches):
        mine = (scores for match in matches if match.candidate_id == candidate for _, scores in _scores(match))
        mean = _mean(mine)
        if mean is not None:
            found.append((candidate, mean))
    return tuple(found)


def _mean(scores: Iterable[Scores]) -> Scores | None:
    every = list(scores)
    if not every:
        return None
    return Scores(
        helpfulness=sum(one.helpfulness for one in every) / len(every),
        correctness=sum(one.correctness for one in every) / len(every),
        coherence=sum(one.coherence for one in every) / len(every),
    )
