"""The cheapest division of a run of units, by dynamic programming over code lengths, prices and wishes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evolore.chunking.code_length import TokenTable, UnitVectors, cohesion_costs, read_tokens, segment_costs
from evolore.chunking.settings import DEFAULT_SEGMENTATION, LARGEST_BAND, SegmentationSettings
from evolore.domain.checks import check_above_zero, check_least
from evolore.ports.models import Embedder
from evolore.text.sentences import points_back
from evolore.text.tokens import character_pairs, content_tokens
from evolore.text.vectors import Bools, Float64s, Int64s

__all__ = ["DEFAULT_SEGMENTATION", "Segmentation", "SegmentationSettings", "segment"]

_BLOCK_UNITS = 2048
"""Longer runs are cut block by block, so that memory does not grow with the document; eight times ``LARGEST_BAND``, so
that every block holds whole segments."""

_PRIOR_TOKENS = 3
"""Tokens of average frequency that every unit is given, so that short units are not judged by one word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segmentation:
    """Where a run of units is cut."""

    boundaries: tuple[int, ...] = ()  #: The first unit of every segment but the first, ascending.
    #: For each boundary, the bits that cutting there saves over continuing the segment before it, its price already
    #: paid; negative where only the length asked for a cut.
    gains_bits: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRun:
    """A run of units to be cut."""

    views: tuple[TokenTable, ...]  #: Their tokens, seen in one way or several; the content tokens first.
    characters: Int64s  #: The length of each; shape (units,).
    #: What a cut before each unit costs on top of its price, negative where a cut is welcome; shape (units,).
    gap_nats: Float64s
    points_back: Bools  #: Where a unit points back to the one before; shape (units,).
    is_fence: Bools  #: Where a cut before the unit is already made; shape (units,).
    vectors: UnitVectors | None = None  #: The source of their vectors; None where words alone decide.
    start: int = 0  #: Where it begins in what the vectors are counted by.

    @classmethod
    def read(cls, units: Callable[[], Iterable[str]], characters: Int64s, settings: SegmentationSettings) -> UnitRun:
        """Read the units' tokens and back references; ``units`` reads them again at each call."""
        points: list[bool] = []

        def watched() -> Iterator[str]:
            for unit in units():
                points.append(points_back(unit))
                yield unit

        share = settings.pair_weight
        words = replace(read_tokens(watched(), content_tokens), once_weight=settings.once_weight)
        views: tuple[TokenTable, ...] = (words,)
        if share and len((pairs := read_tokens(units(), character_pairs, weight=share)).tokens):
            views = (replace(words, weight=1 - share), pairs)
        return cls(
            views=views,
            characters=characters,
            gap_nats=np.zeros(len(characters)),
            points_back=np.array(points, np.bool_),
            is_fence=np.zeros(len(characters), np.bool_),
        )

    def slice(self, start: int, end: int) -> UnitRun:
        """Return the run of the units from ``start`` to ``end``."""
        return UnitRun(
            views=tuple(view.slice(start, end) for view in self.views),
            characters=self.characters[start:end],
            gap_nats=self.gap_nats[start:end],
            points_back=self.points_back[start:end],
            is_fence=self.is_fence[start:end],
            vectors=self.vectors,
            start=self.start + start,
        )

    def joined(self, starts: Int64s, *, once_weight: float) -> UnitRun:
        """Return a run whose units are the stretches between these starts, the first of them 0, seen by their tokens alone."""
        table = self.views[0]
        counts = np.add.reduceat(table.counts, starts).astype(np.int32)
        return UnitRun(
            views=(replace(table, counts=counts, once_weight=once_weight, most_repeats=None),),
            characters=np.add.reduceat(self.characters, starts),
            gap_nats=np.zeros(len(starts)),
            points_back=np.zeros(len(starts), np.bool_),
            is_fence=np.zeros(len(starts), np.bool_),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The wanted length and weighing of segments."""

    settings: SegmentationSettings = field(default=DEFAULT_SEGMENTATION)  #: How they are weighed.
    target_characters: float | None = None  #: The length they should have; None for any.
    most_characters: int | None = None  #: The length none may exceed unless it is a single unit; None for any.
    #: The price of a boundary where it is given outright; None for the one in the settings.
    price_nats: float | None = None


def cut(run: UnitRun, wish: Wish) -> Segmentation:
    """Cut a run of any length; fences are among the boundaries, with a gain like any other."""
    count = len(run.characters)
    boundaries: list[int] = []
    gains: list[float] = []
    start = 0
    while start < count:
        end = min(count, start + _BLOCK_UNITS)
        found = _cut_block(run if end - start == count else run.slice(start, end), wish)
        # The last segments of a block might look different with what follows: they are cut again with the next.
        settled = count if end == count else end - start - LARGEST_BAND
        kept = [index for index, boundary in enumerate(found.boundaries) if boundary <= settled]
        boundaries.extend(found.boundaries[index] + start for index in kept)
        gains.extend(found.gains_bits[index] for index in kept)
        if end == count:
            break
        start = boundaries[-1]
    return Segmentation(boundaries=tuple(boundaries), gains_bits=tuple(gains))


def _cut_block(run: UnitRun, wish: Wish) -> Segmentation:
    prices = _prices(run, wish)
    band = _band(run, wish)
    settings = wish.settings
    lengths = _lengths(run, settings, band)
    boundaries = _cheapest(_with_wishes(lengths, run, wish), _gap_prices(run, settings, prices))
    return Segmentation(boundaries=tuple(boundaries), gains_bits=_gains_bits(lengths, boundaries, prices))


def _lengths(run: UnitRun, settings: SegmentationSettings, band: int) -> Float64s:
    """Return the code length of every segment, that of its units' vectors included where they are used."""
    costs = [segment_costs(view, alpha=settings.alpha, band=band, is_fence=run.is_fence) for view in run.views]
    lengths = costs[0] if len(costs) == 1 else np.add(*costs)
    if run.vectors is None:
        return lengths
    return lengths + cohesion_costs(
        run.vectors.between(run.start, run.start + len(run.characters)),
        band=band,
        weight=settings.embedding_weight,
        prior_units=settings.embedding_prior,
    )


def _prices(run: UnitRun, wish: Wish) -> Float64s:
    """Return what a boundary before each unit costs in nats; N counts the tokens between the fences around it."""
    if wish.price_nats is not None:
        return np.full(len(run.characters), wish.price_nats)
    settings = wish.settings
    counts = run.views[0].counts
    stretches = np.cumsum(run.is_fence)
    prices = settings.boundary_price * np.log(np.maximum(np.bincount(stretches, counts), 2))[stretches]
    if run.vectors is not None:
        prices *= settings.embedding_price
    if wish.target_characters is None:
        return prices
    tokens_per_target = int(counts.sum()) * wish.target_characters / max(1, int(run.characters.sum()))
    return prices * (tokens_per_target / settings.tokens_per_price) ** settings.price_growth


def _gap_prices(run: UnitRun, settings: SegmentationSettings, prices: Float64s) -> Float64s:
    """Add to the prices what speaks for or against a cut before each unit; a negative price is not shared out."""
    shares = settings.back_reference_surcharge * run.points_back
    if settings.overview_discount:
        shares = shares - settings.overview_discount * _overview(run.views[0])
    return run.gap_nats + prices + np.maximum(prices, 0.0) * shares


def _overview(table: TokenTable) -> Float64s:
    """Return by how many powers of e each unit's tokens are more frequent in the run than tokens are on average."""
    if not len(table.tokens):
        return np.zeros(len(table.counts))
    frequencies = np.log(np.bincount(table.tokens)[table.tokens])
    excess = np.bincount(table.units, frequencies - frequencies.mean(), len(table.counts))
    return excess / (table.counts + _PRIOR_TOKENS)


def _band(run: UnitRun, wish: Wish) -> int:
    """Return the most units a segment can have."""
    longest = min(wish.settings.longest_units, len(run.characters))
    if wish.most_characters is None:
        return longest
    before = np.concatenate([[0], np.cumsum(run.characters)])
    reach = np.searchsorted(before, before[:-1] + wish.most_characters, side="right") - 1
    return max(1, min(longest, int((reach - np.arange(len(reach))).max())))


def _with_wishes(lengths: Float64s, run: UnitRun, wish: Wish) -> Float64s:
    """Add the length prior, and forbid what runs past the end, over a fence or beyond the limit."""
    count, band = _shape(lengths)
    before = np.concatenate([[0], np.cumsum(run.characters)])
    characters = before[np.minimum(np.arange(1, count + 1)[:, None] + np.arange(band), count)] - before[:-1, None]
    costs = lengths
    if wish.target_characters is not None:
        off = np.log(np.maximum(characters, 1) / wish.target_characters)
        costs = lengths + wish.settings.length_weight * off * off
    starts = np.arange(count)
    fences = np.array([*np.flatnonzero(run.is_fence).tolist(), count], np.int64)
    room = fences[np.searchsorted(fences, starts, side="right")] - starts
    is_forbidden: Bools = np.arange(band) >= room[:, None]
    if wish.most_characters is not None:
        is_forbidden |= characters > wish.most_characters
    is_forbidden[:, 0] = False
    return np.where(is_forbidden, np.inf, costs)


def _cheapest(costs: Float64s, prices: Float64s) -> list[int]:
    """Find the cheapest division by dynamic programming over where segments end.

    Args:
        costs: Nats of the segment of units i to i + k; shape (n, band); infinite where there is none.
        prices: Nats for a cut before each unit; shape (n,).
    """
    count, band = _shape(costs)
    padded = np.full((count + band, band), np.inf)
    padded[band:] = costs
    row, item = padded.strides
    # Row e, column k: the segment of k + 1 units that ends before unit e + 1.
    by_end = np.lib.stride_tricks.as_strided(padded[band:], (count, band), (row, item - row), writeable=False)
    # cheapest[band + e]: the units before e, cut, and the price of a cut at e; padded so that slices never run short.
    cheapest = np.full(count + band + 1, np.inf)
    cheapest[band] = 0.0
    paid = np.append(prices[1:], 0.0).tolist()
    sizes: list[int] = []
    for end in range(count):
        totals = by_end[end] + cheapest[end + 1 : end + 1 + band][::-1]
        size = int(totals.argmin())
        cheapest[band + end + 1] = totals[size] + paid[end]
        sizes.append(size + 1)
    boundaries: list[int] = []
    end = count
    while end > 0:
        end -= sizes[end - 1]
        boundaries.append(end)
    return boundaries[-2::-1]


def _gains_bits(lengths: Float64s, boundaries: list[int], prices: Float64s) -> tuple[float, ...]:
    """Compare, for each boundary, the two segments beside it with the one they would make together.

    Where the two together are longer than any segment considered, each is seen from the boundary half as far.
    """
    if not boundaries:
        return ()
    count, band = _shape(lengths)
    edges = np.array([0, *boundaries, count])
    middle = edges[1:-1]
    start = np.maximum(edges[:-2], np.minimum(middle - max(1, band // 2), middle - 1))
    end = np.minimum(edges[2:], np.maximum(start + band, middle))
    together = lengths[start, end - start - 1]
    apart = lengths[start, middle - start - 1] + np.where(
        end > middle, lengths[middle, np.maximum(end - middle - 1, 0)], 0
    )
    return tuple(((together - apart - prices[middle]) / math.log(2)).tolist())


def _shape(costs: Float64s) -> tuple[int, int]:
    return int(costs.shape[0]), int(costs.shape[1])


_BISECTIONS = 30
_PRICE_RANGE_NATS = (-60.0, 400.0)


def segment(
    units: Sequence[str],
    *,
    settings: SegmentationSettings = DEFAULT_SEGMENTATION,
    target_characters: float | None = None,
    segments: int | None = None,
    embedder: Embedder | None = None,
) -> Segmentation:
    """Cut a run of units, such as the sentences of a document, where its topic changes.

    Args:
        units: The units in order; what lies between them is ignored.
        settings: How segments are weighed.
        target_characters: The length segments should have, in characters, above 0; None for any.
        segments: How many segments to make, at least 1; None to let the code length decide. The price of a
            boundary is then searched for, and the nearest number that some price leads to is taken.
        embedder: Where given, units also stay together because their vectors are close; it is slower by what embedding
            every unit takes.

    Returns:
        The boundaries of the cheapest division; of two equally cheap, the one with the shorter last segments.

    Raises:
        InvalidValue: A target or a number of segments that is not positive.
    """
    check_above_zero(target_characters=target_characters)
    check_least(1, segments=segments)
    run = UnitRun.read(lambda: units, np.fromiter(map(len, units), np.int64, len(units)), settings)
    if embedder is not None and settings.embedding_weight:
        run = replace(run, vectors=UnitVectors(embedder, lambda start, end: list(units[start:end])))
    if segments is None:
        return cut(run, Wish(settings=settings, target_characters=target_characters))
    low, high = _PRICE_RANGE_NATS
    nearest: Segmentation | None = None
    for _ in range(_BISECTIONS):
        price = (low + high) / 2
        found = cut(run, Wish(settings=settings, target_characters=target_characters, price_nats=price))
        excess = len(found.boundaries) + 1 - segments
        if nearest is None or abs(excess) < abs(len(nearest.boundaries) + 1 - segments):
            nearest = found
        if not excess:
            break
        low, high = (price, high) if excess > 0 else (low, price)
    assert nearest is not None
    return nearest
