"""Trees of documents: units are read, cut into sections and leaves, and laid out."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from evolore.chunking import units as reading
from evolore.chunking.code_length import UnitVectors
from evolore.chunking.division import UnitRun, Wish, cut
from evolore.chunking.headings import HeadingPaths, UnitSection, read_sections
from evolore.chunking.requests import Steps, unanswered
from evolore.chunking.settings import ChunkSettings, SegmentationSettings, Sizes, TierSettings, measure
from evolore.chunking.tiers import Allowance, CutPiece, Tiers, side_by_side
from evolore.chunking.tree import About, Cuts, Node, Nodes, lay_out, too_long, undivided
from evolore.domain.document import ChunkTree, MediaType, Span, TreePart
from evolore.domain.language import Language
from evolore.ports.models import Embedder, Tokenizer
from evolore.text.scripts import detect_language
from evolore.text.vectors import Bools, Float64s

PART_CHARACTERS = 1_000_000
"""The longest part. A section that two parts share becomes two; shorter texts are one part."""

_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<rest>[^\r\n]*)", re.MULTILINE)
_HEADING = re.compile(r"^(?P<rank>#{1,6})[ \t]", re.MULTILINE)
_BREAKS = (
    re.compile(r"\n[^\S\n]*\r?\n(?=\S)"),
    re.compile(r"\n"),
    re.compile(r"[。！？]|[.!?](?=\s)"),
    re.compile(r"\s"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPlace:
    """The context of a part of a document, known before it is read."""

    language: Language  #: Whose sentence rules apply.
    source: str  #: Where it came from.
    start: int = 0  #: The part's first character in the document.
    number: int = 1  #: The outline number its first chunk gets.
    above: tuple[reading.Heading, ...] = ()  #: The headings that are open where it begins, outermost first.
    fence: str = ""  #: The mark of the listing that is open there; empty for none.


def parts_of(texts: Iterable[str], media_type: MediaType, *, most: int = PART_CHARACTERS) -> Iterator[str]:
    """Join texts and cut them into parts, at the highest heading in a part's second half, or else at a wide gap.

    Returns:
        Parts that, joined, are the document; how it came in pieces makes no difference. None for an empty one.
    """
    waiting = ""
    fence = ""
    for text in texts:
        waiting += text
        while len(waiting) > most:
            end = _end_of_part(waiting[:most], media_type, fence)
            yield waiting[:end]
            fence = open_fence(waiting[:end], fence) if media_type is MediaType.MARKDOWN else ""
            waiting = waiting[end:]
    if waiting:
        yield waiting


def open_fence(text: str, before: str = "") -> str:
    """Return the mark of the listing that is still open where a part ends.

    Returns:
        Three or more backticks or tildes, or nothing.
    """
    return _fences(text, before)[1]


def _end_of_part(text: str, media_type: MediaType, fence: str) -> int:
    half = len(text) // 2
    fences = _fences(text, fence)[0] if media_type is MediaType.MARKDOWN else []
    if media_type is MediaType.MARKDOWN:
        headings = [match for match in _HEADING.finditer(text, half) if not _is_inside(match.start(), fences)]
        if headings:
            return min(headings, key=lambda match: (len(match["rank"]), -match.start())).start()
    for pattern in _BREAKS:
        ends = [end for match in pattern.finditer(text, half) if not _is_inside(end := match.end(), fences)]
        if ends:
            return ends[-1]
    # All of it is one listing: its lines are whole at least.
    return text.rfind("\n", half) + 1 or len(text)


def _fences(text: str, before: str) -> tuple[list[tuple[int, int]], str]:
    """Return where fenced listings begin and end, and the mark of one that stays open; that one ends with the text."""
    found: list[tuple[int, int]] = []
    start, mark = 0, before
    for match in _FENCE.finditer(text):
        if not mark:
            is_one = "`" not in match["mark"] or "`" not in match["rest"]
            start, mark = (match.start(), match["mark"]) if is_one else (0, "")
        elif match["mark"].startswith(mark) and not match["rest"].strip():
            found.append((start, match.end()))
            mark = ""
    return ([*found, (start, len(text))] if mark else found), mark


def _is_inside(place: int, stretches: list[tuple[int, int]]) -> bool:
    index = bisect_left(stretches, (place,)) - 1  # they ascend, and none overlaps the next
    return index >= 0 and place <= stretches[index][1]


_PROSE = (reading.UnitKind.SENTENCE, reading.UnitKind.LIST_ITEM, reading.UnitKind.HEADING)
_GAP_NATS = {
    reading.Spacing.START: 0.0,
    reading.Spacing.INSIDE_PARAGRAPH: 8.0,
    reading.Spacing.NEWLINE: -4.0,
    reading.Spacing.BLANK_LINE: -8.0,
    reading.Spacing.INSIDE_TABLE: 4.0,
    reading.Spacing.BEFORE_HEADING: -10.0,
    reading.Spacing.AFTER_HEADING: 30.0,
    reading.Spacing.AFTER_COLON: 5.0,
    reading.Spacing.AFTER_TITLE: 15.0,
    reading.Spacing.BEFORE_TURN: -4.0,
    reading.Spacing.BEFORE_INDENTED: 4.0,
}
"""What a cut costs beside its price: paragraphs are better edges than sentences, and a heading or the line that
announces a list stays with what follows it."""

_BACK_REFERENCE_NATS = 3.0
"""What a cut costs more before a sentence that points back to the one before; ``_GAP_NATS`` is its scale."""

TreeSteps: TypeAlias = "Steps[tuple[ChunkTree, HeadingPaths]]"
SettledSteps: TypeAlias = "Steps[list[list[CutPiece]]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredUnits:
    """A text, its units, and how long they are."""

    text: str  #: The document.
    units: reading.Units  #: Its units.
    sizes: Sizes  #: Lengths of its stretches, in the unit of the settings.

    def size(self, start: int, end: int) -> int:
        """Return the size of the units from ``start`` to ``end``."""
        return self.sizes.between(self.units.edge(start), self.units.edge(end))

    def span(self, start: int, end: int) -> Span:
        """Return the characters of the units from ``start`` to ``end``."""
        return Span(self.units.edge(start), self.units.edge(end))

    def is_prose(self, start: int, end: int) -> bool:
        """Return whether the units from ``start`` to ``end`` are sentences, list items and headings alone."""
        return all(kind in _PROSE for kind in self.units.kinds[start:end])

    def texts(self, start: int, end: int) -> list[str]:
        """Return the text of each unit from ``start`` to ``end``."""
        return [self.text[self.units.edge(index) : self.units.edge(index + 1)] for index in range(start, end)]

    def texts_up_to(self, most: int) -> Iterator[str]:
        """Yield the text of each unit in turn, an empty one for a unit that is longer than ``most``."""
        for index, start in enumerate(self.units.starts):
            yield self.text[start : self.units.edge(index + 1)] if self.size(index, index + 1) <= most else ""


def gap_costs(gaps: Sequence[reading.Spacing], points_back: Bools) -> Float64s:
    """Return what a cut before each unit costs beside its price, in nats, shape (units,); below 0 it is a good edge.

    Args:
        gaps: What is before each unit.
        points_back: Which units begin with a sentence that points back to the one before, shape (units,).
    """
    gap_nats = np.array([_GAP_NATS[gap] for gap in reading.Spacing])[np.array(gaps, np.int64)]
    return gap_nats + _BACK_REFERENCE_NATS * points_back.astype(np.float64)


_OUTER_FACTOR = 6.0
"""A stretch without headings gets an outer level of chunks this many times the target long, once it is twice as long as that."""

# Chosen with the sizes, for questions of the Chroma corpora: docs/decisions/0010-leaf-size-and-vectors.md has the figures.
_ALPHA = 0.5
"""Pseudo-count of every token of the vocabulary in the code length."""

_BOUNDARY_PRICE = 0.1
"""Price of a boundary as a multiple of log N nats, N the number of content tokens of the document or of a block of it."""

_PART_SETTINGS = SegmentationSettings(
    pair_weight=0.0, price_growth=1.0, back_reference_surcharge=0.0, overview_discount=0.0, longest_units=100
)
"""Parts are found as sections are, on a coarser scale; 100 outer chunks are over 240,000 characters. ``benchmarks/nesting.py``
prints how often parts are real ones. With a ``price_growth`` of 0.8, 13 of 20 Japanese texts of shuffled sentences get parts too."""

_ROW_SIZE = 2
"""Factor on the length of a table's later rows, so that few rows share a piece. Of 119 questions for a cell, the piece with its
row is first for 107 with 1, 111 with 2 and 3."""

_LENGTH_WEIGHT = 50.0
"""Nats for being off the target by a factor of e, growing with the square of the logarithm."""


def _opening_title(units: reading.Units) -> str:
    """Return the highest of the headings that a text begins with, the first of several; empty for none."""
    opening = [one for place, one in enumerate(units.headings) if one.unit == place]
    return min(opening, key=lambda one: one.level).title if opening else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeMaker:
    """Makes trees by the settings of a chunker."""

    settings: ChunkSettings  #: Sizes and weights.
    tiers: TierSettings  #: How stretches that are too long and hold no boundary are cut.
    ngram_characters: int  #: How many characters of one document have their n-grams counted.
    tokenizer: Tokenizer | None  #: What counts tokens; None where sizes are not in tokens.
    embedder: Embedder | None  #: What makes the vectors of sentences; None where they do not count.

    def whole(self, text: str, media_type: MediaType, language: Language | None, source: str) -> ChunkTree:
        """Return the tree of a document, without asking anybody."""
        return unanswered(self.steps(text, media_type, language, source))

    def steps(self, text: str, media_type: MediaType, language: Language | None, source: str) -> Steps[ChunkTree]:
        """Yield the tree of a document, asking where no boundary is found."""
        if not text:
            return ChunkTree(chunks=())
        place = PartPlace(language=language or detect_language(text), source=source)
        tree, _ = yield from self._tree(text, media_type, place)
        return tree

    def parts(
        self, texts: Iterable[str], media_type: MediaType, language: Language | None, source: str
    ) -> Iterator[TreePart]:
        """Yield the trees of the parts of a document that comes in pieces."""
        place: PartPlace | None = None
        for text in parts_of(texts, media_type):
            place = place or PartPlace(language=language or detect_language(text), source=source)
            tree, paths = unanswered(self._tree(text, media_type, place))
            yield TreePart(text=text, start=place.start, tree=tree)
            place = replace(
                place,
                start=place.start + len(text),
                number=tree.chunks[-1].outline.parts[0] + 1,
                above=paths.open_at_end,
                fence=open_fence(text, place.fence) if media_type is MediaType.MARKDOWN else "",
            )

    def _tree(self, text: str, media_type: MediaType, place: PartPlace) -> TreeSteps:
        is_markdown = media_type is MediaType.MARKDOWN
        blocks = (
            reading.markdown_blocks(text, is_beginning=not place.start, fence=place.fence)
            if is_markdown
            else reading.plain_blocks(text)
        )
        sizes = measure(text, self.settings.size_unit, self.tokenizer)
        units = reading.read_units(
            text,
            reading.with_turns(text, blocks),
            place.language,
            most=self.settings.max_size,
            sizes=sizes,
            is_code=reading.reads_as_code(text),
        )
        paths = HeadingPaths(units.headings, place.above, units.heads)
        section = read_sections(
            units, paths, divided_from=self.settings.target_size, least=self.settings.min_size, sizes=sizes
        )
        document = MeasuredUnits(text=text, units=units, sizes=sizes)
        nodes = list(Nodes(*self._cuts(document, section), paths).of(section))
        long = too_long(units, nodes, most=self.settings.max_size, sizes=sizes)
        settled = yield from self._settled(document, long, place.language)
        pieces = {node.start: found for node, found in zip(long, settled, strict=True)}
        about = About(
            text=text,
            source=place.source,
            language=place.language,
            most=self.settings.max_size,
            sizes=sizes,
            first=place.number,
        )
        return replace(lay_out(units, nodes, pieces, about), title=_opening_title(units)), paths

    def _settled(self, document: MeasuredUnits, long: list[Node], language: Language) -> SettledSteps:
        """Cut the nodes that are too long, by what tiers 2 to 4 find."""
        tiers = Tiers(
            text=document.text,
            language=language,
            sizes=document.sizes,
            wish=self._leaf_wish,
            least=self.settings.min_size,
            settings=self.tiers,
            allowance=Allowance(self.ngram_characters),
        )
        return side_by_side(
            [
                tiers.settle(document.span(node.start, node.end), is_prose=document.is_prose(node.start, node.end))
                for node in long
            ]
        )

    @property
    def _segmentation(self) -> SegmentationSettings:
        return SegmentationSettings(
            alpha=_ALPHA,
            boundary_price=_BOUNDARY_PRICE,
            length_weight=_LENGTH_WEIGHT,
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

    @property
    def _leaf_wish(self) -> Wish:
        return Wish(
            settings=self._segmentation,
            target_characters=self.settings.target_size,
            most_characters=self.settings.max_size,
        )

    def _cuts(self, document: MeasuredUnits, section: UnitSection) -> tuple[Cuts, Cuts, Cuts]:
        """Cut the outer and then the inner level, and divide the outer one into parts."""
        run = self._run(document, section)
        reach = _OUTER_FACTOR * self.settings.target_size
        parts, outer = Cuts([], {}), Cuts([], {})
        if any(document.size(leaf.start, leaf.end) > 2 * reach for leaf in undivided(section)):
            wish = Wish(settings=self._segmentation, target_characters=reach, most_characters=int(3 * reach))
            outer = Cuts.outside_fences(run, cut(run, wish))
            # The wish for length only sets the price of a boundary: halfway, as factors go, between an outer chunk and the stretch.
            gains: dict[int, float] = {}
            for leaf in undivided(section):
                target = math.sqrt(reach * document.size(leaf.start, leaf.end))
                if target > 2 * reach:
                    starts = np.array(outer.edges(leaf.start, leaf.end)[:-1], np.int64)
                    groups = run.slice(leaf.start, leaf.end).joined(
                        starts - leaf.start, once_weight=_PART_SETTINGS.once_weight
                    )
                    found = cut(groups, Wish(settings=_PART_SETTINGS, target_characters=target))
                    gains.update(zip(starts[list(found.boundaries)].tolist(), found.gains_bits, strict=True))
            parts = Cuts(list(gains), gains)
            run.is_fence[outer.units] = True
        return parts, outer, Cuts.outside_fences(run, cut(run, self._leaf_wish))

    def _run(self, document: MeasuredUnits, section: UnitSection) -> UnitRun:
        units = document.units
        steps = document.sizes.steps(np.array([*units.starts, units.end], np.int64))
        steps = steps * np.where(np.fromiter(map(bool, units.heads), np.bool_, len(units.heads)), _ROW_SIZE, 1)
        is_fence = np.zeros(len(units.starts), np.bool_)
        is_fence[[leaf.start for leaf in undivided(section)]] = True
        # A unit over the limit stays alone regardless of its text.
        run = UnitRun.read(lambda: document.texts_up_to(self.settings.max_size), steps, self._segmentation)
        run = replace(run, gap_nats=gap_costs(units.gaps, run.points_back), is_fence=is_fence)
        return run if self.embedder is None else replace(run, vectors=UnitVectors(self.embedder, document.texts))
