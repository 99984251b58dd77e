from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evolore.chunking.settings import TierSettings
from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.errors import InvalidValue, MissingExtra
from evolore.flows.add import AddOutcome
from evolore.flows.prepare import Workers
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault
from evolore.ports import SourceText
from flows.bulk import Ender, rows, write_folder

if TYPE_CHECKING:
    from evolore.flows.add import Added

TESTS = Path(__file__).resolve().parents[1]


def _wait_until_gone(pid: int) -> None:
    """Wait for the end of a process that is nobody's child here."""
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([watched], [], [], 30)[0], f"process {pid} still runs"
    finally:
        os.close(watched)


def _outcomes(added: Added) -> set[AddOutcome]:
    return {one.outcome for one in added.documents}


def test_two_workers_write_the_rows_that_one_process_writes_and_again_adds_nothing(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "docs", 40, times=8)
    (folder / "kiln-005.md").write_bytes(b"\x00\x01binary")
    with Memory.open(tmp_path / "one", embedder=HashingEmbedder()) as one:
        here = one.add(folder, metadata={"team": "ops"}, tags=["kilns"])
        wanted = rows(one)
    told: list[tuple[int, int]] = []

    def hear(source: str, *, documents_done: int, documents: int, **_: int) -> None:
        told.append((documents_done, documents))

    with Memory.open(tmp_path / "two", embedder=HashingEmbedder()) as two:
        added = two.add(
            folder,
            metadata={"team": "ops"},
            tags=["kilns"],
            workers=2,
            progress=hear,
        )
        assert len(wanted) >= 78
        assert rows(two) == wanted
        assert [one.new_leaves for one in added.documents] == [one.new_leaves for one in here.documents]
        assert added.documents[0].document.tags == ("kilns",)
        assert added.failures == here.failures
        assert [one.source for one in added.failures] == [str(folder / "kiln-005.md")]
        assert told == [(at, 40) for at in range(40)]

        (folder / "kiln-000.md").write_text("# Kiln 0\n\nIt is cold.", encoding="utf-8")
        again = two.add(folder, workers=2)
        assert [one.outcome for one in again.documents] == [AddOutcome.CHANGED] + [AddOutcome.UNCHANGED] * 38
        assert _outcomes(two.add(folder, workers="2")) == {AddOutcome.UNCHANGED}


def test_texts_at_hand_go_to_workers_too_and_one_name_twice_makes_two_versions(tmp_path: Path) -> None:
    texts = [
        SourceText(source=f"page-{number % 30}", text=f"Page {number} tells of ovens.", media_type=MediaType.PLAIN)
        for number in range(60)
    ]
    with Memory.open(tmp_path / "one", embedder=HashingEmbedder()) as one:
        one.add(*texts)
        wanted = rows(one)
    with Memory.open(tmp_path / "two", embedder=HashingEmbedder()) as two:
        two.add(*texts, workers=2)
        assert rows(two) == wanted
        assert {row[1] for row in wanted} == {2}


def test_the_batch_of_a_killed_worker_is_done_again(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "docs", 70, ending=40)
    notes = tmp_path / "notes"
    notes.mkdir()
    with Memory.open(tmp_path / "one", embedder=HashingEmbedder()) as one:
        one.add(folder)
        wanted = rows(one)
    with Memory.open(tmp_path / "two", embedder=Ender(notes, times=1)) as two:
        assert two.add(folder, workers=2).failures == ()
        assert len(list(notes.glob("ended-*"))) == 1
        assert rows(two) == wanted


