"""Code length of a stretch of text: nats under a model of that stretch alone, and how close its vectors lie together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice

import numpy as np

from evolore.ports.models import Embedder, TextRole
from evolore.text.vectors import Bools, Float32s, Float64s, Int32s

MOST_REPEATS = 32
"""Repeats of one token inside a short segment counted apart; the next would change its cost by less than 1/32 nat."""

_BATCH_UNITS = 1024
_BATCH_PAIRS = 1 << 20
"""Pairs of a token and an earlier one that are held at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTable:
    """The content tokens of a run of units, as numbers."""

    #: One number a token, in text order, counted from 0 in order of appearance; shape (tokens,).
    tokens: Int32s
    counts: Int32s  #: How many tokens each unit has; shape (units,).
    weight: float = 1.0  #: How much its code length counts beside those of other views of the same units, above 0.
    #: What a token that is only once in the table counts beside one that comes again; above 0, at most 1.
    once_weight: float = 1.0
    #: Repeats of one token inside a segment that are counted apart, at least 1; None for all, where segments are long.
    most_repeats: int | None = MOST_REPEATS

    @property
    def units(self) -> Int32s:
        """The unit each token is in, ascending; shape (tokens,)."""
        return np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)

    def slice(self, start: int, end: int) -> TokenTable:
        """Return the table of the units from ``start`` to ``end``, its tokens renumbered."""
        first, last = int(self.counts[:start].sum()), int(self.counts[:end].sum())
        tokens = np.unique(self.tokens[first:last], return_inverse=True)[1]
        return replace(self, tokens=tokens.astype(np.int32), counts=self.counts[start:end])


def read_tokens(units: Iterable[str], analyse: Callable[[str], list[str]], *, weight: float = 1.0) -> TokenTable:
    """Number the tokens of every unit, holding the strings of one batch at a time."""
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    tokens: list[Int32s] = []
    counts: list[int] = []
    remaining = iter(units)
    while batch := list(map(analyse, islice(remaining, _BATCH_UNITS))):
        counts.extend(map(len, batch))
        tokens.append(np.fromiter(map(numbers.__getitem__, chain.from_iterable(batch)), np.int32))
    joined = np.concatenate(tokens) if tokens else np.empty(0, np.int32)
    return TokenTable(tokens=joined, counts=np.array(counts, np.int32), weight=weight)


def segment_costs(table: TokenTable, *, alpha: float, band: int, is_fence: Bools) -> Float64s:
    """Return the code length of every segment of at most ``band`` units.

    A segment is written token by token, each with the probability it has under the counts so far (Pólya urn):
    ``cost = Σ_m log(m + αV) - Σ_w log(count of w so far + α)``, m counting the tokens written and V the vocabulary of
    the stretch between two fences (Utiyama & Isahara 2001; Eisenstein & Barzilay 2008).

    Every pair of a token and its r-th occurrence before it saves ``log(r + α) - log(r - 1 + α)`` to just those
    segments that hold both. So the savings of all segments are one histogram over (unit, distance back), summed
    along both axes.

    A token that is only once in the table counts for its ``once_weight`` in m and V; between whole m, the sum over
    m is a straight line.

    Returns:
        Nats, weighted, shape (n, band): row i, column k for the units i to i + k. Values of segments that run over a
        fence or past the end must not be used.
    """
    plain = _plain_costs(table, alpha=alpha, band=band, is_fence=is_fence)
    unit_count = len(table.counts)
    histogram = _repeat_histogram(table, alpha=alpha, band=band)
    # Row j, column d: what the tokens of unit j save in segments that begin d units before it.
    padded = np.zeros((unit_count + band, band))
    np.cumsum(histogram, axis=1, out=padded[:unit_count])
    # Row i, column k: what those of unit i + k save in a segment that begins at i.
    row, item = padded.strides
    by_start = np.lib.stride_tricks.as_strided(padded, (unit_count, band), (row, row + item), writeable=False)
    return table.weight * (plain - np.cumsum(by_start, axis=1))


