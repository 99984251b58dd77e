"""Tier 3: where a text becomes hard to predict: perplexity rises where the logic turns."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from evolore.chunking.hard_split import is_between_clusters
from evolore.chunking.requests import LogProbs
from evolore.chunking.settings import TierSettings
from evolore.text.vectors import Float64s

_DISCOUNT = 0.75
"""The discount of every count in Kneser-Ney smoothing; its usual value."""


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


_GAP = re.compile(
    r"[、，,：:;；。！？!?.]+[」』）】”’)\]\"']*\s*|\s+|(?<=[\u3041-\u309f])(?=[\u30a1-\u30fa\u3400-\u9fff])"
)
_CLOSEST_GAPS = 12
"""Gaps between words nearer than this many characters to the one before are passed over; punctuation never is."""
_DENSEST_GAPS = 6
"""One gap in so many characters is weighed by n-grams: each costs a window of predictions."""

MODEL_CHARACTERS = 6000
"""The longest text that one call of a chat model is given; a longer stretch is not rewritten."""

_LEAST_RISE = 1.5
"""How steeply the curve must rise from one window to the next for a boundary, in standard deviations of all such rises;
``benchmarks/tier_three.py`` compares values."""

_LEAST_BITS = 0.05
"""A rise below this many bits a character does not count: it results from rounding or a text that repeats itself."""

_LEAST_COVERED = 0.9
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """How much harder to predict a text becomes at its gaps."""

    gaps: tuple[int, ...]  #: Where it may be cut, ascending.
    #: Bits a character by which the window behind each gap costs more, under what came before it, than the window
    #: before the gap did; not a number where there is no window before. Shape (gaps,).
    rises: Float64s
    least: float  #: The rise a boundary needs, in bits a character.

    def split(self, start: int, end: int, *, most: int, least: int) -> list[tuple[int, float]]:
        """Cut a stretch at its steepest rises until every piece fits or has none that is steep enough.

        Returns:
            Cuts and their rises, ascending.
        """
        found: list[tuple[int, float]] = []
        pending = [(start, end)]
        while pending:
            first, last = pending.pop()
            best = self._steepest(first + least, last - least) if last - first > most else None
            if best is not None:
                found.append(best)
                pending += [(first, best[0]), (best[0], last)]
        return sorted(found)

    def _steepest(self, first: int, last: int) -> tuple[int, float] | None:
        low, high = bisect_left(self.gaps, first), bisect_right(self.gaps, last)
        rises = self.rises[low:high]
        if not np.isfinite(rises).any():
            return None
        best = int(np.nanargmax(rises))
        return (self.gaps[low + best], float(rises[best])) if rises[best] >= self.least else None


def gaps_of(text: str, start: int, end: int) -> tuple[int, ...]:
    """Return where a stretch may be cut between words, ascending, its two ends left out."""
    found: list[int] = []
    for gap in _GAP.finditer(text, start, end):
        place = gap.end()
        is_near = found and place - found[-1] < _CLOSEST_GAPS and not gap[0].strip()
        if start < place < end and not is_near and is_between_clusters(text, place):
            found.append(place)
    return tuple(found)


def _thinned(gaps: tuple[int, ...], length: int) -> tuple[int, ...]:
    """Leave gaps out of a stretch that is little but punctuation, so that the others lie far enough apart."""
    if len(gaps) * _DENSEST_GAPS <= length:
        return gaps
    found: list[int] = []
    for gap in gaps:
        if not found or gap - found[-1] >= _DENSEST_GAPS:
            found.append(gap)
    return tuple(found)


def ngram_curve(text: str, start: int, end: int, settings: TierSettings) -> Curve:
    """Weigh each gap by n-grams of characters.

    The cross-entropy of the window behind it under a model of what is before it in the stretch is compared.
    """
    gaps = _thinned(gaps_of(text, start, end), end - start)
    stretch = text[start:end]
    model = KneserNeyModel(order=settings.ngram_order, alphabet=len(set(stretch)))
    learned, entropies = 0, list[float]()
    for gap in gaps:
        place = gap - start
        model.learn(stretch, learned, place)
        learned = place
        until = min(len(stretch), place + settings.window_characters)
        entropies.append(model.bits(stretch, place, until) / (until - place))
    return _curve(gaps, entropies, start=start, settings=settings)


def log_prob_curve(text: str, start: int, end: int, parts: Iterable[LogProbs], settings: TierSettings) -> Curve | None:
    """Weigh each gap by a model's log-probabilities for the parts of a stretch; None where they make no sense."""
    stretch = text[start:end]
    bits = np.zeros(len(stretch) + 1)
    covered, offset = 0, 0
    for part in parts:
        length = min(MODEL_CHARACTERS, len(stretch) - offset)
        if not _is_sound(part, length):
            return None
        edges = [*(first for first, _ in part.tokens), length]
        for (first, log_prob), after in zip(part.tokens, edges[1:], strict=True):
            bits[offset + first + 1 : offset + after + 1] = -log_prob / math.log(2) / (after - first)
            covered += after - first
        offset += length
    if covered < _LEAST_COVERED * len(stretch):
        return None
    total = np.cumsum(bits)
    gaps = gaps_of(text, start, end)
    places = np.array([gap - start for gap in gaps], np.int64)
    until = np.minimum(places + settings.window_characters, len(stretch))
    entropies: list[float] = ((total[until] - total[places]) / (until - places)).tolist() if gaps else []
    return _curve(gaps, entropies, start=start, settings=settings)


def _is_sound(part: LogProbs, length: int) -> bool:
    """Return whether tokens ascend inside the text and are probabilities."""
    last = -1
    for first, log_prob in part.tokens:
        if not (last < first < length and math.isfinite(log_prob) and log_prob <= _ROUNDING):
            return False
        last = first
    return bool(part.tokens)


def _curve(gaps: tuple[int, ...], entropies: list[float], *, start: int, settings: TierSettings) -> Curve:
    """Compare each window with the one before it, and require a rise that is rare among all."""
    rises = np.full(len(gaps), np.nan)
    for index, gap in enumerate(gaps):
        before = bisect_right(gaps, gap - settings.window_characters) - 1
        if before >= 0 and gap - settings.window_characters >= start:
            rises[index] = entropies[index] - entropies[before]
    spread = float(np.nanstd(rises)) if np.isfinite(rises).any() else 0.0
    return Curve(gaps=gaps, rises=rises, least=max(_LEAST_BITS, _LEAST_RISE * spread))
