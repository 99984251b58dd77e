"""Substitutes that need no model: for tests, for benchmarks of everything else, for trying things out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from evolore.errors import InvalidValue
from evolore.ports import EmbeddingModel, TextRole, Vectors

_GRAM = 3
_MOST_HASHED = 1 << 16


class HashingEmbedder:
    """Embeds a text as the hashed counts of its character trigrams.

    Texts that share spelling are close; nothing is known of meaning. Deterministic across machines and processes.

    Args:
        dimension: Length of the vectors, at least 1.
    """

    def __init__(self, dimension: int = 64) -> None:
        if dimension < 1:
            raise InvalidValue(f"dimension is {dimension}: use at least 1.")
        self._model = EmbeddingModel(id=f"hashing-trigrams-{dimension}", dimension=dimension)

    @property
    def model(self) -> EmbeddingModel:
        """The substitute's name and dimension."""
        return self._model

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:  # noqa: ARG002 - both roles are embedded alike
        """Return unit vectors of shape (texts, dimension), float32, in the order of the texts."""
        vectors = np.zeros((len(texts), self._model.dimension), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            padded = f"  {text.casefold()}  "
            for start in range(len(padded) - _GRAM + 1):
                number = _hashed(padded[start : start + _GRAM])
                row[number % self._model.dimension] += 1.0 if number >> 63 else -1.0
            if not row.any():
                row[0] = 1.0
            row[:] = row / np.linalg.norm(row)
        return vectors


@lru_cache(_MOST_HASHED)
def _hashed(gram: str) -> int:
    return int.from_bytes(blake2b(gram.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
