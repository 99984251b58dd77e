"""Mentions: stretches of a question that may spell a name which is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.text.names.latin import NO_NAMES
from evolore.text.names.spelling import fold_name, unfolded

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

_MOST_WORDS = 8
_MOST_CHARACTERS = 16
_FEWEST_CHARACTERS = 2
_WORD = re.compile(r"[A-Za-z0-9À-ÖØ-öø-ɏ]+(?:['&/.+-][A-Za-z0-9À-ÖØ-öø-ɏ]+)*")
_UNSPACED_RUN = re.compile(r"[\u3005-\u3007\u3041-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff·・=]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A stretch of a question that may spell a name.

    Args:
        start: Where it begins, in characters of the question in NFKC with single spaces.
        end: Where it ends.
        name: Its one spelling, as ``find_names`` would give it.
        is_plain: Whether it is a lone word without a capital, or one whose capital may only open the question: a word
            as likely as a name.
    """

    start: int
    end: int
    name: str
    is_plain: bool


def possible_names(question: str) -> tuple[Mention, ...]:
    """Give every stretch of a question that may spell a name: up to eight words, or sixteen characters without spaces.

    A question seldom spells names with the capitals of a title, and Chinese and Japanese put nothing between a name and
    the next word. So all stretches are given, and whoever knows which names there are picks from them.

    Args:
        question: As it was asked.

    Returns:
        By where they begin, the longest first; without function words, months and bare numbers by themselves.

    >>> [mention.name for mention in possible_names("who saw Psycho?")]
    ['who saw psycho', 'who saw', 'saw psycho', 'saw', 'psycho']
    """
    text = " ".join(unfolded(question).split())
    folded = text.casefold()
    if len(folded) != len(text):
        text = folded  # a few letters fold to two: then nothing is taken for capitalised
    mentions = [*_of_words(text, folded), *_of_characters(folded)]
    return tuple(sorted(mentions, key=lambda mention: (mention.start, -mention.end)))


def longest_known(mentions: tuple[Mention, ...], known: Container[str]) -> tuple[Mention, ...]:
    """Pick the mentions of known names, from the left the longest; none lies within or across another.

    Args:
        mentions: From ``possible_names``.
        known: Names there are.
    """
    picked: list[Mention] = []
    end = 0
    for mention in mentions:
        if mention.start >= end and mention.name in known:
            picked.append(mention)
            end = mention.end
    return tuple(picked)


def _of_words(text: str, folded: str) -> Iterator[Mention]:
    words = [match.span() for match in _WORD.finditer(folded)]
    is_no_name = [folded[start:end] in NO_NAMES or folded[start:end].isdigit() for start, end in words]
    for first, (start, _) in enumerate(words):
        for last in range(min(first + _MOST_WORDS, len(words)) - 1, first - 1, -1):
            end = words[last][1]
            name = folded[start:end].removesuffix("'s").removeprefix("the ")
            if len(name) >= _FEWEST_CHARACTERS and not all(is_no_name[first : last + 1]):
                is_plain = " " not in name and not any(map(str.isupper, text[max(start, 1) : end]))
                yield Mention(start=start, end=end, name=name, is_plain=is_plain)


def _of_characters(folded: str) -> Iterator[Mention]:
    for run in _UNSPACED_RUN.finditer(folded):
        for start in range(run.start(), run.end() - 1):
            for end in range(min(start + _MOST_CHARACTERS, run.end()), start + 1, -1):
                yield Mention(start=start, end=end, name=fold_name(folded[start:end]), is_plain=False)
