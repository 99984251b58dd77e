"""Print what a filter adds to a recall: metadata that 1 %, 10 % and all of the items have, against no filter.

    python benchmarks/filter_cost.py [--episodes 100000] [--store FOLDER]

It remembers synthetic statements, each filed under three names, waits until the snapshot of nearest vectors is built,
and asks the same questions without and with each filter, in turns. A store that is named is kept and used again.
Printed: medians of wall and CPU time, how many times as long as without a filter, and the least and most hits that came
back of the five asked for: as many as match, whatever the filter lets through. ``--episodes 500`` tries it out.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from evolore.memory import Memory
from harness import command_line, store_folder, wait_for_snapshots
from synthetic import QUESTIONS, Spread, Words, fill

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.metadata import MetadataValue

FILTERS: dict[str, dict[str, MetadataValue] | None] = {
    "none": None,
    "1 %": {"hundredth": 0},
    "10 %": {"tenth": 0},
    "100 %": {"team": "all"},
    "10 % and 100 %": {"tenth": 0, "team": "all"},
}


def labels(place: int) -> Mapping[str, MetadataValue]:
    """File a statement under names that more or fewer share."""
    return {"hundredth": place * 7919 % 100, "tenth": place * 7919 % 10, "team": "all"}


def measure(memory: Memory, questions: list[str]) -> None:
    """Ask in turns, and print a line for each filter."""
    walls: dict[str, list[float]] = {name: [] for name in FILTERS}
    cpus: dict[str, list[float]] = {name: [] for name in FILTERS}
    hits: dict[str, list[int]] = {name: [] for name in FILTERS}
    names = list(FILTERS)
    for turn, question in enumerate(questions):
        memory.recall(question)  # what is cold in a question is paid for by none of them
        for name in (*names[turn % len(names) :], *names[: turn % len(names)]):
            wall, cpu = perf_counter(), process_time()
            found = memory.recall(question, where=FILTERS[name])
            walls[name].append(1000 * (perf_counter() - wall))
            cpus[name].append(1000 * (process_time() - cpu))
            hits[name].append(len(found.hits))
    print(f"{'matching':16} {'p50 ms':>8} {'CPU ms':>8} {'× none':>8} {'hits':>8}")
    for name in FILTERS:
        p50 = median(walls[name])
        print(
            f"{name:16} {p50:8.1f} {median(cpus[name]):8.1f} {p50 / median(walls['none']):8.2f}"
            f" {min(hits[name])}–{max(hits[name])}"
        )


def main() -> None:
    """Make the store, measure, print."""
    parser = command_line(__doc__)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="how many at most")
    parser.add_argument("--store", type=Path, help="a folder to keep the store in")
    options = parser.parse_args()
    words = Words()
    texts = words.texts(options.episodes)
    with store_folder(options.store) as folder:
        is_new = not folder.exists()
        with Memory.open(folder, embedder=Spread()) as memory:
            if is_new:
                fill(memory, texts, labels=labels)
            memory.recall("anything")
            wait_for_snapshots(memory)
            memory.recall("anything")
            measure(memory, words.questions(texts)[: options.questions])


if __name__ == "__main__":
    main()
