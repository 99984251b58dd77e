"""Print how soon readers see what writers write, and how often anything fails: several processes on one store.

    python benchmarks/readers_writers.py [--seconds 60] [--readers 4] [--writers 2] [--pause-ms 10] [--episodes 2000]

Every reader recalls, every writer remembers one statement, over and over, each in a process of its own on the same
folder and namespace, with a pause between as somebody has who does something with an answer. ``--pause-ms 0`` leaves it
out; then six processes want a whole core each, and on fewer cores a write waits for its readers to get their turn.

A write counts from the moment ``remember`` returned, by a clock all processes share, to the end of a reader's first
recall that had it among what it searched. So the figure holds the reader's pause, its wait for a core, and a whole
recall. What scheduling takes of it is told apart: Linux counts how long a process was ready to run while others ran
(``schedstat``), and the second line leaves out what each reader so waited since its recall before. A recall that begins after a write
was acknowledged and does not search it is a miss, and counts as an error, as does any exception.

Printed: reads, writes, errors, and over all writes the median, 99th percentile and maximum until the last of the readers
had it (bar 100 ms). ``--seconds 3 --episodes 500`` tries it out.
"""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from bisect import bisect_left, bisect_right
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from evolore.memory import Memory
from evolore.store.location import DATABASE
from harness import command_line, store_folder
from synthetic import Spread, Words, fill

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.queues import Queue
    from multiprocessing.synchronize import Barrier

BAR_MS = 100
PATIENCE_SECONDS = 120.0
LAST_SECONDS = 1.0
"""What is written in the last second may be seen after the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One recall.

    Args:
        began: When, by the monotonic clock.
        ended: Likewise.
        count: How many items it searched.
        waited: Seconds the process has waited for a core by its end, since it started.
    """

    began: float
    ended: float
    count: int
    waited: float


@dataclass(slots=True)
class Log:
    """What one process did.

    Args:
        role: Reader or writer.
        searched: Of a reader, its recalls.
        written: Of a writer: each episode, and when ``remember`` returned.
        errors: What was raised.
    """

    role: str
    searched: list[Read] = field(default_factory=list[Read])
    written: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    errors: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """What a process is told.

    Args:
        folder: The store.
        seed: Which words it uses.
        seconds: How long it works.
        pause: Seconds between two calls.
    """

    folder: Path
    seed: int
    seconds: float
    pause: float


def read(shift: Shift, together: Barrier, logs: Queue[Log]) -> None:
    """Recall until the end."""
    log = Log(role="reader")
    texts = Words().texts(200 + shift.seed)[-200:]
    with Memory.open(shift.folder, embedder=Spread()) as memory:
        memory.recall("anything")
        together.wait()
        work(shift, log, lambda number: recall(memory, texts[number % len(texts)], log))
    logs.put(log)


def recall(memory: Memory, text: str, log: Log) -> None:
    """Recall once and note how far it saw."""
    began = monotonic()
    found = memory.recall(" ".join(text.split()[:6]))
    log.searched.append(Read(began=began, ended=monotonic(), count=found.searched, waited=waited()))


def waited() -> float:
    """Give the seconds this process was ready to run and others ran; 0 where the system does not tell."""
    told = Path("/proc/self/schedstat")
    return int(told.read_text().split()[1]) / 1e9 if told.is_file() else 0.0


def write(shift: Shift, together: Barrier, logs: Queue[Log]) -> None:
    """Remember until the end."""
    log = Log(role="writer")
    texts = Words().texts(200 + shift.seed)[-200:]
    with Memory.open(shift.folder, embedder=Spread()) as memory:
        memory.remember("a first one")
        together.wait()
        work(shift, log, lambda number: remember(memory, texts[number % len(texts)], log))
    logs.put(log)


def remember(memory: Memory, text: str, log: Log) -> None:
    """Remember once and note when it was acknowledged."""
    episode = memory.remember(text)
    log.written.append((episode.id, monotonic()))


def work(shift: Shift, log: Log, act: Callable[[int], None]) -> None:
    """Act over and over, and note what is raised."""
    act_number = 0
    ends = monotonic() + shift.seconds
    while monotonic() < ends:
        try:
            act(act_number)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            log.errors.append(f"{log.role}: {error!r}")
        act_number += 1
        sleep(shift.pause)


def run(folder: Path, *, readers: int, writers: int, seconds: float, pause: float) -> list[Log]:
    """Have all processes work at the same time, and gather what they did."""
    context = multiprocessing.get_context("spawn")
    logs: Queue[Log] = context.Queue()
    together = context.Barrier(readers + writers)
    started = [
        context.Process(
            target=role,
            args=(Shift(folder=folder, seed=seed, seconds=seconds, pause=pause), together, logs),
        )
        for seed, role in enumerate([read] * readers + [write] * writers)
    ]
    for process in started:
        process.start()
    done = [logs.get(timeout=seconds + PATIENCE_SECONDS) for _ in started]
    for process in started:
        process.join()
    return done


