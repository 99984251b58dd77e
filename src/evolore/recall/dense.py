"""Nearness in meaning of items to a question: candidates, cosines around the centre of a language, and vague questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evolore.domain.language import Language
from evolore.ports import EmbeddingModel, IndexView
from evolore.recall.ranking import MeaningWeights, Ranking, SpreadTerms, Term, at_the_top
from evolore.text.vectors import Float32s, Int32s, Intps, Vectors, centred

_NEAREST = 50
_UNKNOWN = 5
_BEST_BY_WORDS = 500
_ALIKE = 100
"""Up to so many hits, the same items are compared, so that the first hits do not depend on how many are wanted; for more,
as many as are wanted of the nearest, and ten times as many of the best by words."""

_BEST = 10
"""How many of the best items others are likened to in a vague question: one step along the edges of meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Which items of an index a question may see, and how they are numbered among themselves."""

    count: int  #: How many items the index has.
    numbers: Int32s  #: Those that are seen, rising, shape (seen,).
    #: The place of each item among them, -1 for none, shape (items + 1,): the last answers for -1.
    new_numbers: Int32s

    @classmethod
    def of(cls, view: IndexView, numbers: Int32s) -> Seen:
        """Make one of the numbers of the items that are seen, rising."""
        count = len(view.episode_ids)
        if numbers.size == count:
            return cls(count=count, numbers=numbers, new_numbers=np.append(numbers, np.int32(-1)))
        new_numbers = np.full(count + 1, -1, dtype=np.int32)
        new_numbers[numbers] = np.arange(numbers.size, dtype=np.int32)
        return cls(count=count, numbers=numbers, new_numbers=new_numbers)

    @property
    def is_all(self) -> bool:
        """Whether nothing is hidden, so that all numbers stay."""
        return self.numbers.size == self.count


class Meaning:
    """Compares the items a question may see with vectors: all of them, or those that can matter and a sample."""

    def __init__(
        self, view: IndexView, vector: Float32s, seen: Seen, words: SpreadTerms, *, neighbours: Int32s, limit: int
    ) -> None:
        self._view = view
        self._vector = vector
        self._seen = seen
        self._compared: Int32s | None = None
        is_long = limit > _ALIKE
        near = _nearest(view, vector, seen, count=limit if is_long else _NEAREST)
        if near is not None:
            by_words = words.windowed + words.grouped
            self._compared = candidates(by_words, near, neighbours, count=10 * limit if is_long else _BEST_BY_WORDS)
        self.similarity = self._products(vector)
        self._centre: Centre | None = None

    @property
    def sample(self) -> Int32s | None:
        """The sample of items where only some are compared; None where all are."""
        return None if self._compared is None else evenly(self._seen.numbers.size)

    def seen_from_centre(self, share: float) -> Float32s:
        """Return the similarity with what all items have in common taken out of a part of it, shape (seen,).

        Args:
            share: How far, 0–1; more than 0 costs a look at the vectors of some 500 items.
        """
        if not (share and self.similarity.size):
            return self.similarity
        return blended(self.similarity, self._find_centre().centred(self._vector, self.similarity), share=share)

    def with_likeness(self, ranking: Ranking, *, vague: float, weights: MeaningWeights) -> Ranking:
        """Add to a ranking what likeness to its best items says.

        Args:
            ranking: Without it.
            vague: How little the question's words say, 0–1.
            weights: What likeness counts for with the embedder.
        """
        weight = weights.likeness * vague * ranking.dense_weight
        best = ranking.order[:_BEST]
        if not (weight and best.size):
            return ranking
        centre, shares = self._find_centre(), shares_of(ranking.score[best])
        ground = common_ground(self._view.vectors.rows_of(self._seen.numbers[best]), shares, centre=centre)
        found = likeness(self._products(ground), ground, centre=centre, best=best, shares=shares)
        return ranking.with_term(Term.LIKENESS, np.float32(weight) * found, limit=ranking.order.size)

    def _find_centre(self) -> Centre:
        if self._centre is None:
            some = self._seen.numbers[evenly(self._seen.numbers.size)]
            # Of a few texts, the mean is mostly the texts themselves.
            known = some.size / (some.size + _UNKNOWN)
            mean = np.asarray(known * self._view.vectors.rows_of(some).mean(axis=0), dtype=np.float32)
            self._centre = Centre(mean=mean, similarity=self._products(mean))
        return self._centre

    def _products(self, vector: Float32s) -> Float32s:
        """Multiply each item's vector with another; NaN for items that are not compared."""
        seen, vectors = self._seen, self._view.vectors
        if self._compared is None:
            products = vectors.similarities(vector)
            return products if seen.is_all else products[seen.numbers]
        products = np.full(seen.numbers.size, np.nan, dtype=np.float32)
        products[self._compared] = vectors.similarities_of(vector, seen.numbers[self._compared])
        return products


