"""What a rewrite lost of the protected spans of its original, and what it added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.text.protected.spans import SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evolore.text.protected.spans import ProtectedSpan

_VERBATIM = frozenset(
    {SpanKind.CODE, SpanKind.IDENTIFIER, SpanKind.PATH, SpanKind.URL, SpanKind.VERSION, SpanKind.EMAIL, SpanKind.NAME}
)
_RELATIONS = frozenset({SpanKind.LIMIT, SpanKind.RATE, SpanKind.BODY})


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
    """Compare by value: how often a span stands does not matter, where it stands neither.

    A limit, a rate or a department may be worded in so many ways that only one which gives way to another counts:
    "at least 5" to "at most 5", "per order" to "per person", 人事課 to 総務課.
    """
    lost = [span for span in _missing(before, after) if not span.is_soft]
    added = [span for span in _missing(after, before) if not (span.is_soft or span.is_light)]
    return SpanDifference(
        lost=tuple(span for span in lost if _counts(span, after, added)),
        added=tuple(span for span in added if _counts(span, before, lost)),
    )


def _counts(span: ProtectedSpan, others: Sequence[ProtectedSpan], opposite: Sequence[ProtectedSpan]) -> bool:
    if span.kind not in _RELATIONS:
        return True
    rivals = [other for other in opposite if other.kind is span.kind]
    if span.kind is SpanKind.LIMIT:
        return any(other.kind is SpanKind.LIMIT and _limited(other) == _limited(span) for other in others)
    return bool(rivals)


def _limited(span: ProtectedSpan) -> str:
    """Give the number that a limit is about."""
    return span.value.partition(" ")[2]


def _missing(wanted: Iterable[ProtectedSpan], there: Sequence[ProtectedSpan]) -> Iterator[ProtectedSpan]:
    known = {(span.kind, span.value) for span in there}
    verbatim = {_spelled(span) for span in there if span.kind in _VERBATIM}
    dates = [span.value for span in there if span.kind is SpanKind.DATE]
    seen: set[tuple[SpanKind, str]] = set()
    for span in wanted:
        key = (span.kind, span.value)
        is_again = key in seen
        seen.add(key)
        if is_again or key in known or (span.kind in _VERBATIM and _spelled(span) in verbatim):
            continue
        if span.kind is SpanKind.NUMBER and (SpanKind.NUMBER, span.value.removesuffix(" time")) in known:
            continue
        if span.kind is SpanKind.DATE and any(_may_be_one(span.value, date) for date in dates):
            continue
        yield span


def _spelled(span: ProtectedSpan) -> str:
    """Give what is compared as it stands; the case of code counts, that of names does not."""
    return span.value.casefold() if span.kind is SpanKind.NAME else span.value


def _may_be_one(one: str, other: str) -> bool:
    """Tell whether two days may be one, of which the year is told once: 同年10月1日."""
    parts, others = one.split("-"), other.split("-")
    return len(parts) == len(others) == 3 and parts[1:] == others[1:] and "?" in (parts[0], others[0])  # noqa: PLR2004 - year, month, day
