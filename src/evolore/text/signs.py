"""What a text's wording says of change: that something changed, stayed, came to nothing, or is somebody else's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from evolore.domain.language import Language
from evolore.text import changes

_HEAD = {Language.EN: 24, Language.JA: 10, Language.ZH: 8}
"""Characters in which a text says whom it is about; somebody named later is mostly not its subject."""

_MOST_READ = 600
_REMEMBERED = 1 << 13


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What a text says of change.

    Args:
        changes: Something is otherwise from then on.
        unchanged: Nothing changed.
        dropped: A plan or proposal came to nothing.
        doubtful: It was only thought of, proposed or offered.
        quoted: Somebody else's words are repeated.
        mentions: Something is remarked on in passing.
        others: The words by which it is about somebody else.
    """

    changes: bool
    unchanged: bool
    dropped: bool
    doubtful: bool
    quoted: bool
    mentions: bool
    others: tuple[str, ...]


@lru_cache(maxsize=_REMEMBERED)
def read_signs(text: str, language: Language) -> Signs:
    """Read what a text says of change; of a long one the first 600 characters.

    >>> from evolore.domain.language import Language
    >>> read_signs("We have moved to Leeds.", Language.EN).changes
    True
    """
    read = text[:_MOST_READ]
    found = {name: pattern.search(read) is not None for name, pattern in _patterns(language).items()}
    head = read[: _HEAD[language] if language in _HEAD else _HEAD[Language.EN]]
    others = tuple(dict.fromkeys(match.group().strip().lower() for match in _others(language).finditer(head)))
    return Signs(**found, others=others)


@cache
def _patterns(language: Language) -> dict[str, re.Pattern[str]]:
    words = changes.of(language)
    return {
        "changes": re.compile(words.changes, re.IGNORECASE),
        "unchanged": re.compile(words.unchanged, re.IGNORECASE),
        "dropped": re.compile(words.dropped, re.IGNORECASE),
        "doubtful": re.compile(words.doubtful, re.IGNORECASE),
        "quoted": re.compile(words.quoted, re.IGNORECASE),
        "mentions": re.compile(words.mentions, re.IGNORECASE),
    }


@cache
def _others(language: Language) -> re.Pattern[str]:
    return re.compile(changes.of(language).others, re.IGNORECASE)
