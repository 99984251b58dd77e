"""Which rules a language is read by."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from evolore.domain.language import Language
from evolore.text.dates import chinese, english, japanese

if TYPE_CHECKING:
    from evolore.text.dates.grammar import Grammar


def grammar_of(language: Language) -> Grammar:
    """Give the rules of a language; English ones where it has none."""
    match language:
        case Language.JA:
            return japanese.grammar()
        case Language.ZH:
            return chinese.grammar()
        case Language.EN | Language.UND:
            return english.grammar()
        case _:
            assert_never(language)
