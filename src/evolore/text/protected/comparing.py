"""What a rewrite lost of the protected spans of its original, and what it added."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.text.protected.spans import SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evolore.text.protected.spans import ProtectedSpan

_VERBATIM = frozenset(
    {SpanKind.CODE, SpanKind.IDENTIFIER, SpanKind.PATH, SpanKind.URL, SpanKind.VERSION, SpanKind.EMAIL}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanDifference:
    """What differs.

    Args:
        lost: Spans of the original that the rewrite has nowhere.
        added: Spans of the rewrite that neither the original nor the evidence has.
    """

    lost: tuple[ProtectedSpan, ...]
    added: tuple[ProtectedSpan, ...]

    def __bool__(self) -> bool:
        return bool(self.lost or self.added)

    @property
    def changed(self) -> Iterator[tuple[ProtectedSpan, ProtectedSpan]]:
        """Pair lost spans with added ones of their kind, in order: what was probably changed into what."""
        left = list(self.added)
        for span in self.lost:
            twin = next((other for other in left if other.kind is span.kind), None)
            if twin:
                left.remove(twin)
                yield span, twin


def compare_spans(before: Sequence[ProtectedSpan], after: Sequence[ProtectedSpan]) -> SpanDifference:
    """Compare by value: how often a span stands does not matter, where it stands neither."""
    return SpanDifference(lost=tuple(_missing(before, after)), added=tuple(_missing(after, before)))


def _missing(wanted: Iterable[ProtectedSpan], there: Sequence[ProtectedSpan]) -> Iterator[ProtectedSpan]:
    known = {(span.kind, span.value) for span in there}
    verbatim = {span.value for span in there if span.kind in _VERBATIM | {SpanKind.NAME}}
    folded = {value.casefold() for value in verbatim}
    seen: Counter[tuple[SpanKind, str]] = Counter()
    for span in wanted:
        key = (span.kind, span.value)
        seen[key] += 1
        if span.is_soft or key in known or seen[key] > 1:
            continue
        if span.kind in _VERBATIM and span.value in verbatim:
            continue
        if span.kind is SpanKind.NAME and span.value.casefold() in folded:
            continue
        yield span
