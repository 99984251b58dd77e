"""Which complaints a job takes up: what gave rise to it is for whoever writes, and of more a half is kept to try it by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.evolution.hashing import hashed_share
from evolore.evolution.questions import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.feedback import Feedback

_SHOWN = 0.5


def taken_up(complaints: Sequence[Feedback], *, least: int) -> tuple[Feedback, ...]:
    """Give the complaints that a job takes up, in their order.

    The first of so many people as it takes to begin a job are; and of what was said since, what names no question or says
    why, what is about the same question, and of bare ratings one half, by a hash of the question. The others stay open: their
    questions are fresh, and were they all shown to whoever writes, more complaints would leave less to prove a candidate by.
    What people say in words is never kept from whoever writes, nor from the gates.

    Args:
        complaints: BAD feedback on one document that no job has taken up, oldest first.
        least: From how many people on a document is rewritten.
    """
    first: list[Feedback] = []
    for one in complaints:
        if len({other.principal for other in first}) == least:
            break
        first.append(one)
    heard = [*first, *(one for one in complaints[len(first) :] if one.comment)]
    asked = {words_of(one.question) for one in heard if one.question}
    ids = {one.id for one in heard}
    return tuple(one for one in complaints if one.id in ids or _is_shown(one, asked))


def _is_shown(one: Feedback, asked: set[str]) -> bool:
    words = words_of(one.question or "")
    return not words or words in asked or hashed_share("evolore.complaints", words) < _SHOWN
