"""Whether a newer account took an older one's place: a logistic rule over marks of their wording and their vectors."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.text.changes import read_signs
from evolore.text.question_words import read_asked_value, read_values
from evolore.text.tokens import query_tokens
from evolore.text.word_files import read_fitted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.language import Language
    from evolore.text.question_words import SaidValues

Values = npt.NDArray[np.float32]


def _words_alone() -> Values:
    weights = read_fitted("evolore.recall", "succession", "marks")
    return np.array([weights[name] for name in MARKS], dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """What was learned of accounts that take others' place, and of those that only look newer.

    Args:
        marks: What each mark counts for, shape (marks,).
        newer: What the newer account's centred vector counts for, shape (dimension,); empty where it does not.
        change: What the newer's less the older's counts for, in the same shape.
        constant: What is added.
    """

    marks: Values = field(default_factory=_words_alone)
    newer: Values = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    change: Values = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    constant: float = field(default_factory=lambda: read_fitted("evolore.recall", "succession", "all")["constant"])

    def says(self, marks: Values, newer: Values, older: Values) -> Values:
        """Give how surely each newer account takes its older one's place, -1 to 1; above 0 it does.

        Args:
            marks: Of pairs, as ``PairMarker.marks`` gives them, shape (n, marks).
            newer: The newer accounts' centred vectors, shape (n, dimension).
            older: The older ones', in the same shape.
        """
        logits = marks @ self.marks + np.float32(self.constant)
        if self.newer.size:
            logits = logits + newer @ self.newer + (newer - older) @ self.change
        return np.asarray(np.tanh(np.round(logits, 3) / 2.0), dtype=np.float32)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Values]) -> Succession:
        """Read what was fitted: ``marks``, ``newer``, ``change`` and ``constant``; without them, words count alone.

        >>> Succession.from_arrays({}).newer.size
        0
        """
        if "marks" not in arrays or len(arrays["marks"]) != len(MARKS):
            return cls()
        return cls(
            marks=arrays["marks"],
            newer=arrays["newer"],
            change=arrays["change"],
            constant=float(arrays["constant"].item()),
        )


_OURS = re.compile(r"\b(?:my|our|i|we|me|us|mine|ours)\b|私|僕|俺|うち|我|咱|当社|弊社", re.IGNORECASE)
_THEIRS = re.compile(r"\b(?:his|her|hers|their|theirs|its)\b|彼|彼女|他家|她家|他们|她们|人家|别人", re.IGNORECASE)
_IS_QUESTION = re.compile(r"[?？]\s*$")
_MOST_SHARED = 4
_LITTLE = 1.7
"""The logarithm of how many words, beside the question's, say little."""

_MUCH_MORE = 1.5
_MOST_ALIKE = 0.5

MARKS = (
    *("asked_old", "asked_new", "alike"),
    *("holds_old", "holds_new", "lost", "gained", "shared", "lost_no_shared"),
    *("fresh", "old_more", "longer", "says_little", "replaced"),
    *("number_missing", "number_new", "number_same", "name_new", "name_missing", "time_missing", "manner_short"),
    *("changes", "unchanged", "dropped", "doubtful", "quoted", "mentions", "question"),
    *("others", "another", "theirs", "changes_no_doubt", "changes_shared"),
    *("another_speaker", "older_named", "newer_named"),
)
"""What describes a pair, in order: numbers, most of them 0 to 1."""