def test_a_file_that_ends_two_workers_is_a_failure_and_the_others_are_added(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "docs", 70, ending=40)
    notes = tmp_path / "notes"
    notes.mkdir()
    with Memory.open(tmp_path / "store", embedder=Ender(notes, times=99)) as memory:
        added = memory.add(folder, workers=2)
        ended = [one.name.removeprefix("ended-") for one in notes.glob("ended-*")]
        assert len(ended) == 2
        assert str(os.getpid()) not in ended
        (failure,) = added.failures
        assert failure.source.endswith("kiln-040.md")
        assert "ended every process" in failure.reason
        assert [one.document.source for one in added.documents] == sorted(
            str(one) for one in folder.iterdir() if one.name != "kiln-040.md"
        )
    for note in notes.glob("pid-*"):
        _wait_until_gone(int(note.name.removeprefix("pid-")))


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_whatever_stops_the_one_who_adds_no_worker_stays_and_again_completes(
    tmp_path: Path, stop: signal.Signals
) -> None:
    folder = write_folder(tmp_path / "docs", 100, ending=80)
    notes = tmp_path / "notes"
    notes.mkdir()
    os.mkfifo(notes / "blocked")
    program = [sys.executable, "-m", "flows.bulk", tmp_path / "store", folder, notes]
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    with (
        subprocess.Popen(program, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths}) as adding,
        open(os.open(notes / "blocked", os.O_RDONLY | os.O_NONBLOCK), encoding="ascii") as told,  # noqa: PTH123 - a descriptor
    ):
        if not select.select([told], [], [], 120)[0]:
            adding.kill()
            raise AssertionError(f"no worker came to the document: {adding.communicate()[1]}")
        worker = int(told.readline())
        adding.send_signal(stop)
        try:
            adding.communicate(timeout=30)
        finally:
            adding.kill()
    _wait_until_gone(worker)
    with Memory.open(tmp_path / "store", embedder=Ender(notes, times=0)) as memory:
        before = [one.source for one in memory.list().documents]
        added = memory.add(folder, workers=2)
        assert len(added.documents) == 100
        assert sum(one.outcome is AddOutcome.UNCHANGED for one in added.documents) == len(before) < 100
        found = rows(memory)
    with Memory.open(tmp_path / "whole", embedder=HashingEmbedder()) as whole:
        whole.add(folder)
        assert rows(whole) == found


def test_what_a_chat_model_is_to_cut_waits_for_the_process_that_may_ask_it(tmp_path: Path) -> None:
    run_on = "so we fired the kiln and then the glaze ran and the shelf stuck and we sanded it and " * 60
    texts = [
        SourceText(
            source=f"page-{at}", text=run_on if at == 3 else f"Page {at} tells of ovens.", media_type=MediaType.PLAIN
        )
        for at in range(6)
    ]

    def tried(name: str, workers: int) -> tuple[int, list[tuple[object, ...]]]:
        model = ScriptedChatModel([ScriptedFault.REFUSAL])
        tiers = TierSettings(calls_per_document=2)
        with Memory.open(
            tmp_path / name, embedder=HashingEmbedder(), chat_model=model, settings=Settings(tiers=tiers)
        ) as memory:
            memory.add(*texts, workers=workers)
            attempts = [
                attempt.outcome for node in memory.outline.tree("page-3").nodes for attempt in node.chunk.attempts
            ]
            return model.calls, [*rows(memory), *enumerate(attempts)]

    calls, wanted = tried("one", 1)
    assert calls >= 1
    assert tried("two", 2) == (calls, wanted)


def test_an_embedder_that_cannot_be_handed_over_is_named(tmp_path: Path) -> None:
    class Local(HashingEmbedder):
        pass

    with (
        Memory.open(tmp_path / "store", embedder=Local()) as memory,
        pytest.raises(InvalidValue, match=r"Local.*work with workers=1"),
    ):
        memory.add(write_folder(tmp_path / "docs", 1), workers=2)


@pytest.mark.long
def test_a_script_that_starts_workers_unguarded_is_told_how(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "docs", 2)
    script = tmp_path / "script.py"
    script.write_text(
        "from evolore import Memory\n"
        f"Memory.open({str(tmp_path / 'store')!r}, embedder='use').add({str(folder)!r}, workers=2)\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'below `if __name__ == "__main__":`' in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("wrong", [0, -1, True, "two", "ray", "ray:0", "ray:x", "", "1.5"])
def test_what_is_no_number_of_workers_is_refused(wrong: int | str) -> None:
    with pytest.raises(InvalidValue, match=r"workers is .*: use"):
        Workers.of(wrong)


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with (
        Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as memory,
        pytest.raises(MissingExtra, match=r'pip install "evolore\[ray\]"'),
    ):
        memory.add(write_folder(tmp_path / "docs", 1), workers="ray:2")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_ray_writes_the_same_rows_and_gives_up_what_ends_its_reader(tmp_path: Path) -> None:
    pytest.importorskip("ray.data", reason="an extra, and not among the tests' packages")
    folder = write_folder(tmp_path / "docs", 70, ending=40)
    notes = tmp_path / "notes"
    notes.mkdir()
    with Memory.open(tmp_path / "store", embedder=Ender(notes, times=99)) as memory:
        added = memory.add(folder, workers="ray:2")
        found = rows(memory)
    assert [one.source for one in added.failures] == [str(folder / "kiln-040.md")]
    assert len(list(notes.glob("ended-*"))) == 3  # in its batch, beside others, and alone
    (folder / "kiln-040.md").unlink()
    with Memory.open(tmp_path / "one", embedder=HashingEmbedder()) as one:
        one.add(folder)
        assert sorted(rows(one)) == sorted(found)
    for note in notes.glob("pid-*"):
        _wait_until_gone(int(note.name.removeprefix("pid-")))
