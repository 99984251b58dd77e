"""From nodes to chunks: codes, spans, and the pieces of leaves that were too long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.chunking.messages import hard_split_reason, hard_split_suggestion
from evolore.domain.knowledge import BoundaryReason, Chunk, ChunkTree, Span, Tier
from evolore.domain.outline import OutlineCode
from evolore.domain.review import Priority, ReviewCategory, ReviewItem, cause_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evolore.chunking.sizes import Sizes
    from evolore.chunking.tiers import Piece
    from evolore.chunking.units import Units
    from evolore.domain.language import Language

_FAR_TOO_LONG = 10
"""A stretch this many times over the limit is filed with high priority: it is hardly prose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A chunk before it has a code.

    Args:
        start: Its first unit.
        end: One past its last.
        path: The headings above it.
        gain_bits: The gain at its left boundary, None where nothing was weighed.
        children: The nodes it holds, none or at least two.
    """

    start: int
    end: int
    path: tuple[str, ...]
    gain_bits: float | None = None
    children: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What review items say of their document.

    Args:
        text: The document.
        source: Where it came from.
        language: The language it is in.
        most: The longest chunk, in the unit sizes are counted in.
        sizes: How long stretches of the text are.
        first: The number of the first node.
    """

    text: str
    source: str
    language: Language
    most: int
    sizes: Sizes
    first: int = 1


def too_long(units: Units, nodes: Sequence[Node], *, most: int, sizes: Sizes) -> list[Node]:
    """Give the leaves that are longer than ``most`` in the unit of ``sizes``, in text order."""
    found: list[Node] = []
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        pending.extend(reversed(node.children))
        if not node.children and sizes.between(units.edge(node.start), units.edge(node.end)) > most:
            found.append(node)
    return found


def lay_out(units: Units, nodes: Sequence[Node], settled: Mapping[int, Sequence[Piece]], about: About) -> ChunkTree:
    """Number nodes, and put the pieces of those that were too long, named by their first unit, below them."""
    chunks: list[Chunk] = []
    items: list[ReviewItem] = []
    pending = [(OutlineCode((number,)), node) for number, node in enumerate(nodes, about.first)][::-1]
    while pending:
        code, node = pending.pop()
        span = Span(units.edge(node.start), units.edge(node.end))
        pieces: Sequence[Piece] = () if node.children else settled.get(node.start, ())
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


def _below(chunk: Chunk, number: int, piece: Piece) -> Chunk:
    return Chunk(
        outline=chunk.outline.child(number),
        span=piece.span,
        heading_path=chunk.heading_path,
        tier=piece.tier,
        gain_bits=piece.gain_bits,
        reason=piece.reason or chunk.reason,
        attempts=piece.attempts,
    )


def _review_item(span: Span, pieces: Sequence[Piece], about: About) -> ReviewItem:
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
