from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

NEIGHBOUR = Path(__file__).with_name("neighbour.py")
OLD, NEW = HashingEmbedder(16), HashingEmbedder(24)


@contextmanager
def neighbour(store: Path) -> Generator[Callable[[str], str]]:
    """Start another process on the store, and give what asks it to do something."""
    command = [sys.executable, str(NEIGHBOUR), str(store)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        given, told = process.stdin, process.stdout
        assert given is not None
        assert told is not None

        def ask(verb: str) -> str:
            given.write(f"{verb}\n")
            given.flush()
            return told.readline().strip()

        yield ask
        given.close()


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
            assert "Open it anew" in answer
        assert memory.recall("said next door").searched == 151  # the three from next door say the same: one stands
        assert memory.stats().hidden_statements == 2
        assert memory.store.doctor().is_whole


def test_a_process_killed_by_force_leaves_a_store_that_others_use_and_that_goes_on(store_path: Path) -> None:
    with Memory.open(store_path, namespace="crash", embedder=OLD, settings=Settings()) as memory:
        memory.remember_many(Statement(text=f"The harbour has {number} cranes.") for number in range(150))
    script = (
        "import sys, signal\n"
        "from evolore.memory import Memory\n"
        "from evolore.models.offline import HashingEmbedder\n"
        "def stop(*, done, texts):\n"
        "    if done:\n"
        "        print(done, flush=True)\n"
        "        signal.pause()\n"
        "Memory.open(sys.argv[1], namespace='crash', embedder=HashingEmbedder(16)).store.reembed(HashingEmbedder(24), progress=stop)\n"
    )
    with (
        subprocess.Popen([sys.executable, "-c", script, str(store_path)], stdout=subprocess.PIPE, text=True) as process,
        neighbour(store_path) as ask,
    ):
        assert process.stdout is not None
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
