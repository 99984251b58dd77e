"""Print what remembering one statement costs, durably, beside Chroma and mem0 in the same run.

    pip install chromadb mem0ai qdrant-client          (in a virtual environment of its own, with Evolore)
    python benchmarks/durable_remember.py [--statements 300] [--held 1000]

Each store begins with ``--held`` statements in a folder of its own. Then ``--statements`` more are remembered one by
one, by the stores in turns of ten, so that what else the machine does meets all alike. Embedding is not
counted: every store takes the same vectors, made beforehand. A peer that is not installed is left out and said so.
mem0 runs with ``infer=False`` (no language model) on Qdrant's local mode on disk; without its extras ``nlp`` and
``extras`` it makes no lemmas and no BM25 vectors, so it does less here than it could.

Durable means several things, so Evolore is measured twice. As shipped it hands each commit to the operating system,
which keeps it when the process is killed, but may lose the last ones when power fails (SQLite WAL,
``synchronous=NORMAL``). The peers wait for the disk: counted by strace, Chroma 1.5 and mem0 2.2 each call fsync eight
times a statement. ``evolore, fsync`` waits too, once (``synchronous=FULL``): the stricter comparison.

Printed: median, 99th percentile and CPU of the process for each, and how many times as long as Evolore it takes. The
bar is 3 times, hoped for are 10. ``--statements 20 --held 20`` tries it out.
"""

from __future__ import annotations

import importlib
import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Protocol

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["ANONYMIZED_TELEMETRY"] = "False"
os.environ["MEM0_TELEMETRY"] = "False"

import numpy as np
from sqlalchemy import event

from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.ports import TextRole
from harness import command_line, inside
from synthetic import DIMENSION, Spread, Words

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

BAR, HOPED = 3.0, 10.0
WARM_UP = 20
TURN = 10
SESSION, SPEAKER = "session-1", "Person1"


class Peer(Protocol):
    """A store that takes statements."""

    def hold(self, texts: Sequence[str]) -> None:
        """Take many at once."""
        ...

    def remember(self, text: str) -> None:
        """Take one, and return when it is kept."""
        ...


class Cached:
    """Gives vectors made beforehand, one after the other."""

    def __init__(self) -> None:
        spread = Spread()
        self.model = spread.model
        self._vectors = spread.embed([""] * 1000, role=TextRole.PASSAGE)
        self._next = 0

    def one(self) -> npt.NDArray[np.float32]:
        """Give the next vector, shape (dimension,)."""
        self._next = (self._next + 1) % len(self._vectors)
        return self._vectors[self._next]

    def embed(self, texts: Sequence[str], *, role: TextRole) -> npt.NDArray[np.float32]:
        """Give the next vectors, as Evolore asks for them."""
        del role
        return np.stack([self.one() for _ in texts])


class Ours:
    """Evolore, as shipped or waiting for the disk."""

    def __init__(self, folder: Path, ends: ExitStack, *, waits_for_disk: bool) -> None:
        self._memory = ends.enter_context(Memory.open(folder, embedder=Cached()))
        self._memory.remember("the first makes the store")
        if waits_for_disk:
            engine = inside(self._memory, "_context.store._open.database")().engine
            engine.dispose()
            event.listen(engine, "connect", wait_for_disk)

    def hold(self, texts: Sequence[str]) -> None:
        """Remember many in one transaction."""
        self._memory.remember_many(Statement(text=text, session=SESSION, speaker=SPEAKER) for text in texts)

    def remember(self, text: str) -> None:
        """Remember one."""
        self._memory.remember(text, session=SESSION, speaker=SPEAKER)


def wait_for_disk(connection: sqlite3.Connection, _record: object) -> None:
    """Have every commit wait until the disk has it."""
    connection.execute("PRAGMA synchronous=FULL").close()


class Chroma:
    """A collection of a Chroma ``PersistentClient``."""

    def __init__(self, folder: Path, _ends: ExitStack) -> None:
        chromadb: Any = importlib.import_module("chromadb")
        self._collection = chromadb.PersistentClient(str(folder)).create_collection("bench", embedding_function=None)
        self._cached = Cached()
        self._count = 0

    def hold(self, texts: Sequence[str]) -> None:
        """Add many at once."""
        self._collection.add(
            ids=[self._new_id() for _ in texts],
            documents=list(texts),
            embeddings=[self._cached.one() for _ in texts],
            metadatas=[{"session": SESSION, "speaker": SPEAKER}] * len(texts),
        )

    def remember(self, text: str) -> None:
        """Add one."""
        self.hold([text])

    def _new_id(self) -> str:
        self._count += 1
        return str(self._count)


