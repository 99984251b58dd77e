"""Marks of two accounts of one matter, by which one tells whether the newer took the older one's place."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from evolore.recall.asked_values import read_asked_value
from evolore.recall.said_values import read_values
from evolore.recall.slots import is_of_another
from evolore.text.signs import read_signs
from evolore.text.tokens import query_tokens

if TYPE_CHECKING:
    from evolore.domain.language import Language
    from evolore.recall.said_values import SaidValues

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
