"""Claims that are turned: denied, exchanged, made to hold always or sometimes, in one way or its opposite."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from evolore.evolution.gates.claim_words import opposed_groups, restriction
from evolore.evolution.gates.claims import content_words
from evolore.evolution.gates.local_edits import local_changes
from evolore.evolution.gates.verdicts import Finding, Level
from evolore.text.protected import SpanKind
from evolore.text.protected.denials import weak_denials
from evolore.text.protected.folding import fold_text
from evolore.text.protected.weighing import weigh_spans

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from evolore.domain.language import Language
    from evolore.evolution.gates.claims import Claim, Group
    from evolore.text.protected import ProtectedSpan

_MUCH_ALIKE = 0.75
_ALIKE = 0.5
_NEARLY_SAME = 0.8
_COUNTED = frozenset({SpanKind.NUMBER, SpanKind.DATE, SpanKind.TIME})


def turned(group: Group, language: Language, *, cited: Counter[str]) -> Iterator[Finding]:
    """Say what sentences that belong together say otherwise; ``cited`` are the words of the evidence."""
    yield from _unrestricted(group, language)
    for reason, quote in local_changes(group, language):
        if not (cited and set(content_words(quote, language)) <= set(cited)):
            is_row = reason.endswith("exchanged") and all(claim.text.startswith("|") for claim in group.after)
            yield of_group(group, f"{reason} ({quote})", Level.REFUSE if is_row else Level.DOUBT)
    if group.share >= _ALIKE:
        yield from _exchanged(group, language)
        yield from _opposed(group, language)


def said(claims: Sequence[Claim]) -> str:
    """Give sentences as one text in one width."""
    return fold_text(" ".join(claim.text for claim in claims))


def of_group(group: Group, reason: str, level: Level = Level.REFUSE) -> Finding:
    """Make a finding about sentences that belong together."""
    quote = " ".join(claim.text for claim in group.after)
    return Finding(reason=reason, before=group.before[0].span, after=group.after[0].span, quote=quote, level=level)


def _unrestricted(group: Group, language: Language) -> Iterator[Finding]:
    """Say where "only" or "except" is gone, and nothing says it otherwise."""
    pattern = restriction(language)
    ours, theirs = said(group.before), said(group.after)
    signs = [match.group() for match in pattern.finditer(ours)]
    is_kept = pattern.search(theirs) or weak_denials(theirs, language) or any(one.denials for one in group.after)
    if signs and not is_kept:
        yield of_group(group, f"A restriction is lost ({', '.join(signs)})", Level.DOUBT)


def _exchanged(group: Group, language: Language) -> Iterator[Finding]:
    """Say where a number, date or name gave way to another of the document, or two changed places."""
    ours, theirs = (" ".join(claim.text for claim in claims) for claims in (group.before, group.after))
    for change in weigh_spans(ours, theirs, language):
        if change.lost and change.added:
            reason = f"{change.lost.quote.strip()} became {change.added.quote.strip()}"
            is_certain = change.is_certain or (change.lost.kind is SpanKind.RATE and group.share >= _ALIKE)
            yield of_group(group, reason, Level.REFUSE if is_certain else Level.DOUBT)
    spans = [[span for claim in claims for span in claim.spans] for claims in (group.before, group.after)]
    if group.share >= _MUCH_ALIKE and _is_swapped(group, *spans):
        yield of_group(group, "Values changed places")


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


def _opposed(group: Group, language: Language) -> Iterator[Finding]:
    ours, theirs = said(group.before), said(group.after)
    for sides in opposed_groups(language):
        first = {index for index, side in enumerate(sides) if side.search(ours)}
        second = {index for index, side in enumerate(sides) if side.search(theirs)}
        if first and second and not first & second:
            one, other = sides[min(first)].search(ours), sides[min(second)].search(theirs)
            if one and other:
                is_exchanged = SequenceMatcher(None, ours, theirs, autojunk=False).ratio() >= _NEARLY_SAME
                level = Level.REFUSE if is_exchanged else Level.DOUBT
                yield of_group(group, f"{one.group()} became {other.group()}", level)
