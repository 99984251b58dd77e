"""Print what building the graph of nearest vectors costs by how many candidates are kept while a vector is added.

    python benchmarks/graph_building.py [--vectors 50000]

The vectors are those of the other benchmarks: 512 numbers around 2,000 centres, float16. For each number of candidates: CPU of building,
how many a search must keep so that 98 of 100 of the ten nearest are found, and what such a search for 50 takes. ``--vectors 300``
tries it out.
"""

from __future__ import annotations

import argparse
import os
from time import process_time
from typing import TYPE_CHECKING
from unittest.mock import patch

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

from evolore.index import snapshots
from evolore.ports import TextRole
from synthetic import DIMENSION, Spread

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.index.vectors import FrozenRows

KEPT = (64, 96, 128)
QUESTIONS = 200
BLOCK = 20_000


class Rows:
    """Vectors as the index reads them.

    Args:
        vectors: Float16, shape (vectors, numbers).
    """

    def __init__(self, vectors: npt.NDArray[np.float16]) -> None:
        self.vectors = vectors

    def __len__(self) -> int:
        return len(self.vectors)

    def take(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.float16]:
        """Give some of them."""
        return self.vectors[numbers]

    def products(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Give the product of each with a vector."""
        blocks = (self.vectors[start : start + BLOCK] for start in range(0, len(self), BLOCK))
        return np.concatenate([block.astype(np.float32) @ vector for block in blocks])


def main() -> None:
    """Build, search and print."""
    parser = argparse.ArgumentParser(description="What building the graph of nearest vectors costs.")
    parser.add_argument("--vectors", type=int, default=50_000)
    count: int = parser.parse_args().vectors
    rows: FrozenRows = Rows(Spread().embed([""] * count, role=TextRole.PASSAGE).astype(np.float16))  # pyright: ignore[reportAssignmentType] - of its methods the three that are used
    random = np.random.default_rng(1)
    questions = rows.take(random.integers(count, size=QUESTIONS)).astype(np.float32)
    questions += random.standard_normal(questions.shape, dtype=np.float32) / np.sqrt(DIMENSION)
    for kept in KEPT:
        with patch.object(snapshots, "EXPANSION_ADD", kept):
            index = snapshots.new_index(DIMENSION)
        began = process_time()
        index.add(np.arange(count, dtype=np.uint64), rows.take(np.arange(count)), threads=1)
        built = process_time() - began
        needed = snapshots.needed_expansion(index, rows)
        index.expansion_search = needed
        began = process_time()
        for question in questions:
            index.search(question, 50, threads=1)
        each = 1000 * (process_time() - began) / QUESTIONS
        print(
            f"{kept:4} kept: built in {built:7.1f} s of CPU; a search keeps {needed:3} and takes {each:.2f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
