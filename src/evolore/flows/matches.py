"""Matches: a chat model judges pairs of answers, each in a call of its own, and does not learn whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.chats import ChatFailure
from evolore.domain.judging import NoVerdict
from evolore.evolution.match_judging import JUDGE_PROMPT, Pair, judge_request, read_match
from evolore.flows.prompt_words import prompt_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.chats import ChatOutcome
    from evolore.domain.judging import JudgeReply
    from evolore.flows.asking import Asker

__all__ = ["Pair", "judge_pairs"]


def judge_pairs(asker: Asker, pairs: Sequence[Pair]) -> tuple[JudgeReply, ...]:
    """Have pairs of answers judged in one batch, each by one call; nothing the model does raises.

    Args:
        asker: Asks the chat model within its budget. What is over it gets no verdict.
        pairs: What to judge; the same pair in both orders is two of them.

    Returns:
        In the order of ``pairs``: a verdict, or why there is none.
    """
    words = prompt_words(JUDGE_PROMPT.name, JUDGE_PROMPT.version)
    judge = f"{asker.model_id}/{JUDGE_PROMPT}"
    unfit = [pair.unfit for pair in pairs]
    shown = [place for place, reason in enumerate(unfit) if not reason]
    outcomes = asker.complete([judge_request(words, pairs[place]) for place in shown])
    replies: list[JudgeReply] = [NoVerdict(reason=reason) for reason in unfit]
    for place, outcome in zip(shown, outcomes, strict=True):
        replies[place] = _read(outcome, pairs[place], judge)
    return tuple(replies)


def _read(outcome: ChatOutcome, pair: Pair, judge: str) -> JudgeReply:
    if isinstance(outcome, ChatFailure):
        return NoVerdict(reason=f"{outcome.kind.value}: {outcome.detail}" if outcome.detail else outcome.kind.value)
    return read_match(outcome.text, pair, judge=judge)
