"""Print what recall costs beside embedding, and how the indexes compare with others, in one run.

Run it as ``.venv/bin/python benchmarks/index_speed.py [--episodes 100000] [--namespaces 10000] [--store FOLDER]``. It
makes a store of synthetic conversations (words after Zipf's law, vectors around 2,000 centres), waits until the
snapshot is built, and measures. A store that is named is kept and used again. ``pip install bm25s tantivy`` for the
lexical comparison; without them it is left out. Times are medians over the same questions; judge their ratios. The bars
beside the figures are those for 100,000 episodes. ``--episodes 500 --namespaces 20`` tries it out.
"""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from evolore.domain.language import Language
from evolore.domain.query import Query
from evolore.index.snapshots import EXPANSIONS
from evolore.jobs.clock import SystemClock
from evolore.memory import Memory
from evolore.ports import TextRole
from evolore.recall.dense import Seen
from evolore.recall.evidence import gather
from evolore.recall.ranking import MeaningWeights, at_the_top, rank
from evolore.store.store import Store
from evolore.text.tokens import query_tokens
from harness import Spent, command_line, inside, resident, store_folder, timed
from synthetic import QUESTIONS, TERMS, Spread, Words, fill, warm, within

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.ports import IndexView

NAMESPACE = "all"
SHARES = (0.001, 0.04)
SMALL = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What every measurement is given."""

    store: Store
    embedder: Spread
    texts: list[str]
    questions: list[str]


def recall_times(folder: Path, bench: Bench) -> None:
    """Print what a recall takes from end to end, cold and warm."""
    memory = Memory.open(folder, namespace=NAMESPACE, embedder=bench.embedder)
    print(f"cold load and first recall: {timed(lambda: memory.recall('anything')) / 1000:.2f} s")
    keeper: Any = inside(memory, "_context.store._open.snapshots")
    print(f"exact recall while there is no snapshot: p50 {warm(memory, bench.questions):.1f} ms")
    print(f"building the rest of the snapshot: {timed(keeper.wait) / 1000:.0f} s in the background")
    memory.recall("anything")
    print(f"recall from end to end, stub embedder: p50 {warm(memory, bench.questions):.1f} ms (bar 15, hoped for 5)")
    print(f"resident memory: {resident()} (bar 800 MB, hoped for 500)")
    memory.close()


def parts(bench: Bench) -> None:
    """Print where the time goes, and how vector search compares with the library's own."""
    weights = MeaningWeights()
    with bench.store.index(NAMESPACE) as (view, reader):
        vectors = bench.embedder.embed(bench.questions, role=TextRole.QUERY)
        asked = list(zip([Query(text=question, limit=5) for question in bench.questions], vectors, strict=True))
        seen = Seen.of(view, np.arange(len(view.episode_ids), dtype=np.int32))
        gather_all = partial(gather, view, language=Language.EN, seen=seen, weights=weights)
        gathered = [gather_all(query, vector) for query, vector in asked]
        ids = [list(view.episode_ids[start : start + 5]) for start in range(0, 5 * QUESTIONS, 5)]
        rows = {
            "lexical postings": [timed(lambda q=q: view.text.term_postings(query_tokens(q.text))) for q, _ in asked],
            "all evidence, postings and vectors included": [timed(lambda q=q, v=v: gather_all(q, v)) for q, v in asked],
            "ranking": [timed(lambda g=g: rank(g.evidence, weights=weights, limit=5, words=g.words)) for g in gathered],
            "reading five episodes": [timed(lambda i=i: reader.episodes(i)) for i in ids],
        }
        for name, times in rows.items():
            print(f"  {name}: {median(times):.2f} ms")
        vector_search(view, vectors)


