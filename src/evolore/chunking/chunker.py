"""The chunker: a document in, its tree of chunks out."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evolore.chunking.division import Run, Segmentation, Wish, cut
from evolore.chunking.outline import About, Node, lay_out, too_long
from evolore.chunking.requests import ChunkSteps, Unanswered
from evolore.chunking.sections import HeadingPaths, Section, read_sections
from evolore.chunking.settings import ChunkSettings, SegmentationSettings
from evolore.chunking.structure import markdown_blocks
from evolore.chunking.tier_settings import TierSettings
from evolore.chunking.tiers import Allowance, Tiers, side_by_side
from evolore.chunking.units import Gap, UnitKind, Units, plain_blocks, read_units
from evolore.domain.knowledge import AttemptOutcome, ChunkTree, MediaType, Span
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.language import Language

_GAP_NATS = {
    Gap.START: 0.0,
    Gap.INSIDE_PARAGRAPH: 8.0,
    Gap.NEWLINE: 0.0,
    Gap.BLANK_LINE: -4.0,
    Gap.INSIDE_TABLE: 4.0,
    Gap.BEFORE_HEADING: -6.0,
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
        tiers: How stretches that are too long and hold no boundary are cut.
    """

    def __init__(self, settings: ChunkSettings | None = None, *, tiers: TierSettings | None = None) -> None:
        self.settings = settings or ChunkSettings()
        self.tiers = tiers or TierSettings()
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
        a chunk may be goes through tiers 2 to 4: cut at what separates without being a sentence's end, else where it
        becomes hard to predict, else hard and filed for review. No model is asked.

        Args:
            text: The document; any text, even with lone surrogates.
            media_type: How it is marked up.
            language: Whose sentence rules apply; judged from the text when None.
            source: Where it came from, for the review items.

        Returns:
            The tree; without chunks for an empty text. The same input always gives the same tree.
        """
        steps = self.steps(text, media_type=media_type, language=language, source=source)
        nobody = Unanswered(outcome=AttemptOutcome.NO_MODEL)
        try:
            requests = next(steps)
            while True:
                requests = steps.send(tuple(nobody for _ in requests))
        except StopIteration as ended:
            tree: ChunkTree = ended.value
            return tree

    def steps(
        self,
        text: str,
        *,
        media_type: MediaType = MediaType.PLAIN,
        language: Language | None = None,
        source: str = "",
    ) -> ChunkSteps:
        """Cut a document as ``chunk`` does, asking a chat model where tier 1 finds nothing.

        Yields:
            What to ask at one time; as many answers are to be sent, in their order. Whatever they are, the leaves
            joined are the document.
        """
        if not text:
            return ChunkTree(chunks=())
        language = language or detect_language(text)
        blocks = markdown_blocks(text) if media_type is MediaType.MARKDOWN else plain_blocks()
        units = read_units(text, blocks, language, most=self.settings.max_size)
        section = read_sections(units, divided_from=self.settings.target_size, least=self.settings.min_size)
        outer, inner = self._cuts(text, units, section)
        nodes = list(_Nodes(outer, inner, HeadingPaths(units.headings)).of(section))
        long = too_long(units, nodes, most=self.settings.max_size)
        tiers = Tiers(
            text=text,
            language=language,
            wish=self._leaf_wish,
            least=self.settings.min_size,
            settings=self.tiers,
            allowance=Allowance(self.tiers.ngram_characters),
        )
        settled = yield from side_by_side(
            [tiers.settle(_span(units, node), is_prose=_is_prose(units, node)) for node in long]
        )
        about = About(text=text, source=source, language=language, most=self.settings.max_size)
        return lay_out(units, nodes, {node.start: pieces for node, pieces in zip(long, settled, strict=True)}, about)

    @property
    def _leaf_wish(self) -> Wish:
        return Wish(
            settings=self._segmentation,
            target_characters=self.settings.target_size,
            most_characters=self.settings.max_size,
        )

    def _cuts(self, text: str, units: Units, section: Section) -> tuple[_Cuts, _Cuts]:
        """Cut the outer and then the inner level."""
        run = self._run(text, units, section)
        reach = self.settings.outer_factor * self.settings.target_size
        outer = _Cuts([], {})
        if any(units.edge(leaf.end) - units.edge(leaf.start) > 2 * reach for leaf in _undivided(section)):
            wish = Wish(settings=self._segmentation, target_characters=reach, most_characters=int(3 * reach))
            outer = _Cuts.outside_fences(run, cut(run, wish))
            run.is_fence[outer.units] = True
        return outer, _Cuts.outside_fences(run, cut(run, self._leaf_wish))

    def _run(self, text: str, units: Units, section: Section) -> Run:
        edges = np.array([*units.starts, units.end], np.int64)
        is_fence = np.zeros(len(units.starts), np.bool_)
        is_fence[[leaf.start for leaf in _undivided(section)]] = True
        gap_nats = np.array([_GAP_NATS[gap] for gap in Gap])[np.array(units.gaps, np.int64)]
        run = Run.read(lambda: self._unit_texts(text, units), np.diff(edges), self._segmentation)
        return replace(run, gap_nats=gap_nats + _BACK_REFERENCE_NATS * run.points_back, is_fence=is_fence)

    def _unit_texts(self, text: str, units: Units) -> Iterator[str]:
        for index, start in enumerate(units.starts):
            end = units.edge(index + 1)
            # A unit over the limit stands alone whatever it says.
            yield text[start:end] if end - start <= self.settings.max_size else ""


_PROSE = (UnitKind.SENTENCE, UnitKind.LIST_ITEM, UnitKind.HEADING)


def _span(units: Units, node: Node) -> Span:
    return Span(units.edge(node.start), units.edge(node.end))


def _is_prose(units: Units, node: Node) -> bool:
    return all(kind in _PROSE for kind in units.kinds[node.start : node.end])


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
