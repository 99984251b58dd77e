"""Print what ``add`` costs for each leaf chunk beside embedding it and building the vector index.

    python benchmarks/add_overhead.py [PATH…] [--documents 200] [--sections 12]

It adds the files and folders given, or Markdown it makes up: 200 documents of 12 sections with headings, of words after
Zipf's law. All are added in one call, as a batch; a stand-in embeds, and what it takes is left out. Then the indexes take
the new chunks in, as the next recall has them do. Printed: milliseconds a leaf, wall and CPU, for each step:

    reading     finding, decoding and hashing files, HTML to Markdown
    chunking    cutting the text into its tree
    keys        the words that are indexed of each leaf, stemmed; its names and dates; and the text that is embedded
    writing     all the rest: look-ups, the rows, the commits
    indexing    reading the rows back and taking the words into the lexical index, without the vectors

The bar for their sum is 1 ms a leaf, hoped for are 0.3. ``--documents 3 --sections 3`` tries it out.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from evolore.flows import add, document_version, item_keys
from evolore.index.namespace_index import NamespaceIndex
from evolore.index.vector_search import SearchedVectors
from evolore.memory import Memory
from evolore.sources.files import FileReader
from harness import Spent, command_line, counted
from synthetic import Spread, Words

BAR_MS, HOPED_MS = 1.0, 0.3
SENTENCES_A_SECTION = 24
SENTENCE_WORDS = 13
STEPS = {
    "reading": ((FileReader, "find"), (FileReader, "read"), (add, "text_sha256")),
    "chunking": ((document_version, "cut_document"), (document_version, "detect_language")),
    "keys": (
        (item_keys, "lexical_key"),
        (item_keys, "dense_key"),
        (item_keys, "analyse"),
        (item_keys, "names_of"),
        (item_keys, "periods_of"),
    ),
    "embedding": ((item_keys, "embed"),),
}
VECTORS = ((SearchedVectors, "append"), (SearchedVectors, "follow"))


def write_documents(folder: Path, documents: int, sections: int) -> None:
    """Make up Markdown documents whose sections each hold a few paragraphs of their own."""
    words = Words()
    for document in range(documents):
        parts = [f"# Document {document}\n"]
        for section in range(sections):
            pool = " ".join(words.texts(SENTENCES_A_SECTION * SENTENCE_WORDS // 40 + 1)).split()
            sentences = [
                " ".join(pool[start : start + SENTENCE_WORDS]).capitalize() + "."
                for start in range(0, SENTENCES_A_SECTION * SENTENCE_WORDS, SENTENCE_WORDS)
            ]
            paragraphs = [" ".join(sentences[start : start + 6]) for start in range(0, len(sentences), 6)]
            parts.append(f"## Section {section} of {document}\n\n" + "\n\n".join(paragraphs) + "\n")
        (folder / f"document-{document}.md").write_text("\n".join(parts), encoding="utf-8")


def total(spent: list[Spent]) -> Spent:
    """Give what several took together."""
    whole = Spent()
    for one in spent:
        whole.wall += one.wall
        whole.cpu += one.cpu
        whole.calls += one.calls
    return whole


def less(whole: Spent, *parts: Spent) -> Spent:
    """Give what is left of a whole without its parts."""
    left = Spent()
    left.wall = whole.wall - sum(part.wall for part in parts)
    left.cpu = whole.cpu - sum(part.cpu for part in parts)
    return left


def add_all(memory: Memory, paths: list[Path]) -> tuple[int, dict[str, Spent]]:
    """Add everything in one call; give the number of leaves and what each step took."""
    with ExitStack() as ends:
        counts = {
            step: [ends.enter_context(counted(owner, name)) for owner, name in places] for step, places in STEPS.items()
        }
        whole = Spent()
        with whole.during():
            added = memory.add(*paths)
    for failure in added.failures:
        print(f"left out: {failure.source}: {failure.reason}")
    steps = {step: total(spent) for step, spent in counts.items()}
    steps["writing"] = less(whole, *steps.values())
    return sum(one.new_leaves for one in added.documents), steps


def index_all(memory: Memory) -> Spent:
    """Have the indexes take in what was added, and give what that took without the vectors."""
    with ExitStack() as ends:
        whole = ends.enter_context(counted(NamespaceIndex, "refresh"))
        vectors = [ends.enter_context(counted(owner, name)) for owner, name in VECTORS]
        memory.recall("anything")
    return less(whole, *vectors)


def main() -> None:
    """Add, index, print."""
    parser = command_line(__doc__)
    parser.add_argument("paths", type=Path, nargs="*", help="files and folders to add in place of made-up ones")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--sections", type=int, default=12)
    options = parser.parse_args()
    paths: list[Path] = options.paths
    with tempfile.TemporaryDirectory() as made:
        if not paths:
            paths = [Path(made) / "docs"]
            paths[0].mkdir()
            write_documents(paths[0], options.documents, options.sections)
        with Memory.open(Path(made) / "store", embedder=Spread()) as memory:
            memory.add_text("A first document, so that neither the store nor the libraries are new.", source="first")
            memory.recall("anything")
            leaves, steps = add_all(memory, paths)
            steps["indexing"] = index_all(memory)
    left_out = steps.pop("embedding")
    sum_of_all = total(list(steps.values()))
    print(f"{leaves:,} leaf chunks; ms a leaf")
    print(f"{'step':10} {'wall':>8} {'CPU':>8}")
    for step, spent in steps.items():
        print(f"{step:10} {1000 * spent.wall / leaves:8.3f} {1000 * spent.cpu / leaves:8.3f}")
    print(f"{'together':10} {1000 * sum_of_all.wall / leaves:8.3f} {1000 * sum_of_all.cpu / leaves:8.3f}", end="")
    print(f"   (bar {BAR_MS}, hoped for {HOPED_MS})")
    print(f"not counted: {1000 * left_out.cpu / leaves:.3f} ms of CPU a leaf for the stand-in that embeds")


if __name__ == "__main__":
    main()
