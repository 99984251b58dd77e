"""The claim gate's pure part: no claim is lost, none is invented, and none is turned into another."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evolore.evolution.gates.claims import changed_claims, pair_claims, read_claims, words_of
from evolore.evolution.gates.turned_claims import turned
from evolore.evolution.gates.verdicts import Finding, Gate, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.language import Language
    from evolore.evolution.gate_settings import GateSettings
    from evolore.evolution.gates.claims import Claim, Group

_FEWEST_WORDS = 3
_SAID_AGAIN = 0.8


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
    found = list(_unmatched(ours, theirs, cited, settings))
    groups = pair_claims(ours, theirs)
    if not found:
        found += _put_in(groups, changed_claims(ours, theirs), (*ours, *cited))
    for group in groups:
        found += [*_spare(group, (*ours, *cited), theirs, settings), *turned(group, language, cited=words_of(cited))]
    return Verdict(gate=Gate.CLAIMS, findings=tuple(found))


def _unmatched(
    ours: Sequence[Claim], theirs: Sequence[Claim], cited: Sequence[Claim], settings: GateSettings
) -> Iterator[Finding]:
    """Say which sentences have no counterpart; as many on either side are taken for one another, in other words."""
    known = (*ours, *cited)
    lost = list(_alone(ours, theirs, settings.kept_share))
    invented = list(_alone(theirs, known, settings.known_share))
    if len(lost) == len(invented):
        return
    for claim in lost if len(lost) > len(invented) and len(theirs) < len(ours) else ():
        if not _is_light(claim):
            yield Finding(reason="A claim of the original is lost", before=claim.span, quote=claim.text)
    for claim in invented if len(invented) > len(lost) and len(theirs) > len(ours) else ():
        if not _is_light(claim) and (not claim.asks or _whole_share(claim, known) < settings.known_share):
            reason = "A claim stands neither in the original nor in what is cited"
            yield Finding(reason=reason, after=claim.span, quote=claim.text)


def _put_in(
    groups: Sequence[Group], changed: tuple[list[Claim], list[Claim]], known: Sequence[Claim]
) -> Iterator[Finding]:
    """Say which sentence was put among others that stayed, though its words stand there too."""
    ours, theirs = changed
    if len(theirs) <= len(ours):
        return
    paired = {claim.span for group in groups for claim in group.after}
    for claim in theirs:
        is_told = _is_light(claim) or claim.asks or _whole_share(claim, known) >= _SAID_AGAIN
        if claim.span not in paired and not is_told:
            reason = "A claim stands neither in the original nor in what is cited"
            yield Finding(reason=reason, after=claim.span, quote=claim.text)


def _alone(claims: Sequence[Claim], others: Sequence[Claim], least: float) -> Iterator[Claim]:
    """Give the sentences of which neither the words nor the protected spans are found again."""
    texts = {other.text for other in others}
    values = frozenset(value for other in others for value in other.hard_values)
    for claim in claims:
        is_there = claim.text in texts or (claim.hard_values and claim.hard_values <= values)
        if not (is_there or claim.is_heading or not claim.words) and _found_share(claim, others) < least:
            yield claim


def _is_light(claim: Claim) -> bool:
    return claim.is_heading or len(claim.words) < _FEWEST_WORDS


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


def _spare(group: Group, known: Sequence[Claim], theirs: Sequence[Claim], settings: GateSettings) -> Iterator[Finding]:
    """Say which sentence of a group of several has nothing on the other side that the rest does not stand for."""
    fewer = len(group.after) < len(group.before)
    for claim in _uncovered(group.before, group.after, settings.kept_share) if fewer else ():
        if _whole_share(claim, theirs) < _SAID_AGAIN and not _keeps_values(claim, theirs):
            yield Finding(reason="A claim of the original is lost", before=claim.span, quote=claim.text)
    more = len(group.after) > len(group.before)
    for claim in _uncovered(group.after, group.before, settings.known_share) if more else ():
        if _whole_share(claim, known) < _SAID_AGAIN and not _keeps_values(claim, known):
            reason = "A claim stands neither in the original nor in what is cited"
            yield Finding(reason=reason, after=claim.span, quote=claim.text)


def _keeps_values(claim: Claim, others: Sequence[Claim]) -> bool:
    values = frozenset(value for other in others for value in other.hard_values)
    return bool(claim.hard_values) and claim.hard_values <= values


def _uncovered(claims: Sequence[Claim], others: Sequence[Claim], least: float) -> Iterator[Claim]:
    if len(claims) <= 1:
        return
    whole = words_of(others)
    for claim in claims:
        rest = whole - words_of([other for other in claims if other is not claim])
        bag = Counter(claim.words)
        if not (_is_light(claim) or claim.asks) and (bag & rest).total() / bag.total() < least:
            yield claim
