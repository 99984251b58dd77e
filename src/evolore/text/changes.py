"""Wordings of change: that something changed, stayed, came to nothing, is somebody else's, or is relative to the moment."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache, lru_cache

from evolore.domain.language import Language
from evolore.text.word_files import read_words


class ChangeWording(StrEnum):
    """What a text may say of change, or a question may ask of it."""

    CHANGES = "changes"
    """Something is otherwise from now on."""
    UNCHANGED = "unchanged"
    """Nothing changed."""
    DROPPED = "dropped"
    """A plan, an offer or a proposal came to nothing."""
    DOUBTFUL = "doubtful"
    """It was only thought of, proposed or offered."""
    OTHERS = "others"
    """It is about somebody or something else than the speaker and what is theirs."""
    QUOTED = "quoted"
    """Somebody else's words are repeated."""
    MENTIONS = "mentions"
    """It is remarked on in passing: bought, seen, fetched, cleaned."""
    FIRST = "first"
    """A question asks for the beginning."""
    BEFORE = "before"
    """A question asks for what was before something."""
    PAST = "past"
    """A question asks for something that happened."""
    PRESENT = "present"
    """A question asks for what is now, in any tense."""
    ACCOUNT = "account"
    """A question asks for an account rather than for a datum."""
    DATUM = "datum"
    """A question asks for a datum."""


@cache
def pattern_of(wording: ChangeWording, language: Language) -> re.Pattern[str]:
    """Return how a language words something; English serves every language without its own."""
    return re.compile(read_words("evolore.text", "changes", language).pattern(wording), re.IGNORECASE)


_HEAD = {Language.EN: 24, Language.JA: 10, Language.ZH: 8}
"""Characters in which a text says whom it is about; somebody named later is mostly not its subject."""

_MOST_READ = 600
_REMEMBERED = 1 << 13


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What a text says of change."""

    changes: bool  #: Something is otherwise from then on.
    unchanged: bool  #: Nothing changed.
    dropped: bool  #: A plan or proposal came to nothing.
    doubtful: bool  #: It was only thought of, proposed or offered.
    quoted: bool  #: Somebody else's words are repeated.
    mentions: bool  #: Something is remarked on in passing.
    others: tuple[str, ...]  #: The words by which it is about somebody else.


@lru_cache(maxsize=_REMEMBERED)
def read_signs(text: str, language: Language) -> Signs:
    """Read what a text says of change; of a long one the first 600 characters.

    >>> from evolore.domain.language import Language
    >>> read_signs("We have moved to Leeds.", Language.EN).changes
    True
    """
    read = text[:_MOST_READ]
    found = {one.value: pattern_of(one, language).search(read) is not None for one in _SAID}
    head = read[: _HEAD[language] if language in _HEAD else _HEAD[Language.EN]]
    others = pattern_of(ChangeWording.OTHERS, language).finditer(head)
    return Signs(**found, others=tuple(dict.fromkeys(match.group().strip().lower() for match in others)))


_SAID = tuple(ChangeWording(sign.name) for sign in fields(Signs) if sign.name != ChangeWording.OTHERS)


MOMENTS = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|now|currently|recently|ago|(?:this|last|next|past|coming) "
    r"(?:morning|evening|night|week|weekend|month|year|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday)|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
    r"|今[日朝晩夜週月年天晚]|昨[日夜晩天晚]|一?昨[日年]|明[日朝晩天晚年]|[来先再前]週|[来先]月|[来去昨]年|さっき|最近|"
    r"[上下本这][个個]?[周週月]|星期|礼拜|刚才|现在|最近|[月火水木金土日]曜"
)
"""What names a time relative to the moment of speaking."""
