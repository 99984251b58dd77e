"""Print how long a server takes from its start until it is ready, on a store that holds much.

    python benchmarks/server_start.py [--episodes 10000] [--rounds 5] [--embedders hashing use]

A store of made-up statements is filled for each embedder. Then a process is started on it, several times; the time is that
until ``GET /readyz`` is answered, which reads the default namespace, and that of the first recall after it. The first
round, which reads files from the disk, counts like the others. Printed are the median and the longest.

The bar is 3 s until it is ready. ``--episodes 50 --rounds 1 --embedders hashing`` tries it out.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from random import Random
from statistics import median

os.environ["OMP_NUM_THREADS"] = "1"

import httpx2

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.episodes.settings import IntegrationSettings
from evolore.memory import Memory
from harness import store_folder
from server_process import embedder_of, serving

BAR_SECONDS = 3.0
_BATCH = 1000


def main() -> None:
    """Run the benchmark; leave with 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description="From start to ready.")
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--embedders", nargs="+", default=["hashing", "use"])
    parser.add_argument("--bar", type=float, default=BAR_SECONDS)
    told = parser.parse_args()
    worst = max(measure(one, episodes=told.episodes, rounds=told.rounds) for one in told.embedders)
    print(f"bar {told.bar} s")
    sys.exit(int(worst > told.bar))


def measure(embedder: str, *, episodes: int, rounds: int) -> float:
    """Fill a store and start servers on it; give the median of the seconds until they were ready."""
    with store_folder() as store:
        fill(store, embedder, episodes)
        ready, first = zip(*(start(store, embedder) for _ in range(rounds)), strict=True)
    print(
        f"{embedder:8} {episodes} episodes   ready {median(ready):5.2f} s (longest {max(ready):5.2f})   "
        f"first recall {median(first):5.2f} s"
    )
    return median(ready)


def fill(store: Path, embedder: str, episodes: int) -> None:
    """Remember made-up statements; whether they merge does not matter here."""
    random, words = Random(7), [f"w{number}" for number in range(2000)]
    settings = Settings(integration=IntegrationSettings(enabled=False))
    with Memory.open(store, embedder=embedder_of(embedder), settings=settings) as memory:
        for begin in range(0, episodes, _BATCH):
            count = min(_BATCH, episodes - begin)
            memory.remember_many([Statement(text=" ".join(random.choices(words, k=15))) for _ in range(count)])


def start(store: Path, embedder: str) -> tuple[float, float]:
    """Start a server; give the seconds until it is ready, and those of the first recall."""
    with serving(store, embedder=embedder, log=store.parent / "log") as server, httpx2.Client(timeout=60) as http:
        began = time.perf_counter()
        http.get(f"{server.address}/readyz").raise_for_status()
        ready = time.perf_counter()
        http.post(f"{server.address}/api/recall", json={"question": "w1 w2 w3"}).raise_for_status()
        return server.seconds + ready - began, time.perf_counter() - ready


if __name__ == "__main__":
    main()
