"""The chunker: a document in, its tree of chunks out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evolore.chunking.cohesion import UnitVectors
from evolore.chunking.division import Run, Segmentation, Wish, cut
from evolore.chunking.outline import Node, lay_out
from evolore.chunking.sections import HeadingPaths, Section, read_sections
from evolore.chunking.settings import ChunkSettings, SegmentationSettings
from evolore.chunking.structure import markdown_blocks
from evolore.chunking.units import Gap, Units, plain_blocks, read_units
from evolore.domain.knowledge import ChunkTree, MediaType
from evolore.errors import InvalidValue
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.language import Language
    from evolore.ports import Embedder

_GAP_NATS = {
    Gap.START: 0.0,
    Gap.INSIDE_PARAGRAPH: 8.0,
    Gap.NEWLINE: -4.0,
    Gap.BLANK_LINE: -8.0,
    Gap.INSIDE_TABLE: 4.0,
    Gap.BEFORE_HEADING: -10.0,
    Gap.AFTER_HEADING: 30.0,
    Gap.AFTER_COLON: 5.0,
    Gap.AFTER_TITLE: 15.0,
}
"""What a cut costs beside its price: paragraphs are better edges than sentences, and a heading or the line that
announces a list stays with what follows it."""

_BACK_REFERENCE_NATS = 3.0
"""What a cut costs more before a sentence that points back to the one before; ``_GAP_NATS`` is its scale."""


class Chunker:
    """Cuts documents where their logic turns (seed 002), without a model; usable alone, without a store.

    Args:
        settings: Sizes and weights.
        embedder: What makes the vectors of sentences; used where ``settings.embedding_weight`` is above 0, and needed
            then.

    Raises:
        InvalidValue: ``embedding_weight`` is above 0 and there is no embedder.
    """

    def __init__(self, settings: ChunkSettings | None = None, *, embedder: Embedder | None = None) -> None:
        self.settings = settings or ChunkSettings()
        self._embedder = embedder if self.settings.embedding_weight else None
        if self.settings.embedding_weight and embedder is None:
            raise InvalidValue(
                f"embedding_weight is {self.settings.embedding_weight} and the chunker has no embedder: give one, "
                "such as Chunker(settings, embedder=UseEmbedder()), or set the weight to 0."
            )
        self._segmentation = SegmentationSettings(
            alpha=self.settings.alpha,
            boundary_price=self.settings.boundary_price,
            length_weight=self.settings.length_weight,
            # What follows finds sections. Leaves are too short for a second view to pay for its time, and mostly their
            # length decides where they end.
            pair_weight=0.0,
            once_weight=1.0,
            tokens_per_price=50.0,
            price_growth=1.0,
            back_reference_surcharge=0.0,
            overview_discount=0.0,
            embedding_weight=self.settings.embedding_weight,
        )

    def chunk(
        self,
        text: str,
        *,
        media_type: MediaType = MediaType.PLAIN,
        language: Language | None = None,
        source: str = "",
    ) -> ChunkTree:
        """Cut a document.

        Headings give the outer levels; inside them, the code length of the words decides. A unit that is longer than
        a chunk may be is cut hard and filed for review.

        Args:
            text: The document; any text, even with lone surrogates.
            media_type: How it is marked up.
            language: Whose sentence rules apply; judged from the text when None.
            source: Where it came from, for the review items.

        Returns:
            The tree; without chunks for an empty text. The same input always gives the same tree.
        """
        if not text:
            return ChunkTree(chunks=())
        blocks = markdown_blocks(text) if media_type is MediaType.MARKDOWN else plain_blocks()
        units = read_units(text, blocks, language or detect_language(text), most=self.settings.max_size)
        section = read_sections(units, divided_from=self.settings.target_size, least=self.settings.min_size)
        outer, inner = self._cuts(text, units, section)
        nodes = list(_Nodes(outer, inner, HeadingPaths(units.headings)).of(section))
        return lay_out(text, units, nodes, most=self.settings.max_size, source=source)

    def _cuts(self, text: str, units: Units, section: Section) -> tuple[_Cuts, _Cuts]:
        """Cut the outer and then the inner level."""
        run = self._run(text, units, section)
        reach = self.settings.outer_factor * self.settings.target_size
        outer = _Cuts([], {})
        if any(units.edge(leaf.end) - units.edge(leaf.start) > 2 * reach for leaf in _undivided(section)):
            wish = Wish(settings=self._segmentation, target_characters=reach, most_characters=int(3 * reach))
            outer = _Cuts.outside_fences(run, cut(run, wish))
            run.is_fence[outer.units] = True
        wish = Wish(
            settings=self._segmentation,
            target_characters=self.settings.target_size,
            most_characters=self.settings.max_size,
        )
        return outer, _Cuts.outside_fences(run, cut(run, wish))

    def _run(self, text: str, units: Units, section: Section) -> Run:
        edges = np.array([*units.starts, units.end], np.int64)
        is_fence = np.zeros(len(units.starts), np.bool_)
        is_fence[[leaf.start for leaf in _undivided(section)]] = True
        gap_nats = np.array([_GAP_NATS[gap] for gap in Gap])[np.array(units.gaps, np.int64)]
        run = Run.read(lambda: self._unit_texts(text, units), np.diff(edges), self._segmentation)
        run = replace(run, gap_nats=gap_nats + _BACK_REFERENCE_NATS * run.points_back, is_fence=is_fence)
        if self._embedder is None:
            return run

        def texts(start: int, end: int) -> list[str]:
            return [text[units.edge(index) : units.edge(index + 1)] for index in range(start, end)]

        return replace(run, vectors=UnitVectors(self._embedder, texts))

    def _unit_texts(self, text: str, units: Units) -> Iterator[str]:
        for index, start in enumerate(units.starts):
            end = units.edge(index + 1)
            # A unit over the limit stands alone whatever it says.
            yield text[start:end] if end - start <= self.settings.max_size else ""


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Where one level is cut: units in ascending order, and the gain at each in bits."""

    units: list[int]
    gains_bits: dict[int, float]

    @classmethod
    def outside_fences(cls, run: Run, found: Segmentation) -> _Cuts:
        pairs = zip(found.boundaries, found.gains_bits, strict=True)
        gains = {boundary: gain for boundary, gain in pairs if not run.is_fence[boundary]}
        return cls(list(gains), gains)

    def edges(self, start: int, end: int) -> list[int]:
        """Give a stretch's own edges and the cuts between them."""
        return [start, *self.units[bisect_right(self.units, start) : bisect_left(self.units, end)], end]


