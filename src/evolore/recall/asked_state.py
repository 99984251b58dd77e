"""Which state of things a question is after: how they are, what happened, how they were before, or at first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from evolore.text import changes

if TYPE_CHECKING:
    from evolore.domain.language import Language


class AskedState(StrEnum):
    """Which of several accounts of one matter a question wants."""

    CURRENT = "current"
    PAST = "past"
    BEFORE = "before"
    FIRST = "first"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedMatter:
    """What a question wants to be told.

    Args:
        state: Which of several accounts.
        wants_account: Whether it asks to be told of something, and not for a datum.
        wants_datum: Whether it asks for a datum: how many, which, when.
    """

    state: AskedState = AskedState.CURRENT
    wants_account: bool = False
    wants_datum: bool = False

    @property
    def heeds_feeling(self) -> bool:
        """Whether the more strongly felt account is wanted: unless a datum is asked for that holds now."""
        return not self.wants_datum or self.state is not AskedState.CURRENT

    @property
    def wants_past(self) -> bool:
        """Whether an older account is asked for, so that the newest must not be preferred."""
        return self.state in {AskedState.BEFORE, AskedState.FIRST}


@dataclass(frozen=True, slots=True)
class _Patterns:
    first: re.Pattern[str]
    before: re.Pattern[str]
    past: re.Pattern[str]
    present: re.Pattern[str]
    account: re.Pattern[str]
    datum: re.Pattern[str]


def read_question(text: str, language: Language) -> AskedMatter:
    """Tell from a question's wording which state of things it is after.

    >>> from evolore.domain.language import Language
    >>> read_question("Where did we live before Leeds?", Language.EN).state
    <AskedState.BEFORE: 'before'>
    >>> read_question("Where do we live?", Language.EN).state
    <AskedState.CURRENT: 'current'>

    Args:
        text: The question.
        language: The one whose rules it is held against; English where there are none.
    """
    patterns = _patterns(language)
    wants_datum = bool(patterns.datum.search(text))
    wants_account = bool(patterns.account.search(text)) and not wants_datum
    return AskedMatter(state=_state(text, patterns), wants_account=wants_account, wants_datum=wants_datum)


def _state(text: str, patterns: _Patterns) -> AskedState:
    if patterns.first.search(text):
        return AskedState.FIRST
    if patterns.before.search(text):
        return AskedState.BEFORE
    if patterns.past.search(text) and not patterns.present.search(text):
        return AskedState.PAST
    return AskedState.CURRENT


@cache
def _patterns(language: Language) -> _Patterns:
    words = changes.of(language)
    return _Patterns(
        *(
            re.compile(pattern, re.IGNORECASE)
            for pattern in (words.first, words.before, words.past, words.present, words.account, words.datum)
        )
    )
