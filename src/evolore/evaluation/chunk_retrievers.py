"""What finds chunks for a question while chunks are measured: word statistics or vectors, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from evolore.ports import TextRole
from evolore.store.lexical import Bm25, LexicalIndex
from evolore.text.tokens import analyse, query_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.ports import Embedder, Vectors

BM25 = Bm25(k1=1.2, b=0.75)
"""The customary constants: texts of one corpus, not turns of a talk."""

_BATCH = 256


class ChunkRetriever(Protocol):
    """Finds the chunks a question is about."""

    def find(self, question: str, *, count: int) -> list[int]:
        """Give the numbers of the best ``count`` chunks, best first; of equals, the earlier first."""
        ...


class LexicalRetriever:
    """Ranks chunks by BM25 over the tokens of recall's own analyser.

    Args:
        chunks: Their texts.
    """

    def __init__(self, chunks: Sequence[str]) -> None:
        self._count = len(chunks)
        self._index = LexicalIndex(map(analyse, chunks), bm25=BM25)

    def find(self, question: str, *, count: int) -> list[int]:
        """Give the numbers of the best chunks."""
        _, items, scores, _ = self._index.term_postings(query_tokens(question))
        totals = np.zeros(self._count)
        np.add.at(totals, items, scores)
        return _best(totals, count)


class VectorRetriever:
    """Ranks chunks by the cosine between their vectors and the question's.

    Args:
        chunks: Their texts.
        embedder: What embeds both.
    """

    def __init__(self, chunks: Sequence[str], embedder: Embedder) -> None:
        self._embedder = embedder
        batches = [
            embedder.embed(chunks[start : start + _BATCH], role=TextRole.PASSAGE)
            for start in range(0, len(chunks), _BATCH)
        ]
        self._vectors: Vectors = np.concatenate(batches)

    def find(self, question: str, *, count: int) -> list[int]:
        """Give the numbers of the best chunks."""
        vector = self._embedder.embed([question], role=TextRole.QUERY)[0]
        # Rounded, because a vector may differ in its last digits with the batch it was made in.
        cosines: Vectors = self._vectors @ vector
        return _best(np.round(cosines.astype(np.float64), 5), count)


def _best(scores: npt.NDArray[np.float64], count: int) -> list[int]:
    return np.argsort(-scores, kind="stable")[:count].tolist()
