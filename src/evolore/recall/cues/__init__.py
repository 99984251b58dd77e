"""Wordings that speak for an intent, in three languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.language import Language

if TYPE_CHECKING:
    from evolore.domain.answers import Intent


def of(language: Language) -> tuple[tuple[Intent, float, str], ...]:
    """Give a language's cues: the intent, how loudly the wording speaks for it, and the regular expression.

    English serves every language without its own.
    """
    match language:
        case Language.JA:
            from evolore.recall.cues.ja import CUES  # noqa: PLC0415 - a question has one language
        case Language.ZH:
            from evolore.recall.cues.zh import CUES  # noqa: PLC0415 - likewise
        case _:
            from evolore.recall.cues.en import CUES  # noqa: PLC0415 - likewise
    return CUES
