"""Print what learning costs recall: the same questions with it and without it, in turn.

Run it as ``.venv/bin/python benchmarks/learned_recall.py [--episodes 100000] [--queries 100000] [--store FOLDER]``. Half of
the episodes are turns, half passages, as in ``recall_overhead.py``; the embedder is a stub that puts equal words at equal
places. The questions taken down were each handed ten episodes, cite two, and were rated GOOD by one of a hundred people.
Every second question that is timed is one of them in another order of words. Printed are the medians with learning and
without, what they differ by, how many hits gained, and how long the questions take to load. The bar at 100,000 of both
is 2 ms.
"""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from evolore.config import Settings
from evolore.domain.language import Language
from evolore.domain.outcome import Given, Outcome, Rating
from evolore.domain.query import Intent
from evolore.episodes.settings import IntegrationSettings
from evolore.jobs.clock import SystemClock
from evolore.memory import Memory
from evolore.ports import NewQuery, TextRole
from evolore.queries.settings import QuerySettings
from evolore.store.store import Store
from harness import command_line, resident, store_folder
from recall_overhead import NAMESPACE, World, fill
from remember_overhead import Bag

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

BATCH = 500
HANDED = 10
CITED = 2
PEOPLE = 100
SERVING = 20_000
TIMED = 300
ASKED = datetime(2026, 1, 1, tzinfo=UTC)


def texts(count: int) -> list[str]:
    """Give questions, the same in every run."""
    world = World()
    return [" ".join(world.sentence().split()[:9]) + "?" for _ in range(count)]


def teach(folder: Path, asked: Sequence[str]) -> None:
    """Take questions down, with what was handed over and how it was rated."""
    embedder, random = Bag(), np.random.default_rng(4)
    store = Store(folder, model=embedder.model, clock=SystemClock())
    with closing(store):
        with store.read(NAMESPACE) as reader:
            ids = [one.id for one in reader.statements(limit=SERVING)]
        for start in range(0, len(asked), BATCH):
            some = asked[start : start + BATCH]
            vectors = embedder.embed(some, role=TextRole.QUERY)
            with store.write(NAMESPACE, principal=f"reader {start // BATCH % PEOPLE}") as writer:
                for text, vector in zip(some, vectors, strict=True):
                    given = [ids[int(place)] for place in random.choice(len(ids), size=HANDED, replace=False)]
                    query_id = writer.put_query(new_query(text, vector, given), at=ASKED).id
                    writer.rate_query(query_id, Rating.GOOD, comment=None, at=ASKED)


def new_query(text: str, vector: npt.NDArray[np.float32], ids: Sequence[str]) -> NewQuery:
    """Give a question that was answered out of ten episodes, of which two served."""
    given = tuple(Given(episode_id=id_, rank=rank, is_cited=rank <= CITED) for rank, id_ in enumerate(ids, start=1))
    return NewQuery(
        text=text,
        language=Language.EN,
        intent=Intent.FACTUAL,
        vector=vector,
        asked_at=ASKED,
        outcome=Outcome.RETRIEVAL,
        given=given,
    )


def open_memory(store: Path, *, weight: float) -> Memory:
    """Open the store with learning or, at a weight of 0, without."""
    settings = Settings(integration=IntegrationSettings(enabled=False), queries=QuerySettings(learned_weight=weight))
    return Memory.open(store, namespace=NAMESPACE, embedder=Bag(), settings=settings)


def main() -> None:
    """Fill a store, teach it, ask, and print."""
    parser = command_line(__doc__)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--timed", type=int, default=TIMED, help="how many questions are timed")
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    with store_folder(given.store) as store:
        asked = texts(given.queries)
        if not store.exists():
            with closing(open_memory(store, weight=0.0)) as memory:
                fill(memory, given.episodes)
            teach(store, asked)
        with closing(open_memory(store, weight=0.0)) as plain, closing(open_memory(store, weight=6.0)) as learning:
            measure(plain, learning, asked, given.timed)


def measure(plain: Memory, learning: Memory, asked: Sequence[str], timed: int) -> None:
    """Ask in turn with learning and without."""
    moment = ASKED + timedelta(days=30)
    plain.recall("anything", as_of=moment)
    began = perf_counter()
    learning.recall("anything", as_of=moment)
    print(f"first recall, with the indexes of {len(asked):,} questions: {perf_counter() - began:.1f} s")
    times: dict[str, list[float]] = {"with": [], "without": []}
    gained = 0
    fresh = texts(len(asked) + timed)[len(asked) :]
    for place in range(timed):
        text = " ".join(reversed(asked[place % len(asked)].split())) if place % 2 else fresh[place]
        both = (("without", plain), ("with", learning))
        for name, memory in both if place // 2 % 2 else both[::-1]:  # whoever asks second finds caches warm
            began = perf_counter()
            found = memory.recall(text, as_of=moment)
            times[name].append(1000 * (perf_counter() - began))
            gained += bool(found.learned_from)
    without, with_ = (float(np.median(times[name])) for name in ("without", "with"))
    print(f"recall p50 without learning {without:.2f} ms, with it {with_:.2f} ms: {with_ - without:+.2f} ms")
    print(f"{gained} of {timed} questions inherited something; resident memory: {resident()}")


if __name__ == "__main__":
    main()
