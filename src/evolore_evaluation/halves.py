"""Halves of a set, one open while rules are made, and an embedder asked for the same texts again and again."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from evolore_evaluation.reports import Progress, snake_case

if TYPE_CHECKING:
    from evolore.ports import Embedder, EmbeddingModel, TextRole, Vectors

Tried = TypeVar("Tried")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a set asks of a system once.

    Args:
        id: Its name in its set.
    """

    id: str

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
    """A text whose label is known.

    Args:
        id: Its name in its set.
        language: What it is written in, as its set says or as it looks; it groups figures and decides nothing.
        text: What is said.
        is_tricky: Whether its wording points to another label.
    """

    language: str
    text: str
    is_tricky: bool = False


AnyCase = TypeVar("AnyCase", bound=Case)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredScope:
    """How much of each set is measured, and who is told how far that is.

    Args:
        blind: Whether the blind half is measured too.
        limit: How many cases of each set at most; None for all.
        progress: Told after every case.
    """

    blind: bool
    limit: int | None
    progress: Progress | None

    def chosen(self, cases: Iterable[AnyCase]) -> list[AnyCase]:
        """Return the cases to measure, in their order."""
        return [case for case in cases if self.blind or not case.is_held_back][: self.limit]

    def measure(self, set_name: str, cases: Sequence[AnyCase], run: Callable[[AnyCase], Tried]) -> list[Tried]:
        """Try one case after another, and tell of each."""
        tried: list[Tried] = []
        for case in cases:
            tried.append(run(case))
            if self.progress:
                self.progress(set_name, len(tried), len(cases))
        return tried


def group_by_label(
    tried: Sequence[Tried], text_of: Callable[[Tried], LabelledText], *, blind: bool
) -> dict[str, list[Tried]]:
    """Sort texts by language, by half, and by whether they are tricky, where a set has more than one kind.

    Args:
        tried: What came of each text.
        text_of: Gives the text.
        blind: Whether both halves were measured; then the tricky of each are given apart.
    """
    groups: dict[str, list[Tried]] = {}
    has_tricky = any(text_of(one).is_tricky for one in tried)
    has_languages = len({text_of(one).language for one in tried}) > 1
    for one in tried:
        text = text_of(one)
        labels = [snake_case(text.language)] * has_languages + [text.half] * blind
        if has_tricky:
            kind = "tricky" if text.is_tricky else "plain"
            labels.append(f"{text.half}_{kind}" if blind else kind)
        for label in labels:
            groups.setdefault(label, []).append(one)
    return dict(sorted(groups.items()))


class RememberingEmbedder:
    """Embeds each text once, as long as few enough are remembered.

    Args:
        embedder: What embeds.
        most: How many vectors are remembered at the most, at least 1; with one text more, all are let go of.
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
