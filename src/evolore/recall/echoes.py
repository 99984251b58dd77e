"""Echoes: which hits say again what a better one said already, and add nothing to it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.recall.echo_words import FILLERS, MARKED_CHARACTERS, TURNING_WORDS
from evolore.text.moments import MOMENTS

if TYPE_CHECKING:
    from collections.abc import Hashable

# Scripts written without spaces are compared by the character: no word of theirs is cut wrongly then.
_UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u303b\u3041-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
)
_WORD = re.compile(rf"[0-9]+(?:[.,:/-][0-9]+)*|[^\W\d_{_UNSPACED}]+(?:['’][^\W\d_{_UNSPACED}]+)*|\w|%")
_CAPITALISED = re.compile(rf"[^\W\d_{_UNSPACED}]+(?:['’][^\W\d_{_UNSPACED}]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:\n\"“”«»()])\s*$")
_LOOK_BACK = 4
_IS_NUMBER = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What is compared of a text.

    Args:
        text: In one normal form, letters as they were.
        words: Its words in order, folded, without those that carry nothing; single characters in scripts without spaces.
        origin: What has to be the same besides the words: who said it, what it is about, whether it holds.
        moment: When it was said; it has to be the same too where the text names a time by that moment, as "yesterday"
            does.
    """

    text: str
    words: tuple[str, ...]
    origin: Hashable = None
    moment: Hashable = None


def wording(text: str, *, origin: Hashable = None, moment: Hashable = None) -> Wording:
    """Read a text's wording.

    Args:
        text: What it says.
        origin: What has to be the same besides the words.
        moment: When it was said.
    """
    normal = text if text.isascii() else unicodedata.normalize("NFKC", text).replace("’", "'")
    folded = normal.casefold()
    words = tuple(word for word in _WORD.findall(folded) if word not in FILLERS)
    return Wording(text=normal, words=words or (folded.strip(),), origin=origin, moment=moment)


def echo_share(standing: Wording, other: Wording, *, least: float) -> float | None:
    """Tell how much of one text another repeats, where that is all it does; None where it is no echo.

    An echo has the words of the standing text in their order, at least ``least`` of them, and no word besides. So a
    changed word is never folded: it may be a changed number, name or date, of which similarity of vectors knows
    nothing ("on Monday" and "on Tuesday" are more alike to an embedder than most paraphrases). Nor may what is left
    out be a number, a negation, a date or a name, or anything else that turns what is said.

    Args:
        standing: The better hit's.
        other: The other's.
        least: How much has to be repeated, 0–1.

    Returns:
        The share of the standing text's words that the other repeats; 1 for the same words.

    >>> move = wording("We moved to Osaka in May, all five of us.")
    >>> echo_share(move, wording("we moved to Osaka in May – all five of us"), least=0.8)
    1.0
    >>> echo_share(move, wording("We moved to Kyoto in May, all five of us."), least=0.8) is None
    True
    """
    share = len(other.words) / len(standing.words)
    if not least <= share <= 1.0 or standing.origin != other.origin or not _is_within(other.words, standing.words):
        return None
    if standing.moment != other.moment and MOMENTS.search(standing.text.casefold()):
        return None
    return share if share == 1.0 or not _is_turned(standing, other) else None


class Echoes:
    """The hits that stand so far, and which of them later ones repeat.

    Laws: every hit either stands or is the echo of exactly one that stands; those that stand keep their order.

    The best-ranked stands, also where a later one is newer: its rank was earned by what was asked, the moment included,
    and its terms must sum to the score it is shown with. The echoes carry their dates.

    Args:
        least: How much of a standing text an echo has to repeat, 0–1.
    """

    def __init__(self, *, least: float) -> None:
        self._least = least
        self._standing: list[Wording] = []

    def place(self, given: Wording) -> tuple[int, float] | None:
        """Give which standing hit the next one repeats, and how much of it; None where it stands itself.

        Costs a look at each that stands.
        """
        for number, standing in enumerate(self._standing):
            share = echo_share(standing, given, least=self._least)
            if share is not None:
                return number, share
        self._standing.append(given)
        return None


def _is_turned(standing: Wording, other: Wording) -> bool:
    """Tell whether what a shorter text leaves out turns what is said."""
    left_out = Counter(standing.words) - Counter(other.words)
    names = _names(standing.text)
    return any(_turns(word, names) for word in left_out)


def _names(text: str) -> frozenset[str]:
    """Give the words that are capitalised where no sentence begins."""
    found = (match for match in _CAPITALISED.finditer(text) if match.group()[0].isupper())
    return frozenset(
        match.group().casefold()
        for match in found
        if not _SENTENCE_START.search(text[max(0, match.start() - _LOOK_BACK) : match.start()])
    )


def _is_within(shorter: tuple[str, ...], longer: tuple[str, ...]) -> bool:
    """Tell whether the words of one stand in the other in their order."""
    rest = iter(longer)
    return all(word in rest for word in shorter)


def _turns(word: str, names: frozenset[str]) -> bool:
    """Tell whether a text may say something else once this word is left out."""
    if word in names or word in TURNING_WORDS or word in MARKED_CHARACTERS or word.endswith("n't"):
        return True
    return _IS_NUMBER.search(word) is not None or MOMENTS.search(word) is not None
