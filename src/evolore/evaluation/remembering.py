"""An embedder that is asked for the same texts again and again while something is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import Embedder, EmbeddingModel, TextRole, Vectors


class RememberingEmbedder:
    """Embeds each text once, as long as few enough are remembered.

    Args:
        embedder: What embeds.
        most: How many vectors are remembered at the most, at least 1; with one text more, all are let go of.
    """

    def __init__(self, embedder: Embedder, *, most: int = 20_000) -> None:
        self._embedder = embedder
        self._most = most
        self._known: dict[tuple[TextRole, str], Vectors] = {}

    @property
    def model(self) -> EmbeddingModel:
        """The model at work."""
        return self._embedder.model

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Give unit vectors of shape (texts, dimension), in the order of the texts."""
        if not texts:
            return self._embedder.embed(texts, role=role)
        if len(self._known) + len(texts) > self._most:
            self._known.clear()
        unknown = list(dict.fromkeys(text for text in texts if (role, text) not in self._known))
        if unknown:
            vectors = self._embedder.embed(unknown, role=role)
            self._known.update(((role, text), vector) for text, vector in zip(unknown, vectors, strict=True))
        return np.stack([self._known[role, text] for text in texts])
