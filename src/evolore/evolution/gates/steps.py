"""Steps of a procedure: those that a rewrite leaves out, and those it puts in another order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from evolore.domain.language import Language
from evolore.evolution.gates.claims import Claim, Similar, clauses_of, content_words, reading_of
from evolore.evolution.gates.verdicts import Concern, Grade
from evolore.text.values.spans import fold_text
from evolore.text.vectors import Float32s
from evolore.text.word_files import read_words

_GONE = 0.4
"""A step less near than this to every step of the rewrite is gone: half of those dropped on purpose, 1 of 30 others."""

_LESS = 0.65
"""Where all others stay, one that is nearer than this to none is gone as well."""

_STAYS = 0.85
_WORD_FOR_WORD = 0.95
_PLACED = 0.6
"""From here on a step counts as the counterpart of another."""

_FEWEST_WORDS = 2


@dataclass(frozen=True, slots=True)
class _StepText:
    """A piece of a sentence that says one thing to do, or that is so."""

    text: str
    claim: Claim
    words: frozenset[str]


def lost_steps(
    before: Sequence[Claim], after: Sequence[Claim], language: Language, *, similar: Similar | None = None
) -> Iterator[Concern]:
    """Yield which steps of the original the rewrite does not have, and which change their order.

    One that is gone where all others stay word for word is refused, else doubted; so are two neighbours that change
    places, where nothing else marks their order.

    >>> from evolore.domain.language import Language
    >>> from evolore.evolution.gates.claims import read_claims
    >>> texts = "Open the lid, fill the tank and close the lid.", "Open the lid and close the lid."
    >>> [one.quote for one in lost_steps(*(read_claims(one, Language.EN) for one in texts), Language.EN)]
    ['fill the tank']
    """
    if [claim.text for claim in before] == [claim.text for claim in after]:
        return
    ours, theirs = _steps(before, language), _steps(after, language)
    if not ours or not theirs:
        return
    near = _nearness(ours, theirs, similar)
    best = near.max(axis=1)
    signs = _signs(language)
    gone = [
        place
        for place in _gone(ours, best, knows_meaning=similar is not None)
        if not signs.states.search(ours[place].text)
    ]
    for place in gone:
        others = np.delete(best, place)
        is_certain = bool(len(others)) and float(others.min()) >= _WORD_FOR_WORD and float(best[place]) < _GONE
        level = Grade.REFUSE if is_certain and len(theirs) < len(ours) else Grade.DOUBT
        step = ours[place]
        yield Concern(reason="A step is left out", before=step.claim.span, quote=step.text, level=level)
    if not gone and any(signs.ordered.search(fold_text(claim.text)) for claim in before):
        yield from _reordered(ours, theirs, near, language)


def _gone(steps: Sequence[_StepText], best: Float32s, *, knows_meaning: bool) -> Iterator[int]:
    for place, score in enumerate(best.tolist()):
        if len(steps[place].words) < _FEWEST_WORDS:
            continue
        others = np.delete(best, place)
        is_alone = len(others) > 0 and float(others.min()) >= _STAYS
        if (score < _GONE and knows_meaning) or (score < _LESS and is_alone):
            yield place


def _nearness(ours: Sequence[_StepText], theirs: Sequence[_StepText], similar: Similar | None) -> Float32s:
    """Return how near each step is to each of the rewrite: by the share of its words, or by meaning."""
    shares = np.array(
        [[len(one.words & other.words) / max(1, len(one.words)) for other in theirs] for one in ours], dtype=np.float32
    )
    if similar is None:
        return shares
    return np.maximum(shares, similar([one.text for one in ours], [one.text for one in theirs]))


def _steps(claims: Sequence[Claim], language: Language) -> list[_StepText]:
    found: list[_StepText] = []
    joint = _signs(language).between
    for claim in claims:
        if claim.is_heading or claim.asks:
            continue
        for clause in _whole_times(clauses_of(claim)):
            for part in joint.split(clause):
                words = frozenset(word for word in content_words(part or "", language) if not word[0].isdigit())
                if words:
                    found.append(_StepText(part.strip(), claim, words))
    return found


_TIME_CUT = re.compile(r"\d$")


def _whole_times(clauses: Sequence[str]) -> list[str]:
    """Put together what was cut inside a time of day: "8", "30"."""
    found: list[str] = []
    for clause in clauses:
        if found and _TIME_CUT.search(found[-1]) and clause[:1].isdigit():
            found[-1] += f":{clause}"
        else:
            found.append(clause)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signs:
    """What marks steps in a language."""

    between: re.Pattern[str]  #: What is between two of them.
    orders: re.Pattern[str]  #: What marks their order regardless of their places.
    states: re.Pattern[str]  #: What is no step.
    ordered: re.Pattern[str]  #: What marks that a text lists steps in their order.


@cache
def _signs(language: Language) -> _Signs:
    words = read_words("evolore.evolution", "steps", language)
    return _Signs(**{name: re.compile(text, re.IGNORECASE) for name, text in words.patterns().items()})


def _reordered(
    ours: Sequence[_StepText], theirs: Sequence[_StepText], near: Float32s, language: Language
) -> Iterator[Concern]:
    signs = _signs(language)
    places = near.argmax(axis=1)
    back = near.argmax(axis=0)
    for index in range(len(ours) - 1):
        one, other = ours[index], ours[index + 1]
        first, second = int(places[index]), int(places[index + 1])
        is_placed = min(near[index, first], near[index + 1, second]) >= _PLACED
        is_mutual = int(back[first]) == index and int(back[second]) == index + 1
        if not (is_placed and is_mutual and first - second == 1):
            continue
        told = [*{step.claim.text for step in (one, other, theirs[first], theirs[second])}]
        steps = [one, other, theirs[first], theirs[second]]
        if any(signs.states.search(step.text) for step in steps[:2]) or any(
            signs.orders.search(fold_text(text)) for text in told
        ):
            continue
        moved = theirs[second]
        reason = f"Two steps change places ({one.text} / {other.text})"
        is_kept = all(
            reading_of(step.text, language).words == reading_of(theirs[place].text, language).words
            for step, place in ((one, first), (other, second))
        )
        level = (
            Grade.REFUSE
            if is_kept and len(ours) == len(theirs) and float(near.max(axis=1).min()) >= _WORD_FOR_WORD
            else Grade.DOUBT
        )
        yield Concern(reason=reason, before=one.claim.span, after=moved.claim.span, quote=moved.text, level=level)
