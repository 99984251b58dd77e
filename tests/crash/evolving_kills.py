"""Kills of processes that rewrite a document, and what must stand after each: ``python -m crash.evolving_kills [ROUNDS]``."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from crash.checks import check_tables
from crash.processes import Started
from evolore.store.database import FaultPoint
from evolving.complaints import BETTER, TEXT, complained

if TYPE_CHECKING:
    from collections.abc import Iterator

POINTS = (
    *(FaultPoint.BEGUN, FaultPoint.STEPS_WRITTEN, FaultPoint.COMMITTING, FaultPoint.COMMITTED),
    *(FaultPoint.PROMOTION_WRITTEN, FaultPoint.VERSION_VISIBLE, FaultPoint.EVENTS_APPENDED),
)
FAULTS = ("lost", "begun twice", "promoted twice", "damaged", "out of order", "unaccounted")
"""Counts of which there must be none: jobs that never end, documents that are neither old nor new, calls nobody counted."""

_OPEN = {"running", "waiting"}


def run_process(folder: Path, *fault: str) -> dict[str, Any] | None:
    """Let a process take the job to its end, and give what it told; None where it was killed at its fault point."""
    with Started("crash.evolver", str(folder), *fault) as process:
        for line in process.stdout:
            told: dict[str, Any] = json.loads(line)
            if "at" in told:
                process.kill()
                return None
            return told
    raise AssertionError(f"it told nothing, and ended with {process.returncode}")


def check(folder: Path) -> tuple[Counter[str], Counter[str]]:
    """Read what stands in the tables, and check them; give how many steps there are of each kind, and what is wrong."""
    store = folder / "store"
    check_tables(store)
    with closing(sqlite3.connect(store / "evolore.db")) as connection:
        states = [row[0] for row in connection.execute("select state from evolution_jobs")]
        numbers = [row[0] for row in connection.execute("select number from evolution_steps order by number")]
        kinds = Counter(row[0] for row in connection.execute("select kind from evolution_steps"))
        promoted = connection.execute("select count(*) from promotions").fetchone()[0]
        processed = connection.execute("select count(*) from feedback where job_id is not null").fetchone()[0]
        text = "".join(
            row[0]
            for row in connection.execute(
                "select payloads.text from documents join chunks on chunks.document_id = documents.id and "
                "chunks.version = documents.version join episodes on episodes.id = chunks.episode_id join payloads on "
                "payloads.id = episodes.payload_id where documents.source = 'refunds.md' order by chunks.ordinal"
            )
        )
    wrong = Counter(
        {
            "begun twice": len(states) > 1,
            "promoted twice": promoted > 1,
            "damaged": text != (BETTER if promoted else TEXT),
            "out of order": numbers != list(range(1, len(numbers) + 1))
            or promoted != kinds["approved"]
            or bool(processed) is not bool(kinds["decided"])
            or not set(states) <= ({"promoted"} if promoted else _OPEN),
        }
    )
    return kinds, wrong


def plan(folder: Path, rounds: int) -> Iterator[tuple[FaultPoint, int]]:
    """Spread kills evenly over every visit of every point in the life of a job, from the first to the last."""
    with complained(folder):
        pass
    told = run_process(folder)
    assert told is not None
    visits = {FaultPoint(point): times for point, times in told["visits"]}
    every = [(point, visit) for point in POINTS for visit in range(1, visits.get(point, 0) + 1)]
    return (every[number * len(every) // rounds % len(every)] for number in range(rounds))


def run(folder: Path, *, points: Iterator[tuple[FaultPoint, int]]) -> Counter[str]:
    """Kill a process at each of these, checking the store, and let another finish; count how they went."""
    counts: Counter[str] = Counter()
    for number, (point, visit) in enumerate(points):
        place = folder / str(number)
        with complained(place):
            pass
        told = run_process(place, point.value, str(visit))
        counts["rounds"] += 1
        counts["killed"] += told is None
        _, wrong = check(place)
        counts += wrong
        finished = told or run_process(place)
        assert finished is not None
        kinds, wrong = check(place)
        counts += wrong
        counts["promoted"] += kinds["approved"]
        counts["lost"] += finished["state"] != "promoted"
        counts["unaccounted"] += kinds["asking"] - kinds["replied"]
        rmtree(place)
    return counts


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with TemporaryDirectory() as folder:
        counts = run(Path(folder), points=plan(Path(folder) / "counted", rounds))
    faults = ", ".join(f"{counts[one]} {one}" for one in FAULTS)
    sys.stdout.write(
        f"{counts['rounds']} rounds: {counts['killed']} killed, {counts['promoted']} jobs promoted; {faults}\n"
    )
    sys.exit(any(counts[one] for one in FAULTS))


if __name__ == "__main__":
    main()
