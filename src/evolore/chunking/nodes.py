"""From sections and cuts to the nodes of the tree."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from evolore.chunking.outline import Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.chunking.division import Run, Segmentation
    from evolore.chunking.sections import HeadingPaths, Section


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where one level is cut: units in ascending order, and the gain at each in bits."""

    units: list[int]
    gains_bits: dict[int, float]

    @classmethod
    def outside_fences(cls, run: Run, found: Segmentation) -> Cuts:
        """Take what was found, but for what was cut before."""
        pairs = zip(found.boundaries, found.gains_bits, strict=True)
        gains = {boundary: gain for boundary, gain in pairs if not run.is_fence[boundary]}
        return cls(list(gains), gains)

    def edges(self, start: int, end: int) -> list[int]:
        """Give a stretch's own edges and the cuts between them."""
        return [start, *self.units[bisect_right(self.units, start) : bisect_left(self.units, end)], end]


def undivided(section: Section) -> Iterator[Section]:
    """Give the sections that no heading divides, in order."""
    if not section.parts:
        yield section
    for part in section.parts:
        yield from undivided(part)


@dataclass(frozen=True, slots=True)
class Nodes:
    """Turns sections and cuts into the nodes of the tree."""

    outer: Cuts
    inner: Cuts
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
