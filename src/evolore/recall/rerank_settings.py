"""What reranking can be told."""

from __future__ import annotations

from dataclasses import dataclass

from evolore.domain.checks import check_count, check_share
from evolore.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankSettings:
    """How the first hits are judged anew, where there is a reranker: one that is given, or a chat model.

    Args:
        items: How many of the first items are judged, at least 1.
        blend: How much the reranker's judgement counts against the score until then, 0–1; with 1 the order among
            those items is the reranker's, with 0 nothing changes.
        max_characters: How much of each text it is given, in characters, at least 1.
        chat_calls: How often the chat model may be asked to judge while a memory is open, one call for a recall; at
            least 0. With 0, or without a chat model, it is not asked.

    Raises:
        InvalidValue: A value outside its range.
    """

    items: int = 20
    blend: float = 0.5
    max_characters: int = 2000
    chat_calls: int = 0

    def __post_init__(self) -> None:
        check_count(self.items, "items")
        check_count(self.max_characters, "max_characters")
        check_share(self.blend, "blend")
        if self.chat_calls < 0:
            raise InvalidValue(f"chat_calls is {self.chat_calls}: give at least 0.")
