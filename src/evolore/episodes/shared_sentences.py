"""Sentences of two texts: which say the same, which belong together, and which are new."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from evolore.domain.language import Language
from evolore.episodes.differences import differences
from evolore.text.contrasts.reading import Reading, left_over, read, shared_share
from evolore.text.sentences import sentence_spans

_REMEMBERED, _COMPARED = 1 << 12, 1 << 7
_LEAST_SHARED = 0.4
_ROUNDING = 1e-6
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[.,:/-](?=\d)")
_RUN = re.compile(r"[a-z0-9]{4,}|[一-鿿]{2,}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


class _KeptCharacters(dict[int, int | None]):
    """What ``str.translate`` makes of a character: letters, digits, marks and signs stay; each is looked up once."""

    def __missing__(self, code: int) -> int | None:
        one = chr(code)
        self[code] = code if one == "\x1f" or unicodedata.category(one)[0] in "LMNS" else None
        return self[code]


_KEPT = _KeptCharacters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Two sentences that speak of the same, judged by their words."""

    ours: Reading  #: Of the first text.
    theirs: Reading  #: Of the second.


@lru_cache(maxsize=_REMEMBERED)
def sentences_of(text: str, language: Language) -> tuple[str, ...]:
    """Cut a text into sentences, white space around them left out."""
    found = (span.of(text).strip() for span in sentence_spans(text, language=language))
    return tuple(sentence for sentence in found if sentence)


@lru_cache(maxsize=_REMEMBERED)
def folded(text: str) -> str:
    """Return what has to be the same for two texts to be the same: letters, digits, signs, and whether it asks.

    >>> folded("We moved to Leeds!") == folded("we moved to  leeds")
    True
    >>> folded("It costs 1.5.") == folded("It costs 15."), folded("You moved?") == folded("You moved.")
    (False, False)
    """
    normal = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    normal = _BETWEEN_DIGITS.sub("\x1f", _THOUSANDS.sub("", normal))
    kept = normal.translate(_KEPT)
    return kept + "?" if normal.rstrip().endswith("?") else kept


def is_contained(new: str, old: str, language: Language) -> bool:
    """Return whether every sentence of the new text is in the old one, in any case, width or punctuation."""
    if folded(new) == folded(old):
        return True
    letters = _letters(old)
    if not all(run in letters for run in _RUN.findall(unicodedata.normalize("NFKC", new).casefold())):
        return False
    wanted = [folded(sentence) for sentence in sentences_of(new, language)]
    if not all(_without_signs(one) in letters for one in wanted):
        return False
    return {folded(sentence) for sentence in sentences_of(old, language)}.issuperset(wanted)


@lru_cache(maxsize=_REMEMBERED)
def _letters(text: str) -> str:
    """Return what is kept of a text; what is kept of a sentence of it is a part of that."""
    return _without_signs(folded(text))


def _without_signs(kept: str) -> str:
    return kept.replace("\x1f", "").removesuffix("?")


def novel_sentences(old: str, new: str, language: Language) -> tuple[str, ...]:
    """Return the sentences of the new text that the old one does not say, each as written, in order, once.

    The old text says a sentence when it holds it, or when one of its own has all words of the sentence and differs
    in nothing that counts.

    >>> from evolore.domain.language import Language
    >>> novel_sentences("We moved to Leeds. It rains.", "It rains! We like it.", Language.EN)
    ('We like it.',)
    """
    said = sentences_of(old, language)
    known = {folded(sentence) for sentence in said}
    readings = [read(sentence, language) for sentence in said]
    found: dict[str, str] = {}
    for sentence in sentences_of(new, language):
        key = folded(sentence)
        if key not in known and not any(_says(one, read(sentence, language), language) for one in readings):
            found.setdefault(key, sentence)
    return tuple(found.values())


def _says(old: Reading, new: Reading, language: Language) -> bool:
    if not new.words or next(differences(old, new, language), None):
        return False
    is_counted = all(value.is_soft or any(value.is_same(one) for one in old.values) for value in new.values)
    return is_counted and not left_over(old, new)[1]


@lru_cache(maxsize=_COMPARED)
def pairings(a: str, b: str, language: Language) -> tuple[Pairing, ...]:
    """Join every sentence of the second text with the one of the first that has most of its words.

    Two single sentences are always joined; of longer texts those that share too little stay alone.
    """
    ours = [read(sentence, language) for sentence in sentences_of(a, language)]
    theirs = [read(sentence, language) for sentence in sentences_of(b, language)]
    if len(ours) == len(theirs) == 1:
        return (Pairing(ours=ours[0], theirs=theirs[0]),)
    likest = _Likest(ours)
    pairs = ((likest.of(one), one) for one in theirs)
    return tuple(Pairing(ours=other, theirs=one) for other, one in pairs if other is not None)


class _Likest:
    """Finds the sentence that shares most words with another, without comparing all."""

    def __init__(self, sentences: Sequence[Reading]) -> None:
        self._sentences = sentences
        self._stubs: dict[str, list[tuple[int, int]]] = {}
        for place, one in enumerate(sentences):
            for stub, count in one.stubs.items():
                self._stubs.setdefault(stub, []).append((place, count))

    def of(self, one: Reading) -> Reading | None:
        """Return the sentence that shares most with another, the first of equals; None where all share too little."""
        best, most = None, _LEAST_SHARED
        for place in self._possible(one):
            share = shared_share(self._sentences[place], one)
            if share > most or (best is None and share >= most):
                best, most = self._sentences[place], share
        return best

    def _possible(self, one: Reading) -> list[int]:
        """Return the places of those that can share enough: words that count as one have a stub in common."""
        common = [0] * len(self._sentences)
        for stub, count in one.stubs.items():
            for place, other in self._stubs.get(stub, ()):
                common[place] += min(count, other)
        size, least = len(one.words), _LEAST_SHARED / 2.0 - _ROUNDING
        return [
            place
            for place, count in enumerate(common)
            if count and count >= least * (size + len(self._sentences[place].words))
        ]
