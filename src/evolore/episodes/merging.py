"""Integration: whether a new statement repeats a known one, becomes one with it, is linked to it, or stays separate."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from evolore.domain.language import Language
from evolore.episodes.differences import differences
from evolore.episodes.shared_sentences import folded, is_contained, novel_sentences, pairings, sentences_of
from evolore.text.changes import MOMENTS
from evolore.text.contrasts import words_of
from evolore.text.contrasts.reading import MOST_READ, changes_places, is_small_talk, left_over, read
from evolore.text.vectors import Floats, Labels, agglomerate, mean_of, numbered

MERGE_SIMILARITY = 0.85
"""From this ``s_dup`` on a statement merges into the one it repeats: half of the way that a copy lies which lost 15 % of its words.
Checked on STS-B, JSTS, SICK, SNLI, JNLI, JSICK and OCNLI."""

_STRONG_CONNECTION = 0.1
"""So much lower it may be where one holds all words of the other, and so much again where the two are strongly connected."""

LEAST_LINK = 0.5
"""Above this probability of the same matter two are linked."""

_MOST_ADDED = 0.2
"""How large a share of the words may be in only one of the texts."""

_DIGITS = 4
_REMEMBERED = 1 << 12
_LEAST_WORDS = {Language.JA: 3, Language.ZH: 3}
_LEAST_ENGLISH_WORDS = 2
_LEAST_TO_REPEAT = 3

_Outcome: TypeAlias = "tuple[bool, str]"


class IntegrationKind(StrEnum):
    """What becomes of a new statement."""

    DUPLICATE = "duplicate"
    MERGE = "merge"
    LINK = "link"
    NEW = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedText:
    """A statement, new or known."""

    text: str  #: What it says.
    language: Language  #: What it is written in.
    speaker: str | None = None  #: Who said it.
    about: tuple[str, str] | None = None  #: The subject and attribute it states.
    #: When it was said, such as the day: two texts that name a time by it ("yesterday") are only the same when it is.
    moment: Hashable = None
    holds: bool = True  #: Whether it is active: neither superseded nor in conflict.


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A known statement that a new one may repeat."""

    id: str  #: Its episode.
    said: MergedText  #: What it says.
    s_dup: float  #: How near it lies on the scale of copies, 0.7–1: ``Calibration.s_dup``.
    probability: float  #: That both are of one matter: ``Calibration.probability``.
    is_connected: bool = False  #: Whether the two are strongly connected in the graph already.


@dataclass(frozen=True, slots=True, kw_only=True)
class Integration:
    """What becomes of a new statement, and why."""

    kind: IntegrationKind  #: Repeats, becomes one with, is linked to, or stays separate.
    target: str | None  #: The known statement's id; None where it stays separate.
    reason: str  #: In words.
    s_dup: float = 0.7  #: The target's; 0.7 where there is none.
    novel: tuple[str, ...] = ()  #: On a merge, the sentences that the target does not say; empty where it says all.


def decide(new: MergedText, candidates: Sequence[Candidate]) -> Integration:
    """Decide what becomes of a new statement; the same for the same candidates in any order.

    A statement repeats another (``DUPLICATE``) when it is the same or part of it, case, width, spaces and
    punctuation aside. It merges when the words of both differ in nothing but what one of them adds, and it is near:
    with the same words when they are probably of one matter; where one has a word more, from ``MERGE_SIMILARITY`` on,
    lowered because the words connect them (unless one names more), and once more where the graph does. A number, negation, name, date, opposite or word that differs is a veto.

    Only statements of one speaker merge, only those of one key (or none) and only with what holds now: what was true
    once and is true again becomes a new statement. Small talk ("Thanks!", "うん", "好的") never merges, however often it occurs:
    what it answers is in its place in the conversation.
    """
    ranked = sorted(candidates, key=lambda one: (-round(one.s_dup, _DIGITS), -round(one.probability, _DIGITS), one.id))
    if merged := _repeats(new, ranked) or _merges(new, ranked):
        return merged
    linked = [one for one in ranked if round(one.probability, _DIGITS) > LEAST_LINK]
    if not linked:
        return Integration(kind=IntegrationKind.NEW, target=None, reason="nothing known is of the same matter")
    first = linked[0]
    _, why = _mergeable(new, first)
    reason = f"probably of the same matter ({first.probability:.2f}), but {why}"
    return Integration(kind=IntegrationKind.LINK, target=first.id, reason=reason, s_dup=first.s_dup)


