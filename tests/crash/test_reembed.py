"""A process that changes the embedding model is killed at every fault point it passes, one after the other."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, contextmanager
from itertools import count
from typing import TYPE_CHECKING

from crash.checks import check_tables
from crash.processes import Started
from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store import database as store_database
from evolore.store.location import DATABASE
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from evolore.store.database import FaultPoint

OLD, NEW = HashingEmbedder(16), HashingEmbedder(24)
KILLED = 9


def opened(path: Path, embedder: HashingEmbedder) -> Memory:
    return Memory.open(path, namespace="crash", embedder=embedder, settings=Settings())


def filled(path: Path) -> Path:
    with opened(path, OLD) as memory:
        memory.remember_many(Statement(text=f"Train {number} leaves at nine.", session="s") for number in range(100))
        memory.add_text("# Page\n\n" + "Words of the page stand here. " * 40, source="page")
    return path


def reembed_until(path: Path, passage: int, *, abandon: bool) -> int:
    """Do it in a child that dies at its n-th passage of any fault point; give how it ended."""
    child = os.fork()
    if child == 0:
        passages = count(1)

        def listen(_: FaultPoint) -> None:
            if next(passages) == passage:
                os._exit(KILLED)  # nothing is closed, flushed or undone

        store_database.listeners.append(listen)
        try:
            with opened(path, OLD) as memory:
                if abandon:
                    memory.store.abandon_reembed()
                else:
                    memory.store.reembed(NEW)
        except BaseException:  # noqa: BLE001 - the parent is told by the code
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def stored_model(path: Path) -> str:
    with closing(sqlite3.connect(path / DATABASE)) as connection:
        (value,) = connection.execute("select value from settings where name = 'embedding_model'").fetchone()
    return str(value)


def seen(path: Path, embedder: HashingEmbedder) -> list[tuple[str, float]]:
    with opened(path, embedder) as memory:
        hits = memory.recall("train nine page", limit=1000, fold_echoes=False).hits
        return sorted((hit.episode.text, round(hit.score, 5)) for hit in hits)


def test_a_reembed_killed_anywhere_goes_on_and_ends_as_if_it_never_was(tmp_path: Path) -> None:
    start = filled(tmp_path / "start")
    before = seen(start, OLD)
    shutil.copytree(start, tmp_path / "whole")
    with opened(tmp_path / "whole", OLD) as memory:
        memory.store.reembed(NEW)
    after = seen(tmp_path / "whole", NEW)
    killed: dict[str, int] = {OLD.model.id: 0, NEW.model.id: 0}
    step = tried(3, long=1)
    for passage in count(1, step):
        path = tmp_path / f"killed-{passage}"
        shutil.copytree(start, path)
        ended = reembed_until(path, passage, abandon=False)
        check_tables(path)
        model = stored_model(path)
        assert seen(path, OLD if model == OLD.model.id else NEW) == (before if model == OLD.model.id else after)
        with opened(path, OLD) as memory:
            memory.store.reembed(NEW)
            assert memory.store.doctor().findings == ()
            assert memory.store.verify().is_whole
        assert seen(path, NEW) == after
        with closing(sqlite3.connect(path / DATABASE)) as connection:
            assert connection.execute("select count(distinct model_id) from vectors").fetchone() == (1,)
            assert connection.execute("select count(*) from events where kind = 'reembedded'").fetchone() == (1,)
            assert connection.execute("pragma freelist_count").fetchone() == (0,)
        shutil.rmtree(path)
        if ended == 0:
            break
        assert ended == KILLED
        killed[model] += 1
    assert min(killed.values()) >= 3 // step, "it was not killed on both sides of the switch"


def test_giving_up_killed_anywhere_leaves_the_old_model_and_can_be_done_again(tmp_path: Path) -> None:
    start = filled(tmp_path / "start")
    before = seen(start, OLD)
    assert reembed_until(start, 8, abandon=False) == KILLED
    for passage in count(1, tried(2, long=1)):
        path = tmp_path / f"killed-{passage}"
        shutil.copytree(start, path)
        ended = reembed_until(path, passage, abandon=True)
        check_tables(path)
        assert seen(path, OLD) == before
        with opened(path, OLD) as memory:
            memory.store.abandon_reembed()
            assert memory.store.doctor().findings == ()
        with closing(sqlite3.connect(path / DATABASE)) as connection:
            assert connection.execute("select distinct model_id from vectors").fetchall() == [(OLD.model.id,)]
            assert connection.execute("select count(*) from settings").fetchone() == (5,)
        shutil.rmtree(path)
        if ended == 0:
            assert passage > 3
            break
        assert ended == KILLED


@contextmanager
def neighbour(store: Path) -> Generator[Callable[[str], str]]:
    """Start another process on the store, and give what asks it to do something."""
    with Started("crash.neighbour", str(store)) as process:

        def ask(verb: str) -> str:
            process.stdin.write(f"{verb}\n")
            process.stdin.flush()
            return process.stdout.readline().strip()

        yield ask


def test_another_process_works_on_until_the_switch_and_is_refused_after_it(store_path: Path) -> None:
    asked: list[str] = []
    with (
        Memory.open(store_path, namespace="crash", embedder=OLD, settings=Settings()) as memory,
        neighbour(store_path) as ask,
    ):
        memory.remember_many(Statement(text=f"The harbour has {number} cranes.") for number in range(150))
        assert "harbour" in ask("recall")

        def meanwhile(*, done: int, texts: int) -> None:
            if len(asked) < 6:
                asked.extend((ask("remember"), ask("recall")))

        done = memory.store.reembed(NEW, progress=meanwhile)
        assert len(asked) == 6
        assert all("harbour" in answer and "Error" not in answer for answer in asked)
        assert done.embedded == done.texts == 153
        for verb in ("recall", "remember"):
            answer = ask(verb)
            assert answer.startswith("EmbedderMismatch: ")
            assert f"come from the embedding model {NEW.model.id} (24 dimensions) now" in answer
            assert "Open it with the first" in answer
        assert memory.recall("said next door").searched == 151  # the three from next door say the same: one stands
        assert memory.stats().hidden_statements == 2
        assert memory.store.doctor().is_whole


def test_a_process_killed_by_force_leaves_a_store_that_others_use_and_that_goes_on(store_path: Path) -> None:
    with Memory.open(store_path, namespace="crash", embedder=OLD, settings=Settings()) as memory:
        memory.remember_many(Statement(text=f"The harbour has {number} cranes.") for number in range(150))
    with Started("crash.reembedder", str(store_path)) as process, neighbour(store_path) as ask:
        made = int(process.stdout.readline())
        process.kill()
        process.wait()
        assert process.returncode < 0
        assert "harbour" in ask("recall")
        assert "harbour" in ask("remember")
        with Memory.open(store_path, namespace="crash", embedder=OLD, settings=Settings()) as memory:
            done = memory.store.reembed(NEW)
            assert (done.texts, done.embedded) == (151, 151 - made)
        assert ask("recall").startswith("EmbedderMismatch: ")