def _nearest(view: IndexView, vector: Float32s, seen: Seen, *, count: int) -> Int32s | None:
    """Return the nearest items; None where most are hidden, because the nearest of all would be hidden too."""
    if 2 * seen.numbers.size < seen.count:
        return None
    near = view.vectors.nearest(vector, count=count)
    if near is None or seen.is_all:
        return near
    shown = seen.new_numbers[near]
    return shown[shown >= 0]


_UNIT = 0.07
"""How far apart in score two items lie of which one counts for a third of the other."""

_SHORTEST = 1e-3
"""A vector no longer than this has no direction to speak of."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Centre:
    """What all items have in common, taken out before they are compared.

    Every vector of a memory shares a direction: the language, the habits of the embedder, what everybody talks about.
    """

    mean: Float32s  #: Of the vectors of a sample of items, shape (dimension,).
    #: Product of each item's vector with it, NaN for items that are not compared, shape (items,).
    similarity: Float32s

    def distances(self) -> Float32s:
        """Return how far each item's vector lies from the mean, shape (items,)."""
        return np.sqrt(np.maximum(1.0 - 2.0 * self.similarity + float(self.mean @ self.mean), np.float32(_SHORTEST**2)))

    def centred(self, vector: Float32s, products: Float32s) -> Float32s:
        """Return the cosine of each item with a vector, both seen from the mean.

        Args:
            vector: Shape (dimension,).
            products: Of it with each item's vector, shape (items,).
        """
        length = max(float(np.linalg.norm(vector - self.mean)), _SHORTEST)
        offset = float(vector @ self.mean) - float(self.mean @ self.mean)
        return ((products - self.similarity - np.float32(offset)) / (self.distances() * np.float32(length))).astype(
            np.float32
        )


def blended(plain: Float32s, centred: Float32s, *, share: float) -> Float32s:
    """Mix two readings of similarity on one scale; NaN stays where an item was not compared.

    Args:
        plain: Cosines, shape (items,).
        centred: Cosines seen from the mean, shape (items,).
        share: Part of the second, 0–1.
    """
    return np.asarray((1.0 - share) * plain + share * centred, dtype=np.float32)


def shares_of(scores: Float32s) -> Float32s:
    """Return how much each of the best counts, by how far it is behind the first; they sum to 1.

    Args:
        scores: Of the best items, at least one, shape (best,).
    """
    weights = np.exp((scores - scores.max()) / _UNIT)
    return (weights / weights.sum()).astype(np.float32)


def common_ground(rows: Float32s, shares: Float32s, *, centre: Centre) -> Float32s:
    """Return the mean of some items' directions from the centre, shape (dimension,).

    Args:
        rows: Their unit vectors, shape (best, dimension).
        shares: How much each counts, shape (best,).
        centre: What all items have in common.
    """
    apart = rows - centre.mean
    return (shares @ (apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), _SHORTEST))).astype(np.float32)