class Mem0:
    """mem0 on Qdrant's local mode, with a stand-in for its embedder."""

    def __init__(self, folder: Path, ends: ExitStack) -> None:
        os.environ["MEM0_DIR"] = str(folder / "home")
        mem0: Any = importlib.import_module("mem0")
        unused = {"provider": "openai", "config": {"api_key": "never asked"}}
        store = {"collection_name": "bench", "path": str(folder), "on_disk": True, "embedding_model_dims": DIMENSION}
        self._memory = mem0.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": unused,
                "llm": unused,
                "history_db_path": str(folder / "history.db"),
            }
        )
        ends.callback(self._memory.vector_store.client.close)
        self._memory.embedding_model = self
        self._cached = Cached()

    def embed(self, _text: str, _action: str | None = None) -> list[float]:
        """Give the next vector, as mem0 asks for it."""
        return self._cached.one().tolist()

    def hold(self, texts: Sequence[str]) -> None:
        """Add many as one conversation."""
        said = [{"role": "user", "content": text, "name": SPEAKER} for text in texts]
        self._memory.add(said, user_id="bench", run_id=SESSION, infer=False)

    def remember(self, text: str) -> None:
        """Add one."""
        self.hold([text])


PEERS: dict[str, Callable[[Path, ExitStack], Peer]] = {
    "evolore": lambda folder, ends: Ours(folder, ends, waits_for_disk=False),
    "evolore, fsync": lambda folder, ends: Ours(folder, ends, waits_for_disk=True),
    "chroma": Chroma,
    "mem0": Mem0,
}


def open_all(folder: Path, ends: ExitStack) -> dict[str, Peer]:
    """Open every store that is installed, and say which is not."""
    opened: dict[str, Peer] = {}
    for name, make in PEERS.items():
        place = folder / name.replace(", ", "-")
        place.mkdir()
        try:
            opened[name] = make(place, ends)
        except ImportError as error:
            print(f"{name} is left out: {error}. Install it as the first lines of this file say.")
    return opened


def measure(peers: dict[str, Peer], texts: Sequence[str]) -> dict[str, tuple[list[float], list[float]]]:
    """Give the milliseconds of wall and of CPU of every statement in every store, taken in turns."""
    taken: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in peers}
    names = list(peers)
    for turn, start in enumerate(range(0, len(texts), TURN)):
        shift = turn % len(names)  # nobody always comes behind the same one
        for name in names[shift:] + names[:shift]:
            for text in texts[start : start + TURN]:
                wall, cpu = perf_counter(), process_time()
                peers[name].remember(text)
                taken[name][0].append(1000 * (perf_counter() - wall))
                taken[name][1].append(1000 * (process_time() - cpu))
    return taken


def report(taken: dict[str, tuple[list[float], list[float]]]) -> None:
    """Print a line for each store, with its ratios."""
    print(f"{'store':16} {'p50 ms':>8} {'p99 ms':>8} {'CPU p50':>8} {'× evolore':>10} {'× evolore, fsync':>17}")
    ours = [median(taken[name][0]) for name in ("evolore", "evolore, fsync")]
    for name, (walls, cpus) in taken.items():
        p50 = median(walls)
        ratios = f"{p50 / ours[0]:10.1f} {p50 / ours[1]:17.1f}"
        print(f"{name:16} {p50:8.2f} {quantiles(walls, n=100)[98]:8.2f} {median(cpus):8.2f} {ratios}")
    least = min((median(walls) for name, (walls, _) in taken.items() if "evolore" not in name), default=None)
    if least is not None:
        print(f"The faster peer takes {least / ours[0]:.1f} times as long (bar {BAR:.0f}, hoped for {HOPED:.0f});")
        print(f"where Evolore waits for the disk too, {least / ours[1]:.1f} times.")


def main() -> None:
    """Fill every store, remember in turns, print."""
    parser = command_line(__doc__)
    parser.add_argument("--statements", type=int, default=300, help="how many are remembered one by one")
    parser.add_argument("--held", type=int, default=1000, help="how many each store holds before")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made, ExitStack() as ends:
        peers = open_all(Path(made), ends)
        words = Words()
        for peer in peers.values():
            peer.hold(words.texts(options.held))
        measure(peers, words.texts(WARM_UP))
        report(measure(peers, words.texts(options.statements)))


if __name__ == "__main__":
    main()
