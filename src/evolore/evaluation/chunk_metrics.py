"""How well chunks fit what is asked: token-free recall, precision and IoU of character ranges (Smith & Troynikov 2024)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.knowledge import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A stretch of one corpus.

    Args:
        corpus: The corpus' id.
        span: Which of its characters.
    """

    corpus: str
    span: Span


def score_retrieved(retrieved: Sequence[Place], references: Sequence[Place]) -> dict[str, float]:
    """Compare the chunks that were retrieved for a question with the passages that answer it.

    Lengths are characters. Let ``hit`` be the characters of the passages that some chunk holds, each counted once:
    ``recall = hit / passages``, ``precision = hit / chunks``, ``iou = hit / (chunks + passages - hit)``. Retrieved
    characters count as often as they were retrieved.

    Args:
        retrieved: The chunks, in any order.
        references: The passages, at least one and none empty.

    >>> chunks = [Place(corpus="a", span=Span(0, 100)), Place(corpus="b", span=Span(0, 100))]
    >>> score_retrieved(chunks, [Place(corpus="a", span=Span(50, 150))])
    {'recall': 0.5, 'precision': 0.25, 'iou': 0.2}
    """
    hit = _length(_shared(retrieved, references))
    held = sum(len(place.span) for place in retrieved)
    wanted = sum(len(place.span) for place in references)
    return {
        "recall": hit / wanted,
        "precision": hit / held if held else 0.0,
        "iou": hit / (held + wanted - hit),
    }


def score_fit(chunks: Iterable[Place], references: Sequence[Place]) -> float:
    """Give PΩ: the precision if just those chunks were retrieved that hold any of the passages.

    Args:
        chunks: All chunks of the corpora.
        references: The passages.

    >>> score_fit([Place(corpus="a", span=Span(0, 100))], [Place(corpus="a", span=Span(50, 75))])
    0.25
    """
    touching = [chunk for chunk in chunks if any(_meet(chunk, reference) for reference in references)]
    held = _length(touching)
    return _length(_shared(touching, references)) / held if held else 0.0


def _meet(one: Place, other: Place) -> bool:
    start, end = max(one.span.start, other.span.start), min(one.span.end, other.span.end)
    return one.corpus == other.corpus and start < end


def _shared(chunks: Sequence[Place], references: Sequence[Place]) -> list[Place]:
    return [
        Place(
            corpus=chunk.corpus,
            span=Span(max(chunk.span.start, reference.span.start), min(chunk.span.end, reference.span.end)),
        )
        for chunk in chunks
        for reference in references
        if _meet(chunk, reference)
    ]


def _length(places: Iterable[Place]) -> int:
    """Count the characters of places that may overlap, each once."""
    total = 0
    corpus, reached = None, 0
    for place in sorted(places, key=lambda place: (place.corpus, place.span.start)):
        if place.corpus != corpus:
            corpus, reached = place.corpus, 0
        total += max(0, place.span.end - max(reached, place.span.start))
        reached = max(reached, place.span.end)
    return total
