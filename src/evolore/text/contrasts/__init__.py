"""Words by which two texts that are worded alike say different things: negation, opposites, amounts, in three languages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from evolore.domain.language import Language
from evolore.text.word_files import read_words

_OTHERS = ("opposites", "same", "fillers")
"""What of the words of contrast is no regular expression."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastWords:
    """A language's words of contrast."""

    negation: str  #: A regular expression of what turns a statement into its denial.
    no_negation: str  #: A regular expression of what only looks like it, taken out before.
    supposed: str  #: A regular expression of what is planned, wished, supposed or asked for, rather than stated.
    present: str  #: A regular expression of what is; what was differs from it only where it is found.
    past: str  #: A regular expression of what was and may be no more.
    #: Groups of things of which one rules out the others, parted by `` / ``; wordings of one thing are parted by `` |
    #: `` and are regular expressions. Within a group that begins with ``!``, one denies the other of anything; one that
    #: begins with ``~`` distinguishes two things of a kind; of the rest either may be.
    opposites: tuple[str, ...]
    same: tuple[str, ...]  #: Groups of wordings that say the same, parted by ``|``; the first represents all.
    never: str  #: A regular expression of what was never done, what that is in one of its groups.
    turning: str  #: A regular expression of small words that turn what the others say: "by", "only", だけ.
    definite: str  #: A regular expression of how a text begins that says something of a definite thing.
    small_talk: str  #: A regular expression of turns that say nothing by themselves.
    fillers: frozenset[str]  #: Words that carry no matter of their own.


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotWords:
    """A language's wordings of slots."""

    #: What can be said of somebody or something, as regular expressions: a thing has one residence, one price, one time
    #: at a time.
    attributes: tuple[str, ...]
    change: str  #: What says that it is otherwise now.
    ends: str  #: What says that it no longer is.
    adds: str  #: What says that something comes besides.
    keeps: str  #: What says that nothing changed, or that it came to nothing.
    roles: str  #: Who does or keeps something: of one role, there is one at a time.
    evidence: str  #: What a correction leans on: a record, a photo, a look at it.
    corrects: str  #: What sets something right: "not this, that".
    another: str  #: What sets another thing of the same kind apart: "the other", "his", "the old".
    dates: str  #: Months, years and seasons, of which another makes another occasion.
    subject: str  #: What a statement is about, in its first group.


@cache
def words_of(language: Language) -> ContrastWords:
    """Return a language's words of contrast; English serves every language without its own.

    >>> from evolore.domain.language import Language
    >>> "|" in words_of(Language.JA).negation
    True
    """
    words = read_words("evolore.text", "contrasts", language)
    return ContrastWords(
        opposites=words.lines("opposites"),
        same=words.lines("same"),
        fillers=frozenset(words.words("fillers")),
        **words.patterns(but=_OTHERS),
    )


@cache
def slot_words_of(language: Language) -> SlotWords:
    """Return a language's wordings of slots; English serves every language without its own."""
    words = read_words("evolore.text", "slots", language)
    return SlotWords(attributes=words.lines("attributes"), **words.patterns(but=("attributes",)))
