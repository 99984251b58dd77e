"""Compute what is indexed of a text, from the text and where it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from evolore.domain.times import Period
from evolore.flows.embedding import embed
from evolore.ports import Embedder, EmbeddingModel, IndexedText, ItemKeys, StoredKeys, TextRole, Vectors
from evolore.recall.indexed_texts import dense_key, lexical_key
from evolore.text.dates import mentioned_periods
from evolore.text.forms import forms
from evolore.text.names import find_names
from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from evolore.flows.context import Preparer
    from evolore.recall.arousal import EstimateArousal

Kept = TypeVar("Kept")
EMBED_BATCH = 64
_STORED = np.dtype("<f2")
_SAME_AROUSAL = 0.001
"""Sums of floats end differently on another machine; what is that near orders nothing otherwise."""


def nobody_estimates(model: EmbeddingModel) -> EstimateArousal | None:  # noqa: ARG001 - stands in for one that looks
    """Return None for every model: arousal cannot be estimated from its vectors."""
    return None


def tokens_of(item: IndexedText) -> tuple[str, ...]:
    """Return the tokens that are indexed of a text, as adding and remembering make them."""
    words = lexical_key(
        item.text,
        language=item.language,
        speaker=item.speaker,
        heading_path=item.heading_path,
        title=item.title,
        occurred_at=item.occurred_at,
    )
    return (*analyse(words), *forms(words))


def names_of(item: IndexedText) -> tuple[str, ...]:
    """Return the names that are indexed of a text."""
    return find_names(item.text, language=item.language, title=item.title)


def periods_of(item: IndexedText) -> tuple[Period, ...]:
    """Return the periods that are indexed of a text: the days it speaks of."""
    return mentioned_periods(item.text, language=item.language, said_at=item.occurred_at)


def vectors_of(embedder: Embedder, items: Sequence[IndexedText]) -> Vectors:
    """Return the vectors of texts, shape (texts, dimension), as adding and remembering make them."""
    keys = [dense_key(one.text, speaker=one.speaker, heading_path=one.heading_path, title=one.title) for one in items]
    return embed(embedder, keys, role=TextRole.PASSAGE)


def embedded_alike(
    embedder: Embedder, some: Sequence[Kept], text: Callable[[Kept], IndexedText]
) -> Iterator[tuple[Kept, Vectors]]:
    """Embed passages together and statements one by one, as adding and remembering do.

    Yields:
        Each with its vector, shape (dimension,); passages first.
    """
    passages = [one for one in some if text(one).title is not None]
    for group in (*([passages] if passages else []), *[[one] for one in some if text(one).title is None]):
        yield from zip(group, vectors_of(embedder, [text(one) for one in group]), strict=True)


def arousal_of(item: IndexedText, vector: npt.NDArray[np.float32], *, estimate: EstimateArousal | None) -> float | None:
    """Estimate how strongly a text was felt, from its vector as it is stored; None where that cannot be estimated.

    Args:
        item: The text.
        vector: Its vector, shape (dimension,); rounded here, so that the stored vector yields the same estimate.
        estimate: What estimates by vectors of this model.
    """
    if estimate is None:
        return None
    return estimate(item.text, vector.astype(_STORED).astype(np.float32), language=item.language)


def keys_with(item: IndexedText, vector: npt.NDArray[np.float32], *, estimate: EstimateArousal | None) -> ItemKeys:
    """Return what is indexed of a text whose vector is at hand."""
    return ItemKeys(
        tokens=tokens_of(item),
        vector=vector,
        names=names_of(item),
        periods=periods_of(item),
        arousal=arousal_of(item, vector, estimate=estimate),
    )


def keys_of(context: Preparer, items: Sequence[IndexedText]) -> tuple[ItemKeys, ...]:
    """Return what is indexed of texts, in their order; their vectors are made in one batch."""
    estimate = context.estimates(context.embedder.model)
    vectors = vectors_of(context.embedder, items)
    return tuple(keys_with(item, vector, estimate=estimate) for item, vector in zip(items, vectors, strict=True))


def has_same_arousal(stored: StoredKeys, *, estimate: EstimateArousal | None) -> bool:
    """Return whether the stored estimate is what is made of a text and its stored vector; without a vector it is."""
    if stored.vector is None:
        return True
    made = arousal_of(stored.text, stored.vector, estimate=estimate)
    if made is None or stored.arousal is None:
        return made is stored.arousal
    return math.isclose(made, stored.arousal, abs_tol=_SAME_AROUSAL)
