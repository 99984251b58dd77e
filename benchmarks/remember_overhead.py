"""Print what remembering one statement costs beside embedding, and what maintaining one changed episode costs.

Run it as ``.venv/bin/python benchmarks/remember_overhead.py [--episodes 100000] [--store FOLDER]``. The namespace holds
turns of conversations; they are taken in without integration, which is what is measured then: with it and without it in
turn, each a call and a transaction of its own, half of the new statements a repetition of a known one, word for word or
with a word more. The embedder is a stub that puts equal words at equal places, so that no embedding is timed. Printed are medians and
95th percentiles by the wall and of CPU time, what an event takes in the log beyond the text, and the same of ``maintain``
for each episode it looked at. Bars at 100,000: 10 ms a statement, 20 ms an episode, 1 KB an event.

Before that, one-line turns of conversations and messages of 2,000 characters of a language model, both with session and
speaker, are remembered in turn in a namespace of ``--talk`` such statements, every tenth of them long; what the embedder
takes is left out, and how many texts it is given is printed. ``--only-talk`` prints no more than this. Bars at 10,000:
5 ms a turn and 10 ms a message, hoped for are 2 and 5.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import timedelta
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.episodes.settings import IntegrationSettings
from evolore.memory import Memory
from evolore.ports import EmbeddingModel, TextRole
from harness import command_line, store_folder
from recall_overhead import BATCH, BEGAN, World
from synthetic import DIMENSION
from talk import Talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt

NAMESPACE = "all"
TALK = "talk"
STATEMENTS = 200
LONG_EVERY = 10
WARM_UP = 10


class Bag:
    """Puts a text at the sum of fixed random directions, one a word: repetitions lie near what they repeat."""

    def __init__(self) -> None:
        self.model = EmbeddingModel(id="bag-512", dimension=DIMENSION)
        self._directions = np.random.default_rng(3).standard_normal((4096, DIMENSION), dtype=np.float32)
        self.texts = 0
        self.taken = np.zeros(2)
        """Milliseconds by the wall and of CPU."""

    def embed(self, texts: Sequence[str], *, role: TextRole) -> npt.NDArray[np.float32]:
        """Give unit vectors, one a text."""
        del role
        wall, cpu = perf_counter(), process_time()
        rows = [self._directions[[hash_of(word) for word in text.lower().split()] or [0]].sum(axis=0) for text in texts]
        stacked = np.stack(rows)
        stacked /= np.linalg.norm(stacked, axis=1, keepdims=True)
        self.texts += len(texts)
        self.taken += (1000 * (perf_counter() - wall), 1000 * (process_time() - cpu))
        return stacked


def hash_of(word: str) -> int:
    """Give a number below 4,096 that is the same in every run."""
    value = 0
    for character in word:
        value = (value * 31 + ord(character)) % 4096
    return value


def new_statements(world: World, count: int) -> Iterator[Statement]:
    """Make statements of which every second repeats one that stands there."""
    known = list(world.statements(count))
    for place, old in enumerate(known):
        text = old.text if place % 4 == 0 else f"Yes: {old.text}" if place % 4 == 2 else world.sentence()
        yield Statement(text=text, speaker=old.speaker, occurred_at=BEGAN + timedelta(days=4000, minutes=place))


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Give wall and CPU time in milliseconds."""
    wall, cpu = perf_counter(), process_time()
    call()
    return 1000 * (perf_counter() - wall), 1000 * (process_time() - cpu)


def show(name: str, times: Sequence[tuple[float, float]]) -> None:
    """Print a line."""
    wall, cpu = np.array(times).T
    print(
        f"{name}: p50 {np.percentile(wall, 50):.1f} ms, p95 {np.percentile(wall, 95):.1f} ms; "
        f"CPU p50 {np.percentile(cpu, 50):.1f} ms"
    )


def open_memory(store: Path, *, is_integrated: bool, namespace: str = NAMESPACE, bag: Bag | None = None) -> Memory:
    """Open the store with integration or without."""
    settings = Settings(integration=IntegrationSettings(enabled=is_integrated))
    return Memory.open(store, namespace=namespace, embedder=bag or Bag(), settings=settings)


