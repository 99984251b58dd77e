"""Claims that a rewrite adds, leaves out or words otherwise, sentence by sentence, with the passages that bear them out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolore.domain.contest import EvidenceText
from evolore.domain.language import Language
from evolore.evolution.gates.claims import Claim, ClaimGroup, changed_claims, dice, pair_claims, read_claims, words_of

_LEAST_SHARED = 0.2
"""Of the words of both sentences, from which share on one bears out the other, where it states no new value of it."""
_MOST_PASSAGES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BornOut:
    """A sentence of a passage that says what a rewrite says."""

    episode_id: str  #: Whose it is.
    quote: str  #: The sentence, word for word.


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimChange:
    """Sentences of two texts about the same, of which not all are the same."""

    #: Those of the text before, word for word; none for a claim that is new.
    before: tuple[str, ...]
    after: tuple[str, ...]  #: Those of the text after; none where something is left out.
    #: What bears out what the text before did not say, best first; none where nothing of what the rewrite names does.
    evidence: tuple[BornOut, ...] = ()


def claim_changes(
    before: str, after: str, *, language: Language, evidence: Sequence[EvidenceText] = ()
) -> tuple[ClaimChange, ...]:
    """Return the changes between two texts, claim by claim, in the second's order; omissions stay near their places."""
    old, new = read_claims(before, language), read_claims(after, language)
    groups = pair_claims(old, new)
    gone, said = changed_claims(old, new)
    paired = {claim.span for group in groups for claim in group.before}
    taken = {claim.span for group in groups for claim in group.after}
    found = [(_place(group, len(before), len(after)), group.before, group.after) for group in groups]
    found += [(one.span.start / len(before), (one,), ()) for one in gone if one.span not in paired]
    found += [(one.span.start / len(after), (), (one,)) for one in said if one.span not in taken]
    passages = [(one.id, read_claims(one.text, language)) for one in evidence]
    return tuple(
        ClaimChange(
            before=tuple(one.text for one in was),
            after=tuple(one.text for one in now),
            evidence=tuple(_bearing_out(was, now, passages)),
        )
        for _, was, now in sorted(found, key=lambda one: one[0])
    )


def _place(group: ClaimGroup, before: int, after: int) -> float:
    return group.after[0].span.start / after if group.after else group.before[0].span.start / before


def _bearing_out(
    was: Sequence[Claim], now: Sequence[Claim], passages: Sequence[tuple[str, Sequence[Claim]]]
) -> Iterator[BornOut]:
    """Yield the best sentence of each passage that says what is new."""
    words = words_of(now) - words_of(was)
    values = _values(now) - _values(was)
    if not words and not values:
        return
    best = [
        (max(((_share(words, values, one), one) for one in claims), key=lambda told: told[0]), id_)
        for id_, claims in passages
        if claims
    ]
    for (share, claim), id_ in sorted(best, key=lambda told: -told[0][0])[:_MOST_PASSAGES]:
        if share >= _LEAST_SHARED:
            yield BornOut(episode_id=id_, quote=claim.text)


def _share(words: Counter[str], values: frozenset[object], claim: Claim) -> float:
    """Return how much of what is new a sentence says, above 0; one that states a new value says more than any that does not."""
    return dice(words, Counter(claim.words)) + len(values & _values([claim]))


def _values(claims: Sequence[Claim]) -> frozenset[object]:
    return frozenset(value for claim in claims for value in claim.hard_values)
