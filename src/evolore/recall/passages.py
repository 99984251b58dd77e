"""Passages of a long statement: which of them say what is asked, by the question's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.knowledge import Span
    from evolore.recall.asked_words import AskedWords

_LEAST_FIRST = 0.1
_LEAST_MORE = 0.2
"""Share of the question's words that the best passage holds, or it may be any; and that another adds, or it stays out."""

_MOST = 3


def best_passages(text: str, passages: Sequence[Span], asked: AskedWords) -> tuple[Span, ...]:
    """Choose the passages that say most of what is asked: the best, then what adds words that it lacks.

    Args:
        text: What they were cut from.
        passages: Where they stand, in their order.
        asked: The question's words.

    Returns:
        At most three, in their order; none where words do not tell, as between two languages.
    """
    words = [frozenset(analyse(span.of(text))) for span in passages]
    covered = frozenset[str]()
    chosen: list[int] = []
    least = _LEAST_FIRST
    while words and len(chosen) < _MOST:
        shares = [asked.covered(covered | own) for own in words]
        best = max(range(len(words)), key=shares.__getitem__)
        if shares[best] - asked.covered(covered) < least:
            break
        chosen.append(best)
        covered |= words[best]
        least = _LEAST_MORE
    return tuple(passages[place] for place in sorted(chosen))
