"""The sentences of passages that answer a question, word for word, and how likely they do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field, fields
from functools import cached_property

import numpy as np
import numpy.typing as npt

from evolore.answers.settings import AnswerSettings
from evolore.answers.units import AnswerUnit, PartKind, answer_units, companions, lead_of
from evolore.domain.contest import DocumentText
from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.text.question_words import AskedWords, held_words
from evolore.text.scripts import detect_language
from evolore.text.sections import Section, read_sections, short_title
from evolore.text.vectors import logistic
from evolore.text.word_files import read_fitted

_CONTEXT_SHARE = 0.6
"""What the heading, the question above and the sentence before lend of the words they hold."""

_MEANING = 0.75
_PLACE = 0.8
"""What likeness and the rank of the passage count beside the words, of which all count 1."""

_LEAST_SHARE, _LEAST_SHARE_THERE = 0.6, 0.5
"""The least share of the best sentence's score that another needs to be quoted too, and in the same passage."""

_SAME_WORDS = 0.7
_ROWS = frozenset((PartKind.ITEM, PartKind.TABLE_ROW))
_FEWEST_ROWS = 3

_MOST_SENTENCES = 4
"""How many sentences an answer without a chat model may quote, beside what is needed to understand them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A text that an answer may be taken from."""

    text: str  #: What it says.
    weight: float = 1.0  #: How good a hit it is, 0–1; 1 for the best.
    context: str = ""  #: What is known of it besides: title, headings, who said it. It lends words and is not quoted.


