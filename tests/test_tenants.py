"""Tenants are apart: what nothing was written to is empty, and nobody hears of another; nothing writes where none may."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings, load
from evolore.domain.answer import AnswerKind
from evolore.errors import (
    EvoloreError,
    InvalidSetting,
    NamespaceNotFound,
    NotFound,
    StoreDamaged,
    StoreUnwritable,
)
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECRET = "acme-secret-project"


def opened(folder: Path, namespace: str = "mine", *, read_only: bool = False) -> Memory:
    return Memory.open(
        folder, namespace=namespace, embedder=HashingEmbedder(), settings=Settings(), read_only=read_only
    )


def filled(folder: Path, namespace: str = SECRET) -> None:
    with opened(folder, namespace) as memory:
        memory.remember_many([])
        memory.add_text("# Refunds\n\nA refund takes five days.\n", source="refunds.md")
        memory.remember("We moved to Osaka.")


@pytest.mark.parametrize("is_there", [False, True])
def test_every_reading_verb_of_a_namespace_nothing_was_written_to_gives_nothing(
    tmp_path: Path, *, is_there: bool
) -> None:
    folder = tmp_path / "store"
    if is_there:
        filled(folder)
    with opened(folder) as memory:
        found = memory.recall("where did we move?")
        assert (found.hits, found.searched, found.query_id) == ((), 0, None)
        answer = memory.answer("where did we move?")
        assert (answer.kind, answer.citations, answer.id) == (AnswerKind.NOT_IN_SOURCES, (), "")
        listing = memory.list()
        assert (listing.documents, listing.statements) == ((), ())
        counted = memory.stats()
        assert (counted.documents, counted.statements, counted.events, counted.queries) == (0, 0, 0, 0)
        for read in (
            memory.questions.list,
            memory.review.list,
            memory.evolution.jobs,
            memory.evolution.canaries,
            memory.evolution.feedback,
        ):
            assert read() == ()
        (chain,) = memory.store.verify().chains
        assert (chain.is_whole, chain.events) == (True, 0)
        memory.store.prepare()
        for look in (
            memory.show,
            memory.outline.tree,
            memory.outline.place,
            memory.outline.graph,
            memory.outline.members,
            memory.outline.standing_for,
            memory.history,
            memory.questions.show,
            memory.questions.contexts,
            memory.review.show,
            memory.evolution.show,
            memory.evolution.generations,
        ):
            with pytest.raises(NotFound) as caught:
                look("01ab")
            assert SECRET not in str(caught.value)
    assert Memory.namespaces(folder) == ((SECRET,) if is_there else ())
    assert folder.exists() is is_there


def test_no_message_names_another_namespace(tmp_path: Path) -> None:
    filled(tmp_path / "store")
    with opened(tmp_path / "store") as memory:
        verbs: tuple[Callable[[], object], ...] = (
            memory.maintain,
            memory.store.calibrate,
            lambda: memory.store.export(tmp_path / "copy.jsonl"),
            lambda: memory.forget(everything=True),
            lambda: memory.questions.unlearn(None),
            lambda: memory.rate("01ab", "good"),
            lambda: memory.undo("01ab"),
            lambda: memory.correct("01ab", "It is otherwise."),
            lambda: memory.questions.resonate("01ab", arousal=0.5),
        )
        for verb in verbs:
            with pytest.raises(EvoloreError) as caught:
                verb()
            assert SECRET not in str(caught.value)
        assert memory.store.doctor(all_namespaces=False).namespaces == ()
    assert Memory.namespaces(tmp_path / "store") == (SECRET,)
    assert not (tmp_path / "copy.jsonl").exists()


def test_whoever_runs_a_store_lists_its_namespaces_whatever_model_it_has(tmp_path: Path) -> None:
    assert Memory.namespaces(tmp_path / "none") == ()
    for name in ("b", "a"):
        filled(tmp_path / "store", name)
    assert Memory.namespaces(tmp_path / "store") == ("a", "b")
    assert Memory.namespaces(str(tmp_path / "store")) == ("a", "b")


def test_a_memory_that_only_reads_reads_and_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    filled(folder, "mine")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with opened(folder, read_only=True) as memory:
        assert memory.recall("where did we move?").hits
        assert memory.answer("how long does a refund take?", record=False).text
        assert memory.stats().statements == 1
        assert memory.store.doctor().is_whole
        for verb in (lambda: memory.remember("x"), memory.maintain, lambda: memory.forget(everything=True)):
            with pytest.raises(StoreUnwritable, match="was opened to be read alone"):
                verb()
    after = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(("-wal", "-shm"))}
    assert after == before
    with opened(tmp_path / "none", read_only=True) as nothing:
        assert nothing.list().documents == ()
        with pytest.raises(StoreUnwritable):
            nothing.remember("x")
    assert not (tmp_path / "none").exists()


def test_what_a_reader_reads_is_what_was_written_last(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    with opened(folder) as writer, opened(folder, read_only=True) as reader:
        for number in range(1, 4):
            writer.remember(f"Note {number} about harbours.")
            assert reader.stats().statements == number
            assert reader.recall("harbours").searched == number


ON_READ_ONLY = """
import sys, os
from evolore import Memory, Settings
from evolore.errors import StoreUnwritable
from evolore.models.offline import HashingEmbedder
for read_only in (True, None):
    memory = Memory.open(sys.argv[1], namespace="mine", embedder=HashingEmbedder(), settings=Settings(), read_only=read_only)
    with memory:
        assert memory.recall("where did we move?").hits
        assert memory.recall("where did we move?").query_id is None
        assert memory.stats().statements == 1
        found = memory.store.doctor()
        assert found.is_whole, found
        try:
            memory.remember("x")
        except StoreUnwritable as error:
            print(error)
        else:
            raise AssertionError("written")
        memory.store.backup(sys.argv[2] + str(read_only))
    with Memory.open(sys.argv[2] + str(read_only), namespace="mine", embedder=HashingEmbedder()) as copy:
        assert copy.stats().statements == 1
