"""Models of n-grams of characters that learn as they read."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter

_DISCOUNT = 0.75
"""What Kneser-Ney takes off every count; the usual value of absolute discounting."""


class NgramModel(ABC):
    """A model of characters under the ``order - 1`` characters before each.

    Args:
        order: The n, at least 1.
        alphabet: How many different characters there can be, at least 1.
    """

    def __init__(self, *, order: int, alphabet: int) -> None:
        self.order = order
        self.alphabet = max(1, alphabet)

    @abstractmethod
    def learn(self, text: str, start: int, end: int) -> None:
        """Count the characters from ``start`` to ``end``, each under what comes before it in the text."""

    @abstractmethod
    def probability(self, context: str, character: str) -> float:
        """Return the probability of a character behind a context, above 0; over an alphabet they sum to 1."""

    def bits(self, text: str, start: int, end: int) -> float:
        """Return the code length of the characters from ``start`` to ``end``; nothing is learned."""
        reach = self.order - 1
        # Each different one is weighed once: a text that repeats itself has few of them.
        grams = Counter(text[max(0, place - reach) : place + 1] for place in range(start, end))
        return -sum(count * math.log2(self.probability(gram[:-1], gram[-1])) for gram, count in grams.items())


class KneserNeyModel(NgramModel):
    """Interpolated Kneser-Ney (Kneser & Ney 1995; Chen & Goodman 1999), down to the same share for every character.

    The highest order counts how often, the lower ones behind how many different characters.
    """

    def __init__(self, *, order: int, alphabet: int) -> None:
        super().__init__(order=order, alphabet=alphabet)
        self._seen: set[str] = set()
        # Grams of one length are found in no other: one dictionary holds all orders.
        self._counts: dict[str, int] = {}
        self._totals: dict[str, int] = {}
        self._followers: dict[str, int] = {}

    def learn(self, text: str, start: int, end: int) -> None:
        """Count the characters from ``start`` to ``end``, each under what comes before it in the text."""
        for place in range(start, end):
            gram = text[max(0, place - self.order + 1) : place + 1]
            if len(gram) == self.order:
                self._count(gram)
            for first in range(len(gram) - 1):
                longer = gram[first:]
                if longer in self._seen:
                    break  # what it ends in was counted behind it before
                self._seen.add(longer)
                self._count(longer[1:])

    def _count(self, gram: str) -> None:
        before, context = self._counts.get(gram, 0), gram[:-1]
        self._counts[gram] = before + 1
        self._totals[context] = self._totals.get(context, 0) + 1
        if not before:
            self._followers[context] = self._followers.get(context, 0) + 1

    def probability(self, context: str, character: str) -> float:
        """Return the interpolated share of the character behind the context."""
        share = 1.0 / self.alphabet
        for length in range(len(context) + 1):
            ending = context[len(context) - length :]
            total = self._totals.get(ending, 0)
            if not total:
                break  # a longer ending was not seen either
            found = max(self._counts.get(ending + character, 0) - _DISCOUNT, 0.0)
            share = (found + _DISCOUNT * self._followers[ending] * share) / total
        return share
