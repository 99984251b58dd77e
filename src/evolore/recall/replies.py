"""Replies: a turn that asks repeats the words of a later question, and the turn after it answers both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.recall.settings import RecallSettings

_BEFORE = 1
"""Column of the neighbour links that is next before the item."""


def reply_term(
    score: npt.NDArray[np.float32],
    neighbours: npt.NDArray[np.int32],
    *,
    is_question: npt.NDArray[np.bool_],
    short: npt.NDArray[np.float32] | None,
    settings: RecallSettings,
) -> npt.NDArray[np.float32]:
    """Give what items gain by replying to a turn that asks, and lose by asking.

    A turn that asks loses ``question_cost``; one that does not, and stands right behind one that does, gains
    ``reply_share`` of the other's score where that is above 0. Both count as far as the turn is short: a long text says more than its last line.

    Args:
        score: Of every item so far, shape (items,).
        neighbours: Links, -1 for none, shape (items, 4).
        is_question: Whether each ends by asking, shape (items,).
        short: From ``neighbours.shortness``, shape (items,); None where all are short.
        settings: The two weights.
    """
    if not is_question.any():
        return np.zeros_like(score)
    before = neighbours[:, _BEFORE]
    lent = np.append(np.where(is_question, np.maximum(score, 0.0), 0.0), 0.0).astype(np.float32)
    term = np.float32(settings.reply_share) * np.take(lent, before, mode="wrap")
    term[is_question] = -np.float32(settings.question_cost)
    return term if short is None else term * short
