"""Log-odds that two pieces of text are of one matter, from their vectors and the words they share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

from evolore.episodes.calibration import Calibration
from evolore.text.tokens import content_tokens
from evolore.text.vectors import Floats, Vectors

_BESIDE_WORDS = 0.85
_SHARED_WORDS = 1.4
_WITHOUT_WORDS = -0.6
_STRONGEST = 6.0
"""No pair alone says more than this, in nats: one wrong pair must not outweigh many."""

SENTENCE_SLOPE_SHARE, SENTENCE_OFFSET_SHARE = 0.76, 0.67
"""What is left of the curve of two chunks where both are single sentences, which say less. Measured on English, Japanese
and Chinese texts: 0.69–0.81 of the slope, 0.64–0.72 of the offset."""

_SLOPE_SHARES = (1.0, 0.88, SENTENCE_SLOPE_SHARE)
_OFFSET_SHARES = (1.0, 0.70, SENTENCE_OFFSET_SHARE)
"""Of two chunks; of a chunk and a sentence (measured 0.83–0.93 and 0.64–0.77); of two sentences."""


_FEW = 6


def chance(count: int) -> float:
    """Return the log-odds by which the nearest of many items are near by chance: ``ln(count / 6)``, at least 0.

    A calibration is fitted to pairs drawn evenly; the nearest of a thousand are not.

    Args:
        count: How many items they are the nearest of, at least 0.

    >>> chance(3), round(chance(600), 2)
    (0.0, 4.61)
    """
    return math.log(max(1.0, count / _FEW))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piece:
    """A neighbour of an episode, or a sentence of its text."""

    text: str  #: Its text.
    vector: Vectors  #: Its unit vector, shape (dimension,).


def log_odds_of(neighbours: Sequence[Piece], sentences: Sequence[Piece], calibration: Calibration) -> Floats:
    """Return the log-odds that two of an episode's neighbours and sentences are of one matter, for all pairs.

    ``0.85 · slope · cosine + offset + 1.4 · ln(1 + shared words) - 0.6``, slope and offset less where one of the two is
    a sentence; cut off at 6 on either side. A pair's words add most where vectors say least: on pages of one manual the
    order of pairs (area under the curve) rises from .862 to .880, on encyclopaedia articles from .959 to .963.

    Returns:
        In nats, shape (n, n) for the n neighbours and sentences, neighbours first; symmetric, 0 on the diagonal.
    """
    pieces = [*neighbours, *sentences]
    vectors = np.stack([piece.vector for piece in pieces])
    is_sentence = np.arange(len(pieces)) >= len(neighbours)
    kinds = is_sentence[:, None].astype(int) + is_sentence
    slopes, offsets = np.array(_SLOPE_SHARES)[kinds], np.array(_OFFSET_SHARES)[kinds]
    odds = _BESIDE_WORDS * slopes * calibration.slope * calibration.cosines(vectors, vectors)
    odds += (
        offsets * calibration.offset
        + _SHARED_WORDS * np.log1p(_shared_words([piece.text for piece in pieces]))
        + _WITHOUT_WORDS
    )
    odds = np.clip((odds + odds.T) / 2.0, -_STRONGEST, _STRONGEST)
    np.fill_diagonal(odds, 0.0)
    return odds


def log_odds_of_pairs(cosines: Floats, texts: Sequence[str], calibration: Calibration) -> Floats:
    """Return the log-odds that a text is of one matter with each of the others, as ``log_odds_of`` weighs two chunks.

    Args:
        cosines: Of the first text with each other, centred, shape (others,).
        texts: The text and the others.
        calibration: Of the text's language.

    Returns:
        In nats, shape (others,).
    """
    words = _WITHOUT_WORDS + _SHARED_WORDS * np.log1p(_shared_words(texts)[0, 1:])
    odds = _BESIDE_WORDS * calibration.slope * cosines + calibration.offset + words
    return np.asarray(np.clip(odds, -_STRONGEST, _STRONGEST), dtype=np.float64)


def _shared_words(texts: Sequence[str]) -> Floats:
    """Return how many content words every two texts share, shape (n, n).

    A word of two texts alone counts one, a word of all nothing: that all speak of "apple" does not show which speak of fruit.
    """
    words = [words_of(text) for text in texts]
    held_by = Counter(chain.from_iterable(words))
    shared = {word: place for place, word in enumerate(sorted(word for word, count in held_by.items() if count > 1))}
    holds = np.zeros((len(texts), len(shared)))
    for row, own in zip(holds, words, strict=True):
        row[[shared[word] for word in own if word in shared]] = 1.0
    most = max(math.log(len(texts) / 2.0), math.log(2.0))
    weights = np.array([min(1.0, math.log(len(texts) / held_by[word]) / most) for word in shared])
    return np.asarray((holds * weights) @ holds.T, dtype=np.float64)


@lru_cache(maxsize=1 << 10)
def words_of(text: str) -> frozenset[str]:
    """Return the content words of a text, as tokens."""
    return frozenset(content_tokens(text))
