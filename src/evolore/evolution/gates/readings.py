"""Readings: a clause or a sentence as it is compared, with what tells which way it points."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from evolore.evolution.gates.claim_words import opposed_groups, restriction
from evolore.evolution.gates.claims import content_words
from evolore.text.protected.folding import fold_text
from evolore.text.protected.polarity_words import polarity_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.language import Language
    from evolore.evolution.gates.claims import Claim

_MARKS = re.compile(r"^[\s>#*+|・■-]+|[*_`|]+", re.MULTILINE)
_CUT = re.compile(
    r"(?<!\d),(?!\d)|(?<=\d), |[;；:：、，。．!?！？…（）()|]|(?<=[a-z)])\.(?=\s|$)| - |——|(?<![A-Za-z])(?:but|though)(?![A-Za-z])",
    re.IGNORECASE,
)
_PIECE = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d+(?:[.,:]\d+)*|[^\sA-Za-z\d]")
_FEWEST_PIECES = 3


@dataclass(frozen=True)
class Reading:
    """A text and which way it points."""

    text: str
    language: Language

    @cached_property
    def plain(self) -> str:
        """Its words in one width, without what only looks like a denial."""
        words = polarity_of(self.language)
        return words.only_looks.sub(lambda match: " " * len(match.group()), fold_text(self.text))

    @cached_property
    def words(self) -> Counter[str]:
        """Its content words."""
        return Counter(content_words(self.text, self.language))

    @cached_property
    def pieces(self) -> list[str]:
        """Its words in small letters, of texts without spaces its characters, and its signs."""
        return pieces_of(self.text)

    @cached_property
    def grams(self) -> Counter[str]:
        """Its pairs of neighbouring characters, white space left out."""
        plain = "".join(fold_text(self.text).split()).casefold()
        return Counter(plain[place : place + 2] for place in range(len(plain) - 1))

    @cached_property
    def denials(self) -> tuple[str, ...]:
        """What denies in it."""
        return tuple(match.group() for match in polarity_of(self.language).denies.finditer(self.plain))

    @cached_property
    def softeners(self) -> Counter[str]:
        """What may stand for a denial, by stem."""
        return Counter(
            _stem(match.group().casefold()) for match in polarity_of(self.language).softens.finditer(self.plain)
        )

    @cached_property
    def other_softeners(self) -> Counter[str]:
        """What may stand for a denial and is none of those that were read."""
        words = polarity_of(self.language)
        taken = [match.span() for match in words.denies.finditer(self.plain)]
        found = list(words.softens.finditer(self.plain))
        free = [one for one in found if not any(start < one.end() and one.start() < end for start, end in taken)]
        return Counter(_stem(match.group().casefold()) for match in free)

    @cached_property
    def sides(self) -> tuple[frozenset[int], ...]:
        """Of each group of words that exclude one another, the sides it names."""
        plain = fold_text(self.text)
        return tuple(
            frozenset(number for number, side in enumerate(group) if side.search(plain))
            for group in opposed_groups(self.language)
        )

    @cached_property
    def is_restricted(self) -> bool:
        """Whether it holds "only", "except" or the like."""
        return restriction(self.language).search(fold_text(self.text)) is not None

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of words it holds, such as ``permits``."""
        plain, words = fold_text(self.text), polarity_of(self.language)
        patterns: dict[str, re.Pattern[str]] = {kind: getattr(words, kind) for kind in KINDS}
        return frozenset(kind for kind, pattern in patterns.items() if pattern.search(plain))


KINDS = ("permits", "requires", "eases", "doubles", "absents", "supposes", "includes", "conditions")
"""The kinds of words that tell which way a claim points; see ``Polarity``."""


@lru_cache(maxsize=4096)
def reading_of(text: str, language: Language) -> Reading:
    """Give the reading of a text; the same one each time, so that nothing is read twice."""
    return Reading(text, language)


def pieces_of(text: str) -> list[str]:
    """Cut a text into words, numbers and signs, in small letters and one width."""
    return [piece.casefold() for piece in _PIECE.findall(fold_text(text))]


def joined(pieces: Sequence[str]) -> str:
    """Give pieces as a text."""
    return "".join(f"{piece} " if piece.isascii() else piece for piece in pieces).strip()


def clauses_of(claim: Claim) -> list[str]:
    """Cut a sentence where it pauses; a piece of one or two words stays with its neighbour."""
    bare = _MARKS.sub(" ", claim.text).strip()
    parts = [part.strip() for part in _CUT.split(bare) if sum(sign.isalnum() for sign in part) > 1]
    return _with_neighbours(parts) or ([bare] if bare else [])


def _with_neighbours(parts: Sequence[str]) -> list[str]:
    found: list[str] = []
    for part in parts:
        if found and len(pieces_of(part)) < _FEWEST_PIECES:
            found[-1] = f"{found[-1]}, {part}"
        else:
            found.append(part)
    if len(found) > 1 and len(pieces_of(found[0])) < _FEWEST_PIECES:
        found[:2] = [f"{found[0]}, {found[1]}"]
    return found


def _stem(word: str) -> str:
    """Cut a word so that its forms are one; characters of other scripts stay."""
    return word[:4] if word.isascii() else word