def _undivided(section: Section) -> Iterator[Section]:
    """Give the sections that no heading divides, in order."""
    if not section.parts:
        yield section
    for part in section.parts:
        yield from _undivided(part)


@dataclass(frozen=True, slots=True)
class _Nodes:
    """Turns sections and cuts into the nodes of the tree."""

    outer: _Cuts
    inner: _Cuts
    paths: HeadingPaths

    def of(self, section: Section) -> Iterator[Node]:
        """Give the nodes a section falls into, its own left out."""
        if not section.parts:
            yield from self._body(section)
        for part in section.parts:
            below = tuple(self.of(part))
            if part.path is None or len(below) == 1:
                yield from below
            else:
                yield Node(start=part.start, end=part.end, path=part.path, children=below)

    def _body(self, section: Section) -> Iterator[Node]:
        """Give the outer chunks of a section no heading divides, or its leaves where it is one outer chunk."""
        for start, end in pairwise(self.outer.edges(section.start, section.end)):
            leaves = tuple(self._leaf(first, last) for first, last in pairwise(self.inner.edges(start, end)))
            if len(leaves) == 1 or (start, end) == (section.start, section.end):
                yield from leaves
            else:
                gain = self.outer.gains_bits.get(start)
                yield Node(
                    start=start, end=end, path=self.paths.of_stretch(start, end), gain_bits=gain, children=leaves
                )

    def _leaf(self, start: int, end: int) -> Node:
        gain = self.inner.gains_bits.get(start, self.outer.gains_bits.get(start))
        return Node(start=start, end=end, path=self.paths.of_stretch(start, end), gain_bits=gain)
