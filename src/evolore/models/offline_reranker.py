"""A reranker that does as it is told: for tests of whatever asks one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.ports import Reranked


class ScriptedReranker:
    """Scores texts by a function, and remembers what it was asked.

    Args:
        judge: Given the question and a text, gives its score; may raise.
        answer: What to give instead of scores, whatever is asked; None for scores.
    """

    def __init__(self, judge: Callable[[str, str], float], *, answer: Reranked | None = None) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self._judge = judge
        self._answer = answer

    @property
    def name(self) -> str:
        """The script's name."""
        return "scripted-reranker-1"

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Give each text's scripted score, in their order."""
        self.asked.append((question, tuple(texts)))
        if self._answer is not None:
            return self._answer
        return np.array([self._judge(question, text) for text in texts], dtype=np.float32)