class PairMarker:
    """Describes pairs of accounts under one question.

    Args:
        question: What is asked.
    """

    def __init__(self, question: str) -> None:
        self._question = question
        self._lower = question.lower()
        self._said = read_values(question)
        self._asked = frozenset(token for token in query_tokens(question) if len(token) > 1 or token.isdigit())
        self._wants = read_asked_value(question)
        self._is_ours = _OURS.search(question) is not None

    def marks(
        self,
        older: str,
        newer: str,
        language: Language,
        *,
        speakers: tuple[str | None, str | None],
        nearness: tuple[float, float, float],
    ) -> list[float]:
        """Give the ``MARKS`` of a pair.

        Args:
            older: What was said before.
            newer: What was said after.
            language: What the newer is written in.
            speakers: Who said the older and the newer.
            nearness: The centred cosines of the older and the question, the newer and the question, the two accounts.
        """
        before, after = read_values(older), read_values(newer)
        shared = min(len((before.words & after.words) - self._said.words), _MOST_SHARED) / _MOST_SHARED
        return [
            *nearness,
            *self._of_question(before, after, shared=shared),
            *self._of_length(before, after),
            *self._of_values(before, after),
            *self._of_signs(older, newer, language, shared=shared),
            *self._of_speakers(*speakers),
        ]

    def _of_question(self, before: SaidValues, after: SaidValues, *, shared: float) -> list[float]:
        """Say how many of the question's words each holds, only one holds, and whether they share others."""
        total = max(len(self._asked), 1)
        old, new = self._asked & before.words, self._asked & after.words
        lost = len(old - new) / total
        return [
            len(old) / total,
            len(new) / total,
            lost,
            len(new - old) / total,
            shared,
            float(lost > 0.0 and not shared),
        ]

    def _of_length(self, before: SaidValues, after: SaidValues) -> list[float]:
        """Say how much each says that neither the question nor the other does."""
        old, new = before.words - self._said.words, after.words - self._said.words
        said_new = math.log1p(len(new))
        return [
            math.log1p(len(new - old)) / 3.0,
            math.log1p(len(old - new)) / 3.0,
            said_new - math.log1p(len(old)),
            float(said_new < _LITTLE),
            float(_is_replaced(before.words, after.words)),
        ]

    def _of_values(self, before: SaidValues, after: SaidValues) -> list[float]:
        """Say whether the newer gives a value of the kind that is asked for, and another than the older."""
        wants = self._wants
        numbers = after.numbers - before.numbers - self._said.numbers
        has_name = bool(after.names - before.names - self._said.names)
        old, new = (len(said.words - self._said.words) for said in (before, after))
        return [
            float(wants.number and not after.numbers and bool(before.numbers)),
            float((wants.number or wants.time) and bool(numbers)),
            float(bool((after.numbers & before.numbers) - self._said.numbers)),
            float(has_name),
            float(bool(before.names - self._said.names) and not has_name),
            float(wants.time and not (after.has_time or after.numbers)),
            float(wants.manner and old > _MUCH_MORE * new),
        ]

    def _of_signs(self, older: str, newer: str, language: Language, *, shared: float) -> list[float]:
        """Say what the newer's wording tells of change, and whether it is about somebody or something else."""
        signs = read_signs(newer, language)
        known = f"{self._lower}\n{older.lower()}"
        is_others = any(other not in known for other in signs.others)
        is_plain = not (signs.doubtful or signs.dropped or signs.quoted or is_others)
        return [
            float(signs.changes),
            float(signs.unchanged),
            float(signs.dropped),
            float(signs.doubtful),
            float(signs.quoted),
            float(signs.mentions),
            float(_IS_QUESTION.search(newer) is not None),
            float(is_others),
            float(is_of_another(newer, older, self._question)),
            float(self._is_ours and _THEIRS.search(newer) is not None),
            float(signs.changes and is_plain),
            signs.changes * shared,
        ]

    def _of_speakers(self, older: str | None, newer: str | None) -> list[float]:
        """Say whether two persons speak, and whether the question names one of them."""
        return [
            float(older is not None and newer is not None and older != newer),
            float(older != newer and self._names(older)),
            float(older != newer and self._names(newer)),
        ]

    def _names(self, speaker: str | None) -> bool:
        return bool(speaker) and str(speaker).lower() in self._lower


def _is_replaced(before: frozenset[str], after: frozenset[str]) -> bool:
    """Tell whether one says the same of another value: most words are in both, and each has some of its own."""
    most = _MOST_ALIKE * len(before | after)
    return bool(after - before) and bool(before - after) and len(before & after) >= most


_LEAST_SHARED = 2
_SUBJECT = 6
"""Within so many characters from the start stands what a Japanese or Chinese text is about."""

