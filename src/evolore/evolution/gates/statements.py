"""Statements: sentences or halves of them, which way each points, and which of two texts belong together."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evolore.evolution.gates.claims import content_words, dice
from evolore.text.protected.folding import fold_text
from evolore.text.protected.polarity_words import polarity_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from evolore.domain.language import Language
    from evolore.evolution.gates.claims import Claim, Similar

_SPLIT = re.compile(r"[;；]\s*|(?<=[。])")
_LEAST_NEAR = 0.3
_ABOUT = 0.2


@dataclass(frozen=True)
class Statement:
    """A sentence or a half of one, and which way it points."""

    text: str
    claim: Claim
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
    def denials(self) -> tuple[str, ...]:
        """What denies in it; "neither, nor" is one."""
        return tuple(match.group() for match in polarity_of(self.language).denies.finditer(self.plain))

    @cached_property
    def softeners(self) -> Counter[str]:
        """What may stand for a denial, by stem."""
        found = polarity_of(self.language).softens.finditer(self.plain)
        return Counter(_stem(match.group().casefold()) for match in found)

    def has(self, what: str) -> bool:
        """Tell whether it holds words of a kind, such as ``permits``."""
        pattern: re.Pattern[str] = getattr(polarity_of(self.language), what)
        return pattern.search(fold_text(self.text)) is not None


@dataclass(frozen=True)
class Pairing:
    """Which statements of two texts belong together.

    Args:
        ours: Those of the original.
        theirs: Those of the rewrite.
        near: How near they are, shape (ours, theirs).
    """

    ours: Sequence[Statement]
    theirs: Sequence[Statement]
    near: npt.NDArray[np.float32]

    @cached_property
    def links(self) -> list[tuple[int, int]]:
        """Each statement with the one nearest to it, both ways."""
        found = {(index, int(row.argmax())) for index, row in enumerate(self.near) if row.max() >= _LEAST_NEAR}
        found |= {
            (int(column.argmax()), place) for place, column in enumerate(self.near.T) if column.max() >= _LEAST_NEAR
        }
        return sorted(found)

    @cached_property
    def mutual(self) -> frozenset[tuple[int, int]]:
        """The pairs each of which is the nearest to the other."""
        return frozenset(
            (index, place)
            for index, place in self.links
            if int(self.near[index].argmax()) == place and int(self.near[:, place].argmax()) == index
        )

    def of_ours(self, index: int, place: int) -> list[Statement]:
        """Give what stands for a statement of the original."""
        places = [place] if (index, place) in self.mutual else [other for one, other in self.links if one == index]
        return _with_neighbours(places, self.theirs)

    def of_theirs(self, index: int, place: int) -> list[Statement]:
        """Give what a statement of the rewrite stands for."""
        places = [index] if (index, place) in self.mutual else [one for one, other in self.links if other == place]
        return _with_neighbours(places, self.ours)

    def is_said_elsewhere(self, index: int, place: int) -> bool:
        """Tell whether a denial that stands for none of the original is near to a statement of it."""
        spoken = {other for one, other in self.mutual if self.ours[one].denials}
        return any(
            statement.denials
            and number != place
            and number not in spoken
            and self._is_about(self.near[:, number], index)
            for number, statement in enumerate(self.theirs)
        )

    def was_said_elsewhere(self, index: int, place: int) -> bool:
        """Tell the same of a statement of the rewrite and a denial of the original."""
        spoken = {one for one, other in self.mutual if self.theirs[other].denials}
        return any(
            statement.denials and number != index and number not in spoken and self._is_about(self.near[number], place)
            for number, statement in enumerate(self.ours)
        )

    @staticmethod
    def _is_about(near: npt.NDArray[np.float32], place: int) -> bool:
        """Tell whether a statement is near to the one at a place, or to no other more."""
        return bool(near[place] >= _ABOUT or int(near.argmax()) == place)


def _with_neighbours(places: Sequence[int], statements: Sequence[Statement]) -> list[Statement]:
    """Give statements with the other halves of their sentences."""
    spans = {statements[place].claim.span for place in places}
    return [one for one in statements if one.claim.span in spans]


def join(statements: Sequence[Statement]) -> Statement:
    """Give several statements as one."""
    if len(statements) == 1:
        return statements[0]
    first = statements[0]
    return Statement(" ".join(one.text for one in statements), first.claim, first.language)


def read_statements(claims: Sequence[Claim], language: Language) -> list[Statement]:
    """Cut sentences into statements; headings state nothing."""
    parts = [(part, claim) for claim in claims if not claim.is_heading for part in _SPLIT.split(claim.text)]
    return [Statement(part, claim, language) for part, claim in parts if any(sign.isalnum() for sign in part)]


def measure_nearness(
    ours: Sequence[Statement], theirs: Sequence[Statement], similar: Similar | None
) -> npt.NDArray[np.float32]:
    """Give how near statements are, shape (ours, theirs): by common words, and by meaning where that is told."""
    shared = np.array([[dice(one.words, other.words) for other in theirs] for one in ours], dtype=np.float32)
    if similar is None:
        return shared
    meant = similar([one.text for one in ours], [other.text for other in theirs])
    return np.maximum(shared, meant).astype(np.float32)


def _stem(word: str) -> str:
    """Cut a word so that its forms are one; characters of other scripts stay."""
    return word[:4] if word.isascii() else word
