"""What makes two texts that are worded alike say different things: negation, opposites, amounts, in three languages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from evolore.domain.language import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastWords:
    """A language's words of contrast.

    Args:
        negation: A regular expression of what turns a statement into its denial.
        no_negation: A regular expression of what only looks like it, taken out before.
        supposed: A regular expression of what is planned, wished, supposed or asked for, rather than told.
        present: A regular expression of what is; what was differs from it only where it is found.
        past: A regular expression of what was and may be no more.
        opposites: Groups, one a line, of things of which one rules out the others, parted by `` / ``; wordings of one thing
            are parted by `` | `` and are regular expressions. Within a group that begins with ``!``, one denies the
            other of anything; one that begins with ``~`` tells two things of a kind apart; of the rest either may be.
        same: Wordings that say the same, one group a line; the first stands for all.
        never: A regular expression of what was never done, what that is in one of its groups.
        definite: A regular expression of how a text begins that says something of a definite thing.
        small_talk: A regular expression of turns that say nothing by themselves.
        fillers: Words that carry no matter of their own.
    """

    negation: str
    no_negation: str
    supposed: str
    present: str
    past: str
    opposites: str
    same: str
    never: str
    definite: str
    small_talk: str
    fillers: frozenset[str]


@cache
def words_of(language: Language) -> ContrastWords:
    """Give a language's words of contrast; English serves every language without its own.

    >>> "|" in words_of(Language.JA).negation
    True
    """
    from evolore.text.contrasts import english, japanese, chinese  # noqa: PLC0415, I001 - they need the class above

    tables = {Language.JA: japanese.WORDS, Language.ZH: chinese.WORDS}
    return tables.get(language, english.WORDS)
