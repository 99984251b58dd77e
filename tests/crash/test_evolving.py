"""Processes that go on with the same jobs, and kills of one: documents are whole, and nothing is promoted twice.

Processes that are killed while they rewrite a document.

Processes that are killed while they move a canary.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from crash.canary_kills import FAULTS as FAULTS_CANARY_KILLS
from crash.canary_kills import Kill
from crash.canary_kills import run as run_canary_kills
from crash.checks import check_tables
from crash.evolving_kills import FAULTS, run
from crash.processes import Started
from crash.promoter import SOURCES, STEPS, text_of
from evolore.domain.evolution import JobState
from evolore.domain.health import FindingKind
from evolore.store.database import FaultPoint
from store.evolving import OLD, Evolving

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.domain.document import Document

ROUNDS = 40
Told = dict[tuple[str, int], str]


def start(store: Path, name: str, rounds: int, *fault: str) -> Started:
    return Started("crash.promoter", str(store), name, str(rounds), *fault)


def begin(process: Started) -> None:
    process.stdin.write("go\n")
    process.stdin.flush()


def steps_of(lines: str) -> Told:
    told = [json.loads(line) for line in lines.splitlines(keepends=True) if line.endswith("\n")]
    return {(line["step"][0], line["step"][1]): line["by"] for line in told if "step" in line}


def check_jobs(here: Evolving, told: Told) -> int:
    """Check that what was told is written once, and that documents are as the promotions say; give how many there are."""
    with here.reading() as reader:
        jobs = reader.jobs()
        steps = {(job.id, step.number): step.body["by"] for job in jobs for step in reader.steps(job.id)}
        documents = [reader.document_by_source(source) for source in SOURCES]
    assert {key: steps[key] for key in told} == told
    assert all((job.id, number) in steps for job in jobs for number in range(1, job.steps + 1))
    assert sum(job.steps for job in jobs) == len(steps)
    lines = [_line(here, document) for document in documents]
    done = lines[0]
    assert lines == [done, done]
    assert sorted(done) == sorted(job.id for job in jobs if job.state is JobState.PROMOTED)
    for document in documents:
        assert document is not None
        assert document.version == len(done) + 1
        texts = [OLD, *(text_of(job_id, document.source) for job_id in done)]
        assert [here.text(document, number) for number in range(1, document.version + 1)] == texts
    return len(done)


def _line(here: Evolving, document: Document | None) -> list[str]:
    assert document is not None
    with here.reading() as reader:
        return [one.job_id for one in reader.promotions(document_id=document.id)]


def test_two_processes_never_both_go_on_with_a_job(store_path: Path) -> None:
    with ExitStack() as stack:
        processes = [stack.enter_context(start(store_path, name, ROUNDS)) for name in ("one", "two")]
        for process in processes:
            assert "ready" in process.stdout.readline()
        here = Evolving(store_path)
        document = here.add(SOURCES[0])
        here.said(document, by="ann")
        for process in processes:
            begin(process)
        told = [steps_of(process.communicate()) for process in processes]
        assert [process.returncode for process in processes] == [0, 0]
    assert all(told), "they did not both go on"
    assert not told[0].keys() & told[1].keys()
    promoted = check_jobs(here, told[0] | told[1])
    assert promoted >= ROUNDS // (STEPS + 1)
    (said,) = here.feedback()
    with here.reading() as reader:
        first = min(reader.promotions(), key=lambda one: one.documents[0].after or 0)  # two processes have two clocks
        assert said.job_id == first.job_id
    check_tables(store_path)
    assert here.memory.store.doctor().is_whole
    assert here.memory.store.verify().is_whole
    here.close()


@pytest.mark.parametrize(
    ("point", "visit"),
    [
        pytest.param(FaultPoint.PAYLOADS_WRITTEN, 2, marks=pytest.mark.long),
        pytest.param(FaultPoint.VERSION_VISIBLE, 3, marks=pytest.mark.long),
        pytest.param(FaultPoint.VERSION_VISIBLE, 4, marks=pytest.mark.long),
        pytest.param(FaultPoint.PROMOTION_WRITTEN, 2, marks=pytest.mark.long),
        pytest.param(FaultPoint.STEPS_WRITTEN, 8, marks=pytest.mark.long),
        pytest.param(FaultPoint.COMMITTING, 10, marks=pytest.mark.long),
        (FaultPoint.COMMITTED, 10),
    ],
)
def test_a_job_goes_on_after_a_kill_and_documents_are_whole(store_path: Path, point: FaultPoint, visit: int) -> None:
    with start(store_path, "killed", ROUNDS, point.value, str(visit)) as process:
        begin(process)
        lines = ""
        for line in process.stdout:
            lines += line
            if '"at"' in line:
                break
        process.kill()
    assert process.returncode < 0, "it ended by itself"
    here = Evolving(store_path)
    told = steps_of(lines)
    before = check_jobs(here, told)
    assert {one.kind for one in here.memory.store.doctor().findings} <= {FindingKind.LEFTOVER}
    with start(store_path, "next", 2 * STEPS) as process:
        told |= steps_of(process.communicate("go\n"))
    assert check_jobs(here, told) > before
    assert here.memory.store.verify().is_whole
    here.close()


@pytest.mark.parametrize(
    "kill",
    [
        (FaultPoint.PROMOTION_WRITTEN, 1),
        pytest.param((FaultPoint.STEPS_WRITTEN, 4), marks=pytest.mark.long),
        pytest.param((FaultPoint.COMMITTED, 3), marks=pytest.mark.long),
    ],
)
def test_killed_at_any_step_a_job_goes_on_and_promotes_once(tmp_path: Path, kill: tuple[FaultPoint, int]) -> None:
    counts = run(tmp_path, points=iter([kill]))
    assert (counts["killed"], counts["promoted"]) == (1, 1)
    assert not any(counts[one] for one in FAULTS)


@pytest.mark.parametrize(
    ("move", "point", "is_moved"),
    [
        pytest.param("begin", FaultPoint.PROMOTION_WRITTEN, False, marks=pytest.mark.long),
        ("complete", FaultPoint.ROWS_ERASED, False),
        pytest.param("trip", FaultPoint.COMMITTED, True, marks=pytest.mark.long),
    ],
)
def test_killed_at_any_point_a_move_of_a_canary_is_whole_or_not_made(
    tmp_path: Path, move: str, point: FaultPoint, *, is_moved: bool
) -> None:
    counts = run_canary_kills(tmp_path, kills=iter([Kill(move, point, 1)]))
    assert (counts["killed"], counts["moved before the kill"]) == (1, is_moved)
    assert not any(counts[one] for one in FAULTS_CANARY_KILLS)
