"""What changes in a watched folder comes in by itself."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING

import pytest

from evolore import Memory
from evolore.cli.watch import Paths, follow, watching
from evolore.errors import StoreBusy
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "notes"
    made.mkdir()
    (made / "one.md").write_text("# One\n\nThe office is in Munich.\n", encoding="utf-8")
    return made


def memory_in(folder: Path) -> Memory:
    return Memory.open(folder.parent / "store", embedder=HashingEmbedder())


def sources(memory: Memory) -> dict[str, int]:
    return {Path(one.source).name: one.version for one in memory.list().documents}


def test_only_names_what_is_read_of_folders(folder: Path, tmp_path: Path) -> None:
    (folder / "two.md").write_text("# Two\n\nThe canteen opens at noon.\n", encoding="utf-8")
    (folder / "deep").mkdir()
    (folder / "deep" / "three.md").write_text("# Three\n\nThe lift is broken.\n", encoding="utf-8")
    outside = tmp_path / "outside.md"
    outside.write_text("# Outside\n\nNobody named this.\n", encoding="utf-8")
    with memory_in(folder) as memory:
        added = memory.add(folder, only=[folder / "two.md", folder / "gone.md", outside])
        assert (sources(memory), added.left_out) == ({"two.md": 1}, ())
        memory.add(folder, only=[folder / "deep"])
        assert sources(memory) == {"two.md": 1, "three.md": 1}
        assert not memory.add(folder, only=[]).documents
        memory.add(folder, only=[folder])
        assert sources(memory) == {"one.md": 1, "two.md": 1, "three.md": 1}


def test_only_and_the_folder_may_lie_below_links(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    with memory_in(folder) as memory:
        memory.add(tmp_path / "link", only=[folder / "one.md"])
        memory.add(folder, only=[tmp_path / "link" / "one.md"])
        assert len(sources(memory)) == 1


def test_what_cannot_be_written_is_given_again(capsys: pytest.CaptureFixture[str]) -> None:
    given: list[Paths | None] = []

    def add(only: Paths | None) -> None:
        given.append(only)
        if len(given) in {1, 3}:
            raise StoreBusy("Another process holds the store.")

    a, b = Path("a.md"), Path("b.md")
    told = (frozenset(one) for one in ((), (a,), (a,), (b,), (), (), (b,)))
    follow(told, add)
    assert given == [None, None, {a}, {a, b}, {b}]
    assert capsys.readouterr().err.count("It is tried again.") == 2


def test_changes_are_told_of_once_they_settle(folder: Path) -> None:
    stop = threading.Event()
    changes = watching([folder], 0.2)(stop)
    assert next(changes) == frozenset()
    (folder / "one.md").write_text("# One\n\nThe office is in Berlin.\n", encoding="utf-8")
    (folder / "new").mkdir()
    assert {path.name for path in first_of(changes)} >= {"one.md", "new"}
    (folder / "one.md").unlink()
    assert folder / "one.md" in first_of(changes)
    stop.set()
    assert not list(changes)


def first_of(changes: Iterator[Paths]) -> Paths:
    return next(filter(None, changes))


def test_the_command_takes_in_what_changes_and_ends_when_told(folder: Path, tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "evolore", "watch", str(folder), "--settle", "0.1", "--sync", "forget"]
    environment = {**os.environ, "EVOLORE_STORE": str(tmp_path / "store"), "PYTHONUNBUFFERED": "1"}
    with Popen(arguments, stdout=PIPE, stderr=PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert process.stdout.readline().startswith("Documents: 1 added.")
            assert process.stderr.readline() == "Watching 1 folder; Ctrl-C stops.\n"
            (folder / "two.md").write_text("# Two\n\nThe canteen opens at noon.\n", encoding="utf-8")
            assert process.stdout.readline().startswith("Documents: 1 added. New passages: 1.")
            (folder / "one.md").write_text("# One\n\nThe office is in Berlin.\n", encoding="utf-8")
            assert process.stdout.readline().startswith("Documents: 0 added, 1 changed.")
            (folder / "two.md").unlink()
            assert process.stdout.readline().startswith("Documents: 0 added, 1 forgotten.")
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()


def test_a_file_is_no_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from evolore.cli import app  # noqa: PLC0415 - as a command runs

    with pytest.raises(SystemExit):
        app(["watch", str(folder / "one.md"), "--store", str(folder.parent / "store")])
    assert "is no folder: `evolore watch` takes folders." in capsys.readouterr().err
