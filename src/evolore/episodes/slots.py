"""Marks of wording that speak for or against a conflict between an older and a newer statement, and their sum."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import Self

from evolore.domain.language import Language
from evolore.episodes.contradictions import contradiction
from evolore.episodes.differences import Difference, DifferenceKind, as_written, differences
from evolore.text.changes import ChangeWording, pattern_of, read_signs
from evolore.text.contrasts import SlotWords, slot_words_of
from evolore.text.contrasts.reading import Reading, content_stems, read
from evolore.text.values import SpanKind

_REMEMBERED = 1 << 12
_SELF = re.compile(r"^\W*(?:i|my|we|our|me|us)\b|^(?:私|僕|俺|うち|わたし|ぼく|我|咱)")
_HEAD = {Language.JA: 10, Language.ZH: 8}
_ENGLISH_HEAD = 28
_WHOLE_START = {Language.JA: 5, Language.ZH: 5}
_WHOLE_ENGLISH_START = 12
_FIRST_WORDS = 2
_MOSTLY = 0.5


class Mark(StrEnum):
    """What speaks for or against a conflict; the value says it in words."""

    points: float  #: What it counts for, chosen by hand on the project's own pairs.

    def __new__(cls, words: str, points: float) -> Self:
        """Make a mark of its words, with its points."""
        mark = str.__new__(cls, words)
        mark._value_, mark.points = words, points
        return mark

    CONTRADICTION = "one rules out the other", 0.7
    NUMBER = "another number of the same", 0.6
    ROLE = "another name in the same role", 0.6
    NAME = "another name for the same", 0.5
    OPPOSITE = "another of a kind for the same", 0.3
    NEGATION = "one denies something", 0.4
    CHANGE = "it says that something changed", 0.9
    CHANGE_OF_ATTRIBUTE = "it says so of the same attribute", 0.3
    END = "it says that something ended", 1.0
    EVIDENCE = "it leans on a record", 0.7
    CORRECTION = "it sets something right", 0.4
    PLAN = "the older one tells of a plan", 0.3
    SUBJECT = "they are about the same thing", 0.4
    START = "they begin alike", 0.5
    ADDITION = "it says that something comes besides", -0.8
    KEPT = "it says that something stays, or was only thought of", -1.0
    UNCHANGED = "it says that nothing changed", -0.3
    DROPPED = "it tells of a plan that came to nothing", -0.6
    DOUBTFUL = "it tells of a thought, a wish or an offer", -1.2
    QUOTED = "it repeats somebody else's words", -0.3
    STRANGER = "each is about something the other does not name", -0.6
    OTHERS = "it is about somebody else", -1.3
    APART = "what differs besides sets two things apart", -1.2
    ANOTHER = "it is about another thing of the kind", -0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """What a statement says of something, as far as rules can read it."""

    subject: frozenset[str]  #: The words it is about; empty where it is the speaker.
    attributes: frozenset[int]  #: The attributes it may speak of, by their place in the language's list.
    is_self: bool  #: Whether it is about the speaker and what is theirs.


@lru_cache(maxsize=_REMEMBERED)
def read_slot(text: str, language: Language) -> Slot:
    """Read what a statement is about.

    >>> read_slot("My rent is 500 euros.", Language.EN).is_self
    True
    """
    reading = read(text, language)
    found = re.search(slot_words_of(language).subject, reading.text)
    named = content_stems(found.group(1)) if found else frozenset[str]()
    return Slot(
        subject=frozenset(word for word in reading.words if word in named),
        attributes=frozenset(number for number, one in enumerate(_attributes(language)) if one.search(reading.text)),
        is_self=_SELF.search(reading.text) is not None or not found,
    )


@cache
def _attributes(language: Language) -> tuple[re.Pattern[str], ...]:
    attributes = slot_words_of(language).attributes
    is_spaced = language not in {Language.JA, Language.ZH}
    return tuple(re.compile(rf"\b(?:{one})" if is_spaced else one) for one in attributes)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two statements side by side."""

    old: str  #: The older, as it was said.
    new: str  #: The newer.
    language: Language  #: What both are written in.

    @property
    def before(self) -> Reading:
        """The older one's reading."""
        return read(self.old, self.language)

    @property
    def after(self) -> Reading:
        """The newer one's."""
        return read(self.new, self.language)

    @property
    def words(self) -> SlotWords:
        """The language's wordings."""
        return slot_words_of(self.language)

    def says(self, pattern: str) -> bool:
        """Return whether the newer one is worded so."""
        return re.search(pattern, self.after.text) is not None

    def is_of_same_subject(self) -> bool:
        """Return whether the newer one has at least half of the words that the older one is about."""
        subject = read_slot(self.old, self.language).subject or frozenset(self.before.words[:_FIRST_WORDS])
        return sum(word in self.after.counts for word in subject) >= _MOSTLY * max(len(subject), 1)

    def is_of_strangers(self) -> bool:
        """Return whether neither names what the other is about, nor is about the speaker."""
        ours, theirs = read_slot(self.old, self.language), read_slot(self.new, self.language)
        if not (ours.subject and theirs.subject) or ours.is_self or theirs.is_self:
            return False
        return not (ours.subject & set(self.after.words)) and not (theirs.subject & set(self.before.words))

    def has_common_attribute(self) -> bool:
        """Return whether both may speak of one attribute."""
        return bool(read_slot(self.old, self.language).attributes & read_slot(self.new, self.language).attributes)

    def has_other_name(self) -> bool:
        """Return whether both name somebody, the newer one somebody the older does not."""
        return bool(self.before.names) and bool(self.after.names - self.before.names)

    def is_of_one_role(self) -> bool:
        """Return whether both speak of who does or keeps something, in a common word besides."""
        shared = set(self.before.words) & set(self.after.words)
        both = re.search(self.words.roles, self.before.text) and re.search(self.words.roles, self.after.text)
        return both is not None and bool(shared)

    def is_of_two_things(self) -> bool:
        """Return whether a number differs, and besides a month, or a side or size that distinguishes things."""
        values = self.values()
        if not any(one.kind is DifferenceKind.NUMBER for one in values):
            return False
        return any(one.is_apart for one in values) or (self._is_of_other_dates() and bool(self._measured_otherwise()))

    def _is_of_other_dates(self) -> bool:
        """Return whether both name months, years or seasons, and none in common."""
        ours, theirs = _found(self.words.dates, self.before), _found(self.words.dates, self.after)
        return bool(ours) and bool(theirs) and not ours & theirs

    def _measured_otherwise(self) -> set[str]:
        """Return the units, those of dates left out, in which the two hold other numbers."""
        ours, theirs = (
            [one for one in reading.values if one.kind is SpanKind.NUMBER] for reading in (self.before, self.after)
        )
        mine = {one.unit for one in ours if not any(map(one.is_same, theirs))}
        return (mine & {one.unit for one in theirs if not any(map(one.is_same, ours))}) - {"", "date"}

    def is_of_others(self) -> bool:
        """Return whether one of them is about somebody the other does not name."""
        if any(one not in self.before.text for one in self._others(self.after.text)):
            return True
        is_own = read_slot(self.new, self.language).is_self
        return is_own and any(one not in self.after.text for one in self._others(self.before.text))

    def _others(self, text: str) -> set[str]:
        head = text[: _HEAD.get(self.language, _ENGLISH_HEAD)]
        # Case matters here: the expression is taken as it is written.
        found = re.finditer(pattern_of(ChangeWording.OTHERS, self.language).pattern, head)
        return {one.group().strip() for one in found} - {"at home"}

    def values(self) -> tuple[Difference, ...]:
        """Return the values that differ."""
        return tuple(differences(self.before, self.after, self.language))

    def common_start(self) -> float:
        """Return how far both begin alike, 0–1."""
        whole = _WHOLE_START.get(self.language, _WHOLE_ENGLISH_START)
        letters = zip(self.before.text, self.after.text, strict=False)
        return min(next((place for place, (one, other) in enumerate(letters) if one != other), whole) / whole, 1.0)


