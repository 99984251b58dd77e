"""The claim gate's pure part: no claim is lost, none is invented, and none is turned into another."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.evolution.gates.claims import changed_claims, pair_claims, read_claims, words_of
from evolore.evolution.gates.exchanged_values import exchanged_rows, exchanged_values
from evolore.evolution.gates.turned_clauses import turned_clauses
from evolore.evolution.gates.verdicts import Finding, Gate, Level, Verdict
from evolore.text.protected.folding import fold_text
from evolore.text.protected.units import unit_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.evolution.gates.claim_scores import ClaimWeights
    from evolore.evolution.gates.claims import Claim, Similar
    from evolore.evolution.settings import GateSettings

_OUT_OF_NOWHERE = "Words stand neither in the original nor in what is cited"
_LATIN_WORD = re.compile(r"[a-z]{4,}")

_FEWEST_WORDS = 3
_UNKNOWN = 0.4
"""How near a sentence is taken to be where nothing tells: near enough not to be refused, too far to be sure."""

_SAID_AGAIN = 0.8


def new_words(claims: Sequence[Claim], known: Sequence[Claim], language: Language) -> Iterator[Finding]:
    """Doubt sentences, however short, that share no word with what is known, and Latin words in Japanese and Chinese.

    A sentence of one or two words is too short to be weighed as a claim; a name, a code or half a secret fits in it.

    Args:
        claims: The candidate's sentences.
        known: Those of the original, and of what is cited.
        language: What they are written in.

    >>> from evolore.evolution.gates.claims import read_claims
    >>> before, after = "Open the valve.", "Open the valve. Korvat, zelin."
    >>> found = new_words(read_claims(after, Language.EN), read_claims(before, Language.EN), Language.EN)
    >>> [(one.quote, one.level.value) for one in found]
    [('Korvat, zelin.', 'doubt')]
    """
    words = {word for claim in known for word in claim.words}
    plain = " ".join(fold_text(claim.text).casefold() for claim in known)
    is_spaced = language not in {Language.JA, Language.ZH}
    for claim in claims:
        is_apart = bool(claim.words) and not claim.asks and not claim.is_heading and words.isdisjoint(claim.words)
        if is_apart or (not is_spaced and _has_new_latin(claim.text, plain)):
            yield Finding(reason=_OUT_OF_NOWHERE, after=claim.span, quote=claim.text, level=Level.DOUBT)


def _has_new_latin(text: str, known: str) -> bool:
    """Tell whether a text has a word in Latin letters that is no unit and is not known."""
    found = _LATIN_WORD.findall(fold_text(text).casefold())
    return any(word not in known and unit_at(word, 0)[1] != len(word) for word in found)


def claim_gate(
    before: str,
    after: str,
    language: Language,
    settings: GateSettings,
    *,
    evidence: Sequence[str] = (),
    similar: Similar | None = None,
    weights: ClaimWeights | None = None,
) -> Verdict:
    """Say which claims a candidate loses, invents or turns around, as far as words tell; a model may judge later.

    Args:
        before: The original; of a crossover, all of them joined.
        after: The candidate.
        language: What both are written in.
        settings: How much of a sentence must be found again.
        evidence: What the candidate cites: it may say what stands there. Feedback is none.
        similar: How near sentences are in meaning, such as cosines of their vectors: a matrix of the first by the second.
        weights: What signs of a turned claim weigh, in place of what ships.
    """
    ours, theirs = read_claims(before, language), read_claims(after, language)
    cited = tuple(claim for text in evidence for claim in read_claims(text, language))
    changed = changed_claims(ours, theirs)
    found = [*_lost(changed, theirs, settings, similar), *_invented(changed, (*ours, *cited), settings, similar)]
    found += new_words(theirs, (*ours, *cited), language)
    found += turned_clauses(ours, theirs, language, cited=words_of(cited), similar=similar, weights=weights)
    found += exchanged_rows(ours, theirs)
    for group in pair_claims(ours, theirs, similar=similar):
        found += exchanged_values(group, language)
    return Verdict(gate=Gate.CLAIMS, findings=tuple(found))


_Changed = tuple[list["Claim"], list["Claim"]]


def _lost(
    changed: _Changed, theirs: Sequence[Claim], settings: GateSettings, similar: Similar | None
) -> Iterator[Finding]:
    """Say which sentences have no counterpart: certainly where all else stands, or nothing is near in meaning."""
    alone = {claim.span for claim in _alone(changed[0], theirs, settings.kept_share)}
    for claim, nearness in _nearest(changed[0], theirs, similar):
        is_alone = claim.span in alone or (not changed[1] and _whole_share(claim, theirs) < _SAID_AGAIN)
        is_certain = is_alone and not changed[1]
        if is_certain or (is_alone and nearness < settings.sure_similar):
            level = Level.REFUSE if is_certain else Level.DOUBT
            yield Finding(reason="A claim of the original is lost", before=claim.span, quote=claim.text, level=level)


def _invented(
    changed: _Changed, known: Sequence[Claim], settings: GateSettings, similar: Similar | None
) -> Iterator[Finding]:
    """Say which sentences stand neither in the original nor in what is cited."""
    reason = "A claim stands neither in the original nor in what is cited"
    alone = {claim.span for claim in _alone(changed[1], known, settings.known_share)}
    for claim, nearness in _nearest(changed[1], known, similar):
        if claim.asks and _whole_share(claim, known) >= settings.known_share:
            continue
        is_alone = claim.span in alone or (not changed[0] and _whole_share(claim, known) < _SAID_AGAIN)
        is_certain = is_alone and not changed[0]
        if is_certain or (is_alone and nearness < settings.sure_similar):
            level = Level.REFUSE if is_certain else Level.DOUBT
            yield Finding(reason=reason, after=claim.span, quote=claim.text, level=level)


def _nearest(
    claims: Sequence[Claim], others: Sequence[Claim], similar: Similar | None
) -> Iterator[tuple[Claim, float]]:
    """Give sentences that say something, each with how near the nearest of others is, or two of them together."""
    spoken = [claim for claim in claims if not _is_light(claim)]
    if similar is None or not spoken or not others:
        yield from ((claim, _UNKNOWN) for claim in spoken)
        return
    texts = [other.text for other in others]
    near = similar([claim.text for claim in spoken], [*texts, *map(" ".join, pairwise(texts))])
    yield from zip(spoken, near.max(axis=1).tolist(), strict=True)


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
    best = 0
    for index, other in enumerate(others):
        around = other.words + (others[index + 1].words if index + 1 < len(others) else ())
        known = set(around)
        best = max(best, sum(count for word, count in bag.items() if word in known))
    return best / bag.total()


def _whole_share(claim: Claim, others: Sequence[Claim]) -> float:
    bag = Counter(set(claim.words))
    return (bag & words_of(others)).total() / bag.total()