def _plain_costs(table: TokenTable, *, alpha: float, band: int, is_fence: Bools) -> Float64s:
    """Cost the segments as if no token came twice."""
    unit_count, units = len(table.counts), table.units
    weights = np.where(np.bincount(table.tokens, minlength=1) == 1, table.once_weight, 1.0)
    mass_before = np.concatenate([[0.0], np.cumsum(np.bincount(units, weights[table.tokens], unit_count))])
    ends = np.minimum(np.arange(1, unit_count + 1)[:, None] + np.arange(band), unit_count)
    fences = np.flatnonzero(np.append(True, is_fence[1:]))
    # The first token of each unit's stretch: the sums below restart there.
    before = np.concatenate([[0], np.cumsum(table.counts)])
    first = before[fences[np.searchsorted(fences, np.arange(unit_count), side="right") - 1]]
    stretches = np.cumsum(is_fence)
    width = int(table.tokens.max(initial=0)) + 1
    seen = np.unique(stretches[table.units] * width + table.tokens)
    sizes = np.bincount(seen // width, weights[seen % width], int(stretches.max(initial=0)) + 1)
    priors = alpha * sizes.astype(np.float64, copy=False)[stretches]
    steps = np.log(np.arange(len(units)) - first[units] + priors[units]) - np.log(alpha)
    sums = np.concatenate([[0.0], np.cumsum(steps)])
    masses_reached = first[:, None] + mass_before[ends] - mass_before[:-1, None]
    whole = masses_reached.astype(np.int64)
    costs = sums[whole] - sums[first][:, None]
    if table.once_weight < 1:
        costs += (masses_reached - whole) * np.append(steps, 0.0)[whole]
    return costs


def _repeat_histogram(table: TokenTable, *, alpha: float, band: int) -> Float64s:
    """Count what the tokens of each unit save more, in segments that begin each distance before it, than one unit later."""
    unit_count, most = len(table.counts), table.most_repeats or len(table.tokens)
    # One rising key for each token and unit that holds it; how many of the same token are less than a band before each.
    keys, counts = np.unique(table.tokens.astype(np.int64) * (unit_count + band) + table.units, return_counts=True)
    units, places = keys % (unit_count + band), np.arange(len(keys))
    pairs = np.minimum(places - np.searchsorted(keys, keys - (band - 1)), most)
    # What the first so many of one token save together in a segment.
    ranks = np.minimum(np.arange(len(table.tokens)), most)
    saved = np.concatenate([[0.0], np.cumsum(np.log(ranks + alpha) - np.log(alpha))])
    before = np.cumsum(counts) - counts
    histogram = np.bincount(units * band, saved[counts], unit_count * band)
    for batch in np.split(places, np.flatnonzero(np.diff(np.cumsum(pairs) // _BATCH_PAIRS)) + 1):
        later = np.repeat(batch, pairs[batch])
        first = np.cumsum(pairs[batch]) - pairs[batch]
        earlier = later - np.arange(1, len(later) + 1) + np.repeat(first, pairs[batch])
        held = before[later] - before[earlier]
        less = held - counts[earlier]
        gains = saved[held + counts[later]] - saved[held] - saved[less + counts[later]] + saved[less]
        histogram += np.bincount(units[later] * (band + 1) - units[earlier], gains, unit_count * band)
    return histogram.astype(np.float64, copy=False).reshape(-1, band)


_BATCH = 256
LONGEST_EMBEDDED = 1000
"""Characters of a unit that are embedded; what a model makes of more is an average of everything."""


@dataclass(slots=True)
class UnitVectors:
    """The vectors of a document's units, made when a block of them is cut, and not kept."""

    embedder: Embedder
    texts: Callable[[int, int], list[str]]  #: Returns the texts of the units from one to another.
    _last: tuple[tuple[int, int], Float32s] | None = field(default=None, init=False)

    def between(self, start: int, end: int) -> Float32s:
        """Return the vectors of the units from ``start`` to ``end``; those asked for last are remembered."""
        if self._last is None or self._last[0] != (start, end):
            self._last = ((start, end), np.concatenate(list(self._batches(self.texts(start, end)))))
        return self._last[1]

    def _batches(self, texts: list[str]) -> Iterator[Float32s]:
        for first in range(0, len(texts), _BATCH):
            batch = [text[:LONGEST_EMBEDDED] for text in texts[first : first + _BATCH]]
            yield self.embedder.embed(batch, role=TextRole.PASSAGE)


def cohesion_costs(vectors: Float32s, *, band: int, weight: float, prior_units: float) -> Float64s:
    """Return what the vectors of every segment of at most ``band`` units cost.

    A segment's vectors are written as points of a Gaussian around a mean of its own, which itself lies around the mean
    of all, with ``weight = 1 / (2 · variance within)`` and ``prior_units = variance within / variance between``. Up to
    what is the same for every division, and to a constant for each segment, that takes

        ``-weight · |Σ (x - mean)|² / (units + prior_units)`` nats.

    Returns:
        Nats, shape (n, band): row i, column k for the units i to i + k, at most up to the last.
    """
    count = len(vectors)
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    sums = np.concatenate([np.zeros((1, centred.shape[1])), np.cumsum(centred, axis=0)])
    squares = np.einsum("ij,ij->i", sums, sums)
    starts = np.arange(count)[:, None]
    ends = np.minimum(starts + 1 + np.arange(band), count)
    lengths = squares[ends] + squares[:-1, None] - 2.0 * (sums @ sums.T)[starts, ends]
    return -weight * lengths / (ends - starts + prior_units)
