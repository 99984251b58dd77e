"""Kills of processes that rewrite a document, and what must stand after each: ``python -m crash.evolving_kills [ROUNDS STRATEGY]``."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from crash.asking import TESTS
from crash.checks import check_tables
from evolore.evolution.search_settings import Strategy
from evolore.store.faults import FaultPoint
from evolving.complaints import BETTER, TEXT, complained
from evolving.searches import answered_badly

if TYPE_CHECKING:
    from collections.abc import Iterator

POINTS = (
    *(FaultPoint.BEGUN, FaultPoint.STEPS_WRITTEN, FaultPoint.COMMITTING, FaultPoint.COMMITTED),
    *(FaultPoint.PROMOTION_WRITTEN, FaultPoint.VERSION_VISIBLE, FaultPoint.EVENTS_APPENDED),
)
_OPEN = {"running", "waiting"}
_PREPARED = {Strategy.OPERATORS: complained, Strategy.GEPA: answered_badly}


def run_process(folder: Path, strategy: Strategy, *fault: str) -> dict[str, Any] | None:
    """Let a process take the job to its end, and give what it told; None where it was killed at its fault point."""
    command = [sys.executable, "-m", "crash.evolver", str(folder), strategy.value, *fault]
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            told: dict[str, Any] = json.loads(line)
            if "at" in told:
                process.kill()
                return None
            return told
    raise AssertionError(f"it told nothing, and ended with {process.returncode}")


def check(folder: Path) -> Counter[str]:
    """Check that the document is whole, old or new, that nothing was promoted twice, and that steps follow each other."""
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
    assert len(states) <= 1, "a job was begun twice"
    assert numbers == list(range(1, len(numbers) + 1))
    assert promoted == kinds["approved"] <= 1, "it was promoted twice"
    assert text == (BETTER if promoted else TEXT), "the document is not whole"
    assert bool(processed) is bool(kinds["decided"]), "feedback is processed before it was decided, or not after"
    assert set(states) <= ({"promoted"} if promoted else _OPEN)
    return kinds


def plan(rounds: int) -> Iterator[tuple[FaultPoint, int]]:
    """Give every step of a job its kills: the first visit of each point, then the second, and so on."""
    return islice(((point, visit) for visit in cycle(range(1, 40)) for point in POINTS), rounds)


def run(
    folder: Path, *, points: Iterator[tuple[FaultPoint, int]], strategy: Strategy = Strategy.OPERATORS
) -> Counter[str]:
    """Kill a process at each of these, checking the store, and let another finish; count how they went."""
    counts: Counter[str] = Counter()
    for number, (point, visit) in enumerate(points):
        place = folder / str(number)
        with _PREPARED[strategy](place):
            pass
        told = run_process(place, strategy, point.value, str(visit))
        counts["killed" if told is None else "passed by"] += 1
        done = check(place)
        counts["steps there"] += done.total()
        finished = told or run_process(place, strategy)
        assert finished is not None
        kinds = check(place)
        assert finished["state"] == "promoted", finished
        counts["promoted"] += kinds["approved"]
        lost = kinds["asking"] - kinds["replied"]
        assert lost == 0, "what a dead process asked is not accounted for"
    return counts


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    strategy = Strategy(sys.argv[2]) if len(sys.argv) > 2 else Strategy.OPERATORS
    with TemporaryDirectory() as folder:
        counts = run(Path(folder), points=plan(rounds), strategy=strategy)
    sys.stdout.write(
        f"{rounds} rounds: {counts['killed']} killed, {counts['passed by']} ended before their point, "
        f"{counts['promoted']} promoted once each, none twice; every document whole after every kill\n"
    )


if __name__ == "__main__":
    main()
