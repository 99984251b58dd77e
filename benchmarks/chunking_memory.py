"""Print how fast a large document is chunked in a stream, and how much memory that takes: one process.

    python benchmarks/chunking_memory.py DATASET [MEGABYTES…]

The data set is gzip JSON lines ``{lang, sentences}``; its documents come again and again until the size is reached, 10
and 100 MB unless others are named. Each size runs in a process of its own; memory is the most it ever held, less what
it held before the first part.
"""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from chunking_speed import MEGABYTE, read_documents
from evolore.chunking.chunker import Chunker
from harness import most_megabytes

if TYPE_CHECKING:
    from collections.abc import Iterator


def pieces(documents: list[str], megabytes: float) -> Iterator[str]:
    """Give a document of that size, a data set's document at a time."""
    left = megabytes * MEGABYTE
    for document in cycle(documents):
        yield document + "\n\n"
        left -= len(document.encode()) + 2
        if left <= 0:
            return


def measure(path: Path, megabytes: float) -> None:
    """Chunk one document and print a line."""
    documents = read_documents(path)
    chunker = Chunker()
    chunker.chunk(documents[0])
    before, began = most_megabytes(), time.process_time()
    leaves = sum(len(part.tree.leaves) for part in chunker.stream(pieces(documents, megabytes)))
    seconds = time.process_time() - began
    print(f"{megabytes:>8.0f} {megabytes / seconds:>8.1f} {leaves:>10,} {most_megabytes() - before:>12.0f}")


def main(arguments: list[str]) -> int:
    """Measure each size in a process of its own."""
    if not arguments:
        print(__doc__)
        return 2
    path, *sizes = arguments
    if sizes[:1] == ["--one"]:
        measure(Path(path), float(sizes[1]))
        return 0
    print(f"{'MB':>8} {'MB/s':>8} {'leaves':>10} {'memory, MB':>12}", flush=True)
    for size in sizes or ["10", "100"]:
        subprocess.run([sys.executable, __file__, path, "--one", size], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
