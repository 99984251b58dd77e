"""Print what propagation over names costs a question among many items.

    python benchmarks/propagation.py [--items 100000] [--questions 200]

It makes up documents of three passages, with a title and nine names a passage drawn by Zipf's law from as many names as
there are passages, and scores for twelve words of each question, each in up to a fifth of the passages. The items
that seem best are drawn by lot, the question names one title. Printed: milliseconds of CPU a question. ``--items 300
--questions 3`` tries it out.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np

from evolore.recall.evidence import TermScores
from evolore.recall.graph import NameGraph, graph_term
from harness import command_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

PASSAGES_A_DOCUMENT = 3
NAMES_A_PASSAGE = 9
WORDS_A_QUESTION = 12


class MadeUpNames:
    """Names by number; the name of document d is ``title d``."""

    def __init__(self, items: int, random: np.random.Generator) -> None:
        documents = items // PASSAGES_A_DOCUMENT + 1
        drawn = np.minimum(random.zipf(1.2, size=(items, NAMES_A_PASSAGE)), items) - 1
        self.titles = (np.arange(items) // PASSAGES_A_DOCUMENT).astype(np.int32)
        # Some names are titles of other documents.
        drawn[:, 0] = random.integers(0, documents, size=items)
        drawn[:, 1:] += documents
        pairs = np.arange(items)[:, None] * (documents + items) + np.column_stack((self.titles, drawn))
        pairs = np.unique(pairs)
        holders, self._names = (
            (pairs // (documents + items)).astype(np.int32),
            (pairs % (documents + items)).astype(np.int32),
        )
        sizes = np.bincount(holders, minlength=items)
        self._item_starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        self.count = documents + items
        self._items = holders[np.argsort(self._names, kind="stable")]
        held = np.bincount(self._names, minlength=self.count)
        self._name_starts = np.concatenate(([0], np.cumsum(held))).astype(np.int64)
        self._held = held.astype(np.int32)
        self._numbers = {f"title {document}": document for document in range(documents)}

    def numbers_of(self, names: Sequence[str]) -> npt.NDArray[np.int32]:
        """Give the numbers of names, -1 for each that is not known."""
        return np.array([self._numbers.get(name, -1) for name in names], dtype=np.int32)

    def items_of(self, numbers: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Give the items that hold each name."""
        return _rows(self._name_starts, self._items, numbers)

    def names_of(self, items: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Give the names in each item."""
        return _rows(self._item_starts, self._names, items)

    def item_counts(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Give in how many items each name is."""
        return self._held[numbers]


def _rows(
    starts: npt.NDArray[np.int64], values: npt.NDArray[np.int32], chosen: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    sizes = starts[chosen + 1] - starts[chosen]
    ends = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    places = np.arange(int(ends[-1])) + np.repeat(starts[chosen] - ends[:-1], sizes)
    return ends, values[places]


def made_up_terms(items: int, random: np.random.Generator) -> TermScores:
    """Score a question's words on as many items as words of every rarity are in."""
    sizes = (items / 5 * random.random(WORDS_A_QUESTION) ** 2).astype(np.int64) + 1
    rows = [random.permutation(items)[: int(size)] for size in sizes]
    return TermScores(
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        items=np.concatenate(rows).astype(np.int32),
        scores=random.random(int(sizes.sum()), dtype=np.float32) + np.float32(0.1),
    )


def measure(items: int, questions: int) -> list[float]:
    """Give the milliseconds of CPU each question takes, after one that warms up."""
    random = np.random.default_rng(7)
    index = MadeUpNames(items, random)
    groups = np.arange(items, dtype=np.int32) // PASSAGES_A_DOCUMENT
    seen = np.arange(items, dtype=np.int32)
    spent: list[float] = []
    for question in range(questions + 1):
        terms = made_up_terms(items, random)
        scores = random.gamma(2.0, size=items).astype(np.float32)
        began = time.process_time()
        graph = NameGraph(index, seen, count=items)
        text = f"Which of the towns that lie near Title {question} was founded by the father of its mayor?"
        graph_term(text, scores, graph, terms=terms, groups=groups)
        spent.append(1000.0 * (time.process_time() - began))
    return spent[1:]


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=200)
    chosen = parser.parse_args()
    spent = measure(chosen.items, chosen.questions)
    middle, late = np.percentile(spent, [50, 95])
    print(f"{chosen.items} items, {chosen.questions} questions: p50 {middle:.2f} ms, p95 {late:.2f} ms of CPU each")


if __name__ == "__main__":
    main()