def marks_of(pair: Comparison) -> dict[Mark, float]:
    """Return the marks of two statements, each with how strongly it holds, above 0 and at most 1."""
    held = dict.fromkeys((*_of_values(pair), *_of_change(pair), *_of_other_things(pair)), 1.0)
    start = pair.common_start()
    return held | {Mark.START: start} if start else held


def _of_values(pair: Comparison) -> Iterator[Mark]:
    values = pair.values()
    kinds = {one.kind for one in values}
    if contradiction(pair.old, pair.new, pair.language):
        yield Mark.CONTRADICTION
    if bool(pair.before.negations) != bool(pair.after.negations):
        yield Mark.NEGATION
    if pair.has_other_name() and pair.is_of_one_role():
        yield Mark.ROLE
    is_same = pair.is_of_same_subject()
    if DifferenceKind.NUMBER in kinds and (is_same or any(one.is_measured for one in values)):
        yield Mark.NUMBER
    if is_same:
        yield Mark.SUBJECT
        named = ((DifferenceKind.NAME, Mark.NAME), (DifferenceKind.OPPOSITE, Mark.OPPOSITE))
        yield from (mark for kind, mark in named if kind in kinds)


def _of_change(pair: Comparison) -> Iterator[Mark]:
    signs, words = read_signs(pair.new, pair.language), pair.words
    if signs.changes:
        yield Mark.CHANGE
    if pair.says(words.change) and pair.has_common_attribute():
        yield Mark.CHANGE_OF_ATTRIBUTE
    if pair.before.supposed:
        yield Mark.PLAN
    worded = (
        (Mark.END, words.ends),
        (Mark.EVIDENCE, words.evidence),
        (Mark.CORRECTION, words.corrects),
        (Mark.ADDITION, words.adds),
        (Mark.KEPT, words.keeps),
    )
    yield from (mark for mark, pattern in worded if pair.says(pattern))


