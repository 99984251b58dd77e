"""Recognise whom a question is about: what somebody says of themselves answers no question about somebody else."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from evolore.domain.language import Language
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
    """Return whom a question is about: the speakers it names, else the asker if it is in the first person.

    Args:
        question: What is asked.
        language: The language it is in.
        asker: Who asks; None if unknown.
        speakers: Who said what was found.
    """
    asked = question.casefold()
    names = frozenset(one.casefold() for one in speakers if _is_named(one.casefold(), asked))
    if names:
        return Whose(names=names)
    if asker is None or _first(language).search(question) is None:
        return Whose()
    known = {one.casefold() for one in speakers}
    return Whose(asker=asker.casefold()) if known else Whose()


def _is_named(name: str, asked: str) -> bool:
    if not name.isascii():
        return name in asked
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", asked) is not None


@cache
def _first(language: Language) -> re.Pattern[str]:
    return re.compile(read_words("evolore.answers", "whose", language).pattern("first"), re.IGNORECASE)
