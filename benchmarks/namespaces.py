"""Print what the next namespace costs, in time and memory, in one process that holds many open.

Run it as ``.venv/bin/python benchmarks/namespaces.py``. Each namespace is opened, remembers one statement and answers one
question, and stays open. The store lies in a folder that is thrown away, and the process is one of its own. Time is wall
time: that of the first, which loads the model, and the median of the others. Memory is the most the process ever held,
less what it held after the first, by namespace.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from evolore import Memory
from harness import most_megabytes, store_folder

MEGABYTE = 1_000_000
NAMESPACES = 30


def use(store: Path, number: int, ends: ExitStack) -> float:
    """Open one more namespace, use it and leave it open; give the seconds that took."""
    began = time.perf_counter()
    memory = ends.enter_context(Memory.open(store, namespace=f"tenant {number}"))
    memory.remember(f"Office {number} is in Osaka.")
    found = memory.recall("where is the office?")
    taken = time.perf_counter() - began
    assert [hit.episode.text for hit in found.hits] == [f"Office {number} is in Osaka."]
    return taken


def measure(count: int) -> None:
    """Use one namespace after the other and print what each took."""
    with store_folder() as store, ExitStack() as ends:
        first = use(store, 0, ends)
        after_first = most_megabytes()
        others = [use(store, number, ends) for number in range(1, count)]
        grown = most_megabytes() - after_first
    next_one = statistics.median(others)
    print(f"{count} namespaces             {first + sum(others):8.2f} s   {after_first + grown:8.1f} MB")
    print(f"the first                 {first:8.2f} s   {after_first:8.1f} MB")
    print(f"the next                  {next_one:8.3f} s   {grown / len(others):8.2f} MB")
    print(f"the next, of the first    {next_one / first:8.1%}     (min {min(others):.3f} s, max {max(others):.3f} s)")


def main() -> None:
    """Measure in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--namespaces", type=int, default=NAMESPACES, help="how many, at least 2")
    parser.add_argument("--one", action="store_true", help="measure in this process")
    asked = parser.parse_args()
    if asked.one:
        measure(asked.namespaces)
        return
    subprocess.run([sys.executable, __file__, "--namespaces", str(asked.namespaces), "--one"], check=True)


if __name__ == "__main__":
    main()
