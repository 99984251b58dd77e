from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from crash.checks import check_indexes, check_store, check_tables
from crash.contender import ABREAST, DOCUMENTS, STATEMENTS, VERSIONS, document
from crash.processes import Started
from crash.rounds import OTHERS, Kill, Ledger, kill_one, plan, run
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.database import FaultPoint, listeners

if TYPE_CHECKING:
    from pathlib import Path

SEED = 7


@pytest.mark.parametrize("rounds", [2, pytest.param(8, marks=pytest.mark.long)])
def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path, rounds: int) -> None:
    counts = run(tmp_path, rounds=rounds, seed=SEED)
    assert sum(counts.values()) == rounds
    assert counts["between"] <= 1


def test_the_check_notices_what_is_missing(tmp_path: Path) -> None:
    ledger = Ledger()
    kill_one(tmp_path / "s", Kill(seed=3, point=FaultPoint.COMMITTED, visit=6), ledger)
    assert ledger.statements or ledger.documents
    check_store(tmp_path / "s", statements=ledger.statements, documents=ledger.documents)
    with pytest.raises(AssertionError):
        check_store(tmp_path / "s", statements=ledger.statements | {"0" * 26: "never said"}, documents={})
    with pytest.raises(AssertionError):
        check_store(tmp_path / "s", statements={}, documents={"never.md": ("0" * 26, "0" * 64)})


def test_a_hundred_rounds_reach_every_fault_point() -> None:
    assert {kill.point for kill in plan(100, SEED)} == {None, *FaultPoint} - OTHERS


def test_nothing_listens_at_the_fault_points_of_the_library() -> None:
    assert listeners == []


NAMES = ("one", "two")


def contend(store: Path) -> None:
    started = [Started("crash.contender", str(store), name) for name in NAMES]
    for _ in range(STATEMENTS // ABREAST):
        for process in started:
            assert process.stdout.readline() == "ready\n"
        for process in started:
            process.stdin.write("go\n")
            process.stdin.flush()
    for process in started:
        process.communicate()
        assert process.returncode == 0


def test_two_processes_writing_the_same_equal_some_serial_order(store_path: Path) -> None:
    contend(store_path)
    check_tables(store_path)
    with Memory.open(store_path, namespace="crash", embedder=HashingEmbedder()) as memory:
        check_indexes(memory, store_path)
        said = memory.list(limit=10_000).statements
        assert Counter((item.speaker, item.text) for item in said) == {
            (name, f"Statement {number}."): 1 for name in NAMES for number in range(STATEMENTS)
        }
        places = {(item.session, item.position): item for item in said}
        for session in ("s0", "s1", "s2"):
            line = [item for item in said if item.session == session]
            assert sorted(item.position for item in line) == list(range(len(line)))
            in_order = [places[session, position] for position in range(len(line))]
            for name in NAMES:
                own = [int(item.text[10:-1]) for item in in_order if item.speaker == name]
                assert own == sorted(own)
            speakers = [item.speaker for item in in_order]
            assert speakers != sorted(speakers, key=str), "they did not write at the same time"
        pages = memory.list().documents
        assert sorted(page.source for page in pages) == [f"page-{number}.md" for number in range(DOCUMENTS)]
        for number, page in enumerate(sorted(pages, key=lambda page: page.source)):
            assert page.content_sha256 == sha256(document(number, VERSIONS - 1).encode()).hexdigest()
    with closing(sqlite3.connect(store_path / "evolore.db")) as connection:
        for page in pages:
            numbers = connection.execute("select number from versions where document_id = ? order by 1", [page.id])
            assert [number for (number,) in numbers] == list(range(1, page.version + 1))
            assert page.version >= VERSIONS
