"""Print what questions that were taken down cost: recording one, reading those that teach, finding the nearest.

    python benchmarks/question_index.py [--questions 100000] [--episodes 1000] [--store FOLDER]

It remembers synthetic statements, records questions each of which was handed five of them and teaches one, and prints:
the median of recording one more in a transaction of its own, beside a transaction that writes nothing; how long the
index of questions takes to be read and how large it is; to be kept up after one rating; and the median of finding the
16 nearest with words and lessons, beside comparing all, with the share found of those that are near at all. A store that is named is kept and
used again. ``--questions 300`` tries it out.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from evolore.domain.episode import EdgeKind, Statement
from evolore.domain.language import Language
from evolore.domain.outcome import Given, Outcome, Rating
from evolore.domain.query import Intent
from evolore.index.vectors import half_products
from evolore.jobs.clock import SystemClock
from evolore.ports import Entering, ItemKeys, NewQuery, NewStatement, QueryEdge, TextRole
from evolore.store.store import Store
from harness import command_line, store_folder, timed
from synthetic import Spread, Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.ports import QueryIndex
    from evolore.store.writing import StoreWriter

AT = datetime(2026, 3, 2, tzinfo=UTC)
HANDED = 5
GATHER = 5
NEAREST = 16
NEAR = 0.4
"""From which cosine on a question is near at all: around one centre it is about a half, and else about none."""
ASKED = 200
BATCH = 5000
NAME = "n"


def remember(store: Store, texts: Sequence[str], vectors: npt.NDArray[np.float32]) -> None:
    """Write statements."""
    new = [
        NewStatement(
            statement=Statement(text=text),
            language=Language.EN,
            keys=ItemKeys(tokens=tuple(text.split()), vector=vector),
        )
        for text, vector in zip(texts, vectors, strict=True)
    ]
    with store.write(NAME) as writer:
        writer.put_statements(new, at=AT)


def record(writer: StoreWriter, place: int, vector: npt.NDArray[np.float32], ids: Sequence[str]) -> str:
    """Take a question down, let its edges wait, and evaluate what gathered, as recording does."""
    given = [ids[(place * 31 + step * 17) % len(ids)] for step in range(HANDED)]
    given = list(dict.fromkeys(given))
    new = NewQuery(
        text=f"Who said w{place} of w{place * 7 % 1000} and w{place * 13 % 5000}?",
        language=Language.EN,
        intent=Intent.FACTUAL,
        vector=vector,
        asked_at=AT,
        outcome=Outcome.RETRIEVAL,
        given=tuple(Given(episode_id=id_, rank=rank, is_cited=rank == 1) for rank, id_ in enumerate(given, start=1)),
    )
    id_ = writer.put_query(new, at=AT).id
    kind = EdgeKind.QUERY_RETRIEVAL
    writer.put_query_edges([QueryEdge(query_id=id_, target_id=target, kind=kind) for target in given], at=AT)
    for target, edges in writer.touching(given).items():
        if len(edges) >= GATHER:
            writer.dismiss_query_edges(target, at=AT)
    return id_


def fill(store: Store, ids: Sequence[str], vectors: npt.NDArray[np.float32]) -> None:
    """Record as many questions as there are vectors, some thousands in a transaction, each of which teaches one."""
    for start in range(0, len(vectors), BATCH):
        with store.write(NAME) as writer:
            for place in range(start, min(start + BATCH, len(vectors))):
                id_ = record(writer, place, vectors[place], ids)
                target = ids[place * 31 % len(ids)]
                edge = QueryEdge(query_id=id_, target_id=target, kind=EdgeKind.QUERY_INSIGHT, led_to_insight=True)
                entering = [Entering(edge=edge, weight=1.0)]
                writer.enter_query_edges(target, entering, evaluated=True, reason="share", at=AT)


def measure_recording(store: Store, ids: Sequence[str], vectors: npt.NDArray[np.float32]) -> None:
    """Print what recording one question costs, beside an empty transaction."""

    def one(place: int) -> None:
        with store.write(NAME) as writer:
            record(writer, place, vectors[place % len(vectors)], ids)

    def none() -> None:
        with store.write(NAME):
            pass

    pairs = [(timed(none), timed(lambda at=place: one(at))) for place in range(ASKED)]
    empty, whole = median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
    print(f"record one question: p50 {whole:.2f} ms, of which an empty transaction {empty:.2f}")


def measure_index(store: Store, vectors: npt.NDArray[np.float32]) -> None:
    """Print what reading, keeping up and asking the index costs."""
    with store.index(NAME) as (view, _):
        took = timed(lambda: view.queries.count)
        held = float(getattr(view.queries, "bytes_held", 0)) / 1e6
        print(f"read {view.queries.count:,} questions that teach: {took / 1000:.2f} s, {held:.0f} MB")
    with store.write(NAME) as writer:
        writer.rate_query(writer.queries(limit=1)[0].id, Rating.GOOD, comment=None, at=AT)
    with store.index(NAME) as (view, _):
        print(f"keep up after a rating: {timed(lambda: view.queries.count):.2f} ms")
        rows = vectors.astype(np.float16)
        probes = vectors[:: max(1, len(vectors) // ASKED)][:ASKED] + 0.02 * np.roll(vectors, 1, axis=1)[:ASKED]
        probes /= np.linalg.norm(probes, axis=1, keepdims=True)
        measure_nearest(view.queries, rows, probes)


def measure_nearest(index: QueryIndex, rows: npt.NDArray[np.float16], probes: npt.NDArray[np.float32]) -> None:
    """Print what finding the nearest costs, beside comparing all, in turns."""
    alone: list[float] = []
    whole: list[float] = []
    compared: list[float] = []
    found: list[float] = []

    def ask(probe: npt.NDArray[np.float32]) -> None:
        numbers, _ = index.nearest(probe, count=NEAREST)
        index.tokens_of(numbers)
        index.lessons_of(numbers)

    for probe in probes:
        alone.append(timed(lambda one=probe: index.nearest(one, count=NEAREST)))
        whole.append(timed(lambda one=probe: ask(one)))
        compared.append(timed(lambda one=probe: half_products(rows, one)))
        numbers, cosines = index.nearest(probe, count=NEAREST)
        near = np.sort(half_products(rows, probe))[-len(numbers) :]
        near = near[near >= NEAR]
        found.append(float(np.mean(np.sort(cosines)[::-1][: len(near)] >= near[::-1] - 1e-4)) if len(near) else 1.0)
    print(
        f"{NEAREST} nearest: p50 {median(alone):.2f} ms, with words and lessons {median(whole):.2f}; comparing all "
        f"{median(compared):.2f}; found {np.mean(found):.4f} of those nearer than {NEAR}"
    )


def main() -> None:
    """Make the store, measure, print."""
    parser = command_line(__doc__)
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--store", type=Path, help="a folder to keep the store in")
    options = parser.parse_args()
    model, texts = Spread(), Words().texts(options.episodes)
    said = model.embed(texts, role=TextRole.PASSAGE)
    vectors = model.embed(["?"] * options.questions, role=TextRole.QUERY)
    with store_folder(options.store) as folder:
        is_new = not folder.exists()
        store = Store(folder, model=model.model, clock=SystemClock())
        if is_new:
            remember(store, texts, said)
        with store.read(NAME) as reader:
            ids = sorted(one.id for one in reader.statements(limit=options.episodes))
        if is_new:
            fill(store, ids, vectors)
        measure_recording(store, ids, vectors)
        measure_index(store, vectors)
        store.close()


if __name__ == "__main__":
    main()