def _of_other_things(pair: Comparison) -> Iterator[Mark]:
    signs, words = read_signs(pair.new, pair.language), pair.words
    told = (
        (Mark.UNCHANGED, signs.unchanged),
        (Mark.DROPPED, signs.dropped),
        (Mark.DOUBTFUL, signs.doubtful),
        (Mark.QUOTED, signs.quoted),
        (Mark.STRANGER, pair.is_of_strangers()),
        (Mark.OTHERS, pair.is_of_others()),
        (Mark.APART, pair.is_of_two_things()),
        (Mark.ANOTHER, _found(words.another, pair.before) != _found(words.another, pair.after)),
    )
    yield from (mark for mark, holds in told if holds)


def _found(pattern: str, reading: Reading) -> set[str]:
    return {found.group() for found in re.finditer(pattern, reading.text)}


_CONSTANT = -2.0
_PER_LIKENESS = 3.0
_DIGITS = 3
_SHOWN = 80


def conflict_score(pair: Comparison, likeness: float) -> tuple[float, Mapping[Mark, float]]:
    """Return how surely both statements cannot hold now, the higher the surer, and the marks that say so."""
    marks = marks_of(pair)
    total = sum(mark.points * strength for mark, strength in marks.items())
    return round(total + _PER_LIKENESS * round(likeness, 4) + _CONSTANT, _DIGITS), marks


def main_marks(marks: Mapping[Mark, float]) -> str:
    """Name the two marks that count most for a conflict."""
    weighed = sorted(marks, key=lambda mark: (-mark.points * marks[mark], mark))
    return ", ".join([mark.value for mark in weighed if mark.points > 0][:2])


def differing_values(pair: Comparison) -> tuple[str, str]:
    """Return what the older says otherwise and what the newer says there, where rules find it; else their beginnings."""
    value = next(iter(pair.values()), None)
    if value is not None and value.ours and value.theirs:
        return as_written(value.ours, pair.old), as_written(value.theirs, pair.new)
    return pair.old.strip()[:_SHOWN], pair.new.strip()[:_SHOWN]
