"""Keeping hits within so many tokens of a model's context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.citing import cite, cite_one
from evolore.text.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.answers import Hit
    from evolore.ports import Tokenizer


def count_tokens(text: str, tokenizer: Tokenizer | None) -> int:
    """Count a text's tokens, or estimate them where there is no tokenizer."""
    return estimate_tokens(text) if tokenizer is None else len(tokenizer.token_starts(text))


def within_budget(hits: Sequence[Hit], budget: int, *, tokenizer: Tokenizer | None) -> tuple[Hit, ...]:
    """Give hits, best first, as long as what ``cite`` makes of them stays within a budget; the first in any case.

    It ends at the first that does not fit: a shorter one further back does not overtake it.

    Args:
        hits: Best first.
        budget: How many tokens.
        tokenizer: What counts them; None for an estimate.
    """
    taken, left = 0, budget
    for hit in hits:
        left -= count_tokens(cite_one(hit) + "\n\n", tokenizer)
        if left < -1:  # the last has no blank line behind it
            break
        taken += 1
    while taken > 1 and count_tokens(cite(hits[:taken]), tokenizer) > budget:
        taken -= 1  # a tokenizer may count the whole differently from its parts
    return tuple(hits[: max(1, taken)])
