"""What counts a language model's tokens, so that sizes can be given in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Tokenizer(Protocol):
    """Cuts texts into a model's tokens."""

    def token_starts(self, text: str) -> Sequence[int]:
        """Give the character each token starts at, ascending; several may start at one character."""
        ...
