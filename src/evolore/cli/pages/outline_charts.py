"""Names and charts of a document's outline, for the terminal and for a page."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from evolore.cli.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.outline import DocumentTree


def names_of(found: DocumentTree) -> tuple[str, ...]:
    """Give each node a name on one line: an inner node the heading it stands under, the rest their first words.

    Of several inner nodes under the same headings only the first is called by them; the others would look alike.
    """
    named: set[tuple[str, ...]] = set()
    names: list[str] = []
    for node in found.nodes:
        path = node.chunk.heading_path
        is_first = bool(path) and not node.chunk.is_leaf and path not in named
        if is_first:
            named.add(path)
        names.append(one_line(path[-1] if is_first else node.beginning))
    return tuple(names)


_CHART_BINS = 24
_STEP = 8
_HEIGHT = 40
_ROW = 15
_CHART_BAR = 130


def depth_chart(depths: Mapping[int, int]) -> str:
    """Draw how many chunks stand at each depth."""
    most = max(depths.values(), default=1)
    bars = "".join(
        f'<text x="0" y="{row * _ROW + 10}">{depth}</text>'
        f'<rect class="bar" x="16" y="{row * _ROW + 2}" width="{max(2, round(_CHART_BAR * count / most))}" height="9" rx="2"/>'
        f'<text x="{22 + max(2, round(_CHART_BAR * count / most))}" y="{row * _ROW + 10}">{count:,}</text>'
        for row, (depth, count) in enumerate(depths.items())
    )
    said = ", ".join(f"{count:,} at depth {depth}" for depth, count in depths.items())
    return _figure("Chunks by depth", said, bars, width=_CHART_BAR + 64, height=max(1, len(depths)) * _ROW)


def size_chart(found: DocumentTree) -> str:
    """Draw how many leaves there are of each size, with the median as a line."""
    sizes, counted = [len(node.chunk.span) for node in found.nodes if node.chunk.is_leaf], found.leaf_sizes
    least, most = counted.smallest, counted.largest
    width = max(1, most - least + 1)
    edges = [least + width * place / _CHART_BINS for place in range(_CHART_BINS + 1)]
    counts = [sum(low <= size < high for size in sizes) for low, high in pairwise(edges)]
    top = max(counts, default=0) or 1
    bars = "".join(
        f'<rect class="bar" x="{place * _STEP}" y="{_HEIGHT - height}" width="{_STEP - 2}" height="{height}" rx="1"/>'
        for place, count in enumerate(counts)
        if (height := round(_HEIGHT * count / top) or (1 if count else 0))
    )
    middle = _CHART_BINS * _STEP * (counted.median - least) / width
    rule = f'<line class="rule" x1="{middle:.0f}" x2="{middle:.0f}" y1="0" y2="{_HEIGHT + 3}"/>'
    ends = (
        f'<text x="0" y="{_HEIGHT + 14}">{least:,}</text>'
        f'<text x="{_CHART_BINS * _STEP}" y="{_HEIGHT + 14}" text-anchor="end">{most:,}</text>'
    )
    said = f"{least:,} to {most:,} characters, median {counted.median:,.0f}"
    return _figure(
        f"Leaves by size, median {counted.median:,.0f}",
        said,
        bars + rule + ends,
        width=_CHART_BINS * _STEP,
        height=_HEIGHT + 16,
    )


def _figure(name: str, said: str, inner: str, *, width: int, height: int) -> str:
    return (
        f'<figure><figcaption>{name}</figcaption><svg role="img" aria-label="{name}: {said}" width="{width}"'
        f' height="{height}" viewBox="0 0 {width} {height}">{inner}</svg></figure>'
    )
