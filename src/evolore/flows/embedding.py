"""What every flow asks of the embedder, and what it refuses to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.errors import EmbedderBroken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import Embedder, TextRole, Vectors

_NORM_TOLERANCE = 0.01


def embed(embedder: Embedder, texts: Sequence[str], *, role: TextRole) -> Vectors:
    """Embed texts, each wording once, and check that what comes back can be compared with what is stored.

    Returns:
        Unit vectors, shape (texts, dimension).

    Raises:
        EmbedderBroken: The vectors have another shape, hold what is no number, or are not of unit length.
    """
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    vectors = embedder.embed(list(places), role=role)
    wanted = (len(places), embedder.model.dimension)
    if vectors.shape != wanted:
        raise EmbedderBroken(
            f"The embedder {embedder.model.id} gave vectors of shape {vectors.shape} for {len(places)} texts, "
            f"not {wanted}: correct the embedder; nothing was written."
        )
    norms = np.linalg.norm(vectors, axis=1)
    if not np.all(np.abs(norms - 1.0) <= _NORM_TOLERANCE):
        worst = float(norms[np.argmax(np.where(np.isfinite(norms), np.abs(norms - 1.0), np.inf))])
        raise EmbedderBroken(
            f"The embedder {embedder.model.id} gave a vector of length {worst}, not 1: "
            "make it give unit vectors; nothing was written."
        )
    return vectors if len(places) == len(texts) else vectors[[places[text] for text in texts]]
