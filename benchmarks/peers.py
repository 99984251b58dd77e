"""Print how much others find on the same data with the same vectors, and how long they take.

    pip install mem0ai "fastembed>=0.9" qdrant-client langgraph bm25s PyStemmer faiss-cpu
    pip install --no-deps engram-search      (with its dependencies it brings torch, which nothing here calls)
    python benchmarks/peers.py SET… [--questions 200] [--collections 2] [--embedder use|e5]

(in a virtual environment of its own, with Evolore). SET is a file as ``evolore evaluate retrieval`` reads it, scored as
it scores it; LoCoMo is the set to begin with. A peer that is not installed is left out and said so.

Every text is embedded once, beforehand, as Evolore embeds it (``speaker: text``; title and text of a document), and
everyone is given that text and that vector; Evolore alone cuts documents that are long, and embeds what it cut.
Embedding is in no figure. Session, speaker and time are handed over as
metadata where a peer takes metadata; none of them searches by them. Evolore reads them, that is what it is for. A
question is asked for 50 hits; Evolore is told when it is asked, as in ``evaluate retrieval``, the others cannot be.

- evolore: ``Memory`` as shipped, on disk. evolore, fsync: each commit waits for the disk, as mem0's do.
- mem0: ``add(infer=False)``, no language model, Qdrant's local mode on disk, no threshold. mem0, BM25: with its keyword
  search (fastembed, stop words from bm25s), which ``pip install mem0ai`` alone leaves off; without spaCy's lemmas.
- engram: ``FaissBackend`` on disk and the blend of its server: the nearest 150, ``0.6 · cosine + 0.4 · BM25``.
- engram, pipeline: what its own benchmark runs, over all texts in memory, without its cross-encoder.
- langgraph: ``InMemoryStore`` with an index. bm25s: its README's tokens and English stemmer. dense: one numpy product.

The first four are on disk; compare them with each other, and the others, which keep nothing, among themselves. Texts go
in session by session (documents by the hundred), then questions in turns of ten, everyone's turn before the next, in
another order each time. ms/question is the median; CPU beside each is that of the whole process, which does not count
waiting for the disk. mem0 commits each text alone whatever it is given (``durable_remember.py`` measures one by one);
bm25s takes nothing in one by one and indexes all anew with each batch.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
import warnings
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["ANONYMIZED_TELEMETRY"] = "False"
os.environ["MEM0_TELEMETRY"] = "False"

from evolore.models.embedders import embedder_named
from evolore.ports import TextRole
from evolore.recall.question import plain_question
from evolore_evaluation.measure import RememberingEmbedder
from evolore_evaluation.records import set_name
from evolore_evaluation.retrieval_sets import (
    average,
    find_retrieval_sets,
    read_collections,
    score_ranking,
    score_sessions,
    with_first_questions,
)
from harness import command_line
from peer_packages import Bm25s, Engram, EngramPipeline, LangGraph, Mem0
from peer_stores import IN_MEMORY, ON_DISK, Dense, Evolore, Place, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evolore.ports import Embedder
    from evolore_evaluation.retrieval_sets import Collection, SetItem
    from peer_stores import Store

TURN, BATCH, EMBEDDED = 10, 100, 256
MOST_VECTORS = 1_000_000
STORES: dict[str, Callable[[Place], Store]] = {
    "evolore": Evolore,
    "evolore, fsync": lambda place: Evolore(place, waits_for_disk=True),
    "mem0": Mem0,
    "mem0, BM25": lambda place: Mem0(place, has_words=True),
    "engram": Engram,
    "engram, pipeline": EngramPipeline,
    "langgraph": LangGraph,
    "bm25s": Bm25s,
    "dense": Dense,
}
SHOWN = {"recall_at_1": "R@1", "recall_at_5": "R@5", "recall_at_10": "R@10", "session_any_at_5": "any@5 s."}


@dataclass(slots=True)
class Measured:
    """What one store found, and how long it took.

    Args:
        kept: On disk or in memory.
        scores: Of every question.
        wall: Milliseconds of every question.
        cpu: Likewise, of the process's CPU.
        taking: Milliseconds of everything taken in.
        taking_cpu: Likewise, of the process's CPU.
        items: How many items that was.
    """

    kept: str
    scores: list[dict[str, float]] = field(default_factory=list[dict[str, float]])
    wall: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])
    taking: float = 0.0
    taking_cpu: float = 0.0
    items: int = 0


def batches(items: Sequence[SetItem]) -> Iterator[list[SetItem]]:
    """Give items session by session, in their order; without sessions by the hundred."""
    for session, together in groupby(items, key=lambda one: one.session):
        held = list(together)
        size = len(held) if session is not None else BATCH
        yield from (held[start : start + size] for start in range(0, len(held), size))


def embed_all(embedder: Embedder, collections: Sequence[Collection]) -> None:
    """Have the embedder know every text and question, and every passage that Evolore cuts documents into."""
    texts = [text_of(item) for collection in collections for item in collection.items]
    questions = [question.query.text for collection in collections for question in collection.questions]
    asked = [*questions, *map(plain_question, questions)]  # as they are, and as Evolore embeds them
    for role, held in ((TextRole.PASSAGE, texts), (TextRole.QUERY, asked)):
        for start in range(0, len(held), EMBEDDED):
            embedder.embed(held[start : start + EMBEDDED], role=role)
    for collection in collections:
        if any(item.session is None for item in collection.items):
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made, ExitStack() as ends:
                store = Evolore(Place(Path(made), ends, embedder, collection))
                for batch in batches(collection.items):
                    store.take(batch)


def open_all(folder: Path, ends: ExitStack, embedder: Embedder, collection: Collection) -> dict[str, Store]:
    """Open every store that is installed, and say once which is not."""
    opened: dict[str, Store] = {}
    for name, make in STORES.items():
        place = folder / name.replace(", ", "-")
        place.mkdir(parents=True)
        try:
            opened[name] = make(Place(place, ends, embedder, collection))
        except ImportError as error:
            LEFT_OUT.setdefault(name, str(error))
    return opened


LEFT_OUT: dict[str, str] = {}
"""Why a store is not there."""


def in_turns(stores: dict[str, Store], turn: int) -> list[tuple[str, Store]]:
    """Give all stores, in another order each turn: nobody always comes behind the same one."""
    all_of_them = list(stores.items())
    shift = turn % len(all_of_them)
    return all_of_them[shift:] + all_of_them[:shift]


def try_collection(stores: dict[str, Store], collection: Collection, measured: dict[str, Measured]) -> None:
    """Take everything in and ask everything, in turns."""
    for turn, batch in enumerate(batches(collection.items)):
        for name, store in in_turns(stores, turn):
            wall, cpu = perf_counter(), process_time()
            store.take(batch)
            measured[name].taking_cpu += 1000 * (process_time() - cpu)
            measured[name].taking += 1000 * (perf_counter() - wall)
            measured[name].items += len(batch)
    sessions = {item.id: item.session for item in collection.items if item.session is not None}
    for _, store in in_turns(stores, 0):
        store.ask(collection.questions[0])  # what is loaded by the first is no part of a question
    for turn, start in enumerate(range(0, len(collection.questions), TURN)):
        for name, store in in_turns(stores, turn):
            for question in collection.questions[start : start + TURN]:
                wall, cpu = perf_counter(), process_time()
                ranking = store.ask(question)
                measured[name].cpu.append(1000 * (process_time() - cpu))
                measured[name].wall.append(1000 * (perf_counter() - wall))
                gold = question.evidence
                scores = score_ranking(ranking, gold) | score_sessions(ranking, gold, sessions)
                measured[name].scores.append(scores)


def report(name: str, measured: dict[str, Measured]) -> None:
    """Print a line for each store, those on disk first."""
    print(f"{name}: {len(next(iter(measured.values())).scores)} questions")
    heads = " ".join(f"{head:>8}" for head in SHOWN.values())
    print(f"  {'store':17} {'kept in':7} {heads} {'ms/question':>12} {'CPU':>7} {'ms/item':>8} {'CPU':>7}")
    for kept in (ON_DISK, IN_MEMORY):
        for store, found in measured.items():
            if found.kept == kept:
                means = average(found.scores)
                cells = " ".join(f"{100 * means[key]:8.1f}" if key in means else f"{'':8}" for key in SHOWN)
                asked = f"{median(found.wall):12.2f} {median(found.cpu):7.2f}"
                taken = f"{found.taking / found.items:8.2f} {found.taking_cpu / found.items:7.2f}"
                print(f"  {store:17} {kept:7} {cells} {asked} {taken}")


def compare(path: Path, embedder: Embedder, *, questions: int | None, count: int | None) -> None:
    """Measure all stores on one set, and print it."""
    asked = with_first_questions(read_collections(path)[:count], questions)
    collections = [replace(one, items=tuple(item for item in one.items if item.content)) for one in asked]
    embed_all(embedder, collections)
    measured: dict[str, Measured] = {}
    for number, collection in enumerate(collections):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made, ExitStack() as ends:
            stores = open_all(Path(made) / str(number), ends, embedder, collection)
            for name, store in stores.items():
                measured.setdefault(name, Measured(store.kept))
            try_collection(stores, collection, measured)
    report(set_name(path), measured)


def main(arguments: Sequence[str]) -> int:
    """Compare on the sets given."""
    parser = command_line(__doc__)
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--questions", type=int, help="ask the first so many of each set")
    parser.add_argument("--collections", type=int, help="take the first so many memories of each set")
    parser.add_argument("--embedder", default="use", help="use or e5")
    options = parser.parse_args(arguments)
    if not options.sets:
        print(__doc__)
        return 2
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    embedder = RememberingEmbedder(embedder_named(options.embedder), most=MOST_VECTORS)
    for path in find_retrieval_sets(options.sets):
        compare(path, embedder, questions=options.questions, count=options.collections)
    for name, reason in LEFT_OUT.items():
        print(f"{name} is left out: {reason}. Install it as the first lines of this file say.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
