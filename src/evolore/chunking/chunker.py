"""The chunker: a document in, its tree of chunks out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evolore.chunking.cohesion import UnitVectors
from evolore.chunking.division import Run, Segmentation, Wish, cut
from evolore.chunking.lines import reads_as_code, with_turns
from evolore.chunking.outline import Node, lay_out
from evolore.chunking.parts import parts_of
from evolore.chunking.sections import HeadingPaths, Section, read_sections
from evolore.chunking.settings import ChunkSettings, SegmentationSettings
from evolore.chunking.sizes import Sizes, measure
from evolore.chunking.structure import markdown_blocks
from evolore.chunking.units import Gap, Units, plain_blocks, read_units
from evolore.domain.knowledge import ChunkTree, MediaType, TreePart
from evolore.errors import InvalidValue
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evolore.chunking.units import Heading
    from evolore.domain.language import Language
    from evolore.ports.embedding import Embedder
    from evolore.ports.tokens import Tokenizer

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
    Gap.BEFORE_TURN: -4.0,
    Gap.BEFORE_INDENTED: 4.0,
}
"""What a cut costs beside its price: paragraphs are better edges than sentences, and a heading or the line that
announces a list stays with what follows it."""

_BACK_REFERENCE_NATS = 3.0
"""What a cut costs more before a sentence that points back to the one before; ``_GAP_NATS`` is its scale."""


class Chunker:
    """Cuts documents where their logic turns (seed 002), without a model; usable alone, without a store.

    Args:
        settings: Sizes and weights.
        tokenizer: What counts tokens; needed where sizes are in tokens.
        embedder: What makes the vectors of sentences; used where ``settings.embedding_weight`` is above 0, and needed
            then.

    Raises:
        InvalidValue: Sizes are in tokens and there is no tokenizer, or ``embedding_weight`` is above 0 and there is
            no embedder.
    """

    def __init__(
        self,
        settings: ChunkSettings | None = None,
        *,
        tokenizer: Tokenizer | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.settings = settings or ChunkSettings()
        self._tokenizer = tokenizer
        measure("", self.settings.size_unit, tokenizer)
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
        place = _Place(language=language or detect_language(text), source=source)
        return self._tree(text, media_type, place)[0]

    def stream(
        self,
        texts: Iterable[str],
        *,
        media_type: MediaType = MediaType.PLAIN,
        language: Language | None = None,
        source: str = "",
    ) -> Iterator[TreePart]:
        """Cut a document that is too long to be held, part by part.

        A part ends before a high heading or at a wide gap, at the latest after a million characters; a section that
        two parts share becomes two. A shorter document is one part, cut as ``chunk`` cuts it.

        Args:
            texts: The document in pieces of any length, such as the lines of an open file.
            media_type: How it is marked up.
            language: Whose sentence rules apply; judged from the first part when None.
            source: Where it came from, for the review items; their spans are in their part.

        Returns:
            Parts in order, each made when it is asked for; their texts, joined, are the document.
        """
        place: _Place | None = None
        for text in parts_of(texts, media_type):
            place = place or _Place(language=language or detect_language(text), source=source)
            tree, paths = self._tree(text, media_type, place)
            yield TreePart(text=text, start=place.start, tree=tree)
            place = replace(
                place,
                start=place.start + len(text),
                number=tree.chunks[-1].outline.parts[0] + 1,
                above=paths.open_at_end,
            )

    def _tree(self, text: str, media_type: MediaType, place: _Place) -> tuple[ChunkTree, HeadingPaths]:
        is_markdown = media_type is MediaType.MARKDOWN
        blocks = markdown_blocks(text, is_beginning=not place.start) if is_markdown else plain_blocks()
        sizes = measure(text, self.settings.size_unit, self._tokenizer)
        units = read_units(
            text,
            with_turns(text, blocks),
            place.language,
            most=self.settings.max_size,
            sizes=sizes,
            is_code=reads_as_code(text),
        )
        paths = HeadingPaths(units.headings, place.above)
        section = read_sections(
            units, paths, divided_from=self.settings.target_size, least=self.settings.min_size, sizes=sizes
        )
        outer, inner = self._cuts(_Measured(text, units, sizes), section)
        nodes = list(_Nodes(outer, inner, paths).of(section))
        most, source = self.settings.max_size, place.source
        return lay_out(text, units, nodes, most=most, sizes=sizes, first=place.number, source=source), paths

    def _cuts(self, document: _Measured, section: Section) -> tuple[_Cuts, _Cuts]:
        """Cut the outer and then the inner level."""
        run = self._run(document, section)
        reach = self.settings.outer_factor * self.settings.target_size
        outer = _Cuts([], {})
        if any(document.size(leaf.start, leaf.end) > 2 * reach for leaf in _undivided(section)):
            wish = Wish(settings=self._segmentation, target_characters=reach, most_characters=int(3 * reach))
            outer = _Cuts.outside_fences(run, cut(run, wish))
            run.is_fence[outer.units] = True
        wish = Wish(
            settings=self._segmentation,
            target_characters=self.settings.target_size,
            most_characters=self.settings.max_size,
        )
        return outer, _Cuts.outside_fences(run, cut(run, wish))

    def _run(self, document: _Measured, section: Section) -> Run:
        units = document.units
        steps = document.sizes.steps(np.array([*units.starts, units.end], np.int64))
        is_fence = np.zeros(len(units.starts), np.bool_)
        is_fence[[leaf.start for leaf in _undivided(section)]] = True
        gap_nats = np.array([_GAP_NATS[gap] for gap in Gap])[np.array(units.gaps, np.int64)]
        run = Run.read(lambda: self._unit_texts(document), steps, self._segmentation)
        run = replace(run, gap_nats=gap_nats + _BACK_REFERENCE_NATS * run.points_back, is_fence=is_fence)
        if self._embedder is None:
            return run

        def texts(start: int, end: int) -> list[str]:
            return [document.text[units.edge(index) : units.edge(index + 1)] for index in range(start, end)]

        return replace(run, vectors=UnitVectors(self._embedder, texts))

    def _unit_texts(self, document: _Measured) -> Iterator[str]:
        units = document.units
        for index, start in enumerate(units.starts):
            # A unit over the limit stands alone whatever it says.
            fits = document.size(index, index + 1) <= self.settings.max_size
            yield document.text[start : units.edge(index + 1)] if fits else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """What is known of a document before one of its parts is read."""

    language: Language
    source: str
    start: int = 0
    number: int = 1
    above: tuple[Heading, ...] = ()


@dataclass(frozen=True, slots=True)
class _Measured:
    """A text, its units, and how long they are."""

    text: str
    units: Units
    sizes: Sizes

    def size(self, start: int, end: int) -> int:
        """Give the size of the units from ``start`` to ``end``."""
        return self.sizes.between(self.units.edge(start), self.units.edge(end))


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