def _repeats(new: MergedText, candidates: Sequence[Candidate]) -> Integration | None:
    if not can_repeat(new.text, new.language):
        return None
    fits = [
        one
        for one in candidates
        if not objection(new, one.said) and is_contained(new.text, one.said.text, new.language)
    ]
    same = [one for one in fits if folded(one.said.text) == folded(new.text)]
    found = min(same or fits, key=lambda one: one.id, default=None)
    if found is None:
        return None
    reason = "it says the same" if same else "all that it says is there"
    return Integration(kind=IntegrationKind.DUPLICATE, target=found.id, reason=reason, s_dup=found.s_dup)


def _merges(new: MergedText, candidates: Sequence[Candidate]) -> Integration | None:
    for one in candidates:
        may, why = _mergeable(new, one)
        if may:
            novel = novel_sentences(one.said.text, new.text, new.language)
            return Integration(kind=IntegrationKind.MERGE, target=one.id, reason=why, s_dup=one.s_dup, novel=novel)
    return None


def _mergeable(new: MergedText, candidate: Candidate) -> _Outcome:
    old = candidate.said
    keyed = "its key shows what it replaces" if new.about is not None else ""
    if why := objection(new, old) or keyed or _too_little(new) or _too_long(new, old):
        return False, why
    if is_contained(old.text, new.text, new.language) and not _too_little(old):
        return True, "it says all that is there, and more"
    veto, added = _compare(old, new)
    if veto:
        return False, veto
    if changes_places(old.text, new.text):
        return False, "words have changed places"
    if other := _turning(old, new) | _turning(new, old):
        return False, f'another small word: "{min(other)}"'
    return _near_enough(new, candidate, added)


def _turning(one: MergedText, other: MergedText) -> frozenset[str]:
    """Return the small words, such as "only", that the first text holds more often than the second."""
    find = re.compile(words_of(one.language).turning).findall
    return frozenset(Counter(find(one.text.casefold())) - Counter(find(other.text.casefold())))


def _near_enough(new: MergedText, candidate: Candidate, added: float) -> _Outcome:
    """Return whether two that differ in nothing but an added word lie near enough."""
    if not added:
        if round(candidate.probability, _DIGITS) > LEAST_LINK:
            return True, "it says the same in the same words"
        return False, f"the same words, but probably of another matter ({candidate.probability:.2f})"
    if added > _MOST_ADDED:
        return False, f"{added:.0%} of the words are on one side only"
    lowered = _STRONG_CONNECTION * (candidate.is_connected + (not _adds_name(candidate.said, new)))
    least = round(MERGE_SIMILARITY - lowered, _DIGITS)
    if round(candidate.s_dup, _DIGITS) < least:
        return False, f"its likeness {candidate.s_dup:.2f} lies below {least:.2f}"
    return True, f"it repeats it, with a word more or less (likeness {candidate.s_dup:.2f})"


def objection(new: MergedText, old: MergedText) -> str:
    """Return why two statements may not become one, regardless of their words; empty where there is no objection."""
    if not old.holds:
        return "that one does not hold, or is in conflict"
    if new.language is not old.language:
        return "they are in two languages"
    if new.speaker != old.speaker:
        return "another speaker said it"
    if new.about is not None and new.about != old.about:
        return "they have other keys"
    if new.moment != old.moment and (_names_moment(new.text) or _names_moment(old.text)):
        return "it names a time by the moment it was said, which is another"
    return ""


@lru_cache(maxsize=_REMEMBERED)
def _names_moment(text: str) -> bool:
    return MOMENTS.search(text.casefold()) is not None


@lru_cache(maxsize=_REMEMBERED)
def can_repeat(text: str, language: Language) -> bool:
    """Return whether a text says enough for its repetition to be one: no small talk, more than a word or two.

    >>> can_repeat("Thanks!", Language.EN), can_repeat("I'm vegan.", Language.EN), can_repeat("好的", Language.ZH)
    (False, True, False)
    """
    reading = read(text, language)
    if is_small_talk(reading.text, language) or not reading.says_anything:
        return False
    units = len(reading.text.split()) if language not in _LEAST_WORDS else len(folded(text))
    return units >= _LEAST_TO_REPEAT


def _too_little(said: MergedText) -> str:
    least = _LEAST_WORDS.get(said.language, _LEAST_ENGLISH_WORDS)
    if not read(said.text, said.language).has_words(least) or not can_repeat(said.text, said.language):
        return "it says too little to decide"
    return ""


def _too_long(new: MergedText, old: MergedText) -> str:
    return "it is too long to compare word by word" if max(len(new.text), len(old.text)) > MOST_READ else ""


