"""Whom a question is about and what kind of thing it asks for: what a passage must say to answer it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from evolore.domain.language import Language
from evolore.text.contrasts.reading import read
from evolore.text.values import read_values
from evolore.text.word_files import read_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Whose:
    """Whom a question is about, as far as its words show."""

    #: Those it names among the speakers, in lower case; none where it is about the asker, or unclear.
    names: frozenset[str] = frozenset()
    asker: str | None = None  #: Who asks, in lower case, where the question is in the first person; None otherwise.

    def may_answer(self, text: str, speaker: str | None, language: Language) -> bool:
        """Return whether a passage may be about whom the question is about.

        What has no known speaker may be, and what the one in question says. Of what others say, only what names them:
        "I work at the mill" is about its speaker.

        >>> from evolore.domain.language import Language
        >>> Whose(asker="anna").may_answer("I work at the mill.", "Ben", Language.EN)
        False
        >>> Whose(names=frozenset({"ben"})).may_answer("I work at the mill.", "Ben", Language.EN)
        True
        """
        wanted = self.names or ({self.asker} if self.asker is not None else set[str]())
        if not wanted or speaker is None or speaker.casefold() in wanted:
            return True
        said = text.casefold()
        return any(name in said for name in wanted) or (bool(self.names) and _first(language).search(text) is None)


def whose(question: str, language: Language, *, asker: str | None, speakers: Collection[str]) -> Whose:
    """Return whom a question is about: the speakers it names, else the asker if it is in the first person."""
    asked = question.casefold()
    names = frozenset(one.casefold() for one in speakers if _is_named(one.casefold(), asked))
    if names:
        return Whose(names=names)
    if asker is None or _first(language).search(question) is None:
        return Whose()
    return Whose(asker=asker.casefold()) if speakers else Whose()


def _is_named(name: str, asked: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", asked) is not None if name.isascii() else name in asked


@cache
def _first(language: Language) -> re.Pattern[str]:
    return re.compile(read_words("evolore.answers", "whose", language).pattern("first"), re.IGNORECASE)


LONGEST_JUDGED = 240
"""Characters of a passage that is judged as a whole: a longer one says many things."""

_CODE = re.compile(r"(?<![A-Za-z])[A-Za-z]{1,8}-?\d++")  # A4
_CAPITAL = re.compile(r"\b[A-Z][\w'’-]*[\w]|\b[A-Z]\b(?!['’])")


class AskedKind(StrEnum):
    """What kind of thing a question asks for."""

    AMOUNT = "amount"
    TIME = "time"
    PERSON = "person"


def asked_kind(question: str, language: Language) -> AskedKind | None:
    """Return what kind of thing a question asks for; None where its words leave it open.

    >>> asked_kind("How much was the sofa?", Language.EN).value
    'amount'
    >>> asked_kind("Is the sofa here?", Language.EN) is None
    True
    """
    patterns = _patterns(language)
    return next((kind for kind in AskedKind if patterns[f"asks_{kind.value}"].search(question)), None)


def says(kind: AskedKind, text: str, question: str, language: Language) -> bool:
    """Return whether a passage may say a thing of a kind that the question does not say itself; a long one always may.

    >>> says(AskedKind.AMOUNT, "The sofa came on Monday.", "How much was the sofa?", Language.EN)
    False
    >>> says(AskedKind.AMOUNT, "The sofa was 400.", "How much was the sofa?", Language.EN)
    True
    """
    if len(text) > LONGEST_JUDGED:
        return True
    said_words = _patterns(language)[f"says_{kind.value}"].finditer(_without(text, question))
    if any(one.group() not in question for one in said_words):
        return True
    if kind is AskedKind.PERSON:
        return _names_somebody(text, question, language)
    said = (value for value in read_values(text, language) if not value.quote.casefold().startswith(("a ", "an ")))
    has_code = bool({*_CODE.findall(text)} - {*_CODE.findall(question)})
    return has_code or any(not any(map(one.is_same, read_values(question, language))) for one in said)


def _without(text: str, question: str) -> str:
    """Leave out of an English text the words that the question has."""
    if not text.isascii():
        return text
    asked = {word.casefold() for word in re.findall(r"\w+", question)}
    return re.sub(r"\w+", lambda found: "" if found.group().casefold() in asked else found.group(), text)


def _names_somebody(text: str, question: str, language: Language) -> bool:
    if language in {Language.JA, Language.ZH}:
        known = read(question, language).names
        return any(name not in known and name not in question for name in read(text, language).names)
    words = _patterns(language)["no_name"]
    asked = question.casefold()
    return any(one.casefold() not in asked and not words.fullmatch(one.casefold()) for one in _CAPITAL.findall(text))


@cache
def _patterns(language: Language) -> Mapping[str, re.Pattern[str]]:
    texts = read_words("evolore.answers", "kinds", language)
    return {name: re.compile(texts.pattern(name), re.IGNORECASE) for name in texts.texts}
