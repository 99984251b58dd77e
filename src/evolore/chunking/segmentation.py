"""Where a sequence of sentences is cut: the way in for evaluation and for callers with units of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evolore.chunking.cohesion import UnitVectors
from evolore.chunking.division import Run, Segmentation, Wish, cut
from evolore.chunking.settings import DEFAULT_SEGMENTATION, SegmentationSettings
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports.embedding import Embedder

__all__ = ["DEFAULT_SEGMENTATION", "Segmentation", "SegmentationSettings", "segment"]

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
        units: The units in order; what lies between them is not looked at.
        settings: How segments are weighed.
        target_characters: The length segments should have, in characters, above 0; None for any.
        segments: How many segments there shall be, at least 1; None to let the code length decide. The price of a
            boundary is then searched for, and the nearest number that some price gives is taken.
        embedder: Where given, units also stay together because their vectors are close; it is slower by what embedding
            every unit takes.

    Returns:
        The boundaries of the cheapest division; of two equally cheap, the one with the shorter last segments.

    Raises:
        InvalidValue: A target or a number of segments that is not positive.
    """
    if target_characters is not None and not target_characters > 0:
        raise InvalidValue(f"target_characters is {target_characters}: give a length above 0.")
    if segments is not None and segments < 1:
        raise InvalidValue(f"segments is {segments}: a text has at least 1.")
    run = Run.read(lambda: units, np.fromiter(map(len, units), np.int64, len(units)), settings)
    if embedder is not None and settings.embedding_weight:
        run = replace(run, vectors=UnitVectors(embedder, lambda start, end: list(units[start:end])))
    if segments is None:
        return cut(run, Wish(settings=settings, target_characters=target_characters))
    return _cut_into(run, segments, settings, target_characters)


def _cut_into(run: Run, segments: int, settings: SegmentationSettings, target: float | None) -> Segmentation:
    """Search for the price at which there are as many segments as wished."""
    low, high = _PRICE_RANGE_NATS
    nearest: Segmentation | None = None
    for _ in range(_BISECTIONS):
        price = (low + high) / 2
        found = cut(run, Wish(settings=settings, target_characters=target, price_nats=price))
        excess = len(found.boundaries) + 1 - segments
        if nearest is None or abs(excess) < abs(len(nearest.boundaries) + 1 - segments):
            nearest = found
        if not excess:
            break
        low, high = (price, high) if excess > 0 else (low, price)
    assert nearest is not None
    return nearest
