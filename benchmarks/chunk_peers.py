"""Print how well and how fast others cut the same texts, at the same mean size of a chunk.

    pip install langchain-text-splitters "chonkie>=1.7,<2"
    python benchmarks/chunk_peers.py CORPORA QUESTIONS

CORPORA and QUESTIONS are files as ``evolore evaluate chunks`` reads them, scored as it scores them: n = 5, one index over
all corpora, once with BM25 and once with the default embedder as the retriever. Measured are LangChain's
``RecursiveCharacterTextSplitter``, Chonkie's ``RecursiveChunker`` and ``SemanticChunker``, the last with our default
embedder, and ``evolore.Chunker``. Each other's size, or the semantic one's threshold, is searched for until its mean
chunk is as long as ours, within 5 %. Packages that are not there are left out.

Speed is CPU time of one process, in rounds of one turn each, the best of them; the semantic one gets 200,000 characters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np

from evolore import Chunker, Embedder, UseEmbedder
from evolore.domain.document import Span
from evolore.ports import TextRole, Vectors
from evolore_evaluation.chunks import (
    LexicalRetriever,
    VectorRetriever,
    cut_corpora,
    find_chunk_sets,
    leaf_splitter,
    read_corpora,
    read_questions,
    score_question,
)
from evolore_evaluation.measure import RememberingEmbedder

if TYPE_CHECKING:
    from evolore_evaluation.chunks import ChunkRetriever, Cutting, MarkedQuestion

Splitter = Callable[[str], Sequence[Span]]

TOP = 5
TOLERANCE = 0.05
TRIALS = 11
FINEST = 1000
REMEMBERED = 200_000
ROUNDS = 3
SLOW_CHARACTERS = 200_000
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Peer:
    """Somebody else's chunker.

    Args:
        name: What it is called.
        packages: What has to be installed.
        make: Makes it for a size and an embedder.
        least: The smallest size looked at.
        largest: The largest.
        is_slow: Whether it embeds.
    """

    name: str
    packages: tuple[str, ...]
    make: Callable[[int, Embedder], Splitter]
    least: int = 100
    largest: int = 4000
    is_slow: bool = False


def spans_of(chunks: Any, text: str) -> list[Span]:  # noqa: ANN401 - whatever the package gives
    """Place Chonkie's chunks in their text."""
    spans: list[Span] = []
    reached = 0
    for chunk in chunks:
        start = text.index(chunk.text, reached)
        reached = start + len(chunk.text)
        spans.append(Span(start, reached))
    return spans


def langchain_recursive(size: int, _embedder: Embedder) -> Splitter:
    """Make LangChain's splitter, with its default separators and no overlap."""
    package = import_module("langchain_text_splitters")
    splitter = package.RecursiveCharacterTextSplitter(chunk_size=size, chunk_overlap=0, add_start_index=True)

    def split(text: str) -> list[Span]:
        found = splitter.create_documents([text])
        starts = [int(one.metadata["start_index"]) for one in found]
        return [Span(start, start + len(one.page_content)) for start, one in zip(starts, found, strict=True)]

    return split


def chonkie_recursive(size: int, _embedder: Embedder) -> Splitter:
    """Make Chonkie's recursive chunker with its default rules, sizes in characters."""
    chunker = import_module("chonkie").RecursiveChunker(tokenizer="character", chunk_size=size)
    return lambda text: spans_of(chunker.chunk(text), text)


def chonkie_semantic(size: int, embedder: Embedder) -> Splitter:
    """Make Chonkie's semantic chunker with our embedder: the lower its threshold, the longer its chunks."""
    chonkie = import_module("chonkie")
    base: type = chonkie.embeddings.BaseEmbeddings

    class Ours(base):  # pyright: ignore[reportUntypedBaseClass] - known when the package is there
        def embed(self, text: str) -> Vectors:
            return embedder.embed([text], role=TextRole.PASSAGE)[0]

        def embed_batch(self, texts: list[str]) -> list[Vectors]:
            starts = range(0, len(texts), 256)
            return [
                vector
                for start in starts
                for vector in embedder.embed(texts[start : start + 256], role=TextRole.PASSAGE)
            ]

        def get_tokenizer(self) -> str:
            return "character"

        @property
        def dimension(self) -> int:
            return embedder.model.dimension

    chunker = chonkie.SemanticChunker(embedding_model=Ours(), threshold=1 - size / FINEST)
    return lambda text: spans_of(chunker.chunk(text), text)


