"""Processes that merge what the others say: some serial order, whoever maintains meanwhile and whenever one is killed."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from crash.checks import check_indexes, check_tables
from crash.integrator import STATEMENTS, sentence
from crash.processes import Started
from evolore.config import Settings
from evolore.domain.health import FindingKind
from evolore.episodes.shared_sentences import folded
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.database import FaultPoint
from flows.memories import described, everything

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAMES = ("one", "two")


def start(store: Path, name: str, *arguments: str) -> Started:
    return Started("crash.integrator", str(store), name, *arguments)


def begin(process: Started) -> None:
    process.stdin.write("go\n")
    process.stdin.flush()


def lines_of(text: str) -> dict[str, str]:
    told = [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]
    return {line["id"]: line["text"] for line in told if "id" in line}


def remember_side_by_side(store: Path, *every: str) -> dict[str, str]:
    """Let two processes remember the same, and give what they said was done."""
    said: dict[str, str] = {}
    with ExitStack() as stack:
        processes = [stack.enter_context(start(store, name, *every)) for name in NAMES]
        for process in processes:
            assert "ready" in process.stdout.readline()
        for process in processes:
            begin(process)
        for process in processes:
            said |= lines_of(process.communicate())
            assert process.returncode == 0
    return said


def opened(store: Path) -> Memory:
    return Memory.open(store, namespace="crash", embedder=HashingEmbedder(), settings=Settings())


def check_whole(memory: Memory, store: Path, said: Mapping[str, str]) -> None:
    """Check that what was acknowledged is there, stood for by something that says it, and that all else fits."""
    check_tables(store)
    check_indexes(memory, store)
    episodes = {one.id: one for one in everything(memory)}
    assert {id_: episodes[id_].text for id_ in said} == said
    with memory._context.store.read("crash") as reader:
        holders = reader.standing_for(sorted(said))
    for id_, text in said.items():
        held = "".join(folded(episodes[holder].text) for holder in holders[id_])
        assert all(folded(part + ".") in held for part in text.split(".") if part.strip())
    assert {finding.kind for finding in memory.store.doctor().findings} <= {FindingKind.LEFTOVER}
    assert memory.store.verify().is_whole


def test_two_processes_remembering_the_same_equal_some_serial_order(store_path: Path, tmp_path: Path) -> None:
    said = remember_side_by_side(store_path, "0")
    assert len(said) == STATEMENTS * len(NAMES)
    with opened(store_path) as memory, opened(tmp_path / "serial") as serial:
        check_whole(memory, store_path, said)
        told = [one for one in everything(memory) if not one.is_made]
        sessions = [str(one.session) for one in sorted(told, key=lambda one: one.id)]
        assert sessions != sorted(sessions), "they did not write at the same time"
        for one in sorted(told, key=lambda one: one.id):
            serial.remember(one.text, session=one.session)
        assert described(memory) == described(serial)
        assert memory.stats().statements < 40 < memory.stats().hidden_statements


@pytest.mark.long
def test_two_that_maintain_beside_each_other_lose_nothing(store_path: Path) -> None:
    said = remember_side_by_side(store_path, "15")
    with opened(store_path) as memory:
        check_whole(memory, store_path, said)
        while memory.maintain().remaining:
            pass
        check_whole(memory, store_path, said)
        assert memory.stats().statements < 40 < memory.stats().hidden_statements


def kill(store: Path, name: str, point: FaultPoint, visit: int) -> dict[str, Any]:
    with start(store, name, "7", point.value, str(visit)) as process:
        begin(process)
        told = ""
        for line in process.stdout:
            told += line
            if '"at"' in line:
                break
        process.kill()
    assert process.returncode < 0, "it ended by itself"
    return lines_of(told)


@pytest.mark.parametrize(
    "point",
    [
        FaultPoint.EPISODES_WRITTEN,
        pytest.param(FaultPoint.EVENTS_APPENDED, marks=pytest.mark.long),
        pytest.param(FaultPoint.INDEX_LOGGED, marks=pytest.mark.long),
        pytest.param(FaultPoint.COMMITTED, marks=pytest.mark.long),
    ],
)
def test_what_was_acknowledged_is_whole_after_a_kill_wherever_it_strikes(store_path: Path, point: FaultPoint) -> None:
    said: dict[str, str] = {}
    for number, visit in enumerate((3, 47)):
        said |= kill(store_path, f"run {number}", point, visit)
        with opened(store_path) as memory:
            if said:
                check_whole(memory, store_path, said)
                memory.remember(sentence(number))
    assert len(said) > 30
    with opened(store_path) as memory:
        while memory.maintain().remaining:
            pass
        check_whole(memory, store_path, said)
