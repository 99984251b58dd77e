"""What is said where the sources hold no answer, and how sentences are joined, by language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.language import Language

if TYPE_CHECKING:
    from collections.abc import Iterable

_NOT_IN_SOURCES = {
    Language.JA: "資料にはその答えが見当たりません。",
    Language.ZH: "资料中没有找到答案。",
}
_UNSPACED = frozenset({Language.JA, Language.ZH})


def not_in_sources(language: Language) -> str:
    """Give the sentence that says so."""
    return _NOT_IN_SOURCES.get(language, "The sources do not say.")


def joined(sentences: Iterable[str], language: Language) -> str:
    """Put sentences one behind the other as the language does."""
    return ("" if language in _UNSPACED else " ").join(sentences)
