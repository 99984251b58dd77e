"""The claim gate's pure part: no claim is lost, none is invented, and none is turned into another."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evolore.evolution.gates.claim_words import opposed_groups, restriction
from evolore.evolution.gates.claims import pair_claims, read_claims, words_of
from evolore.evolution.gates.verdicts import Finding, Gate, Verdict
from evolore.text.protected import SpanKind
from evolore.text.protected.comparing import compare_spans
from evolore.text.protected.folding import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.language import Language
    from evolore.evolution.gate_settings import GateSettings
    from evolore.evolution.gates.claims import Claim, Group
    from evolore.text.protected import ProtectedSpan

_MUCH_ALIKE = 0.75
_ALIKE = 0.5
_FEWEST_WORDS = 3
_SAID_AGAIN = 0.8
_COUNTED = frozenset({SpanKind.NUMBER, SpanKind.DATE, SpanKind.TIME})


def claim_gate(
    before: str, after: str, language: Language, settings: GateSettings, *, evidence: Sequence[str] = ()
) -> Verdict:
    """Say which claims a candidate loses, invents or turns around, as far as words tell; a model may judge later.

    Args:
        before: The original; of a crossover, all of them joined.
        after: The candidate.
        language: What both are written in.
        settings: How much of a sentence must be found again.
        evidence: What the candidate cites: it may say what stands there. Feedback is none.
    """
    ours, theirs = read_claims(before, language), read_claims(after, language)
    cited = tuple(claim for text in evidence for claim in read_claims(text, language))
    found = [*_lost(ours, theirs, settings), *_invented(ours, theirs, cited, settings)]
    for group in pair_claims(ours, theirs):
        found += [*_spare(group, theirs, (*ours, *cited), settings), *_turned(group, language)]
    return Verdict(gate=Gate.CLAIMS, findings=tuple(found))


def _lost(ours: Sequence[Claim], theirs: Sequence[Claim], settings: GateSettings) -> Iterator[Finding]:
    for claim in ours:
        if claim.is_heading or claim.asks or len(claim.words) < _FEWEST_WORDS:
            continue
        if _found_share(claim, theirs) < settings.kept_share:
            yield Finding(reason="A claim of the original is lost", before=claim.span, quote=claim.text)


def _invented(
    ours: Sequence[Claim], theirs: Sequence[Claim], cited: Sequence[Claim], settings: GateSettings
) -> Iterator[Finding]:
    known = (*ours, *cited)
    for claim in theirs:
        if claim.is_heading or len(claim.words) < _FEWEST_WORDS:
            continue
        share = _whole_share(claim, known) if claim.asks else _found_share(claim, known)
        if share < settings.known_share:
            reason = "A claim stands neither in the original nor in what is cited"
            yield Finding(reason=reason, after=claim.span, quote=claim.text)


def _found_share(claim: Claim, others: Sequence[Claim]) -> float:
    """Give how much of a claim's words stands in the two neighbouring sentences that hold most of them."""
    bag = Counter(claim.words)
    best = 0.0
    for index, other in enumerate(others):
        around = Counter(other.words)
        if index + 1 < len(others):
            around |= Counter(others[index + 1].words)
        best = max(best, (bag & around).total() / bag.total())
    return best


def _whole_share(claim: Claim, others: Sequence[Claim]) -> float:
    bag = Counter(set(claim.words))
    return (bag & words_of(others)).total() / bag.total()


def _spare(group: Group, theirs: Sequence[Claim], known: Sequence[Claim], settings: GateSettings) -> Iterator[Finding]:
    """Say which sentence of a group of several has nothing on the other side that the rest does not stand for."""
    for claim in _uncovered(group.before, group.after, settings.kept_share):
        if _whole_share(claim, theirs) < _SAID_AGAIN:
            yield Finding(reason="A claim of the original is lost", before=claim.span, quote=claim.text)
    for claim in _uncovered(group.after, group.before, settings.known_share):
        if _whole_share(claim, known) < _SAID_AGAIN:
            reason = "A claim stands neither in the original nor in what is cited"
            yield Finding(reason=reason, after=claim.span, quote=claim.text)