@dataclass(frozen=True, kw_only=True)
class ReadPassage:
    """A passage with its units."""

    passage: Passage  #: Which.
    units: tuple[AnswerUnit, ...]  #: What may be quoted of it.

    @classmethod
    def of(cls, passage: Passage) -> ReadPassage:
        """Read a passage."""
        return cls(passage=passage, units=answer_units(passage.text))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What each unit says."""
        return tuple(unit.span.of(self.passage.text) for unit in self.units)

    @cached_property
    def words(self) -> tuple[frozenset[str], ...]:
        """The tokens of each unit."""
        return tuple(held_words(text) for text in self.texts)

    @cached_property
    def shared_words(self) -> dict[int, frozenset[str]]:
        """The words that every row of a table or list holds, such as names of columns, by block; from three rows on."""
        rows: dict[int, list[frozenset[str]]] = {}
        for unit, words in zip(self.units, self.words, strict=True):
            if unit.kind in _ROWS:
                rows.setdefault(unit.block, []).append(words)
        return {block: own[0].intersection(*own) for block, own in rows.items() if len(own) >= _FEWEST_ROWS}

    @cached_property
    def context_words(self) -> frozenset[str]:
        """The tokens of its context."""
        return held_words(self.passage.context)

    @cached_property
    def all_words(self) -> frozenset[str]:
        """Every token of it and of its context."""
        return self.context_words.union(*self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """A stretch of a passage that an answer quotes."""

    passage: int  #: The place of the passage among those that were given.
    span: Span  #: Where in its text.


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """The quotes that answer a question, and how likely they do."""

    #: What answers it best, in the order it is to be read; none where there is nothing to quote.
    quoted: tuple[Quoted, ...] = ()
    likelihood: float = 0.0  #: How likely it is that the passages hold an answer, 0–1.
    evidence: AnswerEvidence | None = None  #: What that is judged by; None where there is nothing to quote.


def extract(
    asked: AskedWords,
    passages: Sequence[ReadPassage],
    alike: Sequence[npt.NDArray[np.floating]],
    *,
    items: int,
    settings: AnswerSettings,
    knows_meaning: bool = True,
) -> Extract:
    """Choose what answers a question."""
    scored = [
        _Scored(
            passage=place,
            unit=unit,
            says=says,
            score=says + _PLACE * one.passage.weight,
            near=near,
            is_told_apart=asked.covered(one.words[unit] - one.shared_words.get(one.units[unit].block, frozenset())) > 0,
        )
        for place, (one, likeness) in enumerate(zip(passages, alike, strict=True))
        for unit, says, near in _scores(asked, one, likeness)
    ]
    if not scored:
        return Extract()
    units = sum(len(one.units) for one in passages) / len(passages)
    words = [one.all_words for one in passages]
    evidence = weigh_evidence(asked, [one.near for one in scored], words, sentences=items * units)
    chosen = _UnitChoice(passages, settings, is_manner=asked.asks_manner)
    chosen.take(sorted(scored, key=lambda one: (-one.score, one.passage, one.unit)))
    return Extract(quoted=chosen.quoted, likelihood=evidence.likelihood(knows_meaning=knows_meaning), evidence=evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    passage: int
    unit: int
    says: float
    score: float
    near: Nearness
    is_told_apart: bool  #: Whether it holds an asked word that not all rows or items beside it hold.


def nearest_unit(words: AskedWords, passage: ReadPassage, alike: npt.NDArray[np.floating]) -> AnswerUnit | None:
    """Return the unit of a passage that a sentence of an answer rests on most likely; None where it has none."""
    scores = [words.covered(own) + _MEANING * float(near) for own, near in zip(passage.words, alike, strict=True)]
    return passage.units[int(np.argmax(scores))] if scores else None


def _scores(
    asked: AskedWords, one: ReadPassage, alike: npt.NDArray[np.floating]
) -> Iterator[tuple[int, float, Nearness]]:
    """Score what may be the answer, and say how near it is; what leads to it lends its words."""
    heading: frozenset[str] = frozenset()
    for place, unit in enumerate(one.units):
        if unit.kind is PartKind.HEADING:
            heading = one.words[place]
        is_last = place + 1 == len(one.units)
        if unit.kind in {PartKind.HEADING, PartKind.TABLE_HEAD} or (unit.asks and is_last):
            continue
        own = asked.covered(one.words[place])
        near = Nearness(words=one.words[place] | heading | _lent(one, place), alike=float(alike[place]))
        yield place, own + _CONTEXT_SHARE * (asked.covered(near.words) - own) + _MEANING * near.alike, near


def _lent(one: ReadPassage, place: int) -> frozenset[str]:
    """Return the words that a unit takes from the text around it."""
    before = lead_of(one.units, place)
    if before is None:
        before = place - 1 if place else None
    return one.context_words if before is None else one.context_words | one.words[before]


@dataclass(slots=True)
class _UnitChoice:
    """Chooses units until there are enough."""

    passages: Sequence[ReadPassage]
    settings: AnswerSettings
    is_manner: bool = False
    _units: dict[tuple[int, int], None] = field(default_factory=dict[tuple[int, int], None])
    _characters: int = 0
    _count: int = 0

    def take(self, ranked: Sequence[_Scored]) -> None:
        """Choose among units, best first."""
        if not ranked:
            return
        best = ranked[0]
        for one in ranked:
            if self._count >= _MOST_SENTENCES:
                break
            key = (one.passage, one.unit)
            share = _LEAST_SHARE_THERE if one.passage == best.passage else _LEAST_SHARE
            says_enough = not self._units or one.says > share * best.says
            if not self.is_manner and best.is_told_apart and not one.is_told_apart and self._is_beside(best, one):
                continue
            if says_enough and key not in self._units and not self._is_said(one):
                self._add(key)

    def _is_beside(self, one: _Scored, other: _Scored) -> bool:
        """Return whether both are rows of one table, or items of one list."""
        ours, theirs = (self.passages[each.passage].units[each.unit] for each in (one, other))
        return one.passage == other.passage and ours.kind in _ROWS and ours.block == theirs.block

    @property
    def quoted(self) -> tuple[Quoted, ...]:
        """What was chosen: passages in the order they were first chosen from, stretches that touch as one."""
        order = list(dict.fromkeys(passage for passage, _ in self._units))
        return tuple(found for passage in order for found in self._stretches(passage))

    def _add(self, key: tuple[int, int]) -> None:
        passage, unit = key
        needed, following = companions(self.passages[passage].units, unit, is_manner=self.is_manner)
        group = [(passage, place) for place in needed]
        if not group:  # a question that nothing answers before the next heading
            return
        if self._units and self._characters + self._length(group) > self.settings.characters:
            return
        self._note(group)
        self._count += 1
        for place in following:
            if self._characters + self._length([(passage, place)]) > self.settings.characters:
                break
            self._note([(passage, place)])

    def _note(self, group: Sequence[tuple[int, int]]) -> None:
        self._characters += self._length(group)
        self._units |= dict.fromkeys(group)

    def _length(self, group: Sequence[tuple[int, int]]) -> int:
        return sum(
            len(self.passages[passage].units[unit].span)
            for passage, unit in group
            if (passage, unit) not in self._units
        )

    def _is_said(self, one: _Scored) -> bool:
        """Return whether what was chosen says the same in nearly the same words."""
        words = self.passages[one.passage].words[one.unit]
        return any(
            len(words & other) > _SAME_WORDS * len(words | other)
            for passage, unit in self._units
            if (other := self.passages[passage].words[unit]) and words
        )

    def _stretches(self, passage: int) -> Iterator[Quoted]:
        units = self.passages[passage].units
        places = sorted(unit for one, unit in self._units if one == passage)
        start = 0
        for place, unit in enumerate(places):
            if place + 1 == len(places) or places[place + 1] != unit + 1:
                yield Quoted(passage=passage, span=Span(units[places[start]].span.start, units[unit].span.end))
                start = place + 1


_FEWEST_SEEN, _MOST_SEEN = 30.0, 100_000.0
"""Bounds of the count of sentences. The fit saw none under 100; with 30 fewer answerable questions of `answer_kinds.py` are refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEvidence:
    """The evidence for and against passages that hold an answer."""

    #: What the nearest sentence holds of the question: the share of its words, with the text around it lending
    #: its own, and its likeness in meaning; 0–2.
    best: float
    found: float  #: The share of the question's words that all passages hold together, 0–1.
    size: float  #: How many sentences the memory holds, as a decimal logarithm: of more, one lies near by chance.

    def likelihood(self, *, knows_meaning: bool) -> float:
        """Return how likely an answer is there, were every second question answered; 0–1.

        Args:
            knows_meaning: Whether likeness in meaning was measured; else it was taken for the same everywhere.
        """
        weights = read_fitted("evolore.answers", "answering", "by_meaning" if knows_meaning else "by_words")
        terms = (weights[name] * value for name, value in zip(EVIDENCE, astuple(self), strict=True))
        return float(logistic(weights["constant"] + sum(terms)))


