"""Calibration of the cosines between vectors of an embedder in a language: their scale, found from texts without labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from evolore.domain.checks import check_least
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.text.scripts import detect_language
from evolore.text.tokens import content_tokens
from evolore.text.vectors import Bools, Floats, Int64s, Vectors, centred, logistic

FORM_VERSION = 1
"""Changes whenever what is kept of a calibration, or what it means, does."""

_COSINE_DIGITS = 4
_LEAST_COPIES = 2
_S_DUP_FLOOR = 0.7
_ARRAYS = ("form", "centre", "curve", "copies", "texts")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    """The scale of an embedder's cosines in one language.

    Raw cosines mean another thing in every model and language: unrelated texts reach 0.2 in one, 0.8 in another.

    Raises:
        InvalidValue: A value is out of range or of another shape.
    """

    centre: Vectors  #: The mean vector of texts, shape (dimension,).
    slope: float  #: How fast the log-odds of one matter rise with the centred cosine, above 0.
    offset: float  #: The log-odds at a centred cosine of 0.
    #: The centred cosines of texts with copies of theirs that miss 15 % of the tokens: evenly spaced quantiles,
    #: ascending, the least first and the largest last, at least 2.
    copies: Floats
    texts: int  #: How many texts it was fitted on, at least 0.

    def __post_init__(self) -> None:
        if not (self.slope > 0.0 and np.isfinite([self.slope, self.offset]).all()):
            raise InvalidValue(f"slope {self.slope} and offset {self.offset} are no curve: use a slope above 0.")
        if self.centre.ndim != 1 or not np.isfinite(self.centre).all():
            raise InvalidValue(f"centre has shape {self.centre.shape}: use one finite vector.")
        if self.copies.ndim != 1 or len(self.copies) < _LEAST_COPIES or bool((np.diff(self.copies) < 0.0).any()):
            raise InvalidValue(f"copies are {self.copies}: use at least {_LEAST_COPIES} cosines in ascending order.")
        check_least(0, texts=self.texts)

    @classmethod
    def unknown(cls, dimension: int) -> Calibration:
        """Return a default for an uncalibrated embedder: nothing is a copy, and all is one matter.

        So nothing is merged but what is the same, and nothing is split.

        >>> scale = Calibration.unknown(3)
        >>> float(scale.probability(0.0)) > 0.98, float(scale.duplicate_share(0.99))
        (True, 0.0)
        """
        return cls(
            centre=np.zeros(dimension, dtype=np.float32), slope=1.0, offset=5.0, copies=np.array([1.0, 1.0]), texts=0
        )

    def centred(self, vectors: Vectors) -> Vectors:
        """Move unit vectors so that the language's centre lies at the origin, and make them of unit length again."""
        return centred(vectors, self.centre)

    def cosines(self, left: Vectors, right: Vectors) -> Floats:
        """Return the centred cosines of all vectors on the left with all on the right, rounded to 1e-4.

        Embedding a text alone or among others yields vectors that differ by some 1e-7; rounding takes that out.

        Returns:
            Shape (n, m).
        """
        products = self.centred(left).astype(np.float64) @ self.centred(right).astype(np.float64).T
        return np.round(products, _COSINE_DIGITS)

    def log_odds(self, cosines: npt.ArrayLike) -> Floats:
        """Return the log-odds that two texts with a centred cosine are of one matter, in the shape given."""
        return self.slope * np.asarray(cosines, dtype=np.float64) + self.offset

    def probability(self, cosines: npt.ArrayLike) -> Floats:
        """Return the probability that two texts with a centred cosine are of one matter, in the shape given.

        ``P(c) = 1 / (1 + e^-(slope · c + offset))``, rounded to 1e-4.
        """
        return np.round(logistic(self.log_odds(cosines)), _COSINE_DIGITS)

    def duplicate_share(self, cosines: npt.ArrayLike) -> Floats:
        """Return the share of near copies that lie no closer than a centred cosine, in the shape given; 0–1.

        Beyond the nearest copy that was seen it is 1, and 0 before the farthest.
        """
        shares = np.linspace(0.0, 1.0, len(self.copies))
        found = np.interp(np.asarray(cosines, dtype=np.float64), self.copies, shares, left=0.0, right=1.0)
        return np.round(found, _COSINE_DIGITS)

    def s_dup(self, cosines: npt.ArrayLike) -> Floats:
        """Return the similarity on which the seed's 0.85 for merging lies: ``0.7 + 0.3 · duplicate_share``; 0.7–1."""
        return np.round(_S_DUP_FLOOR + (1.0 - _S_DUP_FLOOR) * self.duplicate_share(cosines), _COSINE_DIGITS)

    def to_arrays(self) -> dict[str, npt.NDArray[np.floating]]:
        """Return what ``from_arrays`` reads, to keep it: the same calibration, to the last bit."""
        return {
            "form": np.array([FORM_VERSION], dtype=np.float64),
            "centre": self.centre,
            "curve": np.array([self.slope, self.offset]),
            "copies": self.copies,
            "texts": np.array([self.texts], dtype=np.float64),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[np.floating]]) -> Calibration:
        """Read what ``to_arrays`` returned.

        Raises:
            InvalidValue: An array is missing, or was written in another form.
        """
        missing = [name for name in _ARRAYS if name not in arrays]
        if missing:
            raise InvalidValue(f"A calibration lacks {', '.join(missing)}: calibrate again.")
        if int(arrays["form"][0]) != FORM_VERSION:
            raise InvalidValue(f"A calibration has form {int(arrays['form'][0])}, not {FORM_VERSION}: calibrate again.")
        slope, offset = arrays["curve"].tolist()
        return cls(
            centre=np.asarray(arrays["centre"], dtype=np.float32),
            slope=slope,
            offset=offset,
            copies=np.asarray(arrays["copies"], dtype=np.float64),
            texts=int(arrays["texts"][0]),
        )