def vector_search(view: IndexView, vectors: npt.NDArray[np.float32]) -> None:
    """Print nearest against the library at the expansion where it is good enough, and against comparing all."""
    every = np.arange(len(view.episode_ids), dtype=np.int32)
    exact = [np.argsort(-view.vectors.similarities_of(vector, every), kind="stable")[:10] for vector in vectors]
    found = [view.vectors.nearest(vector, count=50) for vector in vectors]
    if any(one is None for one in found):
        print("  vectors: no snapshot")
        return
    share = np.mean([np.isin(best, one).mean() for best, one in zip(exact, found, strict=True) if one is not None])
    ours = median(timed(lambda v=v: view.vectors.nearest(v, count=50)) for v in vectors)
    snapshot = inside(view.vectors, "_snapshot")
    raw, slots = inside(snapshot, "_index"), inside(snapshot, "_items")
    used = raw.expansion_search

    def raw_hit(expansion: int) -> float:
        raw.expansion_search = expansion
        keys = [raw.search(vector, 50, threads=1).keys.astype(int) for vector in vectors]
        return float(np.mean([np.isin(best, slots[key]).mean() for best, key in zip(exact, keys, strict=True)]))

    enough = next((expansion for expansion in (8, 16, 24, *EXPANSIONS) if raw_hit(expansion) >= 0.98), EXPANSIONS[-1])
    hit = raw_hit(enough)
    bar = median(timed(lambda v=v: raw.search(v, 50, threads=1)) for v in vectors)
    raw.expansion_search = used
    scan = median(timed(lambda v=v: view.vectors.similarities(v)) for v in vectors)
    print(f"  nearest 50 of {every.size:,}: {ours:.2f} ms at recall@10 {share:.3f} (expansion {used})")
    print(
        f"    raw Index.search(k=50): {bar:.2f} ms at recall@10 {hit:.3f} (expansion {enough}); ratio {ours / bar:.2f}"
        " (bar 1.5)"
    )
    print(f"    comparing all: {scan:.2f} ms")


def lexical(bench: Bench) -> None:
    """Print postings against bm25s and tantivy on the same texts and questions, scores of the best ten included."""
    with bench.store.index(NAMESPACE) as (view, _):
        count = len(view.episode_ids)

        def ours(question: str) -> object:
            _, items, scores, _ = view.text.term_postings(question.split())
            total = np.bincount(items, weights=scores, minlength=count)
            return at_the_top(total.astype(np.float32), 10)

        postings = median(timed(lambda q=q: view.text.term_postings(q.split())) for q in bench.questions)
        whole = median(timed(lambda q=q: ours(q)) for q in bench.questions)
    print(f"lexical, {TERMS} terms: postings {postings:.2f} ms, with the best ten {whole:.2f} ms")
    for name, measure in (("bm25s", bm25s_time), ("tantivy", tantivy_time)):
        try:
            bar = measure(bench)
        except ImportError:
            print(f"  {name} is not installed: pip install {name}")
        else:
            print(f"  {name}: {bar:.2f} ms; ratio {whole / bar:.2f} (bar 2 against the faster, hoped for 1)")


def bm25s_time(bench: Bench) -> float:
    """Give the median of bm25s for its best ten."""
    bm25s: Any = importlib.import_module("bm25s")
    index = bm25s.BM25()
    index.index([text.split() for text in bench.texts], show_progress=False)
    asked = [[question.split()] for question in bench.questions]
    return median(timed(lambda q=q: index.retrieve(q, k=10, show_progress=False, n_threads=0)) for q in asked)


