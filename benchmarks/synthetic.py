"""Conversations that were never held, and clocks: what the benchmarks of the indexes are made of."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.ports import EmbeddingModel, TextRole
from harness import inside, timed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from evolore.domain.metadata import MetadataValue

Labelling: TypeAlias = "Callable[[int], Mapping[str, MetadataValue]]"
DIMENSION = 512
CENTRES = 2000
VOCABULARY = 50_000
TOKENS = 40
TERMS = 12
QUESTIONS = 100
BATCH = 5000


class Spread:
    """Embeds anything as a random point around one of many centres: as fast as an embedder can be."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(5)
        self._centres = self._random.standard_normal((CENTRES, DIMENSION), dtype=np.float32)
        self.model = EmbeddingModel(id="spread-512", dimension=DIMENSION)

    def embed(self, texts: Sequence[str], *, role: TextRole) -> npt.NDArray[np.float32]:
        """Give unit vectors, one a text."""
        del role
        noise = self._random.standard_normal((len(texts), DIMENSION), dtype=np.float32)
        vectors = self._centres[self._random.integers(CENTRES, size=len(texts))] + noise
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class Words:
    """Texts of ``TOKENS`` words whose frequencies fall as those of a language without its function words."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(9)
        weight = 1.0 / (np.arange(VOCABULARY) + 10.0)
        self._cumulated = np.cumsum(weight / weight.sum())

    def texts(self, count: int) -> list[str]:
        """Make texts."""
        numbers = np.searchsorted(self._cumulated, self._random.random((count, TOKENS)))
        return [" ".join(f"w{number}" for number in row) for row in numbers.tolist()]

    def stream(self, count: int) -> Iterator[str]:
        """Make the same texts without holding them all."""
        for start in range(0, count, BATCH):
            yield from self.texts(min(BATCH, count - start))

    def questions(self, texts: Sequence[str]) -> list[str]:
        """Ask with words of some of the texts."""
        asked: list[int] = self._random.choice(len(texts), QUESTIONS).tolist()
        return [" ".join(self._random.choice(texts[one].split(), TERMS, replace=False)) for one in asked]


def fill(memory: Memory, texts: Iterable[str], *, first: int = 0, labels: Labelling = lambda _: {}) -> None:
    """Remember texts as sessions of 20 turns among 40 speakers, some thousands in a transaction.

    Args:
        memory: Where.
        texts: What is said.
        first: The number of the first; sessions, speakers and times go by it.
        labels: Gives the metadata of each by its number.
    """
    began = datetime(2025, 1, 1, tzinfo=UTC)
    statements = (
        Statement(
            text=text,
            session=f"session {place // 20}",
            speaker=f"Person{place % 40}",
            occurred_at=began + timedelta(minutes=place),
            metadata=labels(place),
        )
        for place, text in enumerate(texts, start=first)
    )
    while batch := list(islice(statements, BATCH)):
        memory.remember_many(batch)


def within(memory: Memory, namespace: str) -> Memory:
    """Give a memory of another namespace that shares the open store: opening costs more than a small namespace."""
    return Memory(replace(inside(memory, "_context"), namespace=namespace))


def warm(memory: Memory, questions: Sequence[str]) -> float:
    """Give the median milliseconds of recalling all questions."""
    return median(timed(lambda q=question: memory.recall(q)) for question in questions)
