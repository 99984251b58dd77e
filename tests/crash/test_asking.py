"""Questions that several processes ask, and processes that are killed while they do."""

from __future__ import annotations

import json
import sqlite3
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import pytest

from crash.asker import QUESTIONS, ask
from crash.asking import begin, check, filled, ids_in, kill, run, start
from evolore.store.database import FaultPoint

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("one", "two")


def ask_side_by_side(store: Path) -> list[str]:
    told: list[str] = []
    with ExitStack() as stack:
        processes = [stack.enter_context(start(store, name)) for name in NAMES]
        for process in processes:
            assert "ready" in process.stdout.readline()
        for process in processes:
            begin(process)
        for process in processes:
            told += ids_in(process.communicate().splitlines(keepends=True))
            assert process.returncode == 0
    return told


def account(store: Path) -> list[object]:
    """Say what a store knows of questions without ids: what was handed over, what entered, how it was evaluated."""
    with closing(sqlite3.connect(store / "evolore.db")) as connection:
        names = dict(connection.execute("select query_id, text from query_texts").fetchall())
        texts = dict(connection.execute("select episode_id, text from payloads").fetchall())
        rows = connection.execute("select query_id, target_id, kind, led_to_insight, evaluated_by from query_edges")
        given = sorted((names[row[0]], texts[row[1]], row[2], row[3], row[4] is None) for row in rows)
        graph = sorted(
            (names[row[0]], texts[row[1]], *row[2:])
            for row in connection.execute("select source_id, target_id, kind, weight from edges")
        )
        told = connection.execute("select subject_id, body from events where kind like 'query_edges%' order by seq")
        found = [(texts[target], json.loads(body)) for target, body in told]
    return [given, graph, [(text, body.get("share"), body.get("value")) for text, body in found]]


def texts_in(store: Path) -> list[str]:
    """Give what is asked of, in the order of its ids."""
    with closing(sqlite3.connect(store / "evolore.db")) as connection:
        return [text for (text,) in connection.execute("select text from payloads order by episode_id")]


def asked_in_order(store: Path) -> list[str]:
    """Give what was asked, in the order in which it was written down."""
    with closing(sqlite3.connect(store / "evolore.db")) as connection:
        found = connection.execute(
            "select text from queries join query_texts on query_texts.query_id = queries.id order by queries.rowid"
        ).fetchall()
    return [text for (text,) in found]


def test_two_processes_asking_the_same_equal_some_serial_order(tmp_path: Path) -> None:
    are_mixed = False
    for attempt in range(5):  # a quick process may be done before the other begins
        store, serial = tmp_path / f"beside {attempt}", tmp_path / f"serial {attempt}"
        filled(store).close()
        asked = ask_side_by_side(store)
        assert len(asked) == QUESTIONS * len(NAMES)
        counts = check(store, asked)
        assert counts["high"] > 5 < counts["low"]
        said = asked_in_order(store)
        one, order = filled(serial), texts_in(store)
        with one.read("crash") as reader:
            ids = {episode.text: episode.id for episode in reader.statements(limit=100)}
        targets = [ids[text] for text in order]
        for text in said:
            with one.write("crash") as writer:
                ask(writer, text, int(text.split()[1]), targets)
        one.close()
        assert account(serial) == account(store)
        are_mixed = said != sorted(said, key=lambda text: text.split()[0])
        if are_mixed:
            break
    assert are_mixed, "they never asked at the same time"


@pytest.mark.parametrize("rounds", [2, pytest.param(6, marks=pytest.mark.long)])
def test_killed_at_any_moment_no_edge_is_lost_or_there_twice(tmp_path: Path, rounds: int) -> None:
    counts = run(tmp_path, rounds=rounds, seed=3)
    assert counts["questions"] > 3 * rounds
    assert counts["high"] + counts["low"] > 5


def test_the_check_notices_what_is_wrong(tmp_path: Path) -> None:
    filled(tmp_path).close()
    asked = kill(tmp_path, "one", point=FaultPoint.COMMITTING, visit=60)
    assert check(tmp_path, asked).total() > 3
    with pytest.raises(AssertionError):
        check(tmp_path, [*asked, "0" * 26])
    with closing(sqlite3.connect(tmp_path / "evolore.db")) as connection, connection:
        connection.execute("update query_edges set evaluated_by = null")
    with pytest.raises(AssertionError):
        check(tmp_path, asked)
