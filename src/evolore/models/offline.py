"""Substitutes that need no model: for tests, for benchmarks of everything else, for trying things out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from evolore.errors import InvalidValue
from evolore.ports import EmbeddingModel, Entailed, EntailmentLabel, Reranked, TextRole, Vectors

_GRAM = 3
_MOST_HASHED = 1 << 16


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


class HashingEmbedder:
    """Embeds a text as the hashed counts of its character trigrams.

    Texts that share spelling are close; nothing is known of meaning. Deterministic across machines and processes.

    Args:
        dimension: Length of the vectors, at least 1.
    """

    def __init__(self, dimension: int = 64) -> None:
        if dimension < 1:
            raise InvalidValue(f"dimension is {dimension}: use at least 1.")
        self._model = EmbeddingModel(id=f"hashing-trigrams-{dimension}", dimension=dimension)

    @property
    def model(self) -> EmbeddingModel:
        """The substitute's name and dimension."""
        return self._model

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:  # noqa: ARG002 - both roles are embedded alike
        """Return unit vectors of shape (texts, dimension), float32, in the order of the texts."""
        vectors = np.zeros((len(texts), self._model.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            padded = f"  {text.casefold()}  "
            for start in range(len(padded) - _GRAM + 1):
                number = _hashed(padded[start : start + _GRAM])
                row[number % self._model.dimension] += 1.0 if number >> 63 else -1.0
            if not row.any():
                row[0] = 1.0
            row[:] = row / np.linalg.norm(row)
        return vectors


@lru_cache(_MOST_HASHED)
def _hashed(gram: str) -> int:
    return int.from_bytes(blake2b(gram.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
