"""Conversations that were never held, and clocks: what the benchmarks of the indexes are made of."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from evolore.ports import EmbeddingModel, TextRole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

DIMENSION = 512
CENTRES = 2000
VOCABULARY = 50_000
TOKENS = 40
TERMS = 12
QUESTIONS = 100


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

    def questions(self, texts: Sequence[str]) -> list[str]:
        """Ask with words of some of the texts."""
        asked: list[int] = self._random.choice(len(texts), QUESTIONS).tolist()
        return [" ".join(self._random.choice(texts[one].split(), TERMS, replace=False)) for one in asked]


def timed(action: Callable[[], object]) -> float:
    """Give the milliseconds one call takes."""
    started = perf_counter()
    action()
    return 1000 * (perf_counter() - started)


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
