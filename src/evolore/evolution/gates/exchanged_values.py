"""Values that gave way to others of the document, or changed places, in sentences that belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.evolution.gates.verdicts import Finding, Level
from evolore.text.protected import SpanKind
from evolore.text.protected.weighing import weigh_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.language import Language
    from evolore.evolution.gates.claims import Group
    from evolore.text.protected import ProtectedSpan

_MUCH_ALIKE = 0.75
_ALIKE = 0.5
_COUNTED = frozenset({SpanKind.NUMBER, SpanKind.DATE, SpanKind.TIME})


def exchanged_values(group: Group, language: Language) -> Iterator[Finding]:
    """Say where a number, date or name gave way to another of the document, or two changed places."""
    ours, theirs = (" ".join(claim.text for claim in claims) for claims in (group.before, group.after))
    for change in weigh_spans(ours, theirs, language):
        if change.lost and change.added:
            reason = f"{change.lost.quote.strip()} became {change.added.quote.strip()}"
            is_certain = change.is_certain or (change.lost.kind is SpanKind.RATE and group.share >= _ALIKE)
            yield _of_group(group, reason, Level.REFUSE if is_certain else Level.DOUBT)
    spans = [[span for claim in claims for span in claim.spans] for claims in (group.before, group.after)]
    if group.share >= _MUCH_ALIKE and _is_swapped(group, *spans):
        yield _of_group(group, "Values changed places", Level.REFUSE)


def _of_group(group: Group, reason: str, level: Level) -> Finding:
    quote = " ".join(claim.text for claim in group.after)
    return Finding(reason=reason, before=group.before[0].span, after=group.after[0].span, quote=quote, level=level)


def _is_swapped(group: Group, ours: Sequence[ProtectedSpan], theirs: Sequence[ProtectedSpan]) -> bool:
    """Tell whether the same values stand in another order while the words around them stand in theirs."""
    first = [span.value for span in ours if span.kind in _COUNTED]
    second = [span.value for span in theirs if span.kind in _COUNTED]
    if first == second or sorted(first) != sorted(second):
        return False
    values = {value for one in first for value in one.split()}
    words = [
        [word for claim in claims for word in claim.words if word not in values]
        for claims in (group.before, group.after)
    ]
    common = set(words[0]) & set(words[1])
    return [word for word in words[0] if word in common] == [word for word in words[1] if word in common]


