"""Find words that one text denies and the other does not, wherever they stand; and what came after and comes before now."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from evolore.domain.language import Language
from evolore.evolution.gates.claims import Claim, Clause, count_unless, dice, read_clauses, reading_of
from evolore.evolution.gates.verdicts import Concern, Grade
from evolore.text.protected.polarity import polarity_of
from evolore.text.values.spans import fold_text
from evolore.text.word_files import read_words

_STEM = 4
_REACH = 24
_LATIN = re.compile(r"[a-z]{3,}")
_LEAST_SHARED = 0.3


def denied_words(before: Sequence[Claim], after: Sequence[Claim], language: Language) -> Iterator[Concern]:
    """Doubt words that one text only denies and the other has without a denial, or anything that may stand for one.

    >>> from evolore.evolution.gates.claims import read_claims
    >>> texts = "Frozen dumplings are not thawed first.", "If they are frozen, they are thawed before use."
    >>> [one.reason for one in denied_words(*(read_claims(one, Language.EN) for one in texts), Language.EN)]
    ['What was denied stands free (thaw)']
    """
    ours, theirs = (read_clauses([one for one in claims if not one.asks], language) for claims in (before, after))
    for one, other, word in _freed(ours, theirs, language):
        yield one.concern(other, f"What was denied stands free ({word})", Grade.DOUBT)
    for one, other, word in _freed(theirs, ours, language):
        yield other.concern(one, f"What stood free is denied ({word})", Grade.DOUBT)
    yield from _released(ours, theirs)
    yield from _earlier(ours, theirs, language)
    yield from _retimed(ours, theirs, language)


def _text(clause: Clause) -> str:
    return fold_text(clause.reading.text).casefold()


def _freed(
    denying: Sequence[Clause], other: Sequence[Clause], language: Language
) -> Iterator[tuple[Clause, Clause, str]]:
    denied = _denied(denying, language)
    again = _denied(other, language)
    for word, clause in denied.items():
        if word in again or any(_holds(_text(one), word) and not _may_deny(one, _text(one), word) for one in denying):
            continue
        holding = [one for one in other if _holds(_text(one), word)]
        if holding and not any(_may_deny(one, one.reading.plain.casefold(), word) for one in holding):
            yield clause, holding[0], word


def _denied(clauses: Sequence[Clause], language: Language) -> Mapping[str, Clause]:
    found: dict[str, Clause] = {}
    words = _words(language)
    for clause in clauses:
        text = clause.reading.plain.casefold() if language is Language.JA else _text(clause)
        for match in words.denied.finditer(text):
            heavy = (word for word in _following(match) if not words.light.fullmatch(word))
            if word := next(heavy, ""):
                found.setdefault(_stem(word), clause)
    return found


def _following(match: re.Match[str]) -> list[str]:
    """Return the word that is denied, and in English a few more: the first may say too little."""
    word = match["word"]
    return [word, *_LATIN.findall(match.string, match.end(), match.end() + _REACH)] if word.isascii() else [word]


def _stem(word: str) -> str:
    return word[: max(_STEM, len(word) - 2)] if word.isascii() else word


def _holds(text: str, word: str) -> bool:
    if word.isascii():
        return re.search(rf"(?<![a-z]){re.escape(word)}", text) is not None
    if len(word) == 1:  # a character alone is a verb where kana follow
        return re.search(rf"{word}(?=[ぁ-ん])", text) is not None
    return word in text


def _may_deny(clause: Clause, text: str, word: str) -> bool:
    """Return whether a clause, read as this text, or its sentence denies anything in any way, but by the word itself."""
    reading = clause.reading
    is_denied = polarity_of(reading.language).denies.search(text) is not None or any(
        not word.startswith(softener) for softener in reading.softeners
    )
    return is_denied or reading.is_restricted or count_unless(reading_of(clause.claim.text, reading.language)) > 0


def _released(ours: Sequence[Clause], theirs: Sequence[Clause]) -> Iterator[Concern]:
    """Doubt what need not be, or may be, where the original obliges or forbids."""
    for other in theirs:
        kinds = other.reading.kinds
        near = max(ours, key=lambda one: dice(one.reading.grams, other.reading.grams), default=None)
        if near is None or not kinds & {"eases", "permits"}:
            continue
        whole = reading_of(near.claim.text, near.reading.language)
        if whole.kinds & {"eases", "permits"} or not (whole.denials or "requires" in whole.kinds):
            continue
        is_eased = "eases" in kinds
        is_allowed = (
            "permits" in kinds
            and bool(near.reading.denials)
            and not other.reading.denials
            and not other.reading.softeners
        )
        if (is_eased or is_allowed) and dice(near.reading.grams, other.reading.grams) >= _LEAST_SHARED:
            yield near.concern(other, "What must be, or must not, is left free", Grade.DOUBT)


def _earlier(ours: Sequence[Clause], theirs: Sequence[Clause], language: Language) -> Iterator[Concern]:
    before, after = _sides(ours, language), _sides(theirs, language)
    for word, (sides, clause) in before.items():
        if word in after and not sides & after[word][0]:
            yield clause.concern(after[word][1], f"What comes before and what after changed ({word})", Grade.DOUBT)


def _retimed(ours: Sequence[Clause], theirs: Sequence[Clause], language: Language) -> Iterator[Concern]:
    """Doubt a word for a time that is gone from the whole text while another of its group came: "monthly", "yearly"."""
    for group in _times(language):
        where = [
            [next((one for one in clauses if side.search(_text(one))), None) for side in group]
            for clauses in (ours, theirs)
        ]
        gone = [one for one, other in zip(*where, strict=True) if one and not other]
        new = [other for one, other in zip(*where, strict=True) if other and not one]
        if gone and new:
            yield gone[0].concern(new[0], "A word for a time gave way to another", Grade.DOUBT)


@cache
def _times(language: Language) -> tuple[tuple[re.Pattern[str], ...], ...]:
    lines = read_words("evolore.evolution", "times", language).lines("groups")
    is_spaced = language not in {Language.JA, Language.ZH}
    return tuple(
        tuple(re.compile(rf"(?<![a-z])(?:{side})(?![a-z])" if is_spaced else side) for side in line.split(" / "))
        for line in lines
    )


def _sides(clauses: Sequence[Clause], language: Language) -> Mapping[str, tuple[frozenset[str], Clause]]:
    found: dict[str, set[str]] = defaultdict(set)
    where: dict[str, Clause] = {}
    words = _words(language)
    for clause in clauses:
        for side, pattern in (("before", words.before), ("after", words.after)):
            for match in pattern.finditer(_text(clause)):
                word = _stem(match["word"])
                found[word].add(side)
                where.setdefault(word, clause)
    return {word: (frozenset(sides), where[word]) for word, sides in found.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _DenialWords:
    """What is denied, by the group ``word``; words that say nothing; what comes before and after."""

    denied: re.Pattern[str]
    light: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str]


@cache
def _words(language: Language) -> _DenialWords:
    words = read_words("evolore.evolution", "denied", language)
    return _DenialWords(**{name: re.compile(text) for name, text in words.patterns().items()})
