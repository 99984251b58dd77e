from __future__ import annotations

from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from crash.processes import Started
from evolore.domain.evolution import Operator
from evolore.errors import InvalidValue, NotFound, StoreBusy
from evolore.evolution.settings import EvolutionSettings
from evolore.server import background as subject
from evolore.server.background import MOST_ATTEMPTS, Background, Kind, Pace
from evolore.server.reach import Reach
from evolore.store.service import CANCELLED, DONE, FAILED, RUNNING, STOPPING, WAITING, BackgroundJob
from evolving.complaints import complained
from evolving.scripted import ScriptedEditor
from serving.memories import NOW, Hands, memories_of, until

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.server.background import Running
    from evolore.server.memories import Memories

ANYWHERE = Reach(add_from=(Path("/"),))


@pytest.fixture
def background(memories: Memories, hands: Hands) -> Background:
    return Background(memories, now=hands, reach=ANYWHERE)


def job_of(memories: Memories, job: BackgroundJob) -> BackgroundJob:
    found = memories.service.get(BackgroundJob, id=job.id)
    assert found is not None
    return found


def lines_of(memories: Memories, job: BackgroundJob) -> list[str]:
    return [text for _, _, text in memories.service.said(job.id)]


def failing_with(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(_running: Running, _memories: Memories) -> Mapping[str, object]:
        raise error

    monkeypatch.setattr(subject, "_VERBS", dict.fromkeys(Kind, fail))


def folder_of(tmp_path: Path, number: int) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for one in range(number):
        (folder / f"{one:02}.md").write_text(f"# Note {one}\n\nThe shelf {one} holds {one * 7} boxes.\n", "utf-8")
    return folder


def test_a_folder_is_added_with_a_log(memories: Memories, background: Background, tmp_path: Path) -> None:
    begun = background.begin("add", "default", "notes", {"path": str(folder_of(tmp_path, 3))}, "key")
    assert (begun.state, begun.created_by) == (WAITING, "key")
    ended = background.run_next()
    assert ended is not None
    assert (ended.state, ended.error, ended.owner, ended.ended_at) == (DONE, None, None, NOW)
    assert ended.result is not None
    assert ended.result["documents"] == 3
    assert lines_of(memories, begun)[0] == "Begun, try 1."
    assert lines_of(memories, begun)[-1] == "Done."
    assert len(memories.of("default").list().documents) == 3
    assert background.run_next() is None


def test_maintenance_is_a_job(memories: Memories, background: Background) -> None:
    memories.of("default").remember("The shelf holds nine boxes.")
    background.begin("maintain", "default", body={"items": 10})
    ended = background.run_next()
    assert ended is not None
    assert ended.result is not None
    assert ended.result["remaining"] == 0


@pytest.mark.parametrize("kind", ["maintain", "evolve"])
def test_a_job_where_nothing_was_written_does_nothing(memories: Memories, background: Background, kind: str) -> None:
    memories.of("other").remember("The shelf holds nine boxes.")
    background.begin(kind, "untouched")
    ended = background.run_next()
    assert ended is not None
    assert (ended.state, ended.error) == (DONE, None)
    assert not any((ended.result or {"": 1}).values())
    assert "untouched" not in memories.namespaces()


def test_of_a_kind_and_a_subject_one_is_open(background: Background) -> None:
    first = background.begin("evolve", "default", "a.md")
    assert background.begin("evolve", "default", "a.md").id == first.id
    assert background.begin("evolve", "default", "b.md").id != first.id
    assert background.begin("evolve", "other", "a.md").id != first.id


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("bake", {}),
        ("maintain", {"loaf": 1}),
        ("maintain", {"items": "ten"}),
        ("add", {}),
        ("reembed", {"embedder": ""}),
    ],
)
def test_what_is_no_job_is_refused(background: Background, kind: str, body: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        background.begin(kind, "default", body=body)


def test_wrong_input_is_not_tried_again(background: Background, tmp_path: Path) -> None:
    background.begin("add", "default", body={"path": str(tmp_path / "nowhere")})
    ended = background.run_next()
    assert ended is not None
    assert (ended.state, ended.attempts) == (FAILED, 1)
    assert ended.error is not None
    assert "nowhere" in ended.error


def test_a_busy_store_is_tried_again_later_and_later(
    background: Background, memories: Memories, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing_with(monkeypatch, StoreBusy("Another process holds the store."))
    begun = background.begin("maintain", "default")
    waits: list[float] = []
    for _ in range(MOST_ATTEMPTS - 1):
        tried = background.run_next()
        assert tried is not None
        assert (tried.state, tried.error) == (WAITING, "Another process holds the store.")
        assert background.run_next() is None
        waits.append((tried.runs_at - hands.at).total_seconds())
        hands.at = tried.runs_at
    assert waits == [30, 60, 120, 240]
    last = background.run_next()
    assert last is not None
    assert (last.id, last.state, last.attempts) == (begun.id, FAILED, MOST_ATTEMPTS)
    assert lines_of(memories, begun)[-1].startswith("Failed:")


def test_who_waits_is_told_how_a_job_ended(memories: Memories, hands: Hands, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    background = Background(memories, now=hands, on_end=lambda job: told.append(job.state))
    background.begin("maintain", "default")
    failing_with(monkeypatch, InvalidValue("No."))
    background.run_next()
    assert told == [FAILED]


def test_a_job_that_waits_is_cancelled_at_once(background: Background, hands: Hands) -> None:
    begun = background.begin("maintain", "default")
    assert background.cancel(begun.id, namespace="default").state == CANCELLED
    assert background.run_next() is None
    with pytest.raises(NotFound):
        background.cancel(begun.id, namespace="other")


def test_a_job_that_runs_stops_after_its_step(
    background: Background, memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []

    def work(running: Running, _memories: Memories) -> Mapping[str, object]:
        for number in range(5):
            running.step(f"{number}", amount=(number, 5))
            steps.append(number)
            if number == 1:
                asked = background.cancel(running.job.id, namespace="default")
                assert asked.state == STOPPING
                assert background.begin("maintain", "default").id == running.job.id
        return {}

    monkeypatch.setattr(subject, "_VERBS", dict.fromkeys(Kind, work))
    begun = background.begin("maintain", "default")
    background.run_next()
    assert steps == [0, 1]
    assert job_of(memories, begun).state == CANCELLED


def test_another_process_may_cancel(
    background: Background, memories: Memories, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Background(memories, now=hands)

    def work(running: Running, _memories: Memories) -> Mapping[str, object]:
        other.cancel(running.job.id, namespace="default")
        hands.move(seconds=6)
        running.check()
        raise AssertionError

    monkeypatch.setattr(subject, "_VERBS", dict.fromkeys(Kind, work))
    begun = background.begin("maintain", "default")
    background.run_next()
    assert job_of(memories, begun).state == CANCELLED


def test_what_was_asked_to_stop_and_left_ends(background: Background, memories: Memories, hands: Hands) -> None:
    begun = background.begin("maintain", "default")
    memories.service.take_job("gone", at=hands.at, stale_before=hands.at)
    background.cancel(begun.id, namespace="default")
    hands.move(seconds=31)
    assert background.run_next() is None
    assert job_of(memories, begun).state == CANCELLED


def test_what_lost_its_job_writes_nothing(
    background: Background, memories: Memories, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(running: Running, _memories: Memories) -> Mapping[str, object]:
        hands.move(seconds=60)
        assert memories.service.take_job("another", at=hands.at, stale_before=hands.at) is not None
        return {"by": "the first"}

    monkeypatch.setattr(subject, "_VERBS", dict.fromkeys(Kind, work))
    begun = background.begin("maintain", "default")
    background.run_next()
    now = job_of(memories, begun)
    assert (now.state, now.owner, now.result) == (RUNNING, "another", None)


def test_a_process_that_dies_each_time_ends_the_job(background: Background, memories: Memories, hands: Hands) -> None:
    background.begin("maintain", "default")
    for _ in range(MOST_ATTEMPTS):
        memories.service.take_job("killed", at=hands.at, stale_before=hands.at)
        hands.move(seconds=40)
    ended = background.run_next()
    assert ended is not None
    assert ended.state == FAILED


def test_threads_run_jobs_and_stop_between_steps(
    memories: Memories, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = Event()

    def work(running: Running, _memories: Memories) -> Mapping[str, object]:
        begun.set()
        running.must_stop.wait(30)
        running.check()
        return {}

    background = Background(memories, now=hands, pace=Pace(workers=1, poll_seconds=0.05), reach=ANYWHERE)
    background.start()
    done = background.begin("add", "default", body={"path": "nowhere"})
    until(lambda: job_of(memories, done).state == FAILED)
    monkeypatch.setattr(subject, "_VERBS", dict.fromkeys(Kind, work))
    job = background.begin("maintain", "default")
    assert begun.wait(30)
    assert background.stop(seconds=30)
    left = job_of(memories, job)
    assert (left.state, left.owner, left.attempts) == (WAITING, None, 0)


def test_two_runners_never_run_one_job_twice(
    memories: Memories, store_path: Path, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def work(running: Running, _memories: Memories) -> Mapping[str, object]:
        ran.append(running.job.id)
        return {}

    monkeypatch.setattr(subject, "_VERBS", dict.fromkeys(Kind, work))
    first = Background(memories, now=hands)
    begun = {first.begin("evolve", "default", f"{number}.md").id for number in range(20)}
    with memories_of(store_path, clock=hands) as others:
        second = Background(others, now=hands)

        def empty(one: Background) -> None:
            while one.run_next() is not None:
                pass

        threads = [Thread(target=empty, args=(one,)) for one in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(ran) == sorted(begun)


def test_a_job_outlives_kill_9_and_is_done_once(
    memories: Memories, store_path: Path, hands: Hands, tmp_path: Path
) -> None:
    background = Background(memories, now=hands, reach=ANYWHERE)
    begun = background.begin("add", "default", body={"path": str(folder_of(tmp_path, 8))})
    with Started("serving.job_runner", str(store_path), "4 of 8") as process:
        assert process.stdout.readline() == "there\n"
        process.kill()
    left = job_of(memories, begun)
    assert (left.state, left.attempts) == (RUNNING, 1)
    assert background.run_next() is None, "it may live still"
    hands.move(seconds=31)
    ended = background.run_next()
    assert ended is not None
    assert (ended.id, ended.state, ended.attempts) == (begun.id, DONE, 2)
    documents = memories.of("default").list().documents
    assert (len(documents), {one.version for one in documents}) == (8, {1})
    assert background.run_next() is None


DETAIL = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))


def test_a_document_evolves_in_the_background_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_CALLS", 1)
    with complained(tmp_path):
        pass
    hands = Hands()
    with memories_of(tmp_path / "store", clock=hands, model=ScriptedEditor(), evolution=DETAIL) as memories:
        background = Background(memories, now=hands)
        body = {"documents": ["refunds.md"], "operators": ["MUTATION_DETAIL"]}
        job = background.begin("evolve", "default", "refunds.md", body)
        stops = iter([False, False, True])

        def check(_running: Running) -> None:
            if next(stops, False):
                raise subject.Stop

        monkeypatch.setattr(subject.Running, "check", check)
        background.run_next()
        assert job_of(memories, job).state == WAITING
        ended = background.run_next()
        assert ended is not None
        assert ended.state == DONE, ended.error
        found = memories.of("default").evolution.jobs()
        assert [one.state.value for one in found] == ["waiting"]
        assert ended.result is not None
        assert ended.result["jobs"][0]["id"] == found[0].id  # type: ignore[index]


def test_a_document_that_was_evolved_before_a_kill_is_not_evolved_again(tmp_path: Path) -> None:
    with complained(tmp_path):
        pass
    hands = Hands()
    with memories_of(tmp_path / "store", clock=hands, model=ScriptedEditor(), evolution=DETAIL) as memories:
        background = Background(memories, now=hands)
        job = background.begin("evolve", "default", "refunds.md", {"documents": ["refunds.md"]})
        background.run_next()
        # As if the process had been killed before it wrote the result.
        memories.service.change(BackgroundJob, {"id": job.id}, {"state": WAITING, "result": None})
        ended = background.run_next()
        assert ended is not None
        assert ended.state == DONE
        assert len(memories.of("default").evolution.jobs()) == 1