_HAS_WORD = re.compile(r"[\u3400-\u9fff\u30a1-\u30ff]")
_PARTICLES = re.compile(r"[のと的はがをにでもへや ]+$")
_LAST_WORD = re.compile(r"[\u3400-\u9fff\u30a1-\u30ffーA-Za-z0-9]{1,2}$")
_SELF = frozenset("我你您他她它咱这那本私僕俺家们")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PLACE_WORDS = frozenset(("at", "in", "for", "of", "from", "on"))
_ARTICLES = frozenset(("the", "our", "my", "a", "an", "your", "his", "her", "their"))
_OUR_WORDS = frozenset(("i", "my", "our", "we", "us", "me"))
_THEIR_WORDS = frozenset(("his", "her", "their", "its"))
_REACH = 3
_NO_PLACE = re.compile(
    r"\d|(?:this|that|last|next|now|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?$|week|month|year|day|morning|evening|"
    r"night|spring|summer|autumn|winter|jan|feb|mar|apr|may$|jun|jul|aug|sep|oct|nov|dec|good|one$|two$|three$|first|"
    r"half|noon|midnight|dawn|some|all$|it$|me$|us$|him$|them$|least|most"
)


def is_of_another(newer: str, older: str, question: str) -> bool:
    """Tell whether the newer text says of another thing what the older says of the one asked about.

    In Japanese and Chinese, it begins with a word that the older text or the question has too, with another modifier
    before it, and theirs is in both. In English, it names another place or purpose behind "at", "in", "for", "of", or
    has somebody else's of what is asked as one's own.

    >>> is_of_another("経理の佐藤さんの内線が変わった", "営業の佐藤さんの内線は2214", "佐藤(営業)の内線番号は？")
    True
    >>> is_of_another("营业部的刘洋搬了", "营业部的刘洋坐在C区", "营业部的刘洋在哪？")
    False
    >>> is_of_another("At home the line is faster.", "Cabin line: slow.", "How fast is the line at the cabin?")
    True

    Args:
        newer: What came later.
        older: What came before.
        question: What is asked.
    """
    newer, older, question = _fold(newer), _fold(older), _fold(question)
    if newer.isascii() and older.isascii():
        return _names_another_place(newer, older, question)
    return _has_another_modifier(older, newer, older, question) or _has_another_modifier(
        question, newer, older, question
    )


def _has_another_modifier(source: str, newer: str, older: str, question: str) -> bool:
    """Look for stretches of ``source`` in the newer text."""
    for start, place in _shared(source, newer):
        said, other = _word_before(source[:start]), _word_before(newer[:place])
        is_asked = len(said) > 1 and said in older and said in question
        is_other = bool(other) and other[-1] not in _SELF and other not in question and other not in older
        if is_asked and is_other:
            return True
    return False


def _word_before(text: str) -> str:
    word = _LAST_WORD.search(_PARTICLES.sub("", text))
    return word.group() if word else ""


def _shared(source: str, other: str) -> list[tuple[int, int]]:
    """List where the longest stretches that the other text begins with start in the one and in the other."""
    found: list[tuple[int, int]] = []
    start = 0
    while start <= len(source) - _LEAST_SHARED:
        end = start + _LEAST_SHARED
        place = other.find(source[start:end])
        if place < 0 or not _HAS_WORD.search(source[start:end]):
            start += 1
            continue
        while end < len(source) and other.startswith(source[start : end + 1], place):
            end += 1
        if place <= _SUBJECT:
            found.append((start, place))
        start = end
    return found


def _is_somebody_elses(newer: str, question: str) -> bool:
    """Tell whether a question about what is mine or ours meets "her dentist", "their front door"."""
    asked = frozenset(_WORD.findall(question))
    words = _WORD.findall(newer)
    return bool(asked & _OUR_WORDS) and any(
        word in _THEIR_WORDS and asked.intersection(words[place + 1 : place + 1 + _REACH])
        for place, word in enumerate(words)
    )


def _names_another_place(newer: str, older: str, question: str) -> bool:
    if _is_somebody_elses(newer, question):
        return True
    asked = _places(question)
    known, said = frozenset(_WORD.findall(f"{older} {question}")), frozenset(_WORD.findall(older))
    named = frozenset(_WORD.findall(newer))
    for word, places in _places(newer).items():
        wanted = asked.get(word, frozenset()) & said
        if wanted and not wanted & named and not places & known:
            return True
    return False


def _places(text: str) -> dict[str, frozenset[str]]:
    """Give the word behind each word of place, articles left out."""
    words = [word for word in _WORD.findall(text) if word not in _ARTICLES]
    found: dict[str, set[str]] = {}
    for word, following in pairwise(words):
        if word in _PLACE_WORDS and not _NO_PLACE.match(following):
            found.setdefault(word, set()).add(following)
    return {word: frozenset(places) for word, places in found.items()}


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
