"""From sections and cuts to the tree of chunks: nodes, codes, spans, and the pieces of leaves that were too long."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from evolore.chunking.division import Segmentation, UnitRun
from evolore.chunking.headings import HeadingPaths, UnitSection
from evolore.chunking.review import hard_split_reason, hard_split_suggestion
from evolore.chunking.settings import Sizes
from evolore.chunking.tiers import CutPiece
from evolore.chunking.units import Units
from evolore.domain.document import BoundaryReason, Chunk, ChunkTree, Span, Tier
from evolore.domain.language import Language
from evolore.domain.outline import OutlineCode
from evolore.domain.review import Priority, ReviewCategory, ReviewItem, cause_of

_FAR_TOO_LONG = 10
"""A stretch this many times over the limit is filed with high priority: it is hardly prose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A chunk before it has a code."""

    start: int  #: Its first unit.
    end: int  #: One past its last.
    path: tuple[str, ...]  #: The headings above it.
    gain_bits: float | None = None  #: The gain at its left boundary, None where nothing was weighed.
    children: tuple[Node, ...] = ()  #: The nodes it holds, none or at least two.


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What review items say of their document."""

    text: str  #: The document.
    source: str  #: Where it came from.
    language: Language  #: The language it is in.
    most: int  #: The longest chunk, in the unit sizes are counted in.
    sizes: Sizes  #: How long stretches of the text are.
    first: int = 1  #: The number of the first node.


def too_long(units: Units, nodes: Sequence[Node], *, most: int, sizes: Sizes) -> list[Node]:
    """Return the leaves that are longer than ``most`` in the unit of ``sizes``, in text order."""
    found: list[Node] = []
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        pending.extend(reversed(node.children))
        if not node.children and sizes.between(units.edge(node.start), units.edge(node.end)) > most:
            found.append(node)
    return found


def lay_out(units: Units, nodes: Sequence[Node], settled: Mapping[int, Sequence[CutPiece]], about: About) -> ChunkTree:
    """Number nodes, and put the pieces of those that were too long, named by their first unit, below them."""
    chunks: list[Chunk] = []
    items: list[ReviewItem] = []
    pending = [(OutlineCode((number,)), node) for number, node in enumerate(nodes, about.first)][::-1]
    while pending:
        code, node = pending.pop()
        span = Span(units.edge(node.start), units.edge(node.end))
        pieces: Sequence[CutPiece] = () if node.children else settled.get(node.start, ())
        chunk = Chunk(
            outline=code,
            span=span,
            heading_path=node.path,
            gain_bits=node.gain_bits,
            is_leaf=not node.children and not pieces,
            reason=_reason(span, node.gain_bits),
        )
        chunks.append(chunk)
        chunks.extend(_below(chunk, number, piece) for number, piece in enumerate(pieces, 1))
        if any(piece.is_cut_hard for piece in pieces):
            items.append(_review_item(span, pieces, about))
        pending.extend((code.child(number), child) for number, child in reversed([*enumerate(node.children, 1)]))
    return ChunkTree(chunks=tuple(chunks), review_items=tuple(items))


def _reason(span: Span, gain_bits: float | None) -> BoundaryReason:
    if not span.start:
        return BoundaryReason.START
    if gain_bits is None:
        return BoundaryReason.HEADING
    return BoundaryReason.GAIN if gain_bits > 0 else BoundaryReason.LENGTH


def _below(chunk: Chunk, number: int, piece: CutPiece) -> Chunk:
    return Chunk(
        outline=chunk.outline.child(number),
        span=piece.span,
        heading_path=chunk.heading_path,
        tier=piece.tier,
        gain_bits=piece.gain_bits,
        reason=piece.reason or chunk.reason,
        attempts=piece.attempts,
    )


def _review_item(span: Span, pieces: Sequence[CutPiece], about: About) -> ReviewItem:
    cut_hard = [piece for piece in pieces if piece.is_cut_hard]
    falls_in_word = any(piece.reason is BoundaryReason.INSIDE_WORD for piece in cut_hard)
    size = about.sizes.between(span.start, span.end)
    far_too_long = size > _FAR_TOO_LONG * about.most
    return ReviewItem(
        category=ReviewCategory.CHUNKING,
        reason=hard_split_reason(len(span), about.language, falls_in_word=falls_in_word),
        suggestion=hard_split_suggestion(size, about.language),
        priority=Priority.HIGH if falls_in_word or far_too_long else Priority.NORMAL,
        source=about.source,
        text_length=len(span),
        attempts=cut_hard[-1].attempts,
        final_tier=Tier.HARD_SPLIT,
        span=span,
        language=about.language,
        cause=cause_of(ReviewCategory.CHUNKING, about.source, span.of(about.text).strip()),
    )


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where one level is cut: units in ascending order, and the gain at each in bits."""

    units: list[int]
    gains_bits: dict[int, float]

    @classmethod
    def outside_fences(cls, run: UnitRun, found: Segmentation) -> Cuts:
        """Return what was found, without what was cut before."""
        pairs = zip(found.boundaries, found.gains_bits, strict=True)
        gains = {boundary: gain for boundary, gain in pairs if not run.is_fence[boundary]}
        return cls(list(gains), gains)

    def edges(self, start: int, end: int) -> list[int]:
        """Return a stretch's own edges and the cuts between them."""
        return [start, *self.units[bisect_right(self.units, start) : bisect_left(self.units, end)], end]


def undivided(section: UnitSection) -> Iterator[UnitSection]:
    """Yield the sections that no heading divides, in order."""
    if not section.parts:
        yield section
    for part in section.parts:
        yield from undivided(part)


@dataclass(frozen=True, slots=True)
class Nodes:
    """Turns sections and cuts into the nodes of the tree."""

    parts: Cuts  #: Cuts between outer chunks, where the matters of a long stretch change.
    outer: Cuts
    inner: Cuts
    paths: HeadingPaths

    def of(self, section: UnitSection) -> Iterator[Node]:
        """Yield the nodes a section falls into, its own left out."""
        if not section.parts:
            yield from self._level(section.start, section.end, self.parts, self._chunks)
        for part in section.parts:
            below = tuple(self.of(part))
            if part.path is None or len(below) == 1:
                yield from below
            else:
                yield Node(start=part.start, end=part.end, path=part.path, children=below)

    def _chunks(self, start: int, end: int) -> Iterator[Node]:
        return self._level(start, end, self.outer, self._leaves)

    def _leaves(self, start: int, end: int) -> Iterator[Node]:
        for first, last in pairwise(self.inner.edges(start, end)):
            gain = self.inner.gains_bits.get(first, self.outer.gains_bits.get(first))
            yield Node(start=first, end=last, path=self.paths.of_stretch(first, last), gain_bits=gain)

    def _level(self, start: int, end: int, cuts: Cuts, below: Callable[[int, int], Iterator[Node]]) -> Iterator[Node]:
        """Yield a node for each stretch between cuts; what is below it instead where it is the only one, or has no two below."""
        for first, last in pairwise(cuts.edges(start, end)):
            nodes = tuple(below(first, last))
            if len(nodes) == 1 or (first, last) == (start, end):
                yield from nodes
            else:
                gain, path = cuts.gains_bits.get(first), self.paths.of_stretch(first, last)
                yield Node(start=first, end=last, path=path, gain_bits=gain, children=nodes)
