"""The languages Evolore has rules for."""

from __future__ import annotations

from enum import StrEnum


class Language(StrEnum):
    """A language with rules of its own, or none of them.

    The values are ISO 639-1 codes; ``und`` (undetermined, ISO 639-2) stands for every other language, which is
    handled by Latin-script rules.
    """

    EN = "en"
    JA = "ja"
    ZH = "zh"
    UND = "und"
