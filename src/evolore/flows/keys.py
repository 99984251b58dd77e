"""What is indexed of a text, made anew from the text and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.flows.embedding import embed
from evolore.ports import ItemKeys, TextRole
from evolore.recall.keys import dense_key, lexical_key
from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import Embedder, IndexedText, Vectors

EMBED_BATCH = 64


def tokens_of(item: IndexedText) -> tuple[str, ...]:
    """Give the tokens that are indexed of a text, as adding and remembering make them."""
    words = lexical_key(
        item.text,
        language=item.language,
        speaker=item.speaker,
        heading_path=item.heading_path,
        title=item.title,
        occurred_at=item.occurred_at,
    )
    return tuple(analyse(words))


def vectors_of(embedder: Embedder, items: Sequence[IndexedText]) -> Vectors:
    """Give the vectors of texts, shape (texts, dimension), as adding and remembering make them."""
    keys = [dense_key(one.text, speaker=one.speaker, heading_path=one.heading_path, title=one.title) for one in items]
    return embed(embedder, keys, role=TextRole.PASSAGE)


def keys_of(embedder: Embedder, items: Sequence[IndexedText]) -> tuple[ItemKeys, ...]:
    """Give what is indexed of texts, in their order; their vectors are made in one batch."""
    vectors = vectors_of(embedder, items)
    return tuple(ItemKeys(tokens=tokens_of(item), vector=vector) for item, vector in zip(items, vectors, strict=True))