"""
_MOUNT = 'mount --bind "$1" "$2" && mount -o remount,ro,bind "$2" && shift 2 && exec "$@"'


def on_read_only(folder: Path, place: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command with the folder to be seen at another place, which nothing can be written to."""
    place.mkdir()
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare here")
    shell = ["unshare", "-rm", "sh", "-c", _MOUNT, "sh", str(folder), str(place)]
    if subprocess.run([*shell, "true"], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    return subprocess.run([*shell, *command], capture_output=True, text=True, check=False)


def test_a_store_on_a_read_only_file_system_is_read(tmp_path: Path) -> None:
    filled(tmp_path / "store", "mine")
    script = [sys.executable, "-c", ON_READ_ONLY, str(tmp_path / "place"), str(tmp_path / "copy")]
    done = on_read_only(tmp_path / "store", tmp_path / "place", *script)
    assert done.returncode == 0, done.stderr
    assert "was opened to be read alone" in done.stdout
    assert "lies where nothing can be written" in done.stdout


def test_a_log_that_nobody_took_in_is_not_left_out_in_silence(tmp_path: Path) -> None:
    """What a killed process left is read through its files; where one of them is gone, an error says what to do."""
    folder = tmp_path / "store"
    filled(folder, "mine")
    script = (
        "import os, sys\nfrom evolore import Memory, Settings\nfrom evolore.models.offline import HashingEmbedder\n"
        "memory = Memory.open(sys.argv[1], namespace='mine', embedder=HashingEmbedder(), settings=Settings())\n"
        "memory.remember('One more.')\nos._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True)
    assert (folder / "evolore.db-wal").stat().st_size
    (folder / "evolore.db-shm").unlink()
    command = [
        sys.executable,
        "-m",
        "evolore",
        "store",
        "doctor",
        "--namespace",
        "mine",
        "--store",
        str(tmp_path / "place"),
    ]
    said = on_read_only(folder, tmp_path / "place", *command)
    told = " ".join((said.stdout + said.stderr).split())
    assert said.returncode != 0
    assert "opened for writing once" in told
    assert "Restore" not in told


def test_a_folder_that_holds_other_things_is_no_store(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "holiday.jpg").write_bytes(b"x")
    with opened(folder) as memory:
        for verb in (lambda: memory.remember("x"), lambda: memory.recall("x"), memory.stats, memory.store.doctor):
            with pytest.raises(StoreDamaged, match=r"holds other things, such as 'holiday.jpg', and no store"):
                verb()
    with pytest.raises(StoreDamaged):
        Memory.namespaces(folder)
    assert [path.name for path in folder.iterdir()] == ["holiday.jpg"]


@pytest.mark.parametrize("left", ["lost+found", ".DS_Store", "erasing.lock", None])
def test_an_empty_folder_becomes_a_store(tmp_path: Path, left: str | None) -> None:
    if left is not None:
        (tmp_path / left).write_bytes(b"")
    with opened(tmp_path) as memory:
        memory.remember("x")
        assert memory.stats().statements == 1
    (tmp_path / "mine.txt").write_text("a note beside a store", encoding="utf-8")
    with opened(tmp_path) as memory:
        assert memory.stats().statements == 1


@pytest.mark.parametrize("address", ["http://host/store", "https://host", "mysql://host/db"])
def test_an_address_is_no_store(address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidSetting, match="is an address"):
        Memory.open(address, embedder=HashingEmbedder())
    with pytest.raises(InvalidSetting, match="is an address"):
        Memory.namespaces(address)
    monkeypatch.setenv("EVOLORE_STORE", address)
    with pytest.raises(InvalidSetting, match="is an address"):
        load()
    assert list(tmp_path.iterdir()) == []


def test_what_needs_a_store_says_that_there_is_none(tmp_path: Path) -> None:
    with opened(tmp_path / "none") as memory:
        for verb in (memory.store.doctor, lambda: memory.store.backup(tmp_path / "copy"), memory.maintain):
            with pytest.raises(NamespaceNotFound, match="There is no store"):
                verb()
