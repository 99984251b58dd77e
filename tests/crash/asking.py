"""Kills of processes that ask, and what must stand after each: ``python -m crash.asking [ROUNDS] [SEED]``."""

from __future__ import annotations

import json
import random
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from crash.asker import AT, EMBEDDER, GATHER, opened
from crash.checks import check_tables
from crash.processes import Started
from evolore.domain.episode import Statement
from evolore.domain.language import Language
from evolore.ports import ItemKeys, NewStatement, TextRole
from evolore.store.database import FaultPoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evolore.store.store import Store

TESTS = Path(__file__).parent.parent
THINGS = ("ferry", "baker", "violin", "lantern", "bridge", "garden", "ladder")
POINTS = (FaultPoint.BEGUN, FaultPoint.EVENTS_APPENDED, FaultPoint.COMMITTING, FaultPoint.COMMITTED)
_ROUNDS_A_STORE = 10


def filled(folder: Path) -> Store:
    """Make a store that holds what is asked of."""
    store = opened(folder)
    texts = [f"Mika paints a {thing}." for thing in THINGS]
    vectors = EMBEDDER.embed(texts, role=TextRole.PASSAGE)
    new = [
        NewStatement(
            statement=Statement(text=text),
            language=Language.EN,
            keys=ItemKeys(tokens=tuple(text.lower().split()), vector=np.asarray(vector)),
        )
        for text, vector in zip(texts, vectors, strict=True)
    ]
    with store.write("crash") as writer:
        writer.put_statements(new, at=AT)
    return store


def start(store: Path, name: str, *fault: str) -> Started:
    return Started("crash.asker", str(store), name, *fault)


def begin(process: Started) -> None:
    process.stdin.write("go\n")
    process.stdin.flush()


def ids_in(lines: Iterable[str]) -> list[str]:
    """Give the questions that were told of; a last line without its end was not acknowledged."""
    told: list[dict[str, Any]] = [json.loads(line) for line in lines if line.endswith("\n")]
    return [line["id"] for line in told if "id" in line]


def kill(store: Path, name: str, *, point: FaultPoint | None, visit: int) -> list[str]:
    """Kill a process that asks: at its n-th visit of a point, or behind its n-th question; give what it told of."""
    fault = (point.value, str(visit)) if point else ()
    with start(store, name, *fault) as process:
        begin(process)
        lines: list[str] = []
        for line in process.stdout:
            lines.append(line)
            if '"at"' in line or (point is None and len(lines) > visit):
                break
        process.kill()
        lines += process.stdout
    assert process.returncode < 0, "it ended by itself"
    return ids_in(lines)


def check(store: Path, asked: Iterable[str]) -> Counter[str]:
    """Check that no edge is there twice, none was lost, and each that waited was evaluated at most once, when due."""
    check_tables(store)
    with closing(sqlite3.connect(store / "evolore.db")) as connection:
        there = {id_ for (id_,) in connection.execute("select id from queries")}
        assert set(asked) <= there
        rows = connection.execute(
            "select query_id, target_id, kind, evaluated_by, entered_by, led_to_insight from query_edges"
        ).fetchall()
        given = Counter(row[0] for row in rows)
        assert set(given) == there
        assert all(row[2] for row in rows), "an edge was lost"
        graph = connection.execute("select source_id, target_id, kind from edges").fetchall()
        told = connection.execute("select id, kind, subject_id, body from events").fetchall()
    assert sorted((row[0], row[1], row[2]) for row in rows if row[4]) == sorted(graph)
    added = Counter(
        tuple(edge[:3])
        for _, kind, _, body in told
        if kind == "query_edges_entered"
        for edge in json.loads(body).get("added", ())
    )
    assert set(added.values()) <= {1}, "an edge entered twice"
    assert {(source, kind, target) for source, target, kind in graph} == set(added)
    waiting = Counter(row[1] for row in rows if row[3] is None and row[2] != "query_insight")
    assert max(waiting.values(), default=0) < GATHER, "what gathered was not evaluated"
    evaluations = {id_: (target, json.loads(body)) for id_, _, target, body in told if '"value"' in body}
    touched = Counter(row[3] for row in rows if row[3])
    waited = Counter(row[3] for row in rows if row[3] and row[2] != "query_insight")
    assert set(touched) == set(evaluations)
    assert set(waited.values()) <= {GATHER}, "something was evaluated twice, or late"
    for row in rows:
        assert row[3] is None or evaluations[row[3]][0] == row[1]
    for id_, (_, body) in evaluations.items():
        led = sum(row[5] for row in rows if row[3] == id_)
        assert (body["questions"], body["share"]) == (touched[id_], led / touched[id_])
    return Counter(str(body["value"]) for _, body in evaluations.values())


def plan(rounds: int, seed: int) -> Iterator[tuple[FaultPoint | None, int]]:
    """Give half of the kills to fault points, each in turn, and half to moments behind some question."""
    chance = random.Random(seed)
    for number in range(rounds):
        point = None if number % 2 else POINTS[number // 2 % len(POINTS)]
        yield point, chance.randint(1, 60)


def run(folder: Path, *, rounds: int, seed: int) -> Counter[str]:
    """Kill ``rounds`` processes, checking the store after each, and count how their evaluations ended."""
    counts: Counter[str] = Counter()
    asked: list[str] = []
    place = folder
    for number, (point, visit) in enumerate(plan(rounds, seed)):
        if number % _ROUNDS_A_STORE == 0:
            place, asked = folder / str(number), []
            filled(place).close()
        asked += kill(place, f"run {number}", point=point, visit=visit)
        found = check(place, asked)
        if number % _ROUNDS_A_STORE == _ROUNDS_A_STORE - 1 or number == rounds - 1:
            counts += found
            counts["questions"] += len(asked)
    return counts


def main() -> None:
    rounds, seed = (int(argument) for argument in (*sys.argv[1:], *("50", "7")[len(sys.argv) - 1 :]))
    with TemporaryDirectory() as folder:
        counts = run(Path(folder), rounds=rounds, seed=seed)
    sys.stdout.write(
        f"{rounds} kills: {counts['questions']} questions acknowledged, none lost; {counts['high']} evaluations high, "
        f"{counts['low']} low, each once; no edge twice\n"
    )


if __name__ == "__main__":
    main()