Integers = Int64s

ENOUGH_TEXTS = 230
"""From so many texts of a language on, nothing of what ships is left in its calibration."""

TYPICAL = (21.0, -2.5)
"""Slope and offset of the mean of the six curves that ship, for two embedders in three languages: once centred, embedders are
alike (slopes 18.8–24.4, offsets −2.1 to −2.9)."""

PAIRS = 4000
"""How many pairs of either kind are compared; more change no digit that matters."""

QUANTILES = 101
_FEWEST_PAIRS = 30
_FEWEST_COPIES = 20
_GROWTH = 1.5
_STEPS = 50
_CONVERGED = 1e-9
_RIDGE = 1e-6
_SLOPES = (1.0, 100.0)


_DROPPED, _OF = 3, 20
_UNSPACED = frozenset({Language.JA, Language.ZH})
_LONGEST_WORD = 15
"""Where words are longer than this on average, spaces do not separate them either."""
# The two-dimensional golden ratio: multiples of its powers, modulo 1, fill the square evenly and never repeat.
_PLASTIC = 1.324717957244746


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """Texts of one language, as their vectors and where they come from."""

    vectors: Vectors  #: Unit vectors, shape (n, dimension).
    matters: Integers  #: The section, parent chunk or session of each, numbered in any way, shape (n,).
    documents: Integers  #: The document of each, or again the session, shape (n,).
    #: Vectors of the first so many texts with some tokens left out, as ``thinned`` does, shape (m, dimension), m at
    #: most n; empty where no copies were embedded.
    copies: Vectors

    def __post_init__(self) -> None:
        counts = {len(self.vectors), len(self.matters), len(self.documents)}
        if len(counts) > 1 or len(self.copies) > len(self.vectors):
            raise InvalidValue(
                f"{len(self.vectors)} vectors have {len(self.matters)} matters, {len(self.documents)} documents and "
                f"{len(self.copies)} copies: use as many of the first three, and no more copies."
            )


def fit(sample: Sample, *, before: Calibration) -> Calibration:
    """Find the calibration of a sample, leaning on an earlier one while there are fewer texts than ``ENOUGH_TEXTS``.

    On one that nothing is known of (``Calibration.unknown``) it does not lean: halfway to it, vectors are half centred, and
    unrelated texts look alike. After 40 paragraphs of the project's own pages, pairs were classified with a loss of 2.6 nats leaning and
    0.63 not leaning, and 1 % and 53 % of the copies found; with 230 it was 0.55 and 63 % (``benchmarks/foreign_calibration.py``). Where its
    texts say nothing of matters, as statements without a session do, it gets the ``TYPICAL`` curve.

    The same sample in the same order results in the same calibration.
    """
    count = len(sample.vectors)
    if not count:
        return before
    is_known = before.texts > 0
    share = min(1.0, count / ENOUGH_TEXTS) if is_known else 1.0
    slope, offset = (before.slope, before.offset) if is_known else TYPICAL
    centre = np.asarray(_blend(before.centre, sample.vectors.mean(axis=0), share), dtype=np.float32)
    moved = Calibration(centre=centre, slope=slope, offset=offset, copies=before.copies, texts=before.texts)
    slope, offset = _curve(sample, moved, share)
    return Calibration(centre=centre, slope=slope, offset=offset, copies=_copies(sample, moved, share), texts=count)


def is_due(fitted_on: int, texts: int) -> bool:
    """Return whether a corpus has grown by half since its calibration was fitted, so that it is time to fit again.

    >>> is_due(0, 0), is_due(0, 1), is_due(40, 59), is_due(40, 60)
    (False, True, False, True)
    """
    return texts > 0 and texts >= _GROWTH * fitted_on


