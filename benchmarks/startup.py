"""Print how long Evolore takes to start: the import, the help page, and a whole recall from a cold process.

Run it as ``.venv/bin/python benchmarks/startup.py``. Each figure is the median of whole processes run one after the
other, interleaved, in seconds of wall time and of CPU, on a store of 1,000 remembered statements made beforehand; the last
column is the CPU over that of importing what such a program stands on.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from evolore import Memory, Statement
from harness import store_folder

EPISODES = 1_000
SUBJECTS = ("office", "server", "budget", "garden", "train", "letter", "recipe", "bridge", "orchestra", "harbour")
ACTS = ("moved to", "was repaired in", "was paid from", "was seen near", "was sold to", "was painted in")
PLACES = ("Osaka", "Lyon", "Porto", "Taipei", "Bergen", "Quito", "Hanoi", "Turku", "Leeds", "Sapporo")


_STANDS_ON = "numpy, sqlalchemy, pydantic, typer"


def fill(store: Path) -> None:
    """Remember 1,000 different statements."""
    with Memory.open(store) as memory:
        memory.remember_many(
            Statement(
                text=f"On day {number} the {SUBJECTS[number % 10]} {ACTS[number % 6]} {PLACES[number // 10 % 10]}.",
                session=f"week {number // 50}",
            )
            for number in range(EPISODES)
        )


def seconds(command: list[str]) -> tuple[float, float]:
    """Run one process and give its wall time and its CPU time in seconds."""
    start, used = time.perf_counter(), _children()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start, _children() - used


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="processes of each kind")
    runs: int = parser.parse_args().runs
    with store_folder() as store:
        fill(store)
        question = "where was the office moved on day 120?"
        commands = {
            "python alone": [sys.executable, "-c", "pass"],
            _STANDS_ON: [sys.executable, "-c", f"import {_STANDS_ON}"],
            "import evolore": [sys.executable, "-c", "import evolore"],
            "from evolore import Memory": [sys.executable, "-c", "from evolore import Memory"],
            "evolore --help": [sys.executable, "-m", "evolore", "--help"],
            "evolore recall, 1,000 episodes": [
                sys.executable,
                "-m",
                "evolore",
                "recall",
                question,
                "--store",
                str(store),
            ],
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(runs):
            for name, command in commands.items():
                times[name].append(seconds(command))
    base = statistics.median(used for _, used in times[_STANDS_ON])
    for name, taken in times.items():
        wall, used = (statistics.median(one) for one in zip(*taken, strict=True))
        least = min(one for one, _ in taken)
        print(f"{name:36} {wall:6.3f} s (min {least:.3f})  CPU {used:6.3f} s  {used / base:5.2f} x")


if __name__ == "__main__":
    main()
