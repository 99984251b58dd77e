"""Print what memory a server takes that serves a hundred namespaces, beside one that serves one.

    python benchmarks/server_namespaces.py [--namespaces 100] [--statements 50] [--embedder use]

A server is a process of its own. Each namespace is written to and asked, so that it is open with its indexes, and stays so.
Memory is the proportional set size of the process: what it shares with others counts in parts (Linux alone tells it).

The bar is 1.5 times as much. ``--namespaces 3 --statements 2 --embedder hashing`` tries it out.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import httpx2

from server_process import serving

BAR = 1.5


def main() -> None:
    """Run the benchmark; leave with 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description="The memory of namespaces in a server.")
    parser.add_argument("--namespaces", type=int, default=100)
    parser.add_argument("--statements", type=int, default=50)
    parser.add_argument("--embedder", default="use")
    told = parser.parse_args()
    one, many = (measure(count, statements=told.statements, embedder=told.embedder) for count in (1, told.namespaces))
    print(f"  1 namespace   {one:7.1f} MB")
    print(f"{told.namespaces:3} namespaces  {many:7.1f} MB   {many / one:.2f} times (bar {BAR})")
    sys.exit(int(many > BAR * one))


def measure(namespaces: int, *, statements: int, embedder: str) -> float:
    """Use namespaces of a server, in turns; give its megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        with serving(store, embedder=embedder, log=Path(folder) / "log") as server:
            address = f"{server.address}/api"
            with httpx2.Client(timeout=60) as http:
                for number in range(namespaces):
                    use(http, address, number, statements)
            return megabytes_of(server.pid)


def use(http: httpx2.Client, address: str, number: int, statements: int) -> None:
    """Write to a namespace, and ask it."""
    headers = {"Evolore-Namespace": f"tenant-{number}"}
    said = [{"text": f"Room {number}-{place} is for team {place % 7} on floor {place}."} for place in range(statements)]
    http.post(f"{address}/statements", json={"statements": said}, headers=headers).raise_for_status()
    found = http.post(f"{address}/recall", json={"question": "Which room is for team 3?"}, headers=headers)
    assert found.raise_for_status().json()["hits"]


def megabytes_of(pid: int) -> float:
    """Give the proportional set size of a process."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    (kilobytes,) = (int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return kilobytes / 1000


if __name__ == "__main__":
    main()