def _uncovered(claims: Sequence[Claim], others: Sequence[Claim], least: float) -> Iterator[Claim]:
    if len(claims) <= 1:
        return
    whole = words_of(others)
    for claim in claims:
        rest = whole - words_of([other for other in claims if other is not claim])
        bag = Counter(claim.words)
        is_told = claim.is_heading or claim.asks or len(claim.words) < _FEWEST_WORDS
        if not is_told and (bag & rest).total() / bag.total() < least:
            yield claim


def _turned(group: Group, language: Language) -> Iterator[Finding]:
    """Say what sentences that belong together say otherwise."""
    if group.share < _ALIKE * _ALIKE:
        return
    yield from _denied(group)
    yield from _exchanged(group)
    if group.share >= _ALIKE:
        yield from _opposed(group, language)
        yield from _unrestricted(group, language)


def _denied(group: Group) -> Iterator[Finding]:
    ours = [sign for claim in group.before for sign in claim.denials]
    theirs = [sign for claim in group.after for sign in claim.denials]
    is_turned = bool(ours) != bool(theirs)
    if is_turned or (len(ours) != len(theirs) and group.share >= _MUCH_ALIKE):
        what = "lost" if len(ours) > len(theirs) else "added"
        signs = ", ".join(ours if what == "lost" else theirs)
        yield _of(group, f"A denial is {what} ({signs})")


def _exchanged(group: Group) -> Iterator[Finding]:
    """Say where a number, date or name gave way to another of the document, or two changed places."""
    ours = [span for claim in group.before for span in claim.spans]
    theirs = [span for claim in group.after for span in claim.spans]
    difference = compare_spans(ours, theirs)
    for lost, added in difference.changed:
        if group.share >= _ALIKE:
            yield _of(group, f"{lost.quote.strip()} became {added.quote.strip()}")
    if group.share >= _MUCH_ALIKE and _is_swapped(group, ours, theirs):
        yield _of(group, "Values changed places")
    yield from _renamed(group, ours, theirs)


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


def _renamed(group: Group, ours: Sequence[ProtectedSpan], theirs: Sequence[ProtectedSpan]) -> Iterator[Finding]:
    """Say where a word that may be a name gave way to another such word while the rest stayed."""
    if group.share < _MUCH_ALIKE - 0.1:
        return
    names = [
        {span.value: span.quote for span in spans if span.is_soft and span.kind is SpanKind.NAME}
        for spans in (ours, theirs)
    ]
    lost = [quote for value, quote in names[0].items() if value not in names[1] and not value.isascii()]
    added = [quote for value, quote in names[1].items() if value not in names[0] and not value.isascii()]
    if lost and added:
        yield _of(group, f"{lost[0]} became {added[0]}")


def _opposed(group: Group, language: Language) -> Iterator[Finding]:
    ours = fold_text(" ".join(claim.text for claim in group.before))
    theirs = fold_text(" ".join(claim.text for claim in group.after))
    for sides in opposed_groups(language):
        first = {index for index, side in enumerate(sides) if side.search(ours)}
        second = {index for index, side in enumerate(sides) if side.search(theirs)}
        if first and second and not first & second:
            one, other = sides[min(first)].search(ours), sides[min(second)].search(theirs)
            if one and other:
                yield _of(group, f"{one.group()} became {other.group()}")


def _unrestricted(group: Group, language: Language) -> Iterator[Finding]:
    pattern = restriction(language)
    ours = [match.group() for claim in group.before for match in pattern.finditer(fold_text(claim.text))]
    theirs = [match.group() for claim in group.after for match in pattern.finditer(fold_text(claim.text))]
    if bool(ours) != bool(theirs):
        what = "lost" if ours else "added"
        yield _of(group, f"A restriction is {what} ({', '.join(ours or theirs)})")


def _of(group: Group, reason: str) -> Finding:
    return Finding(
        reason=reason,
        before=group.before[0].span,
        after=group.after[0].span,
        quote=" ".join(claim.text for claim in group.after),
    )