def places(folder: Path) -> dict[str, int]:
    """Give how many items there were once each episode was committed."""
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        rows = database.execute("SELECT episode_id FROM index_log ORDER BY seq").fetchall()
    return {id_: number for number, (id_,) in enumerate(rows, start=1)}


@dataclass(slots=True)
class Sights:
    """How soon writes were seen, in milliseconds.

    Args:
        by_all: Until the last reader had it, for each write.
        by_all_running: The same, without what each reader waited for a core since its recall before.
        in_recall: How long the recall took that saw it, for each write and reader.
        misses: Recalls that began after the write was acknowledged, and did not search it.
        unseen: Writes that a reader never searched.
    """

    by_all: list[float] = field(default_factory=list[float])
    by_all_running: list[float] = field(default_factory=list[float])
    in_recall: list[float] = field(default_factory=list[float])
    misses: int = 0
    unseen: int = 0


def look(logs: list[Log], place: dict[str, int], until: float) -> Sights:
    """Find the first recall of each reader that saw each write."""
    sights = Sights()
    written = [(place[id_], at) for log in logs for id_, at in log.written if at < until]
    readers = [log.searched for log in logs if log.role == "reader" and log.searched]
    counts = [[one.count for one in searched] for searched in readers]
    begins = [[one.began for one in searched] for searched in readers]
    for number, at in written:
        latest, latest_running = 0.0, 0.0
        firsts = [bisect_left(seen, number) for seen in counts]
        sights.misses += sum(
            max(0, first - bisect_right(began, at)) for first, began in zip(firsts, begins, strict=True)
        )
        if any(first == len(seen) for first, seen in zip(firsts, counts, strict=True)):
            sights.unseen += 1
            continue
        for searched, first in zip(readers, firsts, strict=True):
            before = searched[max(0, first - 1) : first]
            sight = searched[first]
            taken = max(0.0, sight.ended - at)
            idle = sight.waited - before[-1].waited if before else 0.0
            latest, latest_running = max(latest, taken), max(latest_running, taken - idle)
            sights.in_recall.append(1000 * (sight.ended - sight.began))
        sights.by_all.append(1000 * latest)
        sights.by_all_running.append(1000 * latest_running)
    return sights


def report(logs: list[Log], sights: Sights, seconds: float) -> None:
    """Print what happened."""
    errors = [error for log in logs for error in log.errors]
    reads = sum(len(log.searched) for log in logs)
    writes = sum(len(log.written) for log in logs)
    print(f"{reads:,} recalls ({reads / seconds:.0f} a second) and {writes:,} writes ({writes / seconds:.0f} a second)")
    wrong = len(errors) + sights.misses + sights.unseen
    print(
        f"errors: {wrong} (bar 0), of them {sights.misses} recalls that missed a write and {sights.unseen} writes "
        "that a reader never saw"
    )
    for error in errors[:5]:
        print(f"  {error}")
    if not sights.by_all:
        print("no write was timed: give more --seconds")
        return
    print(f"{'ms':44} {'p50':>7} {'p99':>7} {'max':>7}")
    for name, times in (
        ("from a write to its sight by all readers", sights.by_all),
        ("  the same, without waiting for a core", sights.by_all_running),
        ("  the recall that saw it, from begin to end", sights.in_recall),
    ):
        p50, p99, most = np.percentile(times, [50, 99, 100])
        print(f"{name:44} {p50:7.1f} {p99:7.1f} {most:7.1f}" + ("" if name[0] == " " else f"   (bar {BAR_MS})"))
    late = sum(1 for one in sights.by_all if one > BAR_MS)
    print(f"{late:,} of {len(sights.by_all):,} writes were seen later than {BAR_MS} ms")
    print(
        f"{len(logs)} processes on {os.cpu_count()} cores; load of the machine over a minute: {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    """Fill, let them work, print."""
    parser = command_line(__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--pause-ms", type=float, default=10)
    parser.add_argument("--episodes", type=int, default=2000, help="how many the store holds before")
    options = parser.parse_args()
    with store_folder() as folder:
        with Memory.open(folder, embedder=Spread()) as memory:
            fill(memory, Words().texts(options.episodes))
        logs = run(
            folder,
            readers=options.readers,
            writers=options.writers,
            seconds=options.seconds,
            pause=options.pause_ms / 1000,
        )
        ends = max((at for log in logs for _, at in log.written), default=0.0)
        report(logs, look(logs, places(folder), ends - LAST_SECONDS), options.seconds)


if __name__ == "__main__":
    main()
