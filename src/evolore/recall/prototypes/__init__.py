"""Questions that each embody an intent, in three languages: what an unknown question is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Intent
from evolore.domain.language import Language

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType


def of(language: Language) -> Mapping[Intent, tuple[str, ...]]:
    """Give the questions of each intent; English serves every language without its own."""
    match language:
        case Language.JA:
            from evolore.recall.prototypes import ja as known  # noqa: PLC0415 - a question has one language
        case Language.ZH:
            from evolore.recall.prototypes import zh as known  # noqa: PLC0415 - likewise
        case _:
            from evolore.recall.prototypes import en as known  # noqa: PLC0415 - likewise
    return {intent: _lines(known, intent) for intent in Intent}


def _lines(known: ModuleType, intent: Intent) -> tuple[str, ...]:
    text: str = getattr(known, intent.name)
    return tuple(text.strip().splitlines())
