"""A document's text with its units, and how long each stretch of them is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.chunking.units import UnitKind
from evolore.domain.knowledge import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.chunking.sizes import Sizes
    from evolore.chunking.units import Units

_PROSE = (UnitKind.SENTENCE, UnitKind.LIST_ITEM, UnitKind.HEADING)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredUnits:
    """A text, its units, and how long they are.

    Args:
        text: The document.
        units: Its units.
        sizes: Lengths of its stretches, in the unit of the settings.
    """

    text: str
    units: Units
    sizes: Sizes

    def size(self, start: int, end: int) -> int:
        """Give the size of the units from ``start`` to ``end``."""
        return self.sizes.between(self.units.edge(start), self.units.edge(end))

    def span(self, start: int, end: int) -> Span:
        """Give the characters of the units from ``start`` to ``end``."""
        return Span(self.units.edge(start), self.units.edge(end))

    def is_prose(self, start: int, end: int) -> bool:
        """Tell whether the units from ``start`` to ``end`` are sentences, list items and headings alone."""
        return all(kind in _PROSE for kind in self.units.kinds[start:end])

    def texts(self, start: int, end: int) -> list[str]:
        """Give the text of each unit from ``start`` to ``end``."""
        return [self.text[self.units.edge(index) : self.units.edge(index + 1)] for index in range(start, end)]

    def texts_up_to(self, most: int) -> Iterator[str]:
        """Give the text of each unit in turn, an empty one for a unit that is longer than ``most``."""
        for index, start in enumerate(self.units.starts):
            yield self.text[start : self.units.edge(index + 1)] if self.size(index, index + 1) <= most else ""
