"""Somebody who rates against the evidence, to measure what that does to what others find."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.queries import Rating
from evolore.evaluation.retrieval_trials import ranked_items

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evolore.evaluation.retrieval_sets import Question
    from evolore.memory import Memory

WHO = "somebody else"
_PRAISED = 3


class Attack(StrEnum):
    """What somebody does who rates against the evidence.

    ``ASKS``: asks what others asked, and praises what is no evidence. ``RATES``: rates the answers that others were given,
    praises those that hold no evidence, and blames the others.
    """

    ASKS = "asks"
    RATES = "rates"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question that was asked and rated.

    Args:
        question: Its text and evidence.
        query_id: It as it was taken down.
        is_served: Whether evidence was handed over, so that its answer was rated GOOD.
        wrong_ids: The episodes handed over that hold no evidence, best first.
    """

    question: Question
    query_id: str
    is_served: bool
    wrong_ids: tuple[str, ...]


def attack(
    memory: Memory,
    answered: Sequence[Answered],
    items_of: Mapping[str, tuple[str, ...]],
    *,
    way: Attack,
    times: int,
    tokens: int,
) -> None:
    """Let one person rate against the evidence, so many times.

    Args:
        memory: Where.
        answered: What others asked and rated, gone through again and again.
        items_of: Which items each episode holds.
        way: How.
        times: How often.
        tokens: What that person is handed, who asks.
    """
    for place in range(times):
        one = answered[place % len(answered)]
        if way is Attack.ASKS:
            _ask(memory, one.question, items_of, tokens=tokens)
        else:
            _rate(memory, one)


def _ask(memory: Memory, question: Question, items_of: Mapping[str, tuple[str, ...]], *, tokens: int) -> None:
    """Ask again, and praise the last of what was handed over that is no evidence."""
    query = question.query
    found = memory.recall(query.text, tokens=tokens, as_of=query.as_of, principal=WHO, record=True)
    wrong = [hit for hit in found.hits if not question.evidence & frozenset(ranked_items([hit], items_of))]
    if found.query_id is not None and wrong:
        praised = [hit.episode.id for hit in wrong[-_PRAISED:]]
        memory.rate(found.query_id, Rating.GOOD, cited=praised, principal=WHO)


def _rate(memory: Memory, one: Answered) -> None:
    """Blame an answer that rests on evidence; of another, praise the last of what was handed over."""
    if one.is_served:
        memory.rate(one.query_id, Rating.BAD, principal=WHO)
    elif one.wrong_ids:
        memory.rate(one.query_id, Rating.GOOD, cited=one.wrong_ids[-_PRAISED:], principal=WHO)
