"""From nodes to chunks: codes, spans, and the hard split of leaves that are too long."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from evolore.chunking.hard_split import hard_split
from evolore.chunking.sizes import CHARACTERS, Sizes
from evolore.domain.knowledge import Chunk, ChunkTree, Priority, ReviewCategory, ReviewItem, Span, Tier
from evolore.domain.outline import OutlineCode

if TYPE_CHECKING:
    from evolore.chunking.units import Units

_FAR_TOO_LONG = 10
"""A unit this many times over the limit is filed with high priority: it is hardly prose."""


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


def lay_out(
    text: str,
    units: Units,
    nodes: list[Node],
    *,
    most: int,
    sizes: Sizes = CHARACTERS,
    first: int = 1,
    source: str,
) -> ChunkTree:
    """Number nodes from ``first`` and cut the leaves that are longer than ``most`` in the unit of ``sizes``."""
    chunks: list[Chunk] = []
    items: list[ReviewItem] = []
    pending = [(OutlineCode((number,)), node) for number, node in enumerate(nodes, first)][::-1]
    while pending:
        code, node = pending.pop()
        span = Span(units.edge(node.start), units.edge(node.end))
        cuts: list[int] = []
        if not node.children and sizes.between(span.start, span.end) > most:
            cuts, falls_in_word = hard_split(text, span.start, span.end, most=most, sizes=sizes)
            items.append(_review_item(span, most, source, falls_in_word=falls_in_word))
        is_leaf = not node.children and not cuts
        chunks.append(Chunk(outline=code, span=span, heading_path=node.path, gain_bits=node.gain_bits, is_leaf=is_leaf))
        chunks.extend(_pieces(code, span, cuts, node.path))
        pending.extend((code.child(number), child) for number, child in reversed([*enumerate(node.children, 1)]))
    return ChunkTree(chunks=tuple(chunks), review_items=tuple(items))


def _pieces(code: OutlineCode, span: Span, cuts: list[int], path: tuple[str, ...]) -> list[Chunk]:
    if not cuts:
        return []
    edges = [span.start, *cuts, span.end]
    return [
        Chunk(
            outline=code.child(number),
            span=Span(start, end),
            heading_path=path,
            tier=Tier.CODE_LENGTH if number == 1 else Tier.HARD_SPLIT,
        )
        for number, (start, end) in enumerate(pairwise(edges), 1)
    ]


def _review_item(span: Span, most: int, source: str, *, falls_in_word: bool) -> ReviewItem:
    far_too_long = len(span) > _FAR_TOO_LONG * most
    where = "inside words" if falls_in_word else "at the best gaps under the limit"
    return ReviewItem(
        category=ReviewCategory.CHUNKING,
        reason=f"A stretch of {len(span)} characters has no end of a sentence or block; it was cut {where}.",
        suggestion=f"Break it into paragraphs or sentences, or raise max_size above {most}.",
        priority=Priority.HIGH if falls_in_word or far_too_long else Priority.NORMAL,
        source=source,
        text_length=len(span),
        attempts=(Tier.CODE_LENGTH, Tier.HARD_SPLIT),
        final_tier=Tier.HARD_SPLIT,
        span=span,
    )
