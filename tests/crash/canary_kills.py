"""Kills of processes that move a canary, and what must stand after each: ``python -m crash.canary_kills [ROUNDS]``."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from crash.canary_mover import MOVES, prepared
from crash.checks import check_tables
from crash.processes import Started
from evolving.complaints import BETTER, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

Stands = tuple[str, tuple[int, ...], int, str, int]
"""A job's state, the shares of its promotions, how many texts are on trial, what the document says, and the steps."""

AFTER = {
    "begin": ("canary", (50,), 1, "old"),
    "grow": ("canary", (60,), 1, "old"),
    "complete": ("promoted", (100,), 0, "new"),
    "trip": ("waiting", (0,), 0, "old"),
    "rollback": ("rolled_back", (0,), 0, "old"),
}
"""How each move leaves it: what ``Stands`` has but for the steps."""

FAULTS = ("lost", "half moved", "moved twice", "damaged")
"""Counts of which there must be none."""


def run_process(folder: Path, move: str, *fault: str) -> dict[str, Any]:
    """Let a process make a move, and give what it told; it is killed with SIGKILL where it stops at a fault point."""
    with Started("crash.canary_mover", str(folder), move, *fault) as process:
        for line in process.stdout:
            told: dict[str, Any] = json.loads(line)
            if "at" in told:
                process.kill()
            return told
    raise AssertionError(f"it told nothing, and ended with {process.returncode}")


def stands(folder: Path) -> Stands:
    """Read how it stands from the tables, and check that these are whole."""
    store = folder / "store"
    check_tables(store)
    with closing(sqlite3.connect(store / "evolore.db")) as connection:
        ((state, steps),) = connection.execute("select state, steps from evolution_jobs").fetchall()
        shares = tuple(row[0] for row in connection.execute("select percent from promotions order by promoted_at, id"))
        trials = connection.execute("select count(*) from documents where source like 'canary:%'").fetchone()[0]
        numbers = [row[0] for row in connection.execute("select number from evolution_steps order by number")]
        text = "".join(
            row[0]
            for row in connection.execute(
                "select payloads.text from documents join chunks on chunks.document_id = documents.id and "
                "chunks.version = documents.version join episodes on episodes.id = chunks.episode_id join payloads on "
                "payloads.id = episodes.payload_id where documents.source = 'refunds.md' order by chunks.ordinal"
            )
        )
    assert numbers == list(range(1, steps + 1)), "steps do not follow each other"
    return state, shares, trials, {TEXT: "old", BETTER: "new"}.get(text, "damaged"), steps


@dataclass(frozen=True)
class Kill:
    """At which visit of which point a move is killed."""

    move: str
    point: str
    visit: int


def plan(folder: Path) -> list[Kill]:
    """Give every visit of every point in every move, the moves in turn."""
    found: list[list[Kill]] = []
    for move in MOVES:
        place = folder / f"counted {move}"
        copytree(prepared(folder / "made", move), place)
        visits: list[list[Any]] = run_process(place, move)["visits"]
        found.append([Kill(move, point, visit) for point, times in visits for visit in range(1, times + 1)])
    longest = max(map(len, found))
    return [kills[number] for number in range(longest) for kills in found if number < len(kills)]


def run(folder: Path, *, kills: Iterator[Kill]) -> Counter[str]:
    """Kill a process at each of these, looking at the store, and let another make the move; count how they went."""
    counts: Counter[str] = Counter()
    for number, kill in enumerate(kills):
        place = folder / f"round {number}"
        copytree(prepared(folder / "made", kill.move), place)
        before = stands(place)
        told = run_process(place, kill.move, kill.point, str(kill.visit))
        counts["rounds"] += 1
        counts["killed"] += "at" in told
        after = stands(place)
        done = (*AFTER[kill.move], before[4] + 1)
        counts["moved before the kill"] += after == done
        counts["half moved"] += after not in {before, done}
        if after != done:
            run_process(place, kill.move)
        last = stands(place)
        counts["lost"] += last[:4] != done[:4]
        counts["moved twice"] += last[4] > done[4]
        counts["damaged"] += "damaged" in {after[3], last[3]}
        rmtree(place)
    return counts


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with TemporaryDirectory() as name:
        folder = Path(name)
        kills = plan(folder)
        counts = run(folder, kills=islice(cycle(kills), rounds))
    sys.stdout.write(
        f"{counts['rounds']} rounds over {len(kills)} places in {len(MOVES)} moves of a canary: {counts['killed']} killed, "
        f"{counts['moved before the kill']} of them after the move was written; {counts['lost']} moves lost, "
        f"{counts['half moved']} half made, {counts['moved twice']} made twice, {counts['damaged']} documents damaged\n"
    )
    sys.exit(any(counts[one] for one in FAULTS))


if __name__ == "__main__":
    main()