def fit_curve(cosines: Floats, same: Bools) -> tuple[float, float]:
    """Fit log-odds by Newton's method; pairs of one matter and pairs of two weigh a half each.

    Returns:
        Slope and offset.
    """
    weights: Floats = np.asarray(np.where(same, 0.5 / same.sum(), 0.5 / (~same).sum()), dtype=np.float64)
    columns = np.stack([cosines, np.ones_like(cosines)])
    found: Floats = np.zeros(2)
    for _ in range(_STEPS):
        guess = logistic(found @ columns)
        bend: Floats = (columns * (weights * guess * (1.0 - guess))) @ columns.T + _RIDGE * np.eye(2)
        # The ridge keeps the slope finite where a number separates the two kinds wholly.
        missing = columns @ (weights * (same - guess)) - _RIDGE * found
        step: Floats = np.asarray(np.linalg.solve(bend, missing), dtype=np.float64)
        found = found + step
        if float(np.abs(step).max()) < _CONVERGED:
            break
    return float(found[0]), float(found[1])


def thinned(text: str) -> str:
    """Leave out 15 % of a text's tokens, spread evenly: words, or where there are no spaces pairs of characters.

    >>> thinned("one two three four five six seven")
    'one two three four six seven'
    >>> thinned("一二三四五六七八九十")
    '一二三四五六七八'
    """
    words = text.split()
    if detect_language(text) in _UNSPACED or len(text) > _LONGEST_WORD * len(words):
        return "".join(_thinned([text[at : at + 2] for at in range(0, len(text), 2)]))
    return " ".join(_thinned(words))


def _thinned(tokens: Sequence[str]) -> list[str]:
    return [token for place, token in enumerate(tokens) if (place * 3 + 10) % _OF >= _DROPPED]


def _blend(before: npt.NDArray[np.floating], found: npt.NDArray[np.floating], share: float) -> Floats:
    return np.asarray((1.0 - share) * before + share * found, dtype=np.float64)


def _curve(sample: Sample, moved: Calibration, share: float) -> tuple[float, float]:
    related, unrelated = _related(sample.matters), _unrelated(sample.documents)
    if min(len(related), len(unrelated)) < _FEWEST_PAIRS:
        return moved.slope, moved.offset
    directions = moved.centred(sample.vectors)
    pairs = np.concatenate([related, unrelated])
    cosines = _row_cosines(directions[pairs[:, 0]], directions[pairs[:, 1]])
    slope, offset = fit_curve(cosines, np.arange(len(pairs)) < len(related))
    if slope <= 0.0:  # the sections of this corpus say nothing of matters
        return moved.slope, moved.offset
    slope = float(np.clip(slope, *_SLOPES))
    return (1.0 - share) * moved.slope + share * slope, (1.0 - share) * moved.offset + share * offset


def _copies(sample: Sample, moved: Calibration, share: float) -> Floats:
    if len(sample.copies) < _FEWEST_COPIES:
        return moved.copies
    cosines = _row_cosines(moved.centred(sample.vectors[: len(sample.copies)]), moved.centred(sample.copies))
    places = np.linspace(0.0, 1.0, QUANTILES)
    before = np.interp(places, np.linspace(0.0, 1.0, len(moved.copies)), moved.copies)
    return np.sort(_blend(before, np.quantile(cosines, places), share))


def _row_cosines(left: Vectors, right: Vectors) -> Floats:
    products: Floats = (left.astype(np.float64) * right.astype(np.float64)).sum(axis=1)
    return np.round(products, _COSINE_DIGITS)


def _related(matters: Integers) -> Integers:
    """Pair texts of one matter: neighbours in their order first, then those further apart; shape (pairs, 2)."""
    order = np.argsort(matters, kind="stable")
    ranked = matters[order]
    found: list[Integers] = []
    for apart in range(1, len(order)):
        same = np.flatnonzero(ranked[apart:] == ranked[:-apart])
        if not len(same) or sum(map(len, found)) >= PAIRS:
            break
        found.append(np.stack([order[same], order[same + apart]], axis=1))
    return _spread(np.concatenate(found)) if found else np.empty((0, 2), dtype=np.int64)


def _spread(pairs: Integers) -> Integers:
    """Return ``PAIRS`` of the pairs, evenly spaced, where there are more."""
    return pairs if len(pairs) <= PAIRS else pairs[np.linspace(0, len(pairs) - 1, PAIRS).astype(np.int64)]


def _unrelated(documents: Integers) -> Integers:
    """Pair texts of two documents, all of them alike likely; shape (pairs, 2)."""
    steps = np.arange(1, 2 * PAIRS + 1, dtype=np.float64)
    left = (np.mod(steps / _PLASTIC, 1.0) * len(documents)).astype(np.int64)
    right = (np.mod(steps / _PLASTIC**2, 1.0) * len(documents)).astype(np.int64)
    apart = documents[left] != documents[right]
    return np.stack([left[apart], right[apart]], axis=1)[:PAIRS]


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
