"""Cases, their halves and groups, and an embedder asked for the same texts again and again."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from evolore.ports import Embedder, EmbeddingModel, TextRole, Vectors
from evolore_evaluation.reports import snake_case

Tried = TypeVar("Tried")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a set asks of a system once."""

    id: str  #: Its name in its set.

    @property
    def is_blind(self) -> bool:
        """Whether it is in the half that nothing is tuned on: the CRC-32 of its id is odd.

        >>> Case(id="a").is_blind
        True
        """
        return zlib.crc32(self.id.encode("utf-8", "surrogatepass")) % 2 == 1

    @property
    def is_held_back(self) -> bool:
        """Whether it is measured only where the blind half is asked for."""
        return self.is_blind

    @property
    def half(self) -> str:
        """The half it is in, as figures name it.

        >>> Case(id="a").half
        'blind'
        """
        return "blind" if self.is_blind else "visible"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledText(Case):
    """A text whose label is known."""

    language: str  #: What it is written in, as its set says or as it looks; it groups figures and decides nothing.
    text: str  #: Its text.
    is_tricky: bool = False  #: Whether its wording points to another label.


def groups_by(tried: Sequence[Tried], *levels: Callable[[Tried], Iterable[str]]) -> dict[str, list[Tried]]:
    """Sort what was tried into groups by label, level by level, each in the order of its labels.

    Args:
        tried: The result of each case.
        levels: Returns the labels of one at each level; an empty label is none.
    """
    groups: dict[str, list[Tried]] = {}
    for labels_of in levels:
        level: dict[str, list[Tried]] = {}
        for one in tried:
            for label in filter(None, labels_of(one)):
                level.setdefault(label, []).append(one)
        groups |= dict(sorted(level.items()))
    return groups


def group_by_label(
    tried: Sequence[Tried], text_of: Callable[[Tried], LabelledText], *, blind: bool
) -> dict[str, list[Tried]]:
    """Sort texts by language, by half, and by whether they are tricky, where a set has more than one kind.

    Args:
        tried: The result of each text.
        text_of: Returns the text.
        blind: Whether both halves were measured; then the tricky of each are given apart.
    """
    has_tricky = any(text_of(one).is_tricky for one in tried)
    has_languages = len({text_of(one).language for one in tried}) > 1

    def labels(one: Tried) -> Iterator[str]:
        text = text_of(one)
        if has_languages:
            yield snake_case(text.language)
        if blind:
            yield text.half
        if has_tricky:
            kind = "tricky" if text.is_tricky else "plain"
            yield f"{text.half}_{kind}" if blind else kind

    return groups_by(tried, labels)


class RememberingEmbedder:
    """Embeds each text once, as long as few enough are remembered.

    Args:
        embedder: What embeds.
        most: How many vectors are remembered at most, at least 1; with one text more, all are let go of.
    """

    def __init__(self, embedder: Embedder, *, most: int = 20_000) -> None:
        self._embedder = embedder
        self._most = most
        self._known: dict[tuple[TextRole, str], Vectors] = {}

    @property
    def model(self) -> EmbeddingModel:
        """The model at work."""
        return self._embedder.model

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Return unit vectors of shape (texts, dimension), in the order of the texts."""
        if not texts:
            return self._embedder.embed(texts, role=role)
        if len(self._known) + len(texts) > self._most:
            self._known.clear()
        unknown = list(dict.fromkeys(text for text in texts if (role, text) not in self._known))
        if unknown:
            vectors = self._embedder.embed(unknown, role=role)
            self._known.update(((role, text), vector) for text, vector in zip(unknown, vectors, strict=True))
        return np.stack([self._known[role, text] for text in texts])
