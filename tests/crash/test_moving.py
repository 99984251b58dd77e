"""A process that imports or copies is killed at every fault point and statement it passes: nothing half is seen, and it goes on."""

from __future__ import annotations

import os
import signal
from io import BytesIO
from itertools import count
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Engine, event

from builders import exported
from crash.checks import check_tables
from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.errors import InvalidValue, NamespaceNotFound, StoreDamaged
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store import copying, exports
from evolore.store import database as store_database
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Callable

EMBEDDER = HashingEmbedder(16)
KILLED = -signal.SIGKILL


def opened(path: Path, namespace: str = "crash") -> Memory:
    return Memory.open(path, namespace=namespace, embedder=EMBEDDER, settings=Settings())


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store whose rows move in many parts."""
    monkeypatch.setattr(copying, "_AT_ONCE", 40)
    monkeypatch.setattr(exports, "_BATCH", 40)
    path = tmp_path / "source"
    with opened(path) as memory:
        memory.remember_many(Statement(text=f"Train {number} leaves at nine.", session="s") for number in range(60))
        memory.add_text("# Page\n\n" + "Words of the page stand here. " * 40, source="page")
        memory.rate(memory.answer("When does train 7 leave?", principal="ann").id, "bad", comment="no", principal="ann")
    return path


def killed_at(passage: int, act: Callable[[], object]) -> int:
    """Act in a child that is killed at its n-th fault point or statement; give how it ended."""
    child = os.fork()
    if child == 0:
        passages = count(1)

        def listen(*_: object) -> None:
            if next(passages) == passage:
                os.kill(os.getpid(), signal.SIGKILL)

        store_database.listeners.append(listen)
        event.listen(Engine, "before_cursor_execute", listen)
        event.listen(Engine, "commit", listen)
        try:
            act()
        except BaseException:  # noqa: BLE001 - the parent is told by the code
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_an_import_killed_anywhere_leaves_nothing_or_all_and_can_be_done_again(source: Path, tmp_path: Path) -> None:
    with opened(source) as memory:
        content = exported(memory)
    path, seen, passage = tmp_path / "target", set[bool](), 0

    def take_in() -> None:
        with opened(path) as memory:
            memory.store.import_(BytesIO(content))

    for passage in count(1, tried(37, long=3)):
        with opened(path, "other") as other:
            other.remember("Somebody else is here.")
        ended = killed_at(passage, take_in)
        check_tables(path)
        is_there = "crash" in Memory.namespaces(path)
        with opened(path) as memory:
            if is_there:
                assert exported(memory) == content
                with pytest.raises(InvalidValue, match="not empty"):
                    memory.store.import_(BytesIO(content))
            else:
                assert memory.recall("train", record=False).hits == ()
                memory.store.import_(BytesIO(content))
                assert exported(memory) == content
            assert memory.store.doctor().findings == ()
            assert memory.store.verify(all_namespaces=True).is_whole
        rmtree(path)
        if ended == 0:
            break
        assert ended == KILLED
        seen.add(is_there)
    assert False in seen
    assert passage > 20


def test_a_copy_killed_anywhere_cannot_be_opened_and_goes_on(source: Path, tmp_path: Path) -> None:
    path, passage = tmp_path / "target", 0

    def copy() -> None:
        with opened(source) as memory:
            memory.store.copy(path)

    with opened(source) as memory:
        content, whole = exported(memory), memory.store.copy(tmp_path / "whole").sha256
    for passage in count(1, tried(61, long=3)):
        ended = killed_at(passage, copy)
        try:
            with opened(path) as memory:
                is_there = bool(memory.list().documents)
        except (StoreDamaged, NamespaceNotFound):
            is_there = False
        if not is_there:
            with opened(source) as memory:
                assert memory.store.copy(path).sha256 == whole
        check_tables(path)
        with opened(path) as memory:
            assert exported(memory) == content
            assert memory.store.doctor().findings == ()
        rmtree(path)
        if ended == 0:
            break
        assert ended == KILLED
    assert passage > 40
