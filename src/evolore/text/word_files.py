"""Files of words and of fitted numbers: TOML beside the code that reads it, parsed on first use and never at import.

A package keeps its words in ``words/LANGUAGE.toml``, a table a subject, and what was fitted in ``fitted/NAME.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from typing import cast

from evolore.domain.language import Language
from evolore.domain.tables import read_tables

_CONTINUED = re.compile(r"\n {4}")


@dataclass(frozen=True, slots=True)
class Words:
    """A table of texts by name; its reader knows whether each is a pattern, words or lines."""

    texts: Mapping[str, str]

    def pattern(self, name: str) -> str:
        r"""Return a regular expression; a line ends there only to keep the file narrow.

        >>> Words({"asks": "who|\nwhat"}).pattern("asks")
        'who|what'
        """
        return self.texts[name].replace("\n", "")

    def patterns(self, *, but: tuple[str, ...] = ()) -> dict[str, str]:
        """Return every text as a regular expression, by name, but those of other kinds."""
        return {name: self.pattern(name) for name in self.texts if name not in but}

    def words(self, name: str) -> tuple[str, ...]:
        r"""Return words that white space parts.

        >>> Words({"small": "a an\nthe"}).words("small")
        ('a', 'an', 'the')
        """
        return tuple(self.texts[name].split())

    def lines(self, name: str) -> tuple[str, ...]:
        r"""Return the lines; one that begins with four spaces continues the one before.

        >>> Words({"pairs": "\non / off|\n    out\nup / down\n"}).lines("pairs")
        ('on / off|out', 'up / down')
        """
        return tuple(_CONTINUED.sub("", self.texts[name]).strip().splitlines())

    def named(self, name: str) -> Mapping[str, str]:
        r"""Return each spelling with its name, from lines of a name and its spellings.

        >>> Words({"nouns": "day ; d daily\nweek ; weekly"}).named("nouns")
        {'d': 'day', 'daily': 'day', 'weekly': 'week'}
        """
        lines = (line.split(" ; ") for line in self.lines(name))
        return {spelling: meaning for meaning, spellings in lines for spelling in spellings.split()}

    def parts(self, name: str) -> tuple[str, ...]:
        r"""Return sentences that line ends and strokes part.

        >>> Words({"asks": "who is it / what is it\nwhere / when"}).parts("asks")
        ('who is it', 'what is it', 'where', 'when')
        """
        return tuple(chain.from_iterable(line.split(" / ") for line in self.lines(name)))


@cache
def read_words(package: str, subject: str, language: Language) -> Words:
    """Return a package's words for a subject; English serves every language without its own.

    >>> read_words("evolore.answers", "answers", Language.UND).texts["not_in_sources"]
    'The sources do not say.'
    """
    return read_shared_words(package, Language.EN if language is Language.UND else language, subject)


@cache
def read_shared_words(package: str, name: str, subject: str) -> Words:
    """Return a package's words that all languages share, from the file ``words/NAME.toml``."""
    return Words(cast("Mapping[str, str]", read_tables(package, f"words/{name}.toml")[subject]))


def read_fitted(package: str, name: str, table: str) -> Mapping[str, float]:
    """Return a table of numbers that were fitted; the first line of its file names the command that writes it."""
    return cast("Mapping[str, float]", read_tables(package, f"fitted/{name}.toml")[table])


def any_of(words: Iterable[str]) -> str:
    """Write a pattern for any of some words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=lambda word: (-len(word), word))))


def lazy_pattern(text: str, flags: re.RegexFlag = re.NOFLAG) -> Callable[[], re.Pattern[str]]:
    """Return a pattern that its first call compiles: one with a class of Han takes 1 to 5 ms, and few texts need it."""
    return cache(partial(re.compile, text, flags))