def _adds_name(old: MergedText, new: MergedText) -> bool:
    """Return whether one names somebody or some place that the other does not: more than a word of style."""
    ours, theirs = read(old.text, old.language), read(new.text, new.language)
    return any(name not in theirs.counts for name in ours.names) or any(
        name not in ours.counts for name in theirs.names
    )


def _compare(old: MergedText, new: MergedText) -> tuple[str, float]:
    """Return what keeps two texts from being one, and how large a share of the words is on one side only."""
    found = pairings(old.text, new.text, new.language)
    counts = [len(sentences_of(one.text, new.language)) for one in (old, new)]
    if len(found) < min(counts):
        return "they have few words in common", 1.0
    added, words = 0, 0
    for pairing in found:
        for one in differences(pairing.ours, pairing.theirs, new.language):
            return one.reason, 1.0
        ours, theirs = left_over(pairing.ours, pairing.theirs)
        if ours and theirs:
            return f'other words: "{" ".join(ours)}" / "{" ".join(theirs)}"', 1.0
        added += len(ours) + len(theirs)
        words += max(len(pairing.ours.words), len(pairing.theirs.words))
    if not words:
        return "it says too little to decide", 1.0
    if len(found) < max(counts):
        added = max(added, 1)
    return "", added / words


_FEWEST_NEIGHBOURS = 2
_FEWEST_SENTENCES = 2
_FEWEST_ITEMS = 4
_ROUNDS = 20
_LINKAGES = (0.0, 0.5, 1.0)
"""The sum of the log-odds between two groups, its mean, and what lies between: none finds the best division always."""

_TINY = 1e-9


def joint_groups(odds: Floats, *, neighbours: int, most: int, fewest: int = _FEWEST_NEIGHBOURS) -> Labels:
    """Sort an episode's neighbours and sentences together into the matters that their log-odds speak for.

    Sought is the division with the largest sum of log-odds within its groups (correlation clustering); three ways to
    join, each followed by moving single items while that gains, and the best of them. A group holds two sentences and
    as many neighbours as are asked for at least, four items in all: what falls short is shared out among the others.

    Returns:
        A number from 0 for each item, in the order of the first item of each group; shape (n,).
    """
    best = np.zeros(len(odds), dtype=np.int64)
    best_gain = _within(odds, best)
    if not neighbours:
        return best
    for linkage in _LINKAGES:
        labels = _move(agglomerate(odds, linkage=linkage), odds, may_open=True)
        labels = _fill(labels, odds, neighbours, most=most, fewest=fewest)
        labels = _fill(_move(labels, odds, may_open=False), odds, neighbours, most=most, fewest=fewest)
        gain = _within(odds, labels)
        if gain > best_gain + _TINY:
            best, best_gain = labels, gain
    return best


def _move(labels: Labels, odds: Floats, *, may_open: bool) -> Labels:
    """Move items one by one to the group with the largest sum of log-odds, or into one of their own, while that gains."""
    labels = labels.copy()
    for _ in range(_ROUNDS):
        moved = False
        for item in range(len(labels)):
            count = int(labels.max()) + 1
            sums = np.bincount(labels, weights=odds[item], minlength=count + may_open)
            best = int(sums.argmax())
            if sums[best] > sums[labels[item]] + _TINY:
                labels[item], moved = best, True
        labels = numbered(labels)
        if not moved:
            break
    return labels


def _fill(labels: Labels, odds: Floats, neighbours: int, *, most: int, fewest: int) -> Labels:
    """Share out groups that hold too little, and the smallest of those beyond ``most``."""
    labels = labels.copy()
    while True:
        count = int(labels.max()) + 1
        if count == 1:
            return labels
        around = np.bincount(labels[:neighbours], minlength=count)
        inside = np.bincount(labels[neighbours:], minlength=count)
        short = (around < fewest) | (inside < _FEWEST_SENTENCES) | (around + inside < _FEWEST_ITEMS)
        if not short.any() and count <= most:
            return labels
        worst = int(np.where(short, around + inside, (around + inside) + len(labels) * short.any()).argmin())
        others = [group for group in range(count) if group != worst]
        kept = labels.copy()
        for item in np.flatnonzero(labels == worst):
            labels[item] = max(others, key=lambda group: (round(mean_of(odds[item], kept == group), 9), -group))
        labels = numbered(labels)


def _within(odds: Floats, labels: Labels) -> float:
    return float(odds[labels[:, None] == labels].sum()) / 2.0
