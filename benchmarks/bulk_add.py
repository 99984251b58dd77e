"""Print what several processes, and Ray, take to add documents, over one process.

    python benchmarks/bulk_add.py [PATH…] [--mb 4] [--rounds 3] [--workers 1,2,ray:2] [--embedder use]

Adds the files and folders given, or Markdown made up in English, Japanese and Chinese, to a new store each time; each way takes
its turn in each round, in a process of its own that has one thread for linear algebra. Printed for each way: seconds of wall
time from the first file to the last commit, those of starting workers included, MB a second, CPU seconds a MB of all
processes from their start, and the ratio of the wall of one process over it, the median over rounds. How many cores other
work took is printed for each run: beside much of it wall ratios say little. `by CPU` is the ratio if every
process had a core of its own and never waited: more cannot be. Bars: 1.7 for 2
processes on two quiet cores, 1.5 for Ray's. Ray is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TypedDict

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from evolore.models.offline import HashingEmbedder
from harness import command_line, new_memory
from synthetic import Words

SENTENCES = {
    "en": "The {a} of the {b} went to the {c} on day {n}, and nobody had asked for it.",
    "ja": "{n}番目の{a}は{b}から{c}へ移され、翌日に記録係が確かめた。",
    "zh": "第{n}批{a}从{b}运到{c}, 第二天由记录员核对。",
}
SECTION = 8
FILE_BYTES = 12_000


class Run(TypedDict):
    """One run: seconds of wall time, of CPU of all processes, how many cores others took meanwhile, and what came of it."""

    wall: float
    cpu: float
    others: float
    documents: int
    leaves: int
    failures: int


def write_corpus(folder: Path, size: int) -> None:
    """Make up files of some ten kilobytes, a third of them in each language."""
    words = Words()
    written, number = 0, 0
    while written < size:
        language, sentence = list(SENTENCES.items())[number % len(SENTENCES)]
        parts = [f"# Ledger {number}"]
        while sum(len(part.encode()) for part in parts) < FILE_BYTES:
            drawn = iter(" ".join(words.texts(1)).split() * 3)
            told = [
                sentence.format(a=next(drawn), b=next(drawn), c=next(drawn), n=number * SECTION + at)
                for at in range(SECTION)
            ]
            parts.append(f"## Part {len(parts)}\n\n" + " ".join(told))
        text = "\n\n".join(parts)
        (folder / f"{language}-{number:05}.md").write_text(text, encoding="utf-8")
        written += len(text.encode())
        number += 1


def run_once(paths: list[Path], workers: str, embedder: str) -> Run:
    """Add everything to a new store, and end the workers, so that their CPU is known."""
    with new_memory(embedder=HashingEmbedder() if embedder == "hashing" else embedder) as memory:
        memory.add_text("A first document, so that neither the store nor the model is new.", source="first")
        began = time.perf_counter()
        added = memory.add(*paths, workers=workers)
        wall = time.perf_counter() - began
    leaves = sum(one.new_leaves for one in added.documents)
    return Run(
        wall=wall, cpu=0.0, others=0.0, documents=len(added.documents), leaves=leaves, failures=len(added.failures)
    )


def run_apart(paths: list[Path], workers: str, embedder: str) -> Run:
    """Have a process of its own do that, and count the CPU of it and of all that it leaves, once that has ended."""
    program = [sys.executable, __file__, "--once", "--workers", workers, "--embedder", embedder, *map(str, paths)]
    before, busy = os.times(), busy_seconds()
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    with suppress(ChildProcessError):
        while True:
            os.wait()  # Ray's processes are no children of the one that began them
    after, busy = os.times(), busy_seconds() - busy
    if done.returncode:
        sys.exit(done.stderr[-2000:])
    run: Run = json.loads(done.stdout.splitlines()[-1])
    run["cpu"] = sum(after[2:4]) - sum(before[2:4])
    run["others"] = (busy - run["cpu"]) / (after.elapsed - before.elapsed)
    return run


def busy_seconds() -> float:
    """Give the CPU seconds that all processes of the machine have taken; 0 where it does not tell."""
    with suppress(OSError), Path("/proc/stat").open(encoding="ascii") as told:
        user, nice, system, _idle, _wait, hard, soft, *_ = map(int, told.readline().split()[1:])
        return (user + nice + system + hard + soft) / os.sysconf("SC_CLK_TCK")
    return 0.0


def adopt_orphans() -> None:
    """Become the parent of what descendants leave behind, where the system is Linux."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def options() -> argparse.Namespace:
    """Read what was asked for."""
    parser = command_line(__doc__)
    parser.add_argument("paths", type=Path, nargs="*", help="files and folders to add in place of made-up ones")
    parser.add_argument("--mb", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", default="1,2,ray:2")
    parser.add_argument("--embedder", default="use", help="use, e5, or hashing, which costs next to nothing")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Run all ways in turn, and print."""
    given = options()
    if given.once:
        print(json.dumps(run_once(given.paths, given.workers, given.embedder)))
        return
    adopt_orphans()
    ways: list[str] = given.workers.split(",")
    if not find_spec("ray"):
        print("Ray is not installed and left out.")
        ways = [way for way in ways if not way.startswith("ray")]
    with tempfile.TemporaryDirectory() as made:
        paths: list[Path] = given.paths
        if not paths:
            write_corpus(Path(made), int(given.mb * 1e6))
            paths = [Path(made)]
        files = [one for path in paths for one in (path.rglob("*") if path.is_dir() else [path]) if one.is_file()]
        size = sum(one.stat().st_size for one in files) / 1e6
        print(f"{len(files)} files, {size:.2f} MB, {os.cpu_count()} cores", flush=True)
        show(ways, [run_round(number, ways, paths, given.embedder) for number in range(given.rounds)], size)


def run_round(number: int, ways: list[str], paths: list[Path], embedder: str) -> dict[str, Run]:
    """Run each way once, and print each."""
    runs: dict[str, Run] = {}
    for way in ways:
        run = runs[way] = run_apart(paths, way, embedder)
        print(
            f"round {number + 1}, workers={way:5}: {run['wall']:6.1f} s wall, {run['cpu']:6.1f} s CPU, "
            f"{run['leaves']:,} leaves, {run['failures']} failures; others took {run['others']:.1f} cores",
            flush=True,
        )
    return runs


def show(ways: list[str], rounds: list[dict[str, Run]], size: float) -> None:
    """Print the medians over rounds."""
    print(f"{'workers':8} {'wall s':>8} {'MB/s':>7} {'CPU s/MB':>9} {'one / it':>9} {'by CPU':>7}")
    for way in ways:
        wall, cpu = median(runs[way]["wall"] for runs in rounds), median(runs[way]["cpu"] for runs in rounds)
        ratio = median(runs[ways[0]]["wall"] / runs[way]["wall"] for runs in rounds)
        most = int(way.rpartition(":")[2]) * median(runs[ways[0]]["cpu"] for runs in rounds) / cpu
        print(f"{way:8} {wall:8.1f} {size / wall:7.3f} {cpu / size:9.1f} {ratio:9.2f} {most:7.2f}")


if __name__ == "__main__":
    main()