def mixed(lines: Iterator[Statement], messages: Iterator[Statement], count: int) -> Iterator[Statement]:
    """Give turns, and every tenth time a long message."""
    for place in range(count):
        yield next(messages if place % LONG_EVERY == 0 else lines)


def measure_talk(store: Path, count: int) -> None:
    """Remember turns and long messages in turn, and print what each costs beside embedding."""
    talk = Talk()
    lines, messages = talk.lines(count), talk.messages(count)
    bag = Bag()
    with closing(open_memory(store, is_integrated=False, namespace=TALK)) as plain:
        held = plain.stats().statements
        while batch := list(islice(mixed(lines, messages, max(0, count - held)), BATCH)):
            plain.remember_many(batch)
            held += len(batch)
        plain.store.prepare()
    fresh = Talk(seed=held)
    lines, messages = fresh.lines(count), fresh.messages(count)
    with closing(open_memory(store, is_integrated=True, namespace=TALK, bag=bag)) as memory:
        print(f"{memory.stats().statements:,} turns and messages")
        kinds = {"one-line turn": lines, "message of 2,000 characters": messages}
        times: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
        embedded = dict.fromkeys(kinds, 0)
        for _ in range(STATEMENTS + WARM_UP):
            for kind, some in kinds.items():
                times[kind].append(beside_embedding(memory, bag, next(some)))
                embedded[kind] += bag.texts
        for kind in kinds:
            show(f"{kind}, {embedded[kind] / (STATEMENTS + WARM_UP):.1f} texts embedded", times[kind][WARM_UP:])


def beside_embedding(memory: Memory, bag: Bag, statement: Statement) -> tuple[float, float]:
    """Give what remembering takes, in milliseconds by the wall and of CPU, without what the embedder takes."""
    bag.texts, bag.taken = 0, np.zeros(2)
    wall, cpu = timed(lambda: memory.remember_many([statement]))
    return wall - float(bag.taken[0]), cpu - float(bag.taken[1])


def event_bytes(store: Path, last: int) -> list[int]:
    """Give the size of each event's row behind a number."""
    with closing(sqlite3.connect(store / "evolore.db")) as database:
        columns = "id, kind, subject_id, coalesce(principal, ''), body, recorded_at, previous_hash, hash"
        rows = database.execute(f"select {columns} from events where seq > ?", (last,)).fetchall()
    return [sum(len(value) for value in row) for row in rows]


def main() -> None:
    """Fill a store, remember, maintain, and print."""
    parser = command_line(__doc__)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--talk", type=int, default=10_000, help="turns and messages before those that are timed")
    parser.add_argument("--only-talk", action="store_true")
    given = parser.parse_args()
    with store_folder(given.store) as store:
        is_new = not store.exists()
        measure_talk(store, given.talk)
        if given.only_talk:
            return
        world = World()
        with closing(open_memory(store, is_integrated=False)) as plain:
            if is_new:
                statements = world.statements(given.episodes)
                while batch := list(islice(statements, BATCH)):
                    plain.remember_many(batch)
                plain.store.prepare()
            print(f"{plain.stats().statements:,} statements")
            with closing(open_memory(store, is_integrated=True)) as memory:
                measure(memory, plain, store)


def measure(memory: Memory, plain: Memory, store: Path) -> None:
    """Remember in turn with and without integration, then maintain what changed."""
    memory.maintain(items=1)
    before = memory.stats().events
    world = World()
    on: list[tuple[float, float]] = []
    off: list[tuple[float, float]] = []
    merged = 0
    for one in new_statements(world, STATEMENTS):
        off.append(timed(lambda: plain.remember(f"{world.sentence()} So it was.")))
        done: list[int] = []
        on.append(timed(lambda given=one, into=done: into.append(len(memory.remember_many([given]).event_ids))))
        merged += sum(done)
    show("remember, integrated", on[1:])
    show("remember, not integrated", off[1:])
    sizes = event_bytes(store, before)
    print(f"{merged} merges; an event takes {np.median(sizes):.0f} bytes, the largest {max(sizes):,}")
    kept = memory.maintain(items=STATEMENTS)
    print(f"maintain: {1000 * kept.seconds / max(kept.examined, 1):.1f} ms an episode, {kept.examined} looked at")


if __name__ == "__main__":
    main()
