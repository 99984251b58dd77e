"""Print how fast documents are chunked, sentence splitting included: CPU time, one process.

    python benchmarks/chunking_speed.py DATASET…

Each data set is gzip JSON lines ``{lang, sentences}``, as ``evolore evaluate segmentation`` reads them. Its sentences
are joined to one text a document, by spaces in English and by nothing in Japanese and Chinese.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from evolore.chunking.chunker import Chunker
from harness import read_lines

ROUNDS = 3
MEGABYTE = 1e6


def read_documents(path: Path) -> list[str]:
    """Give the documents of a data set as text."""
    rows = read_lines(path)
    return [("" if row["lang"] in {"ja", "zh"} else " ").join(row["sentences"]) for row in rows]


def fastest_seconds(documents: list[str]) -> float:
    """Give the CPU seconds of the fastest of several rounds: the others waited for something else."""
    chunker = Chunker()
    seconds: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for document in documents:
            chunker.chunk(document)
        seconds.append(time.process_time() - start)
    return min(seconds)


def main(paths: list[str]) -> int:
    """Measure each data set, its documents one by one and joined into a single one."""
    if not paths:
        print(__doc__)
        return 2
    print(f"{'data set':24} {'MB':>6} {'documents':>10} {'MB/s':>6} {'joined, MB/s':>13} {'leaf characters':>16}")
    for path in map(Path, paths):
        documents = read_documents(path)
        megabytes = sum(len(document.encode()) for document in documents) / MEGABYTE
        leaves = [leaf for document in documents for leaf in Chunker().chunk(document).leaves]
        apart = megabytes / fastest_seconds(documents)
        joined = megabytes / fastest_seconds(["\n\n".join(documents)])
        mean = sum(len(leaf.span) for leaf in leaves) / len(leaves)
        print(f"{path.name:24} {megabytes:6.2f} {len(documents):10} {apart:6.1f} {joined:13.1f} {mean:16.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
