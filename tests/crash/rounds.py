"""Kills of a writing process, and what must stand after each: ``rounds.py [ROUNDS] [SEED]`` prints what it measured."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from crash.checks import check_store
from crash.processes import Started
from evolore.store.database import FaultPoint

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS_A_STORE = 12
_LAST_VISIT = 3
OTHERS = frozenset((FaultPoint.STEPS_WRITTEN, FaultPoint.PROMOTION_WRITTEN))
"""Where a worker never comes by: those that promote are killed there."""


@dataclass(slots=True)
class Ledger:
    """What a worker was told is done, and so must be there; and what it may or may not have finished."""

    statements: dict[str, str] = field(default_factory=dict[str, str])
    documents: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    forgotten: set[str] = field(default_factory=set[str])

    def take(self, line: dict[str, Any]) -> None:
        """Note an acknowledged verb."""
        match line["done"]:
            case "add":
                self.documents[line["source"]] = (line["id"], line["sha256"])
            case "forget":
                self.forgotten.add(line["id"])
                self.drop(line["id"])
            case _:
                self.statements.update(line["statements"])

    def leave_open(self, line: dict[str, Any]) -> None:
        """Note a verb that was begun and not acknowledged: what it would have replaced may stand or not."""
        if line["begin"] == "forget":
            self.drop(line["id"])
        elif line["begin"] == "add":
            self.documents.pop(line["source"], None)

    def drop(self, id_: str) -> None:
        self.statements.pop(id_, None)
        self.documents = {source: known for source, known in self.documents.items() if known[0] != id_}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """When one worker is killed: at a fault point's n-th visit, or some time after so many lines."""

    seed: int
    point: FaultPoint | None = None
    visit: int = 1
    after_lines: int = 1
    delay_seconds: float = 0.0


def plan(rounds: int, seed: int) -> Iterator[Kill]:
    """Give half of the kills to fault points, each in turn, and half to random times."""
    chance = random.Random(seed)
    points = [point for point in FaultPoint if point not in OTHERS]
    for number in range(rounds):
        kill_seed = chance.randrange(10**6)
        if number % 2:
            yield Kill(seed=kill_seed, after_lines=chance.randint(1, 25), delay_seconds=chance.uniform(0, 0.02))
        else:
            point = points[(number // 2) % len(points)]
            yield Kill(seed=kill_seed, point=point, visit=chance.randint(1, _LAST_VISIT))


def kill_one(store: Path, kill: Kill, ledger: Ledger) -> str | None:
    """Start a worker, kill it, and give the verb it was killed in; None where it was between two."""
    fault = (kill.point.value, str(kill.visit)) if kill.point else ()
    with Started("crash.worker", str(store), str(kill.seed), *fault) as worker:
        lines: list[dict[str, Any]] = []
        for written in worker.stdout:
            lines.append(json.loads(written))
            if "at" in lines[-1] or (kill.point is None and len(lines) >= kill.after_lines):
                break
        if kill.point is None:
            worker.wait(timeout=kill.delay_seconds)
        worker.kill()
        # A last line without its end was not acknowledged.
        lines += [json.loads(written) for written in worker.stdout if written.endswith("\n")]
    assert worker.returncode < 0, f"the worker ended by itself with {worker.returncode}"
    return _settle(lines, ledger)


def _settle(lines: list[dict[str, Any]], ledger: Ledger) -> str | None:
    begun: dict[str, Any] | None = None
    for line in lines:
        if "begin" in line:
            begun = line
        elif "done" in line:
            ledger.take(line)
            begun = None
    if begun is not None:
        ledger.leave_open(begun)
        return str(begun["begin"])
    return None


def run(folder: Path, *, rounds: int, seed: int) -> Counter[str]:
    """Kill ``rounds`` workers, checking the store after each, and count the verbs they were killed in."""
    counts: Counter[str] = Counter()
    ledger = Ledger()
    for number, kill in enumerate(plan(rounds, seed)):
        if number % ROUNDS_A_STORE == 0:
            ledger = Ledger()
        store = folder / f"{number // ROUNDS_A_STORE}.evolore"
        verb = kill_one(store, kill, ledger)
        counts[verb or "between"] += 1
        check_store(store, statements=ledger.statements, documents=ledger.documents, forgotten=ledger.forgotten)
    return counts


def main() -> None:
    rounds, seed = (int(given) for given in (*sys.argv[1:], "100", "1")[:2])
    with TemporaryDirectory() as folder:
        counts = run(Path(folder), rounds=rounds, seed=seed)
    inside = 1 - counts["between"] / rounds
    sys.stdout.write(f"{rounds} kills, {inside:.0%} inside a verb: {dict(counts.most_common())}; nothing was lost.\n")
    sys.exit(inside < 0.8)


if __name__ == "__main__":
    main()
