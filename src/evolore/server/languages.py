"""The languages of the pages: which one a reader gets, and its words, which are data in ``words``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

LANGUAGES: Mapping[str, str] = MappingProxyType({"en": "English", "ja": "日本語", "zh": "中文"})
_ASKED = re.compile(r"\s*([a-zA-Z]{1,8})(?:-[\w-]{1,40})?\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?))?\s*", re.ASCII)
_MOST_ASKED = 20


class Texts:
    """The words of a language."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def __call__(self, name: str, **values: object) -> str:
        """Return a text, with values in their places."""
        return self._texts[name].format(**values) if values else self._texts[name]

    def __contains__(self, name: str) -> bool:
        """Return whether there is such a text."""
        return name in self._texts

    def known(self, group: str, word: str) -> str:
        """Return a text of a group that grows elsewhere; the word itself where it has none yet."""
        return self._texts.get(f"{group}.{word}", word)


def words_of(language: str) -> Mapping[str, str]:
    """Read the words of a language, by their names."""
    read = tomllib.loads(files("evolore.server").joinpath("pages", "words", f"{language}.toml").read_text("utf-8"))
    return {f"{group}.{name}": text for group, texts in read.items() for name, text in texts.items()}


@cache
def texts_in(language: str) -> Texts:
    """Return the words of a language."""
    return Texts(words_of(language))


def language_of(said: str | None, kept: str | None, asked: str) -> str:
    """Choose a reader's language: as said just now, as kept, or the first that their browser asks for; else English.

    >>> language_of(None, None, "fr, ja;q=0.8, en;q=0.9"), language_of("zh", "ja", "en")
    ('en', 'zh')
    """
    for one in (said, kept):
        if one is not None and one in LANGUAGES:
            return one
    weighed: list[tuple[float, str]] = []
    for part in asked[:1000].split(",")[:_MOST_ASKED]:
        match = _ASKED.fullmatch(part)
        if match and match[1].lower() in LANGUAGES:
            weighed.append((float(match[2] or 1), match[1].lower()))
    return max(weighed, key=lambda one: one[0])[1] if weighed else "en"