def tantivy_time(bench: Bench) -> float:
    """Give the median of tantivy for its best ten."""
    tantivy: Any = importlib.import_module("tantivy")
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="whitespace")
    index = tantivy.Index(builder.build())
    writer = index.writer(100_000_000, 1)
    for text in bench.texts:
        writer.add_document(tantivy.Document(text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    asked = [index.parse_query(question, ["text"]) for question in bench.questions]
    return median(timed(lambda q=q: searcher.search(q, 10)) for q in asked)


def shares(folder: Path, bench: Bench) -> None:
    """Print namespaces that hold a small share of the store against a scan of just them."""
    vectors = bench.embedder.embed(bench.questions, role=TextRole.QUERY)
    for share in SHARES:
        count = max(1, int(share * len(bench.texts)))
        namespace = f"share {share:.1%}"
        with Memory.open(folder, namespace=namespace, embedder=bench.embedder) as memory:
            if namespace not in bench.store.namespaces():  # a store that was kept has them
                fill(memory, bench.texts[:count])
        with bench.store.index(namespace) as (view, _):
            rows: npt.NDArray[np.float16] = inside(view.vectors, "_rows").frozen().take(np.arange(count))
            print(
                f"namespace of {share:.1%}, {count:,} vectors: {against_scan(view, rows.astype(np.float32), vectors)}"
            )


def against_scan(view: IndexView, matrix: npt.NDArray[np.float32], vectors: npt.NDArray[np.float32]) -> str:
    """Compare with a plain product over the same vectors."""
    hits = [np.isin(np.argsort(-(matrix @ v))[:10], np.argsort(-view.vectors.similarities(v))[:10]) for v in vectors]
    ours = median(timed(lambda v=v: view.vectors.similarities(v)) for v in vectors)
    bar = median(timed(lambda v=v: matrix @ v) for v in vectors)
    return f"recall@10 {np.mean(hits):.3f}, {ours:.3f} ms; numpy {bar:.3f} ms; ratio {ours / bar:.2f} (bars 0.99, 1.5)"


def many_namespaces(bench: Bench, count: int) -> None:
    """Print opening and recalling in one of many small namespaces."""
    with store_folder() as folder:
        spent = Spent()
        with Memory.open(folder, namespace="n0", embedder=bench.embedder) as memory, spent.during():
            for number in range(count):
                first = SMALL * number % (len(bench.texts) - SMALL + 1)
                fill(within(memory, f"n{number}"), bench.texts[first : first + SMALL])
        print(f"filled {count:,} namespaces of {SMALL} in {spent}, one transaction each, through one open store")
        chosen = np.random.default_rng(1).choice(count, min(count, 50), replace=False).tolist()

        def open_and_recall(number: int) -> None:
            with Memory.open(folder, namespace=f"n{number}", embedder=bench.embedder) as memory:
                memory.recall(bench.questions[number % QUESTIONS])
                files.append(len(list(folder.iterdir())))

        files: list[int] = []
        recalled = Spent()
        with recalled.during():
            times = [timed(lambda n=n: open_and_recall(n)) for n in chosen]
        print(
            f"  open and recall in one: p50 {median(times):.1f} ms (bar 20), mean CPU"
            f" {1000 * recalled.cpu / len(times):.1f} ms; at the most {max(files)} files in the store (bar 10)"
        )


def main() -> None:
    """Make the store, measure, print."""
    parser = command_line(__doc__)
    parser.add_argument("--episodes", type=int, default=100_000)
    parser.add_argument("--namespaces", type=int, default=10_000)
    parser.add_argument("--store", type=Path, help="a folder to keep the store in")
    options = parser.parse_args()
    with store_folder(options.store) as folder:
        embedder, words = Spread(), Words()
        texts = words.texts(options.episodes)
        if not folder.exists():
            with Memory.open(folder, namespace=NAMESPACE, embedder=embedder) as memory:
                taken = timed(lambda: fill(memory, texts))
            print(f"remembered {len(texts):,} episodes, {taken / len(texts):.3f} ms each, embedding not counted")
        store = Store(folder, model=embedder.model, clock=SystemClock())
        bench = Bench(store=store, embedder=embedder, texts=texts, questions=words.questions(texts))
        recall_times(folder, bench)
        parts(bench)
        lexical(bench)
        shares(folder, bench)
        if options.namespaces:
            many_namespaces(bench, options.namespaces)
        store.close()


if __name__ == "__main__":
    main()
