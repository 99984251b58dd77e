"""What a review item says of two statements that do not fit together, in the language of the newer one."""

from __future__ import annotations

import re
from functools import cache

from evolore.domain.language import Language
from evolore.text.word_files import read_words

_LONGEST = 400

SAME_TIME = "both are stated for the same time"
_SIDES = re.compile(r': "(?P<ours>.*)" / "(?P<theirs>.*)"|\("(?P<only>.*)"\)', re.DOTALL)


def conflict_reason(older: str, newer: str, why: str, language: Language) -> str:
    """Quote both sides, each at most 400 characters long, and say what differs."""
    return (
        _text("reason", language)
        .replace("{why}", conflict_words(why, language))
        .replace("{older}", _quoted(older))
        .replace("{newer}", _quoted(newer))
    )


def conflict_words(why: str, language: Language) -> str:
    """Say in a language why two statements do not fit together; what there is no word for stays English.

    >>> conflict_words('another number: "7" / "8"', Language.JA)
    '数が違う:「7」/「8」'
    """
    if language not in {Language.JA, Language.ZH}:
        return why
    sides = _SIDES.search(why)
    named = _phrase(language).findall(why[: sides.start()] if sides else why)
    if not named:
        return why
    words = read_words("evolore.episodes", "conflict_words", language).texts
    comma, colon, left, right = (_text(sign, language) for sign in ("comma", "colon", "left", "right"))
    told = comma.join(words[phrase] for phrase in named)
    if sides is None:
        return told
    quotes = [f"{left}{side}{right}" for side in (sides["ours"], sides["theirs"], sides["only"]) if side]
    return f"{told}{colon}{'/'.join(quotes)}"


def conflict_suggestion(language: Language) -> str:
    """Say what a person can do about it."""
    return _text("suggestion", language).replace("{item}", "ID")


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _text(name: str, language: Language) -> str:
    return read_words("evolore.episodes", "conflicts", language).texts[name]


@cache
def _phrase(language: Language) -> re.Pattern[str]:
    """Give what may tell of a conflict, in English: the longest first."""
    phrases = sorted(read_words("evolore.episodes", "conflict_words", language).texts, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, phrases)))
