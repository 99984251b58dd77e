"""How near sentences are in meaning, by an embedder: what the gates ask for and do not compute themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.flows.embedding import embed
from evolore.ports import TextRole

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.evolution.gates.claims import Similar
    from evolore.ports import Embedder


def similar_by(embedder: Embedder) -> Similar:
    """Give a measure of sentences: cosines of their vectors, each sentence embedded once.

    Args:
        embedder: What embeds the sentences, as passages.

    Returns:
        A function of two lists of sentences; its matrix has a row for each of the first, a column for each of the second.
    """
    known: dict[str, npt.NDArray[np.float32]] = {}

    def vectors(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, embed(embedder, new, role=TextRole.PASSAGE), strict=True))
        return np.stack([known[text] for text in texts])

    def similar(one: Sequence[str], other: Sequence[str]) -> npt.NDArray[np.float32]:
        first, second = vectors(one), vectors(other)
        lengths = np.outer(np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1))
        return np.divide(first @ second.T, lengths, out=np.zeros_like(lengths), where=lengths > 0)

    return similar
