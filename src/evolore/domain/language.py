"""The languages Evolore has rules for."""

from __future__ import annotations

from enum import StrEnum


class Language(StrEnum):
    """A language with rules of its own, or ``und`` for any other.

    The values are ISO 639-1 codes; ``und`` (undetermined, ISO 639-2) is every other language, which is
    handled by Latin-script rules.
    """

    EN = "en"
    JA = "ja"
    ZH = "zh"
    UND = "und"


def language_name(language: Language) -> str:
    """Return a language's name for a prompt; for ``und``, words that describe it.

    >>> language_name(Language.JA)
    'Japanese'
    """
    return {Language.EN: "English", Language.JA: "Japanese", Language.ZH: "Chinese"}.get(language, "the text's own")