PEERS = (
    Peer("LangChain recursive", ("langchain_text_splitters",), langchain_recursive),
    Peer("Chonkie recursive", ("chonkie",), chonkie_recursive),
    Peer("Chonkie semantic", ("chonkie",), chonkie_semantic, least=1, largest=FINEST - 1, is_slow=True),
)


def mean_characters(cutting: Cutting) -> float:
    """Give the mean length of a chunk."""
    return sum(len(place.span) for place in cutting.places) / len(cutting.places)


def match_size(peer: Peer, corpora: dict[str, str], wanted: float, embedder: Embedder) -> tuple[int, Cutting]:
    """Search for the size at which a peer's chunks are as long as ours; give it and its chunks."""
    low, high = peer.least, peer.largest
    best: tuple[float, int, Cutting] | None = None
    for _ in range(TRIALS):
        size = round((low * high) ** 0.5)
        cutting = cut_corpora(corpora, peer.make(size, embedder))
        off = mean_characters(cutting) / wanted - 1
        if best is None or abs(off) < best[0]:
            best = (abs(off), size, cutting)
        low, high = (low, size) if off > 0 else (size, high)
    assert best is not None
    return best[1], best[2]


def quality(cutting: Cutting, questions: Sequence[MarkedQuestion], embedder: Embedder) -> str:
    """Give the figures of one chunker as a row."""
    cells: list[str] = []
    retrievers: tuple[ChunkRetriever, ...] = (
        LexicalRetriever(cutting.texts),
        VectorRetriever(cutting.texts, embedder),
    )
    fit = 0.0
    for retriever in retrievers:
        scores = [
            score_question(one, [cutting.places[n] for n in retriever.find(one.text, count=TOP)], cutting.places)
            for one in questions
        ]
        means = {name: 100 * float(np.mean([score[name] for score in scores])) for name in scores[0]}
        cells.append(f"{means['recall']:7.1f} {means['iou']:5.2f}")
        fit = means["precision_omega"]
    return f"{len(cutting.places):6} {mean_characters(cutting):6.0f} | {cells[0]} | {cells[1]} | {fit:5.1f}"


def fastest(splitters: dict[str, tuple[Splitter, Sequence[str]]]) -> dict[str, float]:
    """Give everyone's best speed in megabytes per second of CPU time, in rounds of one turn each."""
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, (splitter, texts) in splitters.items():
            started = process_time()
            for text in texts:
                splitter(text)
            speed = sum(len(text.encode()) for text in texts) / MEGABYTE / (process_time() - started)
            best[name] = max(best.get(name, 0.0), speed)
    return best


def shortened(corpora: dict[str, str]) -> list[str]:
    """Give the beginning of every corpus, ``SLOW_CHARACTERS`` together."""
    share = SLOW_CHARACTERS / sum(map(len, corpora.values()))
    return [text[: int(len(text) * min(1.0, share))] for text in corpora.values()]


def main(paths: Sequence[str]) -> int:
    """Compare on the files given."""
    if not paths:
        print(__doc__)
        return 2
    corpora_files, question_files = find_chunk_sets([Path(path) for path in paths])
    corpora = read_corpora(corpora_files)
    questions = [question for path in question_files for question in read_questions(path, corpora)]
    embedder = RememberingEmbedder(UseEmbedder(), most=REMEMBERED)
    ours = leaf_splitter(Chunker())
    cutting = cut_corpora(corpora, ours)
    print(f"{'':20} {'size':>5} {'chunks':>6} {'mean':>6} | BM25: R   IoU | embedder: R IoU | PΩ")
    print(f"{'Evolore':20} {'':>5} {quality(cutting, questions, embedder)}", flush=True)
    timed: dict[str, tuple[Splitter, Sequence[str]]] = {"Evolore": (ours, list(corpora.values()))}
    for peer in PEERS:
        missing = [package for package in peer.packages if find_spec(package) is None]
        if missing:
            print(f"{peer.name:20} left out: {', '.join(missing)} is not installed")
            continue
        size, theirs = match_size(peer, corpora, mean_characters(cutting), embedder)
        off = mean_characters(theirs) / mean_characters(cutting) - 1
        note = "" if abs(off) <= TOLERANCE else f"  its mean cannot be brought nearer than {off:+.0%}"
        print(f"{peer.name:20} {size:5} {quality(theirs, questions, embedder)}{note}", flush=True)
        texts = shortened(corpora) if peer.is_slow else list(corpora.values())
        timed[peer.name] = (peer.make(size, UseEmbedder() if peer.is_slow else embedder), texts)
    speeds = fastest(timed)
    for name, speed in speeds.items():
        print(f"{name:20} {speed:7.3f} MB/s of CPU time; ours is {speeds['Evolore'] / speed:6.1f} times as fast")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
