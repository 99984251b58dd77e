"""Print what a namespace of 1,000,000 episodes costs: building, recall, memory.

    python benchmarks/million.py [--episodes 1000000] [--store FOLDER]

It remembers synthetic statements (40 words after Zipf's law, vectors of 512 numbers around 2,000 centres, stored as
float16 as those of the default embedder are), loads the indexes as a process does that recalls first, waits until the
snapshot of nearest vectors is built, and recalls. A store that is named is kept, and used again where it is there. The
snapshot of a million vectors takes most of an hour of one core; recall works meanwhile. ``--episodes 500`` tries it out:
below 10,001 vectors there is no snapshot. Printed: each step with wall and CPU time, and beside it the bar it has to
meet at a million.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from evolore.index.lexical import LexicalIndex
from evolore.memory import Memory
from harness import Spent, command_line, counted, inside, resident, store_folder
from synthetic import BATCH, Spread, Words, fill, warm

NAMESPACE = "all"
REPORT_EVERY = 100_000
RECALL_BAR = "bar 60 ms, hoped for 20"
MEMORY_BAR = "bar 6 GB"


def remember(folder: Path, embedder: Spread, count: int) -> None:
    """Fill the store, and say every now and then how far it has come."""
    spent, made = Spent(), 0
    words = Words()
    with Memory.open(folder, namespace=NAMESPACE, embedder=embedder) as memory:
        for start in range(0, count, REPORT_EVERY):
            part = min(REPORT_EVERY, count - start)
            with spent.during():
                fill(memory, words.stream(part), first=start)
            made += part
            print(f"  remembered {made:,} in {spent}", flush=True)
    print(f"remembering: {spent.wall / count * 1000:.3f} ms an episode, CPU {spent.cpu / count * 1000:.3f} ms")


def load(memory: Memory) -> None:
    """Print what the first recall of a process costs, which builds the indexes in memory."""
    whole = Spent()
    with counted(LexicalIndex, "append") as lexical, whole.during():
        memory.recall("anything")
    print(f"first recall of a process, indexes read and built: {whole}; of it the lexical index: {lexical}", flush=True)


def wait_for_snapshot(memory: Memory) -> None:
    """Print how long the snapshot takes from now on, where one is being built."""
    keeper: Any = inside(memory, "_context.store._open.snapshots")
    spent = Spent()
    with spent.during():
        keeper.wait()
    print(f"building the snapshot of nearest vectors in the background: {spent}", flush=True)


def main() -> None:
    """Make the store, measure, print."""
    parser = command_line(__doc__)
    parser.add_argument("--episodes", type=int, default=1_000_000)
    parser.add_argument("--store", type=Path, help="a folder to keep the store in")
    options = parser.parse_args()
    began = perf_counter()
    with store_folder(options.store) as folder:
        embedder = Spread()
        if not folder.exists():
            remember(folder, embedder, options.episodes)
        words = Words()
        questions = words.questions(words.texts(min(BATCH, options.episodes)))
        with Memory.open(folder, namespace=NAMESPACE, embedder=embedder) as memory:
            print(f"resident before recall: {resident()}")
            load(memory)
            print(
                f"exact recall while the snapshot is built, p50 of 10: {warm(memory, questions[:10]):.1f} ms",
                flush=True,
            )
            wait_for_snapshot(memory)
            memory.recall("anything")
            print(
                f"recall, warm, embedding of the question not counted: p50 {warm(memory, questions):.1f} ms ({RECALL_BAR})"
            )
            print(f"resident memory: {resident()} ({MEMORY_BAR})")
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(f"store on disk: {size / 1e9:.2f} GB; all of this took {perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
