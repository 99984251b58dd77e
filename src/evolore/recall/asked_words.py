"""The words of a question, and what each counts for when sentences are weighed by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.recall.asked_values import AskedValue, read_asked_value
from evolore.recall.said_values import read_values
from evolore.text.names import find_names
from evolore.text.scripts import detect_language
from evolore.text.token_weights import token_weights
from evolore.text.tokens import analyse, query_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

_UNSEEN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedWords:
    """The words of a question, with what each counts for.

    Args:
        weights: Above 0, by token.
        value: Which kind of value is asked for; None where nothing is asked.
        names: Those of the tokens that are of names.
    """

    weights: Mapping[str, float]
    value: AskedValue | None = None
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, question: str, rarity: Mapping[str, float]) -> AskedWords:
        """Weigh the tokens of a question.

        Args:
            question: What is asked.
            rarity: How rare each of its tokens is, above 0; one that is not named counts as the rarest.
        """
        tokens = query_tokens(question)
        rarest = max(rarity.values(), default=1.0)
        shares = token_weights(tokens)
        weights = {one: float(share) * rarity.get(one, rarest) for one, share in zip(tokens, shares, strict=True)}
        named = find_names(question, language=detect_language(question))
        names = weights.keys() & {token for name in named for token in analyse(name)}
        return cls(weights=weights, value=read_asked_value(question), names=frozenset(names))

    def covered(self, words: frozenset[str]) -> float:
        """Tell which share of what is asked some words hold, 0–1."""
        total = sum(self.weights.values())
        return sum(weight for token, weight in self.weights.items() if token in words) / total if total else 0.0

    def fits(self, text: str) -> bool:
        """Tell whether a text says a number or a time where one is asked for."""
        if self.value is None or not (self.value.number or self.value.time):
            return False
        said = read_values(text)
        return bool(said.numbers) or (self.value.time and said.has_time)


def rarity(found_in: Mapping[str, int], count: int) -> dict[str, float]:
    """Give how rare tokens are: ``ln(1 + (N - n + 20.5) / (n + 0.5))``, the BM25 form.

    The 20 stand for items that are not there: of a few items, that all hold a word says little about the word.

    Args:
        found_in: How many items hold each.
        count: How many items there are.
    """
    return {
        token: float(np.log1p((max(count, number) - number + _UNSEEN + 0.5) / (number + 0.5)))
        for token, number in found_in.items()
    }
