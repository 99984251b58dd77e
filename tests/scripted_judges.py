"""Judges of hits and of pairs that say what a test has them say, and remember what they were asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.ports import EntailmentLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.ports import Entailed, Reranked


class ScriptedReranker:
    """Scores texts by a function, and remembers what it was asked.

    Args:
        judge: Given the question and a text, returns its score; may raise.
        answer: What to return instead of scores, for any question; None for scores.
    """

    def __init__(self, judge: Callable[[str, str], float], *, answer: Reranked | None = None) -> None:
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self._judge, self._answer = judge, answer

    @property
    def name(self) -> str:
        """The script's name."""
        return "scripted-reranker-1"

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Return each text's scripted score, in their order."""
        self.asked.append((question, tuple(texts)))
        if self._answer is not None:
            return self._answer
        return np.array([self._judge(question, text) for text in texts], dtype=np.float32)


class ScriptedEntailment:
    """Judges pairs by a function, and remembers what it was asked.

    Args:
        judge: Given a premise and a hypothesis, returns the label; may raise.
        answer: What to return instead, for any pair; None for what ``judge`` says.
    """

    def __init__(self, judge: Callable[[str, str], EntailmentLabel], *, answer: Entailed | None = None) -> None:
        self.asked: list[tuple[tuple[str, str], ...]] = []
        self._judge, self._answer = judge, answer

    @property
    def name(self) -> str:
        """The script's name."""
        return "scripted-entailment-1"

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Entailed:
        """Return each pair's scripted label the probability 1."""
        self.asked.append(tuple(pairs))
        if self._answer is not None:
            return self._answer
        labels = [list(EntailmentLabel).index(self._judge(*pair)) for pair in pairs]
        return np.eye(len(EntailmentLabel), dtype=np.float32)[labels]
