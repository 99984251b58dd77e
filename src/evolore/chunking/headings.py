"""Sections: the outer levels that headings define in a document."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from evolore.chunking.settings import CHARACTERS, Sizes
from evolore.chunking.units import Heading, Units


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSection:
    """A stretch of units under one heading, or one without."""

    start: int  #: Its first unit.
    end: int  #: One past its last.
    path: tuple[str, ...] | None = None  #: The headings above it, its own last; None where it has no own heading.
    #: What it falls into: stretches without a heading and lower sections, in order, without gaps; empty where headings
    #: divide it no further.
    parts: tuple[UnitSection, ...] = ()


class HeadingPaths:
    """Finds which headings are above a unit."""

    def __init__(
        self, headings: tuple[Heading, ...], above: tuple[Heading, ...] = (), heads: Sequence[str] = ()
    ) -> None:
        self._heads = heads
        self._units = [heading.unit for heading in headings]
        self._outermost = tuple(heading.title for heading in above)
        self._paths: list[tuple[str, ...]] = []
        for heading in headings:
            above = (*(other for other in above if other.level < heading.level), heading)
            self._paths.append(tuple(other.title for other in above))
        self.open_at_end = above

    def of_stretch(self, start: int, end: int) -> tuple[str, ...]:
        """Return the headings above a stretch of units, with those it begins with; inside a table, its head last."""
        if self._heads and self._heads[start]:
            return (*self.at(start), self._heads[start])
        first = start
        while first + 1 < end and self._is_heading(first):
            first += 1
        return self.at(first)

    def at(self, unit: int) -> tuple[str, ...]:
        """Return the headings above a unit, outermost first; its own last if it is one."""
        index = bisect_right(self._units, unit)
        return self._paths[index - 1] if index else self._outermost

    def _is_heading(self, unit: int) -> bool:
        index = bisect_right(self._units, unit)
        return index > 0 and self._units[index - 1] == unit


def read_sections(
    units: Units, paths: HeadingPaths, *, divided_from: int, least: int, sizes: Sizes = CHARACTERS
) -> UnitSection:
    """Nest the sections of a document.

    A section of at most ``divided_from`` is left whole. Smaller parts than ``least`` are joined: small neighbours with each
    other, else with the part before, and at the beginning with the part behind.
    """
    return _SectionReader(units, paths, divided_from, least, sizes).read(0, len(units.starts), None, 0)


@dataclass(frozen=True, slots=True)
class _SectionReader:
    units: Units
    paths: HeadingPaths
    divided_from: int
    least: int
    sizes: Sizes

    def read(self, start: int, end: int, path: tuple[str, ...] | None, own: int) -> UnitSection:
        """Read the section of the units from start to end; its lower headings begin after unit ``own``."""
        if self._size(start, end) <= self.divided_from:
            return UnitSection(start=start, end=end, path=path)
        edges = self._merge_small(self._edges(start, end, own))
        if len(edges) == 1:  # a section that holds a single lower one is that one: a level of its own would say nothing
            return self._lower(start, end, edges[0][1], path)
        ends = [*(edge for edge, _ in edges[1:]), end]
        parts = [self._lower(edge, stop, heading, None) for (edge, heading), stop in zip(edges, ends, strict=True)]
        return UnitSection(start=start, end=end, path=path, parts=tuple(parts))

    def _lower(self, start: int, end: int, heading: int | None, path: tuple[str, ...] | None) -> UnitSection:
        """Read the section of a lower heading; where there is none, it is a stretch under the headings of ``path``."""
        if heading is None:
            return UnitSection(start=start, end=end, path=path)
        return self.read(start, end, self.paths.at(heading), heading + 1)

    def _edges(self, start: int, end: int, own: int) -> list[tuple[int, int | None, int]]:
        """Return start, heading and length of the text before the first lower heading and of each section below."""
        headings = self.units.headings
        lower = headings[bisect_left(headings, own, key=_unit) : bisect_left(headings, end, key=_unit)]
        starts: list[int] = []
        top = 7
        for heading in lower:
            if heading.level <= top:
                top = heading.level
                starts.append(heading.unit)
        heads: list[tuple[int, int | None]] = [] if starts and starts[0] <= start else [(start, None)]
        heads += [(unit, unit) for unit in starts]
        stops = [*(unit for unit, _ in heads[1:]), end]
        return [(unit, heading, self._size(unit, stop)) for (unit, heading), stop in zip(heads, stops, strict=True)]

    def _merge_small(self, edges: list[tuple[int, int | None, int]]) -> list[tuple[int, int | None]]:
        """Join small sections: runs of them into one stretch, what stays small to the part before or behind it."""
        joined: list[tuple[int, int | None, int]] = []
        for start, heading, length in edges:
            if joined and length < self.least and joined[-1][1] is None:
                joined[-1] = (joined[-1][0], None, joined[-1][2] + length)
            else:
                joined.append((start, heading if length >= self.least else None, length))
        kept: list[tuple[int, int | None]] = []
        carried: int | None = None
        for start, heading, length in joined:
            if length >= self.least:
                kept.append((start if carried is None else carried, heading))
                carried = None
            elif not kept:
                carried = start
        return kept or [(edges[0][0], None)]

    def _size(self, start: int, end: int) -> int:
        return self.sizes.between(self.units.edge(start), self.units.edge(end))


def _unit(heading: Heading) -> int:
    return heading.unit