EVIDENCE = tuple(one.name for one in fields(AnswerEvidence))
"""What is weighed, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearness:
    """The nearness of a sentence to a question."""

    words: frozenset[str]  #: Its words, and those of the text around it.
    alike: float  #: Its likeness in meaning, 0–1.


def weigh_evidence(
    asked: AskedWords, near: Sequence[Nearness], passages: Sequence[frozenset[str]], *, sentences: float
) -> AnswerEvidence:
    """Weigh what speaks for an answer."""
    return AnswerEvidence(
        best=max(asked.covered(one.words) + one.alike for one in near),
        found=asked.covered(frozenset[str]().union(*passages)),
        size=math.log10(min(max(sentences, _FEWEST_SEEN), _MOST_SEEN)),
    )


_LEAST_SUPPORT = 0.4
"""Share of words and likeness together; low, since an answer may say a thing in words of its own."""


def supports(words: AskedWords, passage: ReadPassage, alike: npt.NDArray[np.floating], *, language: Language) -> bool:
    """Return whether a passage may be what a sentence rests on; one in another language may in any case."""
    if detect_language(passage.passage.text) is not language:
        return True
    return words.covered(passage.all_words) + (float(alike.max()) if alike.size else 0.0) >= _LEAST_SUPPORT


_LONGEST = 1500


def document_passages(document: DocumentText) -> tuple[Passage, ...]:
    """Cut a document into its sections, and these into stretches of at most about 1,500 characters; blank ones left out."""
    return tuple(
        Passage(text=span.of(document.text), context=_context(document, section))
        for section in read_sections(document.text, media_type=document.media_type)
        for span in _stretches(section.text, section.span.start)
        if span.of(document.text).strip()
    )


def _context(document: DocumentText, section: Section) -> str:
    return " › ".join(dict.fromkeys(map(short_title, (document.title, *section.path))))


def best_passages(passages: Sequence[Passage], scores: Sequence[float], *, characters: int) -> tuple[Passage, ...]:
    """Return the best passages that fit, in text order; the best in any case.

    Args:
        passages: In text order.
        scores: How well each answers.
        characters: How much they may have together.
    """
    chosen: list[int] = []
    left = characters
    for place in sorted(range(len(passages)), key=lambda place: (-scores[place], place)):
        length = len(passages[place].text)
        if length <= left or not chosen:
            chosen.append(place)
            left -= length
    return tuple(passages[place] for place in sorted(chosen))


def _stretches(text: str, start: int) -> Iterator[Span]:
    """Cut a section between units, so that no stretch grows too long; without losing a character."""
    begun = 0
    for unit in answer_units(text) if len(text) > _LONGEST else ():
        if unit.span.end - begun > _LONGEST and unit.span.start > begun:
            yield Span(start + begun, start + unit.span.start)
            begun = unit.span.start
    yield Span(start + begun, start + len(text))
