"""Conversations that were never held, and clocks: what the benchmarks of the indexes are made of."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.ports import EmbeddingModel, TextRole

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

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


def timed(action: Callable[[], object]) -> float:
    """Give the milliseconds one call takes."""
    started = perf_counter()
    action()
    return 1000 * (perf_counter() - started)


class Spent:
    """Seconds of wall and of CPU that something took, and how often it was called."""

    def __init__(self) -> None:
        self.wall = 0.0
        self.cpu = 0.0
        self.calls = 0

    def __str__(self) -> str:
        return f"{self.wall:.1f} s (CPU {self.cpu:.1f} s)"

    @contextmanager
    def during(self) -> Generator[None]:
        """Count what happens inside."""
        wall, cpu = perf_counter(), process_time()
        try:
            yield
        finally:
            self.wall += perf_counter() - wall
            self.cpu += process_time() - cpu
            self.calls += 1


@contextmanager
def counted(owner: object, name: str) -> Generator[Spent]:
    """Count what the calls of a function take meanwhile, where it is looked up by this name."""
    function: Callable[..., object] = getattr(owner, name)
    spent = Spent()

    def counting(*arguments: object, **options: object) -> object:
        with spent.during():
            return function(*arguments, **options)

    setattr(owner, name, counting)
    try:
        yield spent
    finally:
        setattr(owner, name, function)


def inside(thing: object, name: str) -> Any:  # noqa: ANN401 - what is measured against lies inside
    """Give a part of something that nobody else should reach for."""
    return getattr(thing, name)


def resident() -> str:
    """Give how much memory the process holds, where the system tells."""
    status = Path("/proc/self/status")
    if not status.is_file():
        return "unknown"
    held = {
        line.split(":")[0]: int(line.split()[1]) // 1024 for line in status.read_text().splitlines() if "kB" in line
    }
    return f"{held['VmRSS']} MB, of which {held['RssFile']} MB mapped files; at the most {held['VmHWM']} MB"
