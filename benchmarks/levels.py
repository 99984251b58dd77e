"""Print how sessions and documents are best ranked by the episodes in them.

    python benchmarks/levels.py QUESTIONS PATH…

Asks the first so many questions of each set that ``evolore evaluate retrieval`` reads, and ranks the sessions or documents
of what comes back in several ways, all from the same recalls: by their best episode, as ``level`` does; by more than one,
the second best counting half and so on, none below 0; and by a soft maximum. Printed is the recall of documents among the
first five and, where items have sessions, how often one of the right sessions is among them.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from evolore import Memory, UseEmbedder
from evolore.jobs.clock import SteppingClock, SystemClock
from evolore_evaluation.measure import Run
from evolore_evaluation.retrieval import evaluate_retrieval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from evolore import Added, Embedder, Hit, Recall, SourceText, Statement
    from evolore.flows.remember.remember import RememberedMany

    Combine = Callable[[Sequence[float]], float]

DEEP = 1000
"""How many episodes are looked at."""


def summed(*shares: float) -> Combine:
    """Add up the best so many episodes, each with its share."""

    def combine(scores: Sequence[float]) -> float:
        return scores[0] + sum(share * max(0.0, score) for share, score in zip(shares, scores[1:], strict=False))

    return combine


def soft(width: float) -> Combine:
    """Give a soft maximum: the wider, the more the others count."""

    def combine(scores: Sequence[float]) -> float:
        return scores[0] + width * float(np.log(np.exp((np.array(scores) - scores[0]) / width).sum()))

    return combine


WAYS = {
    "best": summed(),
    "best + 1/5": summed(0.2),
    "best + 1/2": summed(0.5),
    "best + 1/2 + 1/4": summed(0.5, 0.25),
    "soft, 1/2": soft(0.5),
    "soft, 1": soft(1.0),
    "soft, 2": soft(2.0),
}


class Kept:
    """A memory that is filled and asked once, whatever is made of its answers afterwards."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.said: list[RememberedMany] = []
        self.added: list[Added] = []
        self.asked: dict[tuple[str, datetime | None], Recall] = {}


class Combining:
    """A memory whose hits are sessions or documents, each by its best episode.

    Args:
        kept: The memory that recalls episodes.
        combine: Gives the score of what holds episodes of these scores, best first.
    """

    def __init__(self, kept: Kept, combine: Combine) -> None:
        self._kept = kept
        self._combine = combine
        self._said = iter(tuple(kept.said))
        self._added = iter(tuple(kept.added))

    def remember_many(self, statements: Iterable[Statement]) -> RememberedMany:
        """Remember statements, or tell what came of it the first time."""
        known = next(self._said, None)
        if known is None:
            known = self._kept.memory.remember_many(statements)
            self._kept.said.append(known)
        return known

    def add(self, *sources: SourceText) -> Added:
        """Add documents, likewise."""
        known = next(self._added, None)
        if known is None:
            known = self._kept.memory.add(*sources)
            self._kept.added.append(known)
        return known

    def recall(self, text: str, *, limit: int, as_of: datetime | None) -> Recall:
        """Recall episodes and rank what they stand in."""
        asked = self._kept.asked
        if (text, as_of) not in asked:
            asked[text, as_of] = self._kept.memory.recall(text, limit=DEEP, as_of=as_of, fold_echoes=False)
        held: defaultdict[str, list[Hit]] = defaultdict(list)
        for hit in asked[text, as_of].hits:
            held[hit.episode.document_id or hit.episode.session or hit.episode.id].append(hit)
        scores = {name: self._combine([hit.score for hit in hits]) for name, hits in held.items()}
        best = sorted(held, key=lambda name: -scores[name])[:limit]
        return replace(asked[text, as_of], hits=tuple(held[name][0] for name in best))

    def close(self) -> None:
        """Leave the memory open for the next way."""


def open_combining(
    _: Path,
    namespace: str,
    began_at: datetime | None,
    *,
    folder: str,
    kept: dict[str, Kept],
    embedder: Embedder,
    combine: Combine,
) -> Combining:
    """Open a memory as ``evolore evaluate retrieval`` does, or go on with the one of the way before."""
    if namespace not in kept:
        clock = SystemClock() if began_at is None else SteppingClock(began_at)
        kept[namespace] = Kept(Memory.open(f"{folder}/store", namespace=namespace, embedder=embedder, clock=clock))
    return Combining(kept[namespace], combine)


def compare(path: Path, *, questions: int, embedder: Embedder) -> None:
    """Measure every way on one set."""
    kept: dict[str, Kept] = {}
    with TemporaryDirectory() as folder:
        for way, combine in WAYS.items():
            opened = partial(open_combining, folder=folder, kept=kept, embedder=embedder, combine=combine)
            (one,) = evaluate_retrieval([path], run=Run(limit=questions), open_memory=opened).sets
            sessions = one.metrics.get("session_any_at_5")
            figure = (
                f"{100 * one.metrics['recall_at_5']:12.1f}" if sessions is None else f"{'':12} {100 * sessions:18.1f}"
            )
            print(f"{one.name:24} {way:18} {figure}", flush=True)
        for one in kept.values():
            one.memory.close()


def main(words: list[str]) -> int:
    """Measure every way on every set."""
    if len(words) < 2 or not words[0].isdigit():
        print(__doc__)
        return 2
    embedder = UseEmbedder()
    print(f"{'set':24} {'way':18} {'recall_at_5':>12} {'session_any_at_5':>18}")
    for path in words[1:]:
        compare(Path(path), questions=int(words[0]), embedder=embedder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
