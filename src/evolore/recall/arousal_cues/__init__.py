"""Words that say how strongly something is felt, in three languages, sorted by what they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from evolore.domain.language import Language

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType


class Cue(IntEnum):
    """What a word of a text is a sign of."""

    FEELING = 0
    STRONG = 1
    BODY = 2
    GRAVE = 3
    JOY = 4
    KIN = 5
    SELF = 6
    INTENSE = 7
    HEDGE = 8
    TRIFLE = 9
    THING = 10
    MILD = 11
    RECORD = 12


_WORD = re.compile(r"[a-zé']+")


_Phrases: TypeAlias = "Mapping[str, tuple[tuple[tuple[str, ...], tuple[Cue, ...]], ...]]"


@dataclass(frozen=True, slots=True)
class WordLexicon:
    """The cues of a language whose words are set apart by blanks.

    Args:
        words: What each word is a sign of.
        phrases: By first word, the further words of a phrase and what it is a sign of.
    """

    words: Mapping[str, tuple[Cue, ...]]
    phrases: _Phrases

    def find(self, sentence: str) -> list[Cue]:
        """List the signs in a sentence in lower case."""
        found: list[Cue] = []
        words = _WORD.findall(sentence)
        for place, word in enumerate(words):
            if word in self.words:
                found += self.words[word]
            if word in self.phrases:
                for rest, cues in self.phrases[word]:
                    if tuple(words[place + 1 : place + 1 + len(rest)]) == rest:
                        found += cues
        return found


@dataclass(frozen=True, slots=True)
class TextLexicon:
    """The cues of a language whose words are not set apart: the longest at a place counts, and hides those inside it.

    Args:
        words: By first character, the words, longest first, and what each is a sign of. A pattern of all words takes
            five times as long.
    """

    words: Mapping[str, tuple[tuple[str, tuple[Cue, ...]], ...]]

    def find(self, sentence: str) -> list[Cue]:
        """List the signs in a sentence in lower case."""
        found: list[Cue] = []
        end = 0
        for place, character in enumerate(sentence):
            if character in self.words and place >= end:
                for word, cues in self.words[character]:
                    if sentence.startswith(word, place):
                        found += cues
                        end = place + len(word)
                        break
        return found


def of(language: Language) -> WordLexicon | TextLexicon:
    """Give a language's cues; English serves every language without its own."""
    return _lexicon(language if language in {Language.JA, Language.ZH} else Language.EN)


@cache
def _lexicon(language: Language) -> WordLexicon | TextLexicon:
    signs = _signs(language)
    return _words_and_phrases(signs) if language is Language.EN else _by_first_character(signs)


def _signs(language: Language) -> dict[str, tuple[Cue, ...]]:
    """Turn the lists of a kind into the kinds of a word."""
    known = _module(language)
    signs: dict[str, tuple[Cue, ...]] = {}
    for cue in Cue:
        listed: str = getattr(known, cue.name)
        for word in dict.fromkeys(listed.split()):
            signs[word] = (*signs.get(word, ()), cue)
    return signs


def _words_and_phrases(signs: Mapping[str, tuple[Cue, ...]]) -> WordLexicon:
    phrases: dict[str, tuple[tuple[tuple[str, ...], tuple[Cue, ...]], ...]] = {}
    for phrase, cues in signs.items():
        first, *rest = phrase.split("_")
        if rest:
            phrases[first] = (*phrases.get(first, ()), (tuple(rest), cues))
    return WordLexicon({word: cues for word, cues in signs.items() if "_" not in word}, phrases)


def _by_first_character(signs: Mapping[str, tuple[Cue, ...]]) -> TextLexicon:
    words: dict[str, tuple[tuple[str, tuple[Cue, ...]], ...]] = {}
    for word in sorted(signs, key=len, reverse=True):
        words[word[0]] = (*words.get(word[0], ()), (word, signs[word]))
    return TextLexicon(words)


def _module(language: Language) -> ModuleType:
    match language:
        case Language.JA:
            from evolore.recall.arousal_cues import ja as known  # noqa: PLC0415 - a text has one language
        case Language.ZH:
            from evolore.recall.arousal_cues import zh as known  # noqa: PLC0415 - likewise
        case _:
            from evolore.recall.arousal_cues import en as known  # noqa: PLC0415 - likewise
    return known