def likeness(products: Float32s, ground: Float32s, *, centre: Centre, best: Int32s, shares: Float32s) -> Float32s:
    """Return how much each item is like the best others, as a cosine above the mean; 0 for items that were not compared."""
    values = (products - np.float32(ground @ centre.mean)) / centre.distances()
    values[best] -= shares
    known = ~np.isnan(values)
    found = np.zeros_like(values)
    found[known] = values[known] - np.float32(values[known].mean(dtype=np.float64))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class MatterSpace:
    """Where a model puts texts of each language.

    Raw cosines mean another thing in every model and language: unrelated texts reach 0.2 in one, 0.8 in another.
    Around the centre of their language they mean about the same.
    """

    #: The mean vector of texts of a language, shape (dimension,); for others, the candidates' own mean.
    centres: Mapping[Language, Vectors] = field(default_factory=dict[Language, Vectors])

    def centred(self, vectors: Vectors, languages: Sequence[Language]) -> Vectors:
        """Move vectors so that their languages' centres lie at the origin, and make them of unit length again.

        Args:
            vectors: Unit vectors, shape (n, dimension).
            languages: Of each, in the same order.
        """
        if not len(vectors):
            return np.asarray(vectors, dtype=np.float32)
        own_mean = vectors.mean(axis=0)
        centres = {language: self.centres.get(language, own_mean) for language in set(languages)}
        return centred(vectors, np.stack([centres[language] for language in languages]))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Vectors]) -> MatterSpace:
        """Read what was fitted: a centre by a language's name.

        >>> MatterSpace.from_arrays({}).centres
        {}
        """
        return cls(centres={language: arrays[language.value] for language in Language if language.value in arrays})


class MatterSpaces:
    """Where models put texts of each language, each read when the first question is asked by it.

    Args:
        shipped: Returns what was found beforehand for a model, as ``MatterSpace.from_arrays`` takes it; None where no
            model was measured.
    """

    def __init__(self, shipped: Callable[[EmbeddingModel], Mapping[str, Vectors]] | None = None) -> None:
        self._shipped = shipped
        self._known: dict[EmbeddingModel, MatterSpace] = {}

    def of(self, model: EmbeddingModel) -> MatterSpace:
        """Return that of a model."""
        if model not in self._known:
            self._known[model] = MatterSpace.from_arrays({} if self._shipped is None else self._shipped(model))
        return self._known[model]


SAMPLE_SIZE = 512
"""Enough to estimate the spread of all similarities to 3 %, one standard error."""

_BEFORE_AND_AFTER = (1, 2)


def evenly(count: int) -> Int32s:
    """Return the numbers of a sample of all items, evenly spaced, shape (at most ``SAMPLE_SIZE``,)."""
    size = min(SAMPLE_SIZE, count)
    return (np.arange(size) * count // max(size, 1)).astype(np.int32)


def candidates(word_scores: Float32s, nearest: Int32s, neighbours: Int32s, *, count: int) -> Int32s:
    """Return the items to compare: the best by words, the nearest in meaning, a sample of all, and those next to them.

    An item that is neither is behind in both, so it is not missed among the first of a sum of both, but for sums of
    many middling parts.

    Returns:
        Item numbers, rising, each once.
    """
    is_chosen = np.zeros(word_scores.size + 1, dtype=np.bool_)  # the last takes the neighbour that is none
    is_chosen[_best(word_scores, count)] = True
    is_chosen[nearest] = True
    is_chosen[evenly(word_scores.size)] = True
    for column in _BEFORE_AND_AFTER:
        is_chosen[neighbours[np.flatnonzero(is_chosen[:-1]), column]] = True
    return np.flatnonzero(is_chosen[:-1]).astype(np.int32)


def _best(scores: Float32s, count: int) -> Intps:
    """Return the places of the best, of those that tie with the last the first ones."""
    places = at_the_top(scores, count)
    if places.size <= count:
        return places
    ties = scores[places] == scores[places].min()
    better = places[~ties]
    return np.concatenate((better, places[ties][: count - better.size]))
