"""Print what recall costs beside embedding, with everything on, by kind of question.

Run it as ``.venv/bin/python benchmarks/recall_overhead.py [--episodes 100000] [--store FOLDER]``. Half of the episodes are
turns of conversations, with speakers, times, stated arousal, and every fourth asking; half are passages of titled
documents, which name each other's titles, dates and amounts. The embedder is a stub, so that what is timed is recall
itself. The questions are plain, of a time, of names, vague, or vague after a feeling; each kind is printed with its
median and its 95th of a hundred. A store that is named is kept and used again. The bar is a median of 20 ms at 100,000,
hoped for are 8.
"""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.ports import SourceText
from harness import command_line, resident, store_folder, timed
from synthetic import QUESTIONS, Spread, Words

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMESPACE = "all"
PASSAGES = 10
NAMES = 20_000
BATCH = 5000
BEGAN = datetime(2021, 1, 1, tzinfo=UTC)
FEELINGS = ("happy", "afraid", "proud", "sad", "angry", "lonely")


class World:
    """Texts that name, date and ask."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(11)
        self._words = Words()

    def name(self) -> str:
        """Give a name; some are met far more often than others."""
        return f"Maro{int(NAMES * self._random.random() ** 3)} Vint"

    def sentence(self) -> str:
        """Give a sentence with a name, and now and then a date or an amount."""
        rest = self._words.texts(1)[0]
        year = int(self._random.integers(1950, 2026))
        extra = ("", f" in {year}", f" on {1 + year % 28} May {year}", f" for {year % 90} km")[
            int(self._random.integers(4))
        ]
        return f"{rest[:90]} with {self.name()}{extra}."

    def statements(self, count: int) -> Iterator[Statement]:
        """Make turns."""
        for place in range(count):
            yield Statement(
                text=f"{self.sentence()} {'And then?' if place % 4 == 0 else 'So it was.'}",
                session=f"session {place // 20}",
                speaker=f"Person{place % 40}",
                occurred_at=BEGAN + timedelta(minutes=50 * place),
                arousal=float(self._random.random()) if place % 3 == 0 else None,
            )

    def documents(self, count: int) -> Iterator[SourceText]:
        """Make documents of some passages each."""
        for place in range(count):
            body = "\n\n".join(" ".join(self.sentence() for _ in range(4)) for _ in range(PASSAGES))
            yield SourceText(
                source=f"doc-{place}.md", text=f"# Maro{place} Vint\n\n{body}\n", media_type=MediaType.MARKDOWN
            )

    def questions(self) -> dict[str, list[str]]:
        """Ask in different ways."""
        words = [text.split() for text in self._words.texts(QUESTIONS)]
        years = self._random.integers(1960, 2020, size=QUESTIONS).tolist()
        return {
            "plain": [" ".join(row[:8]) for row in words],
            "of a time": [f"what {' '.join(row[:5])} in {year}?" for row, year in zip(words, years, strict=True)],
            "of names": [f"what did {self.name()} {' '.join(row[:4])} with {self.name()}?" for row in words],
            "vague": [" ".join(self._words.texts(1)[0].split()[0] for _ in range(12)) for _ in words],
            "vague, after a feeling": [
                f"I felt so {FEELINGS[place % 6]} when {' '.join(self._words.texts(1)[0].split()[0] for _ in range(10))}"
                for place in range(QUESTIONS)
            ],
        }


def fill(memory: Memory, episodes: int) -> None:
    """Take in half turns, half passages."""
    world = World()
    statements = world.statements(episodes // 2)
    while batch := list(islice(statements, BATCH)):
        memory.remember_many(batch)
    documents = world.documents(max(1, episodes // 2 // PASSAGES))
    while some := list(islice(documents, 200)):
        memory.add(*some)
    memory.store.prepare()


def main() -> None:
    """Fill a store, ask, and print."""
    parser = command_line(__doc__)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="how many of a kind at most")
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    with store_folder(given.store) as store:
        is_new = not store.exists()
        with closing(Memory.open(store, namespace=NAMESPACE, embedder=Spread())) as memory:
            if is_new:
                fill(memory, given.episodes)
            stats = memory.stats()
            print(f"{stats.leaves:,} passages, {stats.statements:,} turns")
            memory.recall("anything")
            for kind, questions in World().questions().items():
                times = [timed(lambda q=question: memory.recall(q)) for question in questions[: given.questions]]
                found = memory.recall(questions[0])
                terms = sorted({term.name for hit in found.hits for term in hit.terms if term.value})
                print(
                    f"{kind}: p50 {np.percentile(times, 50):.1f} ms, p95 {np.percentile(times, 95):.1f} ms ({', '.join(terms)})"
                )
            print(f"resident memory: {resident()}")


if __name__ == "__main__":
    main()
