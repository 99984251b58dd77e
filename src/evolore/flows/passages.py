"""Citing long statements: hits come back with the passages of a long message that say what is asked."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings
from evolore.recall.passages import best_passages
from evolore.text.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.domain.answers import Hit
    from evolore.domain.knowledge import Span
    from evolore.recall.asked_words import AskedWords

_LETTERS = Chunker(ChunkSettings(target_size=350, max_size=2000, min_size=100))
_CHARACTERS = Chunker(ChunkSettings(target_size=130, max_size=800, min_size=40))
"""System 1 with small leaves, where a token is several characters and where it is one. Without sentence vectors: a message
is cut in milliseconds."""

_DENSE = 2.0
"""Characters a token, below which a text counts as written in the second way."""


class PassageCiter:
    """Gives hits with their passages, and cuts no message twice.

    Args:
        hits: Gives that many hits, best first.
        asked: Gives the question's words; called where a long statement was found.
        longest: How many tokens, estimated, a statement may have to be given whole.
    """

    def __init__(
        self, hits: Callable[[int], tuple[Hit, ...]], *, asked: Callable[[], AskedWords], longest: int
    ) -> None:
        self._hits = hits
        self._asked = asked
        self._longest = longest
        self._words: AskedWords | None = None

    def first(self, count: int) -> tuple[Hit, ...]:
        """Give that many hits, or all where there are fewer."""
        return tuple(self._with_passages(hit) if self._is_long(hit) else hit for hit in self._hits(count))

    def _is_long(self, hit: Hit) -> bool:
        return hit.episode.document_id is None and estimate_tokens(hit.episode.text) > self._longest

    def _with_passages(self, hit: Hit) -> Hit:
        if self._words is None:
            self._words = self._asked()
        text = hit.episode.text
        return replace(hit, passages=best_passages(text, _passages(text), self._words))


@lru_cache(maxsize=256)
def _passages(text: str) -> tuple[Span, ...]:
    chunker = _CHARACTERS if len(text) < _DENSE * estimate_tokens(text) else _LETTERS
    return tuple(leaf.span for leaf in chunker.chunk(text).leaves)
